"""The completion script of bash, from 3.2 on: macOS has no newer one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .completion import Grammar

SCRIPT = r"""# signaltty's completion for bash. Made from the program's own table of commands; load it with:
#   eval "$(signaltty completion bash)"

_signaltty_verbs() {
    case $1 in
@VERBS@
    *) verbs= ;;
    esac
}

_signaltty_switches() {
    case $1 in
@SWITCHES@
    *) switches= ;;
    esac
}

_signaltty_value() {
    case $1 in
@VALUES@
    *:--socket) kind=file ;;
    *) kind= ;;
    esac
}

_signaltty_argument() {
    case $1 in
@ARGUMENTS@
    *) kind= ;;
    esac
}

_signaltty_offer() {
    local value rest before=
    case $1 in
    file)
        compopt -o filenames 2>/dev/null
        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$cur")
        ;;
    list*)
        [[ $cur == *,* ]] && before=${cur%,*},
        for value in ${1#list}; do
            [[ $value == "${cur##*,}"* ]] && COMPREPLY+=("$before$value")
        done
        compopt -o nospace 2>/dev/null
        ;;
    words*)
        for value in ${1#words}; do
            [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
        done
        ;;
    ?*)
        while IFS=$'\t' read -r value rest; do
            [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
        done < <("$program" --no-start ${socket:+--socket "$socket"} complete "$1" 2>/dev/null)
        ;;
    esac
}

_signaltty() {
    local cur=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]/#\~/$HOME}
    local place= option= kind= socket= verbs= switches= count=0 rest=0 at word
    COMPREPLY=()
    [[ $cur == = ]] && cur=
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        if [[ $option ]]; then
            [[ $word == = ]] && continue
            [[ $option == --socket ]] && socket=${word/#\~/$HOME}
            option=
        elif [[ $word == -- ]]; then
            rest=$((at + 1))
            break
        elif [[ $word == -?* ]]; then
            _signaltty_value "$place:$word"
            [[ $kind ]] && option=$word
        else
            _signaltty_verbs "$place"
            if [[ $verbs ]]; then place=${place:+$place }$word; else count=$((count + 1)); fi
        fi
    done
    if ((rest)); then
        if ((COMP_CWORD == rest)); then
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur")
        else
            _signaltty_offer file
        fi
    elif [[ $option ]]; then
        _signaltty_value "$place:$option"
        _signaltty_offer "$kind"
    elif [[ $cur == -* ]]; then
        _signaltty_switches "$place"
        _signaltty_offer "words $switches @SHARED@"
    else
        _signaltty_verbs "$place"
        if [[ $verbs ]]; then kind="words $verbs"; else _signaltty_argument "$place:$count"; fi
        _signaltty_offer "$kind"
    fi
}

complete -F _signaltty signaltty
"""


def parts(grammar: Grammar) -> dict[str, list[str]]:
    """No value of the table needs more quoting than single quotes."""
    return {
        "VERBS": [f"    '{place}') verbs='{_words(words)}' ;;" for place, words in grammar.verbs.items()],
        "SWITCHES": [f"    '{place}') switches='{_words(words)}' ;;" for place, words in grammar.switches.items()],
        "VALUES": [_case(places, source) for source, places in grammar.values.items()],
        "ARGUMENTS": [_case(places, source) for source, places in grammar.arguments.items()],
        "SHARED": [_words(grammar.shared)],
    }


def _words(pairs: list[tuple[str, str]]) -> str:
    return " ".join(word for word, _ in pairs)


def _case(places: list[str], source: str) -> str:
    patterns = " | ".join(f"'{place}'" for place in places)
    return f"    {patterns}) kind='{source}' ;;"
