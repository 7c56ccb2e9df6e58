"""Another size: the main screen's lines are wrapped anew, the alternate screen is cut or padded (behaviour §8.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .history import is_soft
from .lines import decode, filled
from .rows import Row
from .screen import TAB
from .styles import DIRTY, STYLED, WIDE

if TYPE_CHECKING:
    from .screen import Screen
    from .styles import Cell


class Line:
    """One logical line: its cells, and the ring number and text of the row it was, if it was one row."""

    __slots__ = ("cells", "number", "seen")

    def __init__(self, cells: list[Cell], number: int, seen: str) -> None:
        self.cells = cells
        self.number = number
        self.seen = seen


def resize(screen: Screen, cols: int, rows: int) -> None:
    """Gives both screens the new size; margins become the full screen."""
    if (cols, rows) == (screen.cols, screen.rows):
        return
    former = screen.cols
    screen.top, screen.bottom = 0, rows - 1
    if screen.on_alternate:
        saved = screen.saved[False]
        screen.other, saved.x, saved.y = _rewrap(screen, screen.other, saved.x, saved.y, cols, rows)
        screen.grid = [_fit(screen, row, cols) for row in screen.grid[:rows]]
        screen.x, screen.y = min(screen.x, cols - 1), min(screen.y, rows - 1)
    else:
        screen.grid, screen.x, screen.y = _rewrap(screen, screen.grid, screen.x, screen.y, cols, rows)
    screen.cols, screen.rows = cols, rows
    screen.forget_places()
    screen.refresh()
    shown = screen.grid
    shown.extend(screen.blank_rows(rows - len(shown)))
    if 7 not in screen.modes:
        screen.x = min(screen.x, cols - 1)
    for saved in screen.saved:
        saved.x, saved.y = min(saved.x, cols), min(saved.y, rows - 1)
    screen.tabs = {stop for stop in screen.tabs if stop < cols}
    screen.tabs.update(range(-(-former // TAB) * TAB, cols, TAB))


def _rewrap(screen: Screen, grid: list[Row], x: int, y: int, cols: int, rows: int) -> tuple[list[Row], int, int]:
    """The rows and the cursor position of the main screen at the new size; history takes and gives rows."""
    plain = screen.styles.plain
    history = screen.history
    y = min(y, len(grid) - 1)
    used = max((at for at, row in enumerate(grid, 1) if filled(row.cells, plain)), default=0)
    used = max(used, y + 1)
    fresh: list[Row] = []
    new_x, new_y = 0, 0
    start = 0
    while start < used:
        end = start + 1
        while grid[end - 1].wrapped and end < used:
            end += 1
        if cols == screen.cols:
            rows_of_line = grid[start:end]
            if start <= y < end:
                new_x, new_y = x, len(fresh) + y - start
        else:
            line, cursor = _line_of(screen, grid, start, end, x, y)
            rows_of_line, place = _wrap(screen, line, cols, cursor)
            if place is not None:
                new_x, new_y = place[0], len(fresh) + place[1]
        fresh += rows_of_line
        start = end
    # History gives back as many rows as make the screen as full as it was, or fill the rows that were added.
    room = min(rows, used + max(rows - len(grid), 0)) - len(fresh)
    back: list[Row] = []
    while room > 0 and history.lines:
        group = _last_line(screen, cols)
        if len(group) > room:
            for row in group[: len(group) - room]:
                history.push(row, plain)
            group = group[len(group) - room :]
        back = group + back
        room -= len(group)
    fresh = back + fresh
    new_y += len(back)
    over = len(fresh) - rows
    if over > 0:
        for row in fresh[:over]:
            history.push(row, plain)
        del fresh[:over]
        new_y = max(new_y - over, 0)
    fresh += [Row(cols, plain) for _ in range(rows - len(fresh))]
    return fresh, new_x, new_y


def _line_of(screen: Screen, grid: list[Row], start: int, end: int, x: int, y: int) -> tuple[Line, int | None]:
    """Rows start..end-1 as one line, and the cursor's offset in it if it is there."""
    cells: list[Cell] = []
    cursor: int | None = None
    for at in range(start, end):
        row = grid[at]
        if at == y:
            cursor = len(cells) + x
        length = len(row.cells)
        if at == end - 1:
            length = filled(row.cells, screen.styles.plain)
        elif row.cells[-1] is screen.styles.filler:
            length -= 1
        cells += row.cells[:length]
    single = grid[start] if end == start + 1 else None
    return Line(cells, single.number if single else 0, single.seen if single else ""), cursor


def _wrap(screen: Screen, line: Line, cols: int, cursor: int | None) -> tuple[list[Row], tuple[int, int] | None]:
    """The line as rows of the new width, and where its cursor is: (x, row within the line)."""
    blank = screen.styles.plain.blank
    cells = line.cells
    rows: list[Row] = []
    place: tuple[int, int] | None = None
    at, end = 0, len(cells)
    while True:
        stop = min(at + cols, end)
        if stop < end and not cells[stop][0] and stop - at > 1:
            stop -= 1  # a wide character goes to the next row whole
        part = cells[at:stop]
        if cols == 1:
            part = [cell if len(cell[0]) else blank for cell in part]
        if cursor is not None and place is None and (cursor < stop or stop == end):
            place = (min(cursor - at, cols), len(rows))
        padding = screen.styles.filler if stop < end else blank
        row = Row.of(part + [padding] * (cols - len(part)), screen.styles.plain, DIRTY | STYLED | WIDE)
        row.wrapped = stop < end
        rows.append(row)
        at = stop
        if at >= end:
            break
    if len(rows) == 1:
        rows[0].number, rows[0].seen = line.number, line.seen
    return rows, place


def _last_line(screen: Screen, cols: int) -> list[Row]:
    """Takes the newest logical line out of history, as rows of the new width."""
    history = screen.history
    text, number = history.pop()
    cells = decode(text, screen.styles)
    if not is_soft(text):
        del cells[filled(cells, screen.styles.plain) :]
    parts = 1
    while history.lines and is_soft(history.lines[-1]) and parts < 1000:
        before, _ = history.pop()
        cells = decode(before, screen.styles) + cells
        parts += 1
    rows, _ = _wrap(screen, Line(cells, number if parts == 1 else 0, ""), cols, None)
    if parts == 1 and len(rows) == 1:
        from .rows import text_of

        rows[0].seen = text_of(rows[0])
        rows[0].mark &= ~DIRTY
    return rows


def _fit(screen: Screen, row: Row, cols: int) -> Row:
    """The row cut or padded."""
    blank = screen.styles.plain.blank
    cells = row.cells
    screen.fill_last_column(cells)
    if len(cells) > cols:
        if not cells[cols][0]:
            cells[cols - 1] = cells[cols - 1][1].blank
        del cells[cols:]
    else:
        cells.extend([blank] * (cols - len(cells)))
    row.cols = cols
    row.mark |= DIRTY
    row.wrapped = False
    return row
