"""What may stand where on a command line, read from the table of commands; three shells' scripts are written from it.

A *source* names where a value comes from: `words a b c` (one of these), `list a b c` (several, with commas), `file`, or
a kind of record whose ids the shell asks the program for.
"""

from __future__ import annotations

from ....agents.install.agent_files import KNOWN
from ....agents.table import KINDS
from ....methods import registry
from ....methods.panes.closing import OS_SIGNALS
from ....state.attention import LEVELS
from ....state.lifecycle import STATES
from ....state.tasks import STATES as TASK_STATES
from ....state.waits import SEEN
from ... import table
from ...spec import GLOBALS, ID, NAMES, OS_SIGNAL, PANE, PATH, WORKSPACE, Argument, Command, Option

RECORDS = {"tab_id": "tab", "task_id": "task", "task": "task", "task_ids": "task", "pane": "pane", "pane_id": "pane"}
ALSO = (("--help", "Say this."), ("--version", "Print the version."))
DIRECT = {PANE: "pane", WORKSPACE: "workspace", PATH: "file", OS_SIGNAL: "words " + " ".join(OS_SIGNALS)}


class Grammar:
    """verbs: the next words at each place, with what they do. switches: options of each command, with what they do.

    values: source -> "COMMAND:OPTION"; arguments: source -> "COMMAND:INDEX".
    """

    __slots__ = ("arguments", "shared", "switches", "values", "verbs")

    def __init__(self) -> None:
        self.verbs: dict[str, list[tuple[str, str]]] = {}
        self.switches: dict[str, list[tuple[str, str]]] = {}
        self.values: dict[str, list[str]] = {}
        self.arguments: dict[str, list[str]] = {}
        self.shared = [*((option.name, option.help) for option in GLOBALS), *ALSO]


def write(shell: str) -> str:
    """The shell's script. Each shell has a text with places in it, and its own way to write what stands there."""
    if shell == "bash":
        from .bash import SCRIPT, parts
    elif shell == "zsh":
        from .zsh import SCRIPT, parts
    else:
        from .fish import SCRIPT, parts
    script = SCRIPT
    for name, lines in parts(read(table.every())).items():
        script = script.replace(f"@{name}@", "\n".join(lines))
    return script


def read(commands: list[Command]) -> Grammar:
    """The grammar of the commands people see."""
    grammar = Grammar()
    for command in commands:
        if command.hidden:
            continue
        place = " ".join(command.words)
        for depth, word in enumerate(command.words):
            last = depth == len(command.words) - 1
            _add_verb(grammar, " ".join(command.words[:depth]), word, command.summary if last else "")
        _add_options(grammar, place, command)
        for index, argument in enumerate(command.arguments):
            source = _source_of(command, argument)
            if source:
                grammar.arguments.setdefault(source, []).append(f"{place}:{index}")
    for place, verbs in grammar.verbs.items():
        grammar.verbs[place] = [(word, text or _below(grammar, word)) for word, text in verbs]
    return grammar


def _add_verb(grammar: Grammar, place: str, word: str, text: str) -> None:
    verbs = grammar.verbs.setdefault(place, [])
    if word not in (known for known, _ in verbs):
        verbs.append((word, text))


def _add_options(grammar: Grammar, place: str, command: Command) -> None:
    switches = grammar.switches.setdefault(place, [])
    for option in command.options:
        source = _source_of(command, option)
        for name in (option.name, *option.aliases):
            switches.append((name, option.help))
            if option.kind is not None:
                grammar.values.setdefault(source or "words", []).append(f"{place}:{name}")


def _below(grammar: Grammar, word: str) -> str:
    return ", ".join(sorted(below for below, _ in grammar.verbs.get(word, ())))


def _source_of(command: Command, part: Option | Argument) -> str:
    """Empty where only the person knows."""
    kind = part.kind
    if kind is None:
        return ""
    if kind.choices:
        return "words " + " ".join(kind.choices)
    if kind in DIRECT:
        return DIRECT[kind]
    if kind is ID:
        return RECORDS.get(part.param, "")
    if part.param == "until" and kind is NAMES and command.words == ("wait",):
        return "list " + " ".join((*STATES, *LEVELS, *SEEN))
    if command.words in (("task", "wait"), ("task", "list")) and part.param in ("until", "state"):
        return (
            f"list {' '.join(TASK_STATES)} terminal settled"
            if part.param == "until"
            else f"words {' '.join(TASK_STATES)}"
        )
    return _named(command, part.param)


def _named(command: Command, param: str) -> str:
    """Values that other tables of the program hold."""
    if param in ("agent", "agent_hint"):
        known = (
            (*KNOWN, "all") if command.words[0] == "integration" else tuple(name for name in KINDS if name != "none")
        )
        return "words " + " ".join(known)
    if param == "method" and command.words == ("call",):
        return "words " + " ".join(sorted(one.name for one in registry.every()))
    return "file" if param.endswith("file") else ""
