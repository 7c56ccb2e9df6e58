"""Rows: cells, or for as long as it is written from left to right, the text they will be made of.

Most rows are written once, from their start, and scroll off or are written anew before anything touches a cell in the
middle. Such a row keeps the program's own text and SGR sequences (`raw`), and is blank behind them; its cells are made
when someone asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import Soft, cell_text, encode_cells, filled, split_codes, take_codes_out
from .styles import DIRTY, FRESH, STYLED, WIDE, draw_parts

if TYPE_CHECKING:
    from .styles import Cell, Style

# A row whose text is longer has sequences that lead nowhere; its cells are shorter than what they are made of.
RAW_CHARS = 4096
_new = object.__new__


class Row:
    """One row of the screen. mark: DIRTY, STYLED, WIDE.

    width: cells that `raw` fills, -1 once there are cells instead. last: the style at the end of `raw`, which starts in
    the plain one. tail: the style of the blanks behind it. Characters in `raw` are all one cell wide.

    wrapped: the text goes on in the next row. number, seen: the ring number of this row and the text it was given for
    (history.py); 0 and "" while it has none.
    """

    __slots__ = ("cols", "drawn", "last", "mark", "number", "raw", "seen", "tail", "width", "wrapped")

    def __init__(self, cols: int, tail: Style) -> None:
        self.drawn: list[Cell] = []
        self.cols = cols
        self.raw = ""
        self.width = 0
        self.last: Style = tail.table.plain
        self.tail = tail
        self.mark = tail.mark
        self.wrapped = False
        self.number = 0
        self.seen = ""

    @classmethod
    def of(cls, cells: list[Cell], plain: Style, mark: int = DIRTY) -> Row:
        row = cls(len(cells), plain)
        row.drawn, row.width, row.mark = cells, -1, mark
        return row

    @property
    def cells(self) -> list[Cell]:
        """The cells, to be read or changed; as many as the screen has columns."""
        if self.width >= 0:
            self.settle()
        return self.drawn

    def settle(self) -> None:
        """Makes cells of the text."""
        if self.width >= 0:
            plain = self.tail.table.plain
            cells = draw_parts(split_codes(self.raw), plain) if self.raw else []
            if self.width < self.cols:
                cells += [self.tail.blank] * (self.cols - self.width)
            self.drawn = cells
            self.raw, self.width = "", -1
            self.mark &= ~FRESH

    def renew(self, tail: Style) -> None:
        """Makes it an empty row that was never numbered."""
        self.raw = ""
        self.width = 0
        self.last = tail.table.plain
        self.tail = tail
        self.mark = tail.mark ^ (DIRTY | FRESH)
        self.wrapped = False
        self.number = 0
        self.seen = ""

    def wipe(self, tail: Style) -> None:
        """Makes it blank; it stays the same row, so text that comes back is not new."""
        self.raw = ""
        self.width = 0
        self.last = tail.table.plain
        self.tail = tail
        self.mark = tail.mark
        self.wrapped = False

    def start_anew(self, raw: str, width: int, last: Style, mark: int) -> None:
        """Replaces all before the blanks, or all where there are cells."""
        if self.width < 0:
            self.tail = self.tail.table.plain
        self.raw = raw
        self.width = width
        self.last = last
        self.mark = mark | self.tail.mark

    def pad(self, x: int) -> None:
        """Makes the blanks before column x a part of the text."""
        tail = self.tail
        if tail is not self.last:
            self.raw += tail.code
            self.last = tail
        self.raw += " " * (x - self.width)
        self.width = x

    def copy(self) -> Row:
        if self.mark & WIDE:
            self.settle()
        twin = _new(Row)
        twin.drawn = self.drawn[:] if self.width < 0 else []
        twin.cols, twin.raw, twin.width = self.cols, self.raw, self.width
        twin.last, twin.tail, twin.mark = self.last, self.tail, self.mark
        twin.wrapped, twin.number, twin.seen = self.wrapped, self.number, self.seen
        return twin


def text_of(row: Row) -> str:
    """The characters of a row without trailing blanks."""
    if row.width >= 0:
        raw = row.raw
        return (take_codes_out("", raw) if "\x1b" in raw else raw).rstrip(" ")
    return "".join(map(cell_text, row.cells)).rstrip(" ")


def mend(cells: list[Cell], start: int, end: int) -> None:
    """Blanks the halves that stay of wide characters when the cells start..end-1 are overwritten."""
    if 0 < start < len(cells) and not cells[start][0] and cells[start] is not cells[start][1].table.filler:
        cells[start - 1] = cells[start - 1][1].blank
    if 0 < end < len(cells) and not cells[end][0] and cells[end] is not cells[end][1].table.filler:
        cells[end] = cells[end][1].blank


def encode(row: Row, plain: Style) -> str:
    """The row as a line, without trailing blanks of the plain style; a wrapped row keeps its blanks."""
    if row.wrapped:
        if row.width == row.cols and len(row.raw) <= RAW_CHARS:
            return Soft(row.raw if row.last is plain else row.raw + "\x1b[m")
    elif row.width >= 0 and row.tail is plain:
        raw = row.raw
        if "\x1b" not in raw:
            return raw.rstrip(" ")
        if len(raw) <= RAW_CHARS:
            return raw.rstrip(" ") if row.last is plain else raw + "\x1b[m"
    elif not row.width:
        return f"{row.tail.code}{' ' * row.cols}\x1b[m"
    cells = row.cells
    if not row.mark & STYLED:
        text = "".join(map(cell_text, cells))
        return Soft(text) if row.wrapped else text.rstrip(" ")
    if row.wrapped:
        return Soft(encode_cells(cells, plain))
    return encode_cells(cells[: filled(cells, plain)], plain)
