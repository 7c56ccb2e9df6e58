"""The help of the program, of groups and of commands, and the version. By hand, for click takes longer to import.

The wording of mistakes is click's (build.py).
"""

from __future__ import annotations

import os

from ..base.version import PROTOCOL, VERSION
from . import table
from .show import cells_of, terminal_width
from .spec import GLOBALS
from .words import Unusual, leading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .spec import Command, Option

ABOUT = "Own the terminals of coding agents: start them, see what they do, wait for them, answer them."
EPILOG = "`signaltty COMMAND --help` says more about one command."
OWN_OPTIONS = (("--version", "Print the version."), ("--help", "Say this."))
WIDEST = 98  # longer lines are hard to read
NARROWEST = 30


def answer(argv: list[str]) -> str | None:
    """What a line asks for that runs nothing: help or the version; None when it is for click."""
    if not argv:
        return overview(width())
    asked = argv[-1]
    if asked not in dict(OWN_OPTIONS) or argv[-2:-1] == ["--socket"]:
        return None
    path = _path(argv[:-1])
    if path is None or (path and not _below(path)):
        return None
    return version() if asked == "--version" else text(path, width())


def text(path: tuple[str, ...], columns: int) -> str:
    """Help for the words of a command, for those with which several begin, or for none."""
    if not path:
        return overview(columns)
    below = _below(path)
    exact = [one for one in below if one.words == path]
    return command(exact[0], columns) if exact else group(path, below, columns)


def version() -> str:
    return f"signaltty {VERSION} ({PROTOCOL})\n"


def width() -> int:
    """How wide help may be: $COLUMNS, else the terminal, else 80 columns; a blank margin on both sides."""
    said = os.environ.get("COLUMNS", "")
    columns = int(said) if said.isascii() and said.isdigit() and 0 < len(said) < 6 else 0
    return max(NARROWEST, min((columns or terminal_width() or 80) - 2, WIDEST))


def overview(columns: int) -> str:
    """The whole program on a page or two."""
    usage = wrap("Usage: signaltty [OPTIONS] COMMAND [ARGS]...", columns, "", " " * 7)
    lines = [*usage, "", *wrap(ABOUT, columns, "  ", "  "), ""]
    lines += ["Options:", *definitions(_options(()), columns)]
    for title, words, example in table.GROUPS:
        lines += ["", f"{title}:", *definitions([(word, about(word)) for word in words], columns), f"    {example}"]
    return "\n".join([*lines, "", *wrap(EPILOG, columns, "  ", "  "), ""])


def command(one: Command, columns: int) -> str:
    """One command: what may follow it, and an example."""
    usage = ["Usage: signaltty", *one.words, "[OPTIONS]"]
    usage += [argument.name if argument.required else f"[{argument.name}]" for argument in one.arguments]
    usage += [f"[-- {one.rest}]"] if one.rest else []
    lines = [*wrap(" ".join(usage), columns, "", " " * 7), "", *wrap(one.summary, columns, "  ", "  "), ""]
    lines += ["Options:", *definitions(_options(one.options), columns)]
    if one.example:
        lines += ["", "  Example:", f"    {one.example}"]
    return "\n".join([*lines, ""])


def group(path: tuple[str, ...], below: list[Command], columns: int) -> str:
    """The commands that begin with these words."""
    open_ones = [one for one in below if not one.hidden] or below  # who names a hidden word may know what follows it
    rows = sorted((one.words[len(path)], one.summary) for one in open_ones)
    usage = f"Usage: signaltty {' '.join(path)} [OPTIONS] COMMAND [ARGS]..."
    lines = [*wrap(usage, columns, "", " " * 7), "", "Options:", *definitions(_options(()), columns)]
    return "\n".join([*lines, "", "Commands:", *definitions(rows, columns), ""])


def about(word: str) -> str:
    """The second words that may follow a first one, else what the command does."""
    commands = _below((word,))
    below = sorted(one.words[1] for one in commands if len(one.words) > 1)
    return ", ".join(below) or commands[0].summary


def definitions(rows: list[tuple[str, str]], columns: int) -> list[str]:
    """A term and its text a row, the texts aligned; a long term has a line of its own."""
    most = 30 if columns >= 70 else columns // 3
    first = min(max(cells_of(term) for term, _ in rows), most) + 4
    lines = []
    for term, text in rows:
        begin = f"  {term}" + " " * (first - 2 - cells_of(term))
        if cells_of(term) > most:
            lines.append(f"  {term}")
            begin = " " * first
        lines += wrap(text, columns, begin, " " * first)
    return lines


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


def _options(own: tuple[Option, ...]) -> list[tuple[str, str]]:
    """The options of a command and those of every command, as they are written, with what must be known of them."""
    rows = []
    for option in (*own, *GLOBALS):
        names = ", ".join((option.name, *option.aliases))
        notes = "  [required]" if option.required else ""
        if option.default is not None:
            notes = f"  [default: {f'{option.default:g}' if isinstance(option.default, float) else option.default}]"
        rows.append((f"{names} {option.kind.metavar}" if option.kind else names, option.help + notes))
    return [*rows, *OWN_OPTIONS]


def _path(argv: list[str]) -> tuple[str, ...] | None:
    """The words of a line without its global options; None when it holds any other option."""
    path: list[str] = []
    try:
        while argv:
            _, argv = leading(argv)
            path += argv[:1]
            argv = argv[1:]
    except Unusual:
        return None
    return tuple(path)


def _below(path: tuple[str, ...]) -> list[Command]:
    return [one for one in table.load(path[0]) if one.words[: len(path)] == path]
