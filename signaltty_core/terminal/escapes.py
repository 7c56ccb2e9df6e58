"""Escape sequences without parameters, and the character sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .csi import restore_cursor, save_cursor
from .styles import WIDE

if TYPE_CHECKING:
    from .csi import Handler, Parameters
    from .screen import Screen


def set_tab(screen: Screen, parameters: Parameters) -> None:
    screen.tabs.add(min(screen.x, screen.cols - 1))


def next_row(screen: Screen, parameters: Parameters) -> None:
    screen.x = 0
    screen.index()


def index(screen: Screen, parameters: Parameters) -> None:
    screen.index()


def reverse_index(screen: Screen, parameters: Parameters) -> None:
    screen.reverse_index()


def fill_with_e(screen: Screen, parameters: Parameters) -> None:
    """DECALN."""
    screen.top, screen.bottom = 0, screen.rows - 1
    screen.x = screen.y = 0
    for row in screen.grid:
        row.cells[:] = [screen.styles.plain["E"]] * screen.cols
        row.mark = (row.mark | 1) & ~WIDE
        row.wrapped = False


def keypad(on: bool) -> Handler:
    def switch(screen: Screen, parameters: Parameters) -> None:
        (screen.modes.add if on else screen.modes.discard)(66)

    return switch


def charset(slot: int, drawing: bool) -> Handler:
    def designate(screen: Screen, parameters: Parameters) -> None:
        sets = list(screen.drawing)
        sets[slot] = drawing
        screen.drawing = (sets[0], sets[1])
        screen.use_charset()

    return designate


def shift(to: int) -> Handler:
    def lock(screen: Screen, parameters: Parameters) -> None:
        screen.shift = to
        screen.use_charset()

    return lock


ESCAPES: dict[str, Handler] = {
    "7": save_cursor,
    "8": restore_cursor,
    "D": index,
    "E": next_row,
    "H": set_tab,
    "M": reverse_index,
    "=": keypad(True),
    ">": keypad(False),
    "#8": fill_with_e,
    "n": shift(1),
    "o": shift(0),
}
for _mark, _slot in (("(", 0), (")", 1)):
    ESCAPES |= {_mark + final: charset(_slot, final == "0") for final in "012ABCEHKQRYZ4567=<>"}
