"""The completion script of zsh: the candidates come with what they mean."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .completion import Grammar

SCRIPT = r"""#compdef signaltty
# signaltty's completion for zsh. Made from the program's own table of commands; load it with:
#   eval "$(signaltty completion zsh)"
# or save it as _signaltty in a directory of $fpath.

_signaltty_verbs() {
    verbs=()
    case $1 in
@VERBS@
    esac
}

_signaltty_switches() {
    switches=()
    case $1 in
@SWITCHES@
    esac
    switches+=(@SHARED@)
}

_signaltty_value() {
    kind=
    case $1 in
@VALUES@
    (*:--socket) kind=file ;;
    esac
}

_signaltty_argument() {
    kind=
    case $1 in
@ARGUMENTS@
    esac
}

_signaltty_offer() {
    local -a found
    case $1 in
    (file) _files ;;
    (list*)
        compset -P '*,'
        compadd -q -S , -- ${=1#list}
        ;;
    (words*) compadd -- ${=1#words} ;;
    (?*)
        found=(${(f)"$("$program" --no-start $socket complete $1 2>/dev/null)"})
        found=("${found[@]/$'\t'/:}")
        _describe -t $1 $1 found
        ;;
    esac
}

_signaltty() {
    local program=${${(Q)words[1]}/#\~/$HOME} place option kind word
    local -i count=0 rest=0 at
    local -a verbs switches socket
    for ((at = 2; at < CURRENT; at++)); do
        word=${(Q)words[at]}
        if [[ -n $option ]]; then
            [[ $option == --socket ]] && socket=(--socket ${word/#\~/$HOME})
            option=
        elif [[ $word == -- ]]; then
            rest=$((at + 1))
            break
        elif [[ $word == --socket=* ]]; then
            socket=($word)
        elif [[ $word == -?* ]]; then
            _signaltty_value "$place:$word"
            [[ -n $kind ]] && option=$word
        else
            _signaltty_verbs "$place"
            if (( $#verbs )); then place=${place:+$place }$word; else count+=1; fi
        fi
    done
    word=${words[CURRENT]}
    if (( rest )); then
        shift $((rest - 1)) words
        (( CURRENT -= rest - 1 ))
        _normal
    elif [[ -z $option && $word == --*=* ]]; then
        compset -P '*='
        _signaltty_value "$place:${word%%=*}"
        _signaltty_offer "$kind"
    elif [[ -n $option ]]; then
        _signaltty_value "$place:$option"
        _signaltty_offer "$kind"
    elif [[ $word == -* ]]; then
        _signaltty_switches "$place"
        _describe -o -t options option switches
    else
        _signaltty_verbs "$place"
        if (( $#verbs )); then
            _describe -t commands command verbs
        else
            _signaltty_argument "$place:$count"
            _signaltty_offer "$kind"
        fi
    fi
}

if [[ $funcstack[1] == _signaltty ]]; then
    _signaltty "$@"
else
    compdef _signaltty signaltty
fi
"""


def parts(grammar: Grammar) -> dict[str, list[str]]:
    return {
        "VERBS": [f"    ('{place}') verbs=({_pairs(words)}) ;;" for place, words in grammar.verbs.items()],
        "SWITCHES": [f"    ('{place}') switches=({_pairs(words)}) ;;" for place, words in grammar.switches.items()],
        "VALUES": [_case(places, source) for source, places in grammar.values.items()],
        "ARGUMENTS": [_case(places, source) for source, places in grammar.arguments.items()],
        "SHARED": [_pairs(grammar.shared)],
    }


def _pairs(words: list[tuple[str, str]]) -> str:
    return " ".join(_quoted(f"{word}:{text}") for word, text in words)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _case(places: list[str], source: str) -> str:
    patterns = "|".join(f"'{place}'" for place in places)
    return f"    ({patterns}) kind='{source}' ;;"
