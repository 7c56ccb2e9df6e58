"""The grid: a cursor, two screens of rows, and the operations programs ask for (behaviour §9.2).

The cursor's `x` equals `cols` while a wrap is pending. Rows are reused when they scroll off. `simple` says that plain
text may be written straight into a row; the token loop (stream.py) does that itself and calls printing.py for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .history import History
from .rows import Row, encode, mend
from .styles import DIRTY, FRESH, STYLED, WIDE, Styles

if TYPE_CHECKING:
    from .styles import Cell, Style
    from .views import View

TAB = 8


class Saved:
    """What DECSC keeps."""

    __slots__ = ("drawing", "origin", "shift", "style", "x", "y")

    def __init__(self, style: Style) -> None:
        self.x = self.y = 0
        self.style = style
        self.drawing = (False, False)
        self.shift = 0
        self.origin = False


class Screen:
    """Both screens of one terminal; `grid` is the shown one, `other` the rows of the hidden one."""

    __slots__ = (
        "_places",
        "ansi_modes",
        "bottom",
        "cols",
        "cursor_shape",
        "drawing",
        "frame",
        "grid",
        "history",
        "joiner_seen",
        "keyboard",
        "modes",
        "narrow",
        "on_alternate",
        "other",
        "places",
        "readers_may_look",
        "rows",
        "saved",
        "shift",
        "simple",
        "special",
        "style",
        "styles",
        "tabs",
        "top",
        "wide",
        "words",
        "x",
        "y",
    )

    def __init__(self, cols: int, rows: int, ring_lines: int) -> None:
        self.history = History(ring_lines)
        self.styles = Styles()
        self.narrow: set[str] = {"\x1b", *map(chr, range(0x20, 0x7F))}  # ESC begins the SGR sequences within text
        self.wide = self.styles.wide
        self.special: dict[str, int] = {}
        self.joiner_seen = False
        self.words: dict[str, list[tuple[str, int]]] = {}
        self.cols, self.rows = cols, rows
        self.frame: View | None = None
        self.forget_places()
        self.readers_may_look = True
        self.reset()

    def reset(self) -> None:
        """As it was at first, the ring aside."""
        self.style = self.styles.plain
        self.x = self.y = 0
        self.top, self.bottom = 0, self.rows - 1
        self.on_alternate = False
        self.modes: set[int] = {7, 25}
        self.ansi_modes: set[int] = set()
        self.tabs = set(range(TAB, self.cols, TAB))
        self.drawing = (False, False)
        self.shift = 0
        self.cursor_shape = 0
        self.saved = [Saved(self.style), Saved(self.style)]
        self.keyboard: list[list[int]] = [[0], [0]]
        self.frame = None
        self.grid: list[Row] = self.blank_rows(self.rows)
        self.other: list[Row] = []
        self.refresh()

    def refresh(self) -> None:
        """Follows a change of modes."""
        self.places = {} if 6 in self.modes else self._places
        self.simple = 7 in self.modes and 4 not in self.ansi_modes

    def forget_places(self) -> None:
        """Where moves lead (csi.py) is remembered for one size, without origin mode: a look-up instead of calls."""
        self._places: dict[str, tuple[int, int, int | None]] = {}

    # Rows

    def blank_rows(self, count: int) -> list[Row]:
        plain, cols = self.styles.plain, self.cols
        return [Row(cols, plain) for _ in range(count)]

    @property
    def eraser(self) -> Style:
        """How blanks look that are made now: the background and nothing else."""
        return self.style.eraser or self.styles.eraser_of(self.style)

    def scroll_up(self, top: int, bottom: int, count: int, keep: bool) -> None:
        """Moves rows top..bottom up; `keep` puts what leaves the main screen at the top into history."""
        count = min(count, bottom + 1 - top)
        rows = self.grid[top : top + count]
        touched = self._touched(rows)
        if keep and top == 0 and not self.on_alternate:
            first = rows.index(touched[-1]) + 1 if touched else 0
            for row in rows[:first]:
                self.history.push(row, self.styles.plain)
            if first < count:
                self.history.extend([encode(rows[first], self.styles.plain)] * (count - first))
        for row in touched:
            row.renew(self.eraser)
        del self.grid[top : top + count]
        end = bottom + 1 - count
        self.grid[end:end] = rows

    def scroll_down(self, top: int, bottom: int, count: int) -> None:
        start = max(bottom + 1 - count, top)
        rows = self.grid[start : bottom + 1]
        del self.grid[start : bottom + 1]
        for row in self._touched(rows):
            row.renew(self.eraser)
        self.grid[top:top] = rows

    def _touched(self, rows: list[Row]) -> list[Row]:
        """Those that anything has happened to since they were renewed, or that have other blanks than new ones."""
        eraser = self.eraser
        fresh = eraser.mark ^ (DIRTY | FRESH)
        return [row for row in rows if row.mark != fresh or row.tail is not eraser]

    # Lines and wrapping

    def index(self) -> None:
        """One line down, scrolling at the bottom margin."""
        if self.y == self.bottom:
            if self.top or self.on_alternate:
                self.scroll_up(self.top, self.bottom, 1, True)
                return
            row = self.grid.pop(0)
            self.history.push(row, self.styles.plain)
            row.renew(self.style.eraser or self.styles.eraser_of(self.style))
            self.grid.insert(self.bottom, row)
        elif self.y < self.rows - 1:
            self.y += 1

    def reverse_index(self) -> None:
        if self.y == self.top:
            self.scroll_down(self.top, self.bottom, 1)
        elif self.y > 0:
            self.y -= 1

    def line_feed(self) -> None:
        self.index()
        if 20 in self.ansi_modes:
            self.x = 0

    def wrap(self) -> None:
        """Goes on in the next row."""
        row = self.grid[self.y]
        row.wrapped = True
        row.mark |= DIRTY
        self.x = 0
        self.index()

    # Erasing and shifting within rows

    def erase_cells(self, start: int, end: int) -> None:
        row = self.grid[self.y]
        eraser = self.style.eraser or self.styles.eraser_of(self.style)
        if end >= self.cols:
            if not start:
                row.wipe(eraser)
                return
            row.wrapped = False
            if 0 <= row.width <= start:
                if eraser is not row.tail:
                    if row.width < start:
                        row.pad(start)
                    row.tail = eraser
                row.mark |= eraser.mark
                return
        cells = row.cells
        if row.mark & WIDE:
            mend(cells, start, 0)  # a right half that stays is left alone: text is read as if it had no cell
        cells[start:end] = [eraser.blank] * (end - start)
        row.mark |= eraser.mark

    def erase_right(self) -> None:
        """From the cursor, which stands within the row, to the row's end."""
        x = self.x
        row = self.grid[self.y]
        eraser = self.style.eraser or self.styles.eraser_of(self.style)
        if row.width == x:
            row.tail = eraser
            row.mark |= eraser.mark
            row.wrapped = False
        else:
            self.erase_cells(x, self.cols)

    def erase_rows(self, start: int, end: int) -> None:
        eraser = self.eraser
        for row in self.grid[start:end]:
            row.wipe(eraser)

    def insert_blanks(self, count: int) -> None:
        x = min(self.x, self.cols - 1)
        count = min(count, self.cols - x)
        row = self.grid[self.y]
        cells = row.cells
        self.fill_last_column(cells)
        eraser = self.eraser
        if row.mark & WIDE:
            mend(cells, x, x)
            mend(cells, self.cols - count, self.cols - count)
        cells[x:] = [eraser.blank] * count + cells[x : self.cols - count]
        row.mark |= eraser.mark | (row.mark & (STYLED | WIDE))

    def delete_cells(self, count: int) -> None:
        x = min(self.x, self.cols - 1)
        count = min(count, self.cols - x)
        row = self.grid[self.y]
        cells = row.cells
        self.fill_last_column(cells)
        eraser = self.eraser
        if row.mark & WIDE:
            mend(cells, x, x + count)
        cells[x:] = cells[x + count :] + [eraser.blank] * count
        row.mark |= eraser.mark
        row.wrapped = False

    def fill_last_column(self, cells: list[Cell]) -> None:
        """Makes a blank of the cell that a wide character did not fit in, before cells move."""
        if cells[-1] is self.styles.filler:
            cells[-1] = self.styles.plain.blank

    # Cursor

    def move_to(self, x: int, y: int) -> None:
        """Puts the cursor at a position from zero; in origin mode rows count from the top margin."""
        if 6 in self.modes:
            y = min(y + self.top, self.bottom)
        self.y = min(max(y, 0), self.rows - 1)
        self.x = min(max(x, 0), self.cols - 1)

    def set_margins(self, top: int, bottom: int) -> None:
        if bottom > top:
            self.top, self.bottom = top, bottom
            self.x = 0
            self.y = top if 6 in self.modes else 0

    def save_cursor(self) -> None:
        saved = self.saved[self.on_alternate]
        saved.x, saved.y, saved.style = self.x, self.y, self.style
        saved.drawing, saved.shift, saved.origin = self.drawing, self.shift, 6 in self.modes

    def restore_cursor(self) -> None:
        saved = self.saved[self.on_alternate]
        self.x = min(saved.x, self.cols if 7 in self.modes else self.cols - 1)
        self.y = min(saved.y, self.rows - 1)
        self.drawing, self.shift = saved.drawing, saved.shift
        self.style = saved.style
        self.modes.discard(6)
        if saved.origin:
            self.modes.add(6)
            self.y = min(max(self.y, self.top), self.bottom)
        self.refresh()

    def forget_cursor(self) -> None:
        self.saved[self.on_alternate] = Saved(self.styles.plain)

    def use_charset(self) -> None:
        """Follows a change of character sets: line drawing is an attribute of the style."""
        foreground, background, flags, _ = self.style.look
        self.style = self.styles.of((foreground, background, flags, self.drawing[self.shift]))
