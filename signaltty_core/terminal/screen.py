"""The grid: a cursor, two screens of rows, and the operations programs ask for (behaviour §9.2).

The cursor's `x` equals `cols` while a wrap is pending. Rows are reused when they scroll off. `simple` says that plain
text may be written straight into a row; the token loop (stream.py) does that itself and calls `draw` for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .history import History
from .rows import DIRTY, STYLED, WIDE, Row, Styles, mend
from .widths import CLUSTER_CHARS, JOINER, is_pictograph, is_regional, joins, width_of

if TYPE_CHECKING:
    from .rows import Cell, Style
    from .views import View

TAB = 8
KNOWN_CHARS = 65_536


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
        "x",
        "y",
    )

    def __init__(self, cols: int, rows: int, ring_lines: int) -> None:
        self.history = History(ring_lines)
        self.styles = Styles()
        self.narrow: set[str] = set(map(chr, range(0x20, 0x7F)))
        self.wide: set[str] = set()
        self.special: dict[str, int] = {}
        self.joiner_seen = False
        self.cols, self.rows = cols, rows
        self.frame: View | None = None
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
        self.simple = 7 in self.modes and 4 not in self.ansi_modes

    # Rows

    def blank_rows(self, count: int) -> list[Row]:
        return [Row([self.styles.plain.blank] * self.cols) for _ in range(count)]

    def blank_cells(self) -> tuple[list[Cell], int]:
        """An erased row's cells, with the background of now, and its mark."""
        eraser = self.style.eraser or self.styles.eraser_of(self.style)
        return [eraser.blank] * self.cols, eraser.mark

    def scroll_up(self, top: int, bottom: int, count: int, keep: bool) -> None:
        """Moves rows top..bottom up; `keep` puts what leaves the main screen at the top into history."""
        grid = self.grid
        cells, mark = self.blank_cells()
        feeds = keep and top == 0 and not self.on_alternate
        for _ in range(min(count, bottom - top + 1)):
            row = grid.pop(top)
            if feeds:
                self.history.push(row, self.styles.plain)
            row.renew(cells, mark)
            grid.insert(bottom, row)

    def scroll_down(self, top: int, bottom: int, count: int) -> None:
        grid = self.grid
        cells, mark = self.blank_cells()
        for _ in range(min(count, bottom - top + 1)):
            row = grid.pop(bottom)
            row.renew(cells, mark)
            grid.insert(top, row)

    # Lines and wrapping

    def index(self) -> None:
        """One line down, scrolling at the bottom margin."""
        if self.y == self.bottom:
            if self.top or self.on_alternate:
                self.scroll_up(self.top, self.bottom, 1, True)
                return
            row = self.grid.pop(0)
            self.history.push(row, self.styles.plain)
            row.renew(*self.blank_cells())
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
        self.grid[self.y].wrapped = True
        self.x = 0
        self.index()

    # Text

    def draw(self, text: str) -> None:
        """Prints text of any kind, without control characters."""
        if self.simple:
            if self.narrow.issuperset(text):
                self.write(list(map(self.style.__getitem__, text)), self.style.mark)
                return
            if self.wide.issuperset(text):
                style = self.style
                cells = [style[""]] * (2 * len(text))
                cells[::2] = map(style.__getitem__, text)
                self.write(cells, style.mark | WIDE)
                return
        if max(text) >= "\udc80":  # bytes that were no UTF-8 come as lone surrogates
            text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if self.simple:
            self.draw_mixed(text)
        else:
            self.draw_each(text)

    def draw_mixed(self, text: str) -> None:
        """Collects characters of known width into runs; the others go one by one."""
        narrow, wide, style = self.narrow, self.wide, self.style
        cells: list[Cell] = []
        stub = style[""]
        mark = style.mark
        for character in text:
            if character in narrow:
                cells.append(style[character])
            elif character in wide:
                cells.append(style[character])
                cells.append(stub)
                mark |= WIDE
            else:
                if cells:
                    self.write(cells, mark)
                    cells = []
                self.draw_each(character)
        if cells:
            self.write(cells, mark)

    def write(self, cells: list[Cell], mark: int) -> None:
        """Puts cells at the cursor, wrapping where a row ends; a wide character is never cut."""
        cols, at, end = self.cols, 0, len(cells)
        while at < end:
            if self.x >= cols:
                self.wrap()
            x = self.x
            stop = min(at + cols - x, end)
            if stop < end and not cells[stop][0]:
                stop -= 1
                if stop == at:  # a wide character that does not fit leaves the last column blank
                    if cols < 2:
                        at += 2
                        continue
                    self.erase_cells(x, cols)
                    self.wrap()
                    continue
            row = self.grid[self.y]
            self.x = x + stop - at
            if row.mark & WIDE:
                mend(row, x, self.x)
            row[x : self.x] = cells if stop - at == end else cells[at:stop]
            row.mark |= mark
            at = stop

    def draw_each(self, text: str) -> None:
        """Prints character by character: marks, unknown characters, and every text in the rarer modes."""
        narrow, wide, style = self.narrow, self.wide, self.style
        for character in text:
            if character in narrow:
                width = 1
            elif character in wide:
                width = 2
            else:
                known = self.special.get(character)
                width = self.learn(character) if known is None else known
                if width < 0 or self.join(character, width):
                    continue
            x = self.place(width)
            if x < 0:
                continue
            row = self.grid[self.y]
            if row.mark & WIDE:
                mend(row, x, x + width)
            row[x] = style[character]
            row.mark |= style.mark
            if width == 2:
                row[x + 1] = style[""]
                row.mark |= WIDE
            self.x = x + width if 7 in self.modes else min(x + width, self.cols - 1)

    def learn(self, character: str) -> int:
        """The width of a character that is not known yet; from now on it is, if it never joins another.

        Pictographs join only what ends with a joiner, so until this terminal has seen one they are like other text.
        """
        width = width_of(character)
        if character == JOINER and not self.joiner_seen:
            self.joiner_seen = True
            self.narrow.difference_update([known for known in self.narrow if is_pictograph(known)])
            self.wide.difference_update([known for known in self.wide if is_pictograph(known)])
        if len(self.narrow) + len(self.wide) + len(self.special) < KNOWN_CHARS:
            if width <= 0 or is_regional(character) or (self.joiner_seen and is_pictograph(character)):
                self.special[character] = width
            else:
                (self.narrow if width == 1 else self.wide).add(character)
        return width

    def place(self, width: int) -> int:
        """The column where a character of that width goes, after wrapping or making room; -1 if it has no place."""
        if self.x + width > self.cols:
            if width > self.cols:
                return -1
            if 7 in self.modes:
                if self.x < self.cols:  # a wide character leaves the last column blank
                    self.erase_cells(self.x, self.cols)
                self.wrap()
            elif width == 2:
                return -1
            else:
                self.x = self.cols - 1
        if 4 in self.ansi_modes:
            self.insert_blanks(width)
        return self.x

    def join(self, character: str, width: int) -> bool:
        """Adds the character to the cell before the cursor if it belongs there; a mark never takes a cell itself."""
        row = self.grid[self.y]
        x = min(self.x, self.cols) - 1
        if x > 0 and not row[x][0]:
            x -= 1
        if x < 0:
            return width == 0
        text, style = row[x]
        if not joins(text, character, width):
            return False
        if len(text) < CLUSTER_CHARS:
            row[x] = style[text + character]
            row.mark |= DIRTY
        return True

    # Erasing and shifting within rows

    def erase_cells(self, start: int, end: int) -> None:
        row = self.grid[self.y]
        eraser = self.style.eraser or self.styles.eraser_of(self.style)
        if row.mark & WIDE:
            mend(row, start, 0)  # a right half that stays is left alone: text is read as if it had no cell
        row[start:end] = [eraser.blank] * (end - start)
        row.mark |= eraser.mark
        if end >= self.cols:
            row.wrapped = False

    def erase_rows(self, start: int, end: int) -> None:
        """Blanks whole rows; they stay the same rows, so text that comes back is not new."""
        cells, mark = self.blank_cells()
        for row in self.grid[start:end]:
            row[:] = cells
            row.mark = mark
            row.wrapped = False

    def insert_blanks(self, count: int) -> None:
        x = min(self.x, self.cols - 1)
        count = min(count, self.cols - x)
        row = self.grid[self.y]
        eraser = self.styles.eraser_of(self.style)
        if row.mark & WIDE:
            mend(row, x, x)
            mend(row, self.cols - count, self.cols - count)
        row[x:] = [eraser.blank] * count + row[x : self.cols - count]
        row.mark |= eraser.mark | (row.mark & (STYLED | WIDE))

    def delete_cells(self, count: int) -> None:
        x = min(self.x, self.cols - 1)
        count = min(count, self.cols - x)
        row = self.grid[self.y]
        eraser = self.styles.eraser_of(self.style)
        if row.mark & WIDE:
            mend(row, x, x + count)
        row[x:] = row[x + count :] + [eraser.blank] * count
        row.mark |= eraser.mark
        row.wrapped = False

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
            self.move_to(0, 0)

    def save_cursor(self) -> None:
        saved = self.saved[self.on_alternate]
        saved.x, saved.y, saved.style = self.x, self.y, self.style
        saved.drawing, saved.shift, saved.origin = self.drawing, self.shift, 6 in self.modes

    def restore_cursor(self) -> None:
        saved = self.saved[self.on_alternate]
        self.x, self.y = min(saved.x, self.cols), min(saved.y, self.rows - 1)
        self.drawing, self.shift = saved.drawing, saved.shift
        self.style = saved.style
        self.modes.discard(6)
        if saved.origin:
            self.modes.add(6)
            self.y = min(max(self.y, self.top), self.bottom)

    def forget_cursor(self) -> None:
        self.saved[self.on_alternate] = Saved(self.styles.plain)

    def use_charset(self) -> None:
        """Follows a change of character sets: line drawing is an attribute of the style."""
        foreground, background, flags, _ = self.style.look
        self.style = self.styles.of((foreground, background, flags, self.drawing[self.shift]))
