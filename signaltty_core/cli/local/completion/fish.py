"""The completion script of fish: one function decides, the candidates come with what they mean."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .completion import Grammar

SCRIPT = r"""# signaltty's completion for fish. Made from the program's own table of commands; load it with:
#   signaltty completion fish | source

function __signaltty_verbs
    switch $argv[1]
@VERBS@
    end
end

function __signaltty_switches
    switch $argv[1]
@SWITCHES@
    end
    printf '%s\t%s\n' @SHARED@
end

function __signaltty_value
    switch $argv[1]
@VALUES@
        case '*:--socket'
            echo file
    end
end

function __signaltty_argument
    switch $argv[1]
@ARGUMENTS@
    end
end

# candidates of a kind; each begins with what already stands there
function __signaltty_offer --argument-names kind before cur program
    set -l words (string split ' ' -- $kind)
    switch $words[1]
        case ''
        case file
            for found in (__fish_complete_path $cur)
                printf '%s%s\n' $before $found
            end
        case list
            set -l taken (string match -r '^.*,' -- $cur)
            printf "$before$taken%s\n" $words[2..]
        case words
            set -q words[2]; and printf "$before%s\n" $words[2..]
        case '*'
            for found in (command $program --no-start $argv[5..] complete $kind 2>/dev/null)
                printf '%s%s\n' $before $found
            end
    end
end

function __signaltty
    set -l tokens (commandline -opc)
    set -l cur (commandline -ct)
    set -l program $tokens[1]
    set -l place ''
    set -l option ''
    set -l count 0
    set -l socket
    set -l at 1
    for word in $tokens[2..]
        set at (math $at + 1)
        if test -n "$option"
            test $option = --socket; and set socket --socket $word
            set option ''
        else if test "$word" = --
            complete -C (string join ' ' -- (string escape -- $tokens[(math $at + 1)..]) $cur)
            return
        else if string match -q -- '--socket=*' $word
            set socket $word
        else if string match -q -- '-?*' $word
            test -n "$(__signaltty_value "$place:$word")"; and set option $word
        else if test -n "$(__signaltty_verbs $place)"
            set place (string trim -- "$place $word")
        else
            set count (math $count + 1)
        end
    end
    if test -z "$option"; and string match -q -- '--*=*' $cur
        set -l parts (string split -m 1 = -- $cur)
        __signaltty_offer "$(__signaltty_value "$place:$parts[1]")" "$parts[1]=" "$parts[2]" $program $socket
    else if test -n "$option"
        __signaltty_offer "$(__signaltty_value "$place:$option")" '' "$cur" $program $socket
    else if string match -q -- '-*' $cur
        __signaltty_switches $place
    else if test -n "$(__signaltty_verbs $place)"
        __signaltty_verbs $place
    else
        __signaltty_offer "$(__signaltty_argument "$place:$count")" '' "$cur" $program $socket
    end
end

complete -c signaltty -f -a '(__signaltty)'
"""


def parts(grammar: Grammar) -> dict[str, list[str]]:
    return {
        "VERBS": [_case([place], f"printf '%s\\t%s\\n' {_pairs(words)}") for place, words in grammar.verbs.items()],
        "SWITCHES": [
            _case([place], f"printf '%s\\t%s\\n' {_pairs(words)}") for place, words in grammar.switches.items() if words
        ],
        "VALUES": [_case(places, f"echo '{source}'") for source, places in grammar.values.items()],
        "ARGUMENTS": [_case(places, f"echo '{source}'") for source, places in grammar.arguments.items()],
        "SHARED": [_pairs(grammar.shared)],
    }


def _pairs(words: list[tuple[str, str]]) -> str:
    return " ".join(f"{_quoted(word)} {_quoted(text)}" for word, text in words)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _case(places: list[str], line: str) -> str:
    return f"        case {' '.join(_quoted(place) for place in places)}\n            {line}"
