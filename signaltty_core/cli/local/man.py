"""The manual page in roff, written from the table of commands (cli §4.6)."""

from __future__ import annotations

from ...base.version import PROTOCOL, VERSION
from .. import table
from ..spec import GLOBALS, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DESCRIPTION = (
    "signaltty owns the terminals of coding agents. Each agent runs in a pane, in a tab of a workspace. The server, "
    "which the first command starts, knows whether an agent works, waits for somebody, is done or has failed, and lets "
    "people, scripts and other agents wait for it and answer it. A keeper process holds the terminals, so that no "
    "agent notices when the server dies.",
    "Wherever PANE stands, the id or the name of a pane will do; wherever WORKSPACE stands, its id or its handle. What "
    "follows -- is the program to run.",
)
ALSO = (("--help", "Say this, or more about one command."), ("--version", "Print the version."))
EXIT = (
    ("0", "Done."),
    ("1", "Refused or failed; the reason is on standard error, with its code in parentheses."),
    ("2", "The line was not understood."),
    ("130", "Interrupted."),
)
ENVIRONMENT = (
    ("SIGNALTTY_SOCKET", "The server's socket; set in every pane."),
    ("SIGNALTTY_PANE", "The pane this runs in; what notify, report and hooks speak for."),
    ("SIGNALTTY_TASK", "The task this pane works on."),
    ("SIGNALTTY_NO_START", "With the value 1 no server is ever started."),
    ("SIGNALTTY_HOOKS", "With the value off hooks report nothing: mutes an agent inside an agent."),
    ("SIGNALTTY_INTEGRATION", "With the value off agents are not set up when they start."),
    ("SIGNALTTY_DEBUG", "With the value 1 an error shows where it came from."),
    ("NO_COLOR", "With any value output has no colours."),
)
FILES = (
    (
        "$XDG_RUNTIME_DIR/signaltty/",
        "Sockets and locks of server and keeper; without the variable /tmp/signaltty-UID/.",
    ),
    ("~/.local/state/signaltty/", "Journal, snapshot, history and log of the server."),
    ("~/.config/signaltty/", "Manifests of agents in agents/, plugins in plugins/."),
    ("~/.cache/signaltty/", "The unpacked program; may be deleted at any time."),
)


def write() -> str:
    """The page; the same for every call of one version."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield ".\\\" Made by `signaltty man` from the program's own table of commands."
    yield f'.TH SIGNALTTY 1 "" "signaltty {VERSION}" "signaltty"'
    yield ".SH NAME"
    yield "signaltty \\- own the terminals of coding agents, see what they do, wait for them, answer them"
    yield ".SH SYNOPSIS"
    yield ".B signaltty"
    yield ".RI [ OPTIONS ]"
    yield ".I COMMAND"
    yield ".RI [ ARGUMENTS ]"
    yield ".SH DESCRIPTION"
    for index, paragraph in enumerate(DESCRIPTION):
        if index:
            yield ".PP"
        yield _text(paragraph)
    yield ".SH OPTIONS"
    yield "Any command takes these, anywhere before \\-\\-."
    for option in GLOBALS:
        yield from _option(option)
    yield from _terms(ALSO)
    yield ".SH COMMANDS"
    shown = [command for command in table.every() if not command.hidden]
    for title, firsts, example in table.GROUPS:
        yield f'.SS "{_text(title)}"'
        yield from _example(example)
        for first in firsts:
            for command in shown:
                if command.words[0] == first:
                    yield from _command(command)
    yield ".SH EXIT STATUS"
    yield from _terms(EXIT)
    yield ".SH ENVIRONMENT"
    yield from _terms(ENVIRONMENT)
    yield ".SH FILES"
    yield from _terms(FILES)
    yield ".SH NOTES"
    yield _text(f"The protocol is {PROTOCOL}; `signaltty schema` prints what the running server takes. ")
    yield _text("`signaltty doctor` examines everything it needs, `signaltty completion` teaches it to your shell.")


def _command(command: Command) -> Iterator[str]:
    yield ".TP"
    yield _usage(command)
    yield _text(command.summary)
    if command.options:
        yield ".RS"
        for option in command.options:
            yield from _option(option)
        yield ".RE"


def _usage(command: Command) -> str:
    """The words in bold, what to put in place of something in italics."""
    parts = [_bold(" ".join(command.words))]
    parts += [_italic(one.name) if one.required else f"[{_italic(one.name)}]" for one in command.arguments]
    if command.options:
        parts.append(f"[{_italic('OPTIONS')}]")
    if command.rest:
        parts.append(f"[{_bold('--')} {_italic(command.rest)}]")
    return " ".join(parts)


def _option(option: Option) -> Iterator[str]:
    names = ", ".join(_bold(name) for name in (option.name, *option.aliases))
    yield ".TP"
    yield names if option.kind is None else f"{names} {_italic(option.kind.metavar)}"
    more = " Required." if option.required else "" if option.default is None else f" Default: {option.default}."
    yield _text(option.help + more)


def _terms(pairs: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for term, text in pairs:
        yield ".TP"
        yield _bold(term)
        yield _text(text)


def _example(line: str) -> Iterator[str]:
    yield ".nf"
    yield f".RS 4\n{_text(line)}\n.RE"
    yield ".fi"


def _bold(text: str) -> str:
    return f"\\fB{_escaped(text)}\\fR"


def _italic(text: str) -> str:
    return f"\\fI{_escaped(text)}\\fR"


def _text(text: str) -> str:
    """A line of text, never taken for a request."""
    escaped = _escaped(text.strip())
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _escaped(text: str) -> str:
    """Hyphens and quotes stay what a person can paste; other letters are left to the reader's utf-8."""
    marks = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "~": "\\(ti", "^": "\\(ha", "…": "...", "—": "\\(em"}
    return "".join(marks.get(character, character) for character in text)
