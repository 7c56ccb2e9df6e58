"""The answers a terminal owes its program (terminal-status §2), and which sequences ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .modes import state_of

if TYPE_CHECKING:
    from .screen import Screen

# A query that is longer is none: what is held back from a viewer must be bounded (terminal-status §1.2).
QUERY_BYTES = 64
STRING_BYTES = 8192
REPORT_BYTES = 4096
REPORT_INTRODUCER = "\x1b]7501;"

_BARE = frozenset(((), (0,)))
_FIXED = {"c": "\x1b[?62;22c", ">c": "\x1b[>1;10;0c", "n": "\x1b[0n"}


def is_control_query(key: str, parameters: tuple[int, ...]) -> bool:
    """Whether `CSI` with this prefix, intermediates and final character (`key`) and these parameters is answered."""
    if key in ("c", ">c", ">q"):
        return parameters in _BARE
    if key == "n":
        return parameters in ((5,), (6,))
    if key == "?u":
        return not parameters
    return (key == "?$p" and len(parameters) == 1) or (key == "t" and parameters == (18,))


def answer_control(key: str, parameters: tuple[int, ...], screen: Screen, version: str) -> bytes:
    """The answer to a control query."""
    if key == ">q":
        text = f"\x1bP>|signaltty {version}\x1b\\"
    elif key == "n" and parameters == (6,):
        y = screen.y - screen.top if 6 in screen.modes else screen.y
        text = f"\x1b[{y + 1};{min(screen.x, screen.cols - 1) + 1}R"
    elif key == "?u":
        text = f"\x1b[?{screen.keyboard[screen.on_alternate][-1]}u"
    elif key == "?$p":
        text = f"\x1b[?{parameters[0]};{state_of(screen, parameters[0])}$y"
    elif key == "t":
        text = f"\x1b[8;{screen.rows};{screen.cols}t"
    else:
        text = _FIXED[key]
    return text.encode()


def is_string_query(kind: str, content: str) -> bool:
    """Whether an OSC (`]`) or DCS (`P`) string is answered."""
    if kind == "]":
        return content in ("10;?", "11;?") or is_status_query(content)
    return kind == "P" and content.startswith("+q")


def is_status_query(content: str) -> bool:
    return content.startswith("7501;") and content[5:].strip(" \t") == "?"


def answer_string(kind: str, content: str, terminator: str, colors: tuple[str, str]) -> bytes:
    """The answer to a string query; an OSC answer ends as its query did. colors: foreground, background."""
    if kind == "P":
        text = "\x1bP0+r\x1b\\"
    elif content.startswith("7501"):
        text = f"{REPORT_INTRODUCER}?{terminator}"
    else:
        text = f"\x1b]{content[:2]};rgb:{colors[content[:2] == '11']}{terminator}"
    return text.encode()


def parse_parameters(text: str) -> tuple[int, ...]:
    """Numbers between semicolons, missing ones as 0, cut off at 9,999 and after 32; colon forms count as their first part."""
    if not text:
        return ()
    words = text.split(";", 32)[:32]
    numbers = [int(word.split(":", 1)[0][:18] or 0) for word in words]
    found = tuple([min(number, 9999) for number in numbers])
    # A number written so long that it cannot be a query must not look like one.
    return (*found, 0) if len(found) == 1 and len(text) >= QUERY_BYTES - 4 else found
