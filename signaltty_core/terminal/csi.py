"""Control functions: which operation of the screen each final character stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .keyboard import pop_keyboard, push_keyboard, set_keyboard
from .modes import KNOWN, reset_ansi, reset_private, set_ansi, set_private, soft_reset
from .lines import take_codes_out
from .paint import draw_long
from .printing import draw
from .styles import WIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .screen import Screen

    Parameters = tuple[int, ...]
    Handler = Callable[[Screen, Parameters], None]

# A full screen of 80 by 24 is 1,920; each repetition costs, and its sequence is eight bytes short.
REPEATED = 2048
PLACES = 4096


def _count(parameters: Parameters) -> int:
    return (parameters[0] or 1) if parameters else 1


def _choice(parameters: Parameters) -> int:
    return parameters[0] if parameters else 0


def cursor_up(screen: Screen, parameters: Parameters) -> None:
    limit = screen.top if screen.y >= screen.top else 0
    y = screen.y - ((parameters[0] or 1) if parameters else 1)
    screen.y = y if y > limit else limit
    if screen.x == screen.cols:
        screen.x -= 1


def cursor_down(screen: Screen, parameters: Parameters) -> None:
    limit = screen.bottom if screen.y <= screen.bottom else screen.rows - 1
    y = screen.y + ((parameters[0] or 1) if parameters else 1)
    screen.y = y if y < limit else limit
    if screen.x == screen.cols:
        screen.x -= 1


def cursor_right(screen: Screen, parameters: Parameters) -> None:
    x = screen.x + ((parameters[0] or 1) if parameters else 1)
    screen.x = x if x < screen.cols else screen.cols - 1


def cursor_left(screen: Screen, parameters: Parameters) -> None:
    screen.x = max(min(screen.x, screen.cols - 1) - _count(parameters), 0)


def next_line(screen: Screen, parameters: Parameters) -> None:
    cursor_down(screen, parameters)
    screen.x = 0


def previous_line(screen: Screen, parameters: Parameters) -> None:
    cursor_up(screen, parameters)
    screen.x = 0


def to_column(screen: Screen, parameters: Parameters) -> None:
    x = (parameters[0] or 1) if parameters else 1
    screen.x = (x if x < screen.cols else screen.cols) - 1


def to_row(screen: Screen, parameters: Parameters) -> None:
    screen.move_to(screen.x, _count(parameters) - 1)


def to_position(screen: Screen, parameters: Parameters) -> None:
    y = (parameters[0] or 1) - 1 if parameters else 0
    x = (parameters[1] or 1) - 1 if len(parameters) > 1 else 0
    if 6 in screen.modes:
        screen.move_to(x, y)
        return
    screen.x = x if x < screen.cols else screen.cols - 1
    screen.y = y if y < screen.rows else screen.rows - 1


def remember_place(screen: Screen, moves: str, steps: Sequence[tuple[Handler, Parameters]]) -> bool:
    """Remembers where moves lead that begin with a row's start, a column or a position; whether it did.

    What is remembered: column, row or -1 for the present one, and rows down from there or None for a position alone.
    """
    if 6 in screen.modes or len(screen.places) >= PLACES:
        return False
    down = 0
    for handler, numbers in steps:
        if handler is cursor_down:
            down = _count(numbers)
        else:
            handler(screen, numbers)
    y = screen.y if steps[0][0] is to_position else -1
    screen.places[moves] = screen.x, y, down if len(steps) > 1 or y < 0 else None
    return True


def tab_forward(screen: Screen, parameters: Parameters) -> None:
    if screen.x < screen.cols - 1:
        screen.x = min((stop for stop in screen.tabs if stop > screen.x), default=screen.cols - 1)


def tab_back(screen: Screen, parameters: Parameters) -> None:
    stops = sorted(stop for stop in screen.tabs if stop < screen.x)
    count = _count(parameters)
    screen.x = stops[-count] if count <= len(stops) else 0


def clear_tabs(screen: Screen, parameters: Parameters) -> None:
    if _choice(parameters) == 0:
        screen.tabs.discard(screen.x)
    elif _choice(parameters) == 3:
        screen.tabs.clear()


def erase_display(screen: Screen, parameters: Parameters) -> None:
    how = _choice(parameters)
    if how == 0:
        erase_line(screen, parameters)
        screen.erase_rows(screen.y + 1, screen.rows)
    elif how == 1:
        screen.erase_rows(0, screen.y)
        erase_line(screen, parameters)
    elif how == 2:
        screen.erase_rows(0, screen.rows)
    elif how == 3:
        screen.history.clear()


def erase_line(screen: Screen, parameters: Parameters) -> None:
    how = _choice(parameters)
    if how == 0:
        if screen.x < screen.cols:  # with a pending wrap there is nothing right of the cursor
            screen.erase_cells(screen.x, screen.cols)
    elif how == 1:
        screen.erase_cells(0, min(screen.x + 1, screen.cols))
    elif how == 2:
        screen.erase_cells(0, screen.cols)


def erase_characters(screen: Screen, parameters: Parameters) -> None:
    x = min(screen.x, screen.cols - 1)
    screen.erase_cells(x, min(x + _count(parameters), screen.cols))


def insert_characters(screen: Screen, parameters: Parameters) -> None:
    screen.insert_blanks(_count(parameters))


def delete_characters(screen: Screen, parameters: Parameters) -> None:
    screen.delete_cells(_count(parameters))


def insert_lines(screen: Screen, parameters: Parameters) -> None:
    if screen.top <= screen.y <= screen.bottom:
        screen.scroll_down(screen.y, screen.bottom, _count(parameters))
        screen.x = 0


def delete_lines(screen: Screen, parameters: Parameters) -> None:
    if screen.top <= screen.y <= screen.bottom:
        screen.scroll_up(screen.y, screen.bottom, _count(parameters), False)
        screen.x = 0


def scroll_up(screen: Screen, parameters: Parameters) -> None:
    screen.scroll_up(screen.top, screen.bottom, _count(parameters), True)


def scroll_down(screen: Screen, parameters: Parameters) -> None:
    if len(parameters) < 2:  # with five parameters it is xterm's mouse highlighting
        screen.scroll_down(screen.top, screen.bottom, _count(parameters))


def repeat(screen: Screen, parameters: Parameters) -> None:
    """Prints what stands left of the cursor again."""
    row = screen.grid[screen.y]
    x = screen.x - 1
    if x < 0:
        return
    count = min(_count(parameters), screen.cols * screen.rows, REPEATED)
    if row.width == screen.x and not row.mark & WIDE:
        text = take_codes_out("", row.raw)[-1]
    else:
        text = row.cells[x][0] or row.cells[max(x - 1, 0)][0]
    if screen.simple and text in screen.narrow and not screen.style.look[3]:
        draw_long(screen, [text * count])  # stays text, which scrolls off for next to nothing
    else:
        draw(screen, text * count)


def margins(screen: Screen, parameters: Parameters) -> None:
    top = (parameters[0] or 1) - 1 if parameters else 0
    bottom = parameters[1] - 1 if len(parameters) > 1 and parameters[1] else screen.rows - 1
    screen.set_margins(top, min(bottom, screen.rows - 1))


def cursor_shape(screen: Screen, parameters: Parameters) -> None:
    if _choice(parameters) <= 6:
        screen.cursor_shape = _choice(parameters)


def save_cursor(screen: Screen, parameters: Parameters) -> None:
    screen.save_cursor()


def restore_cursor(screen: Screen, parameters: Parameters) -> None:
    screen.restore_cursor()


PLAIN: dict[str, Handler] = {
    "@": insert_characters,
    "A": cursor_up,
    "B": cursor_down,
    "C": cursor_right,
    "D": cursor_left,
    "E": next_line,
    "F": previous_line,
    "G": to_column,
    "H": to_position,
    "J": erase_display,
    "K": erase_line,
    "L": insert_lines,
    "M": delete_lines,
    "P": delete_characters,
    "S": scroll_up,
    "T": scroll_down,
    "X": erase_characters,
    "Z": tab_back,
    "`": to_column,
    "a": cursor_right,
    "b": repeat,
    "d": to_row,
    "e": cursor_down,
    "f": to_position,
    "g": clear_tabs,
    "h": set_ansi,
    "l": reset_ansi,
    "r": margins,
    "s": save_cursor,
    "u": restore_cursor,
}
# prefix and intermediates before the final character
PREFIXED: dict[str, Handler] = {
    "?h": set_private,
    "?l": reset_private,
    "?J": erase_display,
    "?K": erase_line,
    "!p": soft_reset,
    " q": cursor_shape,
    ">u": push_keyboard,
    "<u": pop_keyboard,
    "=u": set_keyboard,
}
# One private mode alone, as programs send it with every frame.
SWITCHES: dict[str, tuple[Handler, Parameters]] = {
    f"\x1b[?{mode}{final}": (PREFIXED[f"?{final}"], (mode,)) for mode in KNOWN for final in "hl"
}
