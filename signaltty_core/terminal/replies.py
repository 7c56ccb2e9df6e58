"""The answers a terminal owes its program (terminal-status §2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .modes import state_of
from .queries import REPORT_INTRODUCER

if TYPE_CHECKING:
    from .screen import Screen

_FIXED = {"c": "\x1b[?62;22c", ">c": "\x1b[>1;10;0c", "n": "\x1b[0n"}


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


def answer_string(kind: str, content: str, terminator: str, colors: tuple[str, str]) -> bytes:
    """The answer to a string query; an OSC answer ends as its query did. colors: foreground, background."""
    if kind == "P":
        text = "\x1bP0+r\x1b\\"
    elif content.startswith("7501"):
        text = f"{REPORT_INTRODUCER}?{terminator}"
    else:
        text = f"\x1b]{content[:2]};rgb:{colors[content[:2] == '11']}{terminator}"
    return text.encode()
