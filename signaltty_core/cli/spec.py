"""What a command is: its words, what may follow them, and what it does. Plain data that two parsers read.

The hand-written parser (words.py) reads every line that is right, click (build.py) words mistakes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .session import Session

    Run = Callable[[Session, dict[str, Any]], "int | None"]


class Usage(Exception):
    """A line that does not fit the command; exit status 2."""


class LocalError(Exception):
    """Something found wrong on this side after parsing; exit status 1, shown without a code."""


class Kind:
    """How a shell word becomes a value; `convert` raises ValueError with the end of a sentence."""

    __slots__ = ("choices", "convert", "metavar")

    def __init__(self, metavar: str, convert: Callable[[str], Any], choices: tuple[str, ...] = ()) -> None:
        self.metavar = metavar
        self.convert = convert
        self.choices = choices


class Option:
    """`--name`; kind None makes it a flag. `param` is the key under which its value arrives, absent when not given."""

    __slots__ = ("aliases", "default", "help", "kind", "many", "name", "param", "required")

    def __init__(
        self,
        name: str,
        kind: Kind | None,
        help: str,
        *,
        param: str = "",
        default: Any = None,
        required: bool = False,
        many: bool = False,
        aliases: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.kind = kind
        self.help = help
        self.param = param or name.lstrip("-").replace("-", "_")
        self.default = default
        self.required = required
        self.many = many
        self.aliases = aliases


class Argument:
    """A word by position."""

    __slots__ = ("kind", "name", "param", "required")

    def __init__(self, name: str, param: str = "", kind: Kind | None = None, required: bool = True) -> None:
        self.name = name
        self.param = param or name.lower()
        self.kind = kind or TEXT
        self.required = required


class Command:
    """`rest`: what the words after `--` are, empty when there may be none; they arrive under "argv".

    check: raises Usage for combinations. usage_status: exit status of a usage error (cli §1.2).
    """

    __slots__ = ("arguments", "check", "example", "hidden", "options", "rest", "run", "summary", "usage_status",
                 "words")  # fmt: skip

    def __init__(
        self,
        words: str,
        summary: str,
        run: Run,
        *parts: Option | Argument,
        rest: str = "",
        check: Callable[[dict[str, Any]], None] | None = None,
        example: str = "",
        hidden: bool = False,
        usage_status: int = 2,
    ) -> None:
        self.words = tuple(words.split())
        self.summary = summary
        self.run = run
        self.options = tuple(part for part in parts if isinstance(part, Option))
        self.arguments = tuple(part for part in parts if isinstance(part, Argument))
        self.rest = rest
        self.check = check
        self.example = example
        self.hidden = hidden
        self.usage_status = usage_status

    def named(self, words: str) -> Command:
        """The same command under other words."""
        parts: tuple[Option | Argument, ...] = (*self.arguments, *self.options)
        return Command(
            words,
            self.summary,
            self.run,
            *parts,
            rest=self.rest,
            check=self.check,
            hidden=self.hidden,
            usage_status=self.usage_status,
        )


def either(first: str, second: str, sentence: str) -> Callable[[dict[str, Any]], None]:
    """A check that exactly one of two values is given; the sentence says which there are."""

    def check(values: dict[str, Any]) -> None:
        if (first in values) == (second in values):
            raise Usage(sentence)

    return check


GLOBALS = (
    Option("--socket", Kind("PATH", str), "Socket of the server, instead of $SIGNALTTY_SOCKET or the default."),
    Option("--json", None, "Print the raw result as one line of JSON."),
    Option("--no-start", None, "Never start a server."),
)


def _integer(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ValueError(f"{word!r} is no whole number") from None


def _positive(word: str) -> int:
    number = _integer(word)
    if number < 1:
        raise ValueError(f"{word!r} is below 1")
    return number


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ValueError(f"{word!r} is no number") from None
    if number - number != 0.0:  # neither NaN nor infinite has a place in JSON
        raise ValueError(f"{word!r} is no finite number")
    return number


def _duration(word: str) -> float:
    number = _number(word)
    if not 0 <= number < 1e9:
        raise ValueError(f"{word!r} is below 0" if number < 0 else f"{word!r} is too long")
    return number


def _names(word: str) -> list[str]:
    return [name.strip() for name in word.split(",") if name.strip()]


def _turns(word: str) -> list[int]:
    return [_integer(turn) for turn in word.split(",") if turn]


def _variable(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not name or not equals:
        raise ValueError(f"{word!r} is not NAME=VALUE")
    return name, value


def one_of(*choices: str) -> Kind:
    """A word from a fixed list."""

    def convert(word: str) -> str:
        if word in choices:
            return word
        raise ValueError(f"{word!r} is not one of {', '.join(choices)}")

    return Kind("|".join(choices), convert, choices)


TEXT = Kind("TEXT", str)
PATH = Kind("PATH", str)
PANE = Kind("PANE", str)
WORKSPACE = Kind("WORKSPACE", str)
ID = Kind("ID", str)
JSON = Kind("JSON", str)
OS_SIGNAL = Kind("NAME", str)
INTEGER = Kind("N", _integer)
POSITIVE = Kind("N", _positive)
SECONDS = Kind("SECONDS", _number)
DURATION = Kind("SECONDS", _duration)
NUMBER = Kind("NUMBER", _number)
NAMES = Kind("A,B,…", _names)
TURNS = Kind("0,1,…", _turns)
VARIABLE = Kind("NAME=VALUE", _variable)
DIRECTION = one_of("right", "down")
READ_MODE = one_of("screen", "tail", "rendered")
DIFF_SCOPE = one_of("head", "turn")
SEVERITY = one_of("info", "warning", "error")

CLOSING_SIGNAL = Option("--signal", OS_SIGNAL, "Signal that ends what runs there; default TERM.")
