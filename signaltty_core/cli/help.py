"""What the bare program says: the commands in groups, and its version. By hand, for click takes longer to import.

Help of one command and the wording of mistakes are click's (build.py).
"""

from __future__ import annotations

import os

from ..base.version import PROTOCOL, VERSION
from . import table
from .show import cells_of, terminal_width
from .words import Unusual, leading

ABOUT = "Own the terminals of coding agents: start them, see what they do, wait for them, answer them."
EPILOG = "`signaltty COMMAND --help` says more about one command."
OWN_OPTIONS = (("--version", "Print the version."), ("--help", "Say this."))
WIDEST = 98  # longer lines are hard to read
NARROWEST = 30


def answer(argv: list[str]) -> str | None:
    """What a line asks for that names no command; None when it is for click."""
    words = argv
    if argv:
        try:
            _, words = leading(argv[:-1])
        except Unusual:
            return None
        if words:
            return None
        words = argv[-1:]
    if words in ([], ["--help"]):
        return overview(width())
    return version() if words == ["--version"] else None


def version() -> str:
    return f"signaltty {VERSION} ({PROTOCOL})\n"


def width() -> int:
    """How wide help may be: $COLUMNS, else the terminal, else 80 columns; a blank margin on both sides."""
    said = os.environ.get("COLUMNS", "")
    columns = int(said) if said.isascii() and said.isdigit() and 0 < len(said) < 6 else 0
    return max(NARROWEST, min((columns or terminal_width() or 80) - 2, WIDEST))


def overview(columns: int) -> str:
    """The whole program on a page or two."""
    from .spec import GLOBALS

    options = [(f"{o.name} {o.kind.metavar}" if o.kind else o.name, o.help) for o in GLOBALS]
    lines = ["Usage: signaltty [OPTIONS] COMMAND [ARGS]...", "", *wrap(ABOUT, columns, "  ", "  "), ""]
    lines += ["Options:", *definitions([*options, *OWN_OPTIONS], columns)]
    for title, words, example in table.GROUPS:
        lines += ["", f"{title}:", *definitions([(word, about(word)) for word in words], columns), f"    {example}"]
    return "\n".join([*lines, "", *wrap(EPILOG, columns, "  ", "  "), ""])


def about(word: str) -> str:
    """The second words that may follow a first one, else what the command does."""
    commands = [command for command in table.load(word) if command.words[0] == word]
    below = sorted(command.words[1] for command in commands if len(command.words) > 1)
    return ", ".join(below) or commands[0].summary


def definitions(rows: list[tuple[str, str]], columns: int) -> list[str]:
    """A term and its text a row, the texts aligned."""
    first = max(len(term) for term, _ in rows) + 4
    return [line for term, text in rows for line in wrap(text, columns, f"  {term}".ljust(first), " " * first)]


def wrap(text: str, columns: int, begin: str, indent: str) -> list[str]:
    """Lines of whole words; `begin` stands before the first, `indent` before the others."""
    lines = []
    line, fresh = begin, True
    for word in text.split():
        if not fresh and cells_of(line) + 1 + cells_of(word) > columns:
            lines.append(line)
            line, fresh = indent, True
        line += word if fresh else f" {word}"
        fresh = False
    return [*lines, line]
