"""The grid as a VT stream that draws it again on a reset terminal of the same size (behaviour §11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import encode_cells, filled, sgr_line
from .screen import TAB, Saved
from .styles import WIDE

if TYPE_CHECKING:
    from .rows import Row
    from .screen import Screen
    from .styles import Cell, Style

# Modes that are off at first; what a viewer needs to behave alike. 2026 is not among them: a viewer would wait.
_OFF_AT_FIRST = (1, 5, 12, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004)


def snapshot(screen: Screen) -> bytes:
    out: list[str] = []
    if screen.on_alternate:
        _draw(out, screen, screen.other, _pinned(screen, screen.saved[False]))
        _restore_saved(out, screen, screen.other, screen.saved[False])
        # 1049 saves the cursor once more: it must be the one above, so nothing is reset in between.
        out.append("\x1b[?1049h\x1b[m\x1b(B\x1b)B\x0f\x1b[?6l\x1b[H")
    saved = screen.saved[screen.on_alternate]
    _draw(out, screen, screen.grid, _pinned(screen, saved, screen))
    if not _is_home(saved):
        _restore_saved(out, screen, screen.grid, saved)
        out.append("\x1b7\x1b[?6l\x1b(B\x1b)B\x0f\x1b[m")
    _set_tabs(out, screen)
    if (screen.top, screen.bottom) != (0, screen.rows - 1):
        out.append(f"\x1b[{screen.top + 1};{screen.bottom + 1}r")
    if 6 in screen.modes:
        out.append("\x1b[?6h")
    origin = screen.top if 6 in screen.modes else 0
    _place(out, screen, screen.grid, screen.x, screen.y, origin)
    out.extend(f"\x1b[?{mode}h" for mode in _OFF_AT_FIRST if mode in screen.modes)
    out.extend(f"\x1b[?{mode}l" for mode in (7, 25) if mode not in screen.modes)
    out.extend(f"\x1b[{mode}h" for mode in sorted(screen.ansi_modes))
    if 66 in screen.modes:
        out.append("\x1b=")
    if screen.cursor_shape:
        out.append(f"\x1b[{screen.cursor_shape} q")
    _set_style(out, screen, screen.style, screen.drawing, screen.shift)
    return "".join(out).encode("utf-8", "replace")


def _pinned(screen: Screen, *cursors: Saved | Screen) -> set[int]:
    """The rows in which a cursor waits behind the last column."""
    return {cursor.y for cursor in cursors if cursor.x >= screen.cols}


def _draw(out: list[str], screen: Screen, grid: list[Row], pinned: set[int]) -> None:
    """The rows' text. A wrapped row is written to its end and the next one right behind it, so it wraps again."""
    plain = screen.styles.plain
    follows = False
    for at, row in enumerate(grid):
        last = at + 1 == len(grid)
        wraps = row.wrapped and not last
        if row.width >= 0 and row.tail is plain and not wraps:
            text = sgr_line(row.raw.rstrip(" ") if row.last is plain else row.raw, plain)
            if text and not follows:
                out.append(f"\x1b[{at + 1}H")
            out.append(text or " " * follows)
            follows = False
            continue
        cells = _without_orphans(row.cells) if row.mark & WIDE else row.cells[:]
        if not wraps:
            cells = cells[: filled(cells, plain)]
        if follows and not cells:
            cells = [plain.blank]
        if wraps and cells[-1] is screen.styles.filler:
            # A wide character that still starts the next row wraps by itself. A cursor can only be put behind a cell.
            cells[-1:] = [] if _starts_wide(grid[at + 1]) and at not in pinned else [plain.blank]
        if cells:
            if not follows:
                out.append(f"\x1b[{at + 1}H")
            out.append(encode_cells(cells, plain))
        follows = wraps


def _starts_wide(row: Row) -> bool:
    cells = row.cells
    return len(cells) > 1 and not cells[1][0] and cells[0][0] not in ("", " ")


def _without_orphans(cells: list[Cell]) -> list[Cell]:
    """Right halves whose wide character was erased become blanks: they look the same and can be written."""
    return [
        cell[1].blank
        if not cell[0] and (not at or cells[at - 1][0] in ("", " ")) and cell is not cell[1].table.filler
        else cell
        for at, cell in enumerate(cells)
    ]


def _place(out: list[str], screen: Screen, grid: list[Row], x: int, y: int, origin: int) -> None:
    """Puts the cursor there; a pending wrap needs the row's last character written again."""
    if x < screen.cols:
        out.append(f"\x1b[{y - origin + 1};{x + 1}H")
        return
    plain = screen.styles.plain
    start = screen.cols - 1
    last = grid[y].cells[start:]
    if last[0] is screen.styles.filler:
        last = [plain.blank]
    elif start and not last[0][0]:
        start -= 1
        last = grid[y].cells[start:]
    out.append(f"\x1b[{y - origin + 1};{start + 1}H{encode_cells(last, plain)}")


def _is_home(saved: Saved) -> bool:
    return (saved.x, saved.y, saved.drawing, saved.shift, saved.origin) == (0, 0, (False, False), 0, False) and (
        saved.style.look == ("", "", 0, False)
    )


def _restore_saved(out: list[str], screen: Screen, grid: list[Row], saved: Saved) -> None:
    """Brings the terminal to where DECSC found it."""
    if saved.origin:
        out.append("\x1b[?6h")  # the margins are still the full screen, so rows count from the top
    _place(out, screen, grid, saved.x, saved.y, 0)
    _set_style(out, screen, saved.style, saved.drawing, saved.shift)


def _set_style(out: list[str], screen: Screen, style: Style, drawing: tuple[bool, bool], shift: int) -> None:
    if style.look[:3] != ("", "", 0):
        out.append(f"\x1b[{style.code[2:].partition('m')[0]}m")
    for slot, mark in ((0, "("), (1, ")")):
        if drawing[slot]:
            out.append(f"\x1b{mark}0")
    if shift:
        out.append("\x0e")


def _set_tabs(out: list[str], screen: Screen) -> None:
    if screen.tabs != set(range(TAB, screen.cols, TAB)):
        out.append("\x1b[3g")
        out.extend(f"\x1b[{stop + 1}G\x1bH" for stop in sorted(screen.tabs))
