"""Modes: what may be switched, the two screens, and the soft reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .views import freeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from .screen import Screen

SYNCHRONIZED = 2026
# Modes that are kept because programs ask for them and viewers need them: cursor keys, reverse video, blinking cursor,
# keypad, mouse reporting and its formats, focus reports, alternate scroll, bracketed paste.
KEPT = frozenset((1, 5, 7, 12, 25, 66, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004))
# One mouse mode at a time, and one format: the newest request counts.
_RIVALS = ((9, 1000, 1002, 1003), (1005, 1006, 1015, 1016))
KNOWN = KEPT | {6, 47, 1047, 1048, 1049, SYNCHRONIZED}
ANSI = frozenset((4, 20))
# Switches that only leave a mark for later: the mode, negative where it is reset. A synchronized update is one of them
# unless its beginning must be kept for readers.
_MARKS = (KEPT | {SYNCHRONIZED}) - {7}
FLAGS = {f"\x1b[?{mode}h": mode for mode in _MARKS.difference(*_RIVALS)}
FLAGS |= {f"\x1b[?{mode}l": -mode for mode in _MARKS}


def set_private(screen: Screen, parameters: tuple[int, ...]) -> None:
    for mode in parameters:
        if mode in _ENTER:
            _ENTER[mode](screen)
        elif mode in KEPT:
            for rivals in _RIVALS:
                if mode in rivals:
                    screen.modes.difference_update(rivals)
            screen.modes.add(mode)
    screen.refresh()


def reset_private(screen: Screen, parameters: tuple[int, ...]) -> None:
    for mode in parameters:
        if mode in _LEAVE:
            _LEAVE[mode](screen)
        else:
            screen.modes.discard(mode)
    if 7 not in screen.modes:
        screen.x = min(screen.x, screen.cols - 1)  # no wrap can be pending without auto-wrap
    screen.refresh()


def set_ansi(screen: Screen, parameters: tuple[int, ...]) -> None:
    screen.ansi_modes.update(ANSI.intersection(parameters))
    screen.refresh()


def reset_ansi(screen: Screen, parameters: tuple[int, ...]) -> None:
    screen.ansi_modes.difference_update(parameters)
    screen.refresh()


def state_of(screen: Screen, mode: int) -> int:
    """The answer to a mode request: 1 set, 2 reset, 0 unknown."""
    if mode in (47, 1047, 1049):
        return 1 if screen.on_alternate else 2
    return (1 if mode in screen.modes else 2) if mode in KNOWN else 0


def soft_reset(screen: Screen, parameters: tuple[int, ...]) -> None:
    """DECSTR: back to sane ways of writing; text, cursor position and screen stay."""
    screen.modes -= {1, 5, 6, 66}
    screen.modes |= {7, 25}
    screen.ansi_modes.clear()
    screen.top, screen.bottom = 0, screen.rows - 1
    screen.style = screen.styles.plain
    screen.drawing, screen.shift = (False, False), 0
    screen.keyboard = [[0], [0]]
    screen.forget_cursor()
    screen.refresh()


def _enter_origin(screen: Screen) -> None:
    screen.modes.add(6)
    screen.move_to(0, 0)


def _leave_origin(screen: Screen) -> None:
    screen.modes.discard(6)
    screen.move_to(0, 0)


def _enter_alternate(screen: Screen) -> None:
    if not screen.on_alternate:
        screen.on_alternate = True
        screen.grid, screen.other = screen.blank_rows(screen.rows), screen.grid


def _leave_alternate(screen: Screen) -> None:
    if screen.on_alternate:
        screen.on_alternate = False
        screen.grid, screen.other = screen.other, []
        screen.saved[True] = type(screen.saved[True])(screen.styles.plain)
        screen.keyboard[True] = [0]


def _enter_alternate_saving(screen: Screen) -> None:
    if not screen.on_alternate:
        screen.save_cursor()
    _enter_alternate(screen)


def _leave_alternate_restoring(screen: Screen) -> None:
    if screen.on_alternate:
        _leave_alternate(screen)
        screen.restore_cursor()


def _hold(screen: Screen) -> None:
    if SYNCHRONIZED not in screen.modes:
        screen.modes.add(SYNCHRONIZED)
        if screen.readers_may_look:
            screen.frame = freeze(screen)


def _release(screen: Screen) -> None:
    screen.modes.discard(SYNCHRONIZED)
    screen.frame = None


_ENTER: dict[int, Callable[[Screen], None]] = {
    6: _enter_origin,
    47: _enter_alternate,
    1047: _enter_alternate,
    1048: lambda screen: screen.save_cursor(),
    1049: _enter_alternate_saving,
    SYNCHRONIZED: _hold,
}
_LEAVE: dict[int, Callable[[Screen], None]] = {
    6: _leave_origin,
    47: _leave_alternate,
    1047: _leave_alternate,
    1048: lambda screen: screen.restore_cursor(),
    1049: _leave_alternate_restoring,
    SYNCHRONIZED: _release,
}
