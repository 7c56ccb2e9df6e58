"""Rows of cells, and the compact line a row becomes when it leaves the screen.

A cell is a pair (text, style) that exists once per style, so writing a run is
`row[x:end] = map(style.__getitem__, run)`, a loop in C. A wide character is followed by a cell with empty text. A line
is one string with the SGR sequences of its runs in it: about 50 bytes and the text, nothing for the garbage collector
to walk.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from .sgr import ALL_FLAGS, PLAIN, effect_of, look_after, parameters_of
from .widths import clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .sgr import Effect, Look

Cell = tuple[str, "Style"]

# Bits of Row.mark
DIRTY, STYLED, WIDE = 1, 2, 4
# Cells, transitions and styles kept for reuse per terminal; about 130 bytes each, so 8 MB for hostile output.
INTERNED = 65_536
EFFECTS = 4096

_text = itemgetter(0)
_SEQUENCE = re.compile("\x1b(?:\\[[0-9;]*m|\\([0B])")
_CHARSET = re.compile("\x1b\\([0B]")
_PARTS = re.compile("\x1b\\[([0-9;]*)m|\x1b\\(([0B])|([^\x1b]+)").findall


class Style(dict[str, Cell]):
    """One set of attributes: its cells by text, and the styles that SGR parameters lead to from here."""

    __slots__ = ("blank", "code", "eraser", "look", "mark", "next", "siblings", "table", "tail")

    def __init__(self, look: Look, table: Styles) -> None:
        self.look = look
        self.table = table
        self.next: dict[str, Style] = {}
        self.siblings = table.siblings_of(look)
        self.blank: Cell = (" ", self)
        self.tail = "\x1b(B" if look[3] else ""
        self.mark = DIRTY if look == PLAIN else DIRTY | STYLED
        self.eraser: Style | None = None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __missing__(self, text: str) -> Cell:
        cell: Cell = (text, self)
        if len(text) < 2 and self.table.owns(self):  # a cluster is rare and there is no end of different ones
            self.table.spend()
            self[text] = cell
        return cell

    def __getattr__(self, name: str) -> str:
        """`code`: what leads here from any style; made when it is first asked for, as many styles are never written."""
        if name != "code":
            raise AttributeError(name)
        self.code = code = f"\x1b[{parameters_of(self.look)}m" + ("\x1b(0" if self.look[3] else "")
        return code

    def after(self, parameters: str) -> Style:
        """The style after `CSI parameters m`, remembered."""
        found = self.next.get(parameters)
        if found is None:
            found = self.siblings.get(parameters)
        if found is None:
            effect = self.table.effect_of(parameters)
            found = self.table.of(look_after(self.look, effect))
            if len(parameters) < 64 and self.table.owns(self):
                self.table.spend()
                # All that differ in the foreground alone are led to the same style: 256 colours need no 65,536 entries.
                lone = effect[0] is not None and effect[1:] == (None, ALL_FLAGS, 0)
                (self.siblings if lone else self.next)[parameters] = found
        return found


class Styles:
    """All styles of one terminal, bounded: when the room is used up, everything remembered is forgotten at once."""

    __slots__ = ("_effects", "_room", "_siblings", "_styles", "filler", "plain")

    def __init__(self) -> None:
        self._siblings: dict[tuple[str, int, bool], dict[str, Style]] = {}
        self._styles: dict[Look, Style] = {}
        self._effects: dict[str, Effect] = {}
        self._room = INTERNED
        self.plain = self.of(PLAIN)
        # The last column of a row whose next character was wide and did not fit: no text, and looks like a blank.
        self.filler: Cell = ("", Style(PLAIN, self))

    def of(self, look: Look) -> Style:
        style = self._styles.get(look)
        if style is None:
            self.spend()
            style = self._styles[look] = Style(look, self)
        return style

    def siblings_of(self, look: Look) -> dict[str, Style]:
        """Where a foreground colour leads, for all styles that differ in nothing else."""
        return self._siblings.setdefault(look[1:], {})

    def effect_of(self, parameters: str) -> Effect:
        effect = self._effects.get(parameters)
        if effect is None:
            effect = effect_of(parameters)
            if len(parameters) < 64:
                if len(self._effects) >= EFFECTS:
                    self._effects.clear()
                self._effects[parameters] = effect
        return effect

    def owns(self, style: Style) -> bool:
        """Whether it is remembered. A forgotten one may still be in use, but nobody would bound what it keeps."""
        return self._styles.get(style.look) is style

    def eraser_of(self, style: Style) -> Style:
        """What erased cells look like while `style` is on: its background and nothing else."""
        if style.eraser is None:
            style.eraser = self.of(("", style.look[1], 0, False))
        return style.eraser

    def spend(self) -> None:
        self._room -= 1
        if self._room < 0:
            for style in self._styles.values():
                style.clear()
                style.next.clear()
                style.siblings.clear()
                style.eraser = None
            self._styles = {PLAIN: self.plain}
            self._siblings = {PLAIN[1:]: self.plain.siblings}
            self._room = INTERNED


class Row(list[Cell]):
    """The cells of one row, always as many as the screen has columns.

    wrapped: the text goes on in the next row. number, seen: the ring number of this row and the text it was given for
    (history.py); 0 and "" while it has none.
    """

    __slots__ = ("mark", "number", "seen", "wrapped")

    def __init__(self, cells: Iterable[Cell], mark: int = DIRTY) -> None:
        super().__init__(cells)
        self.mark = mark
        self.wrapped = False
        self.number = 0
        self.seen = ""

    def renew(self, cells: Sequence[Cell], mark: int) -> None:
        """Makes it an empty row that was never numbered."""
        self[:] = cells
        self.mark = mark
        self.wrapped = False
        self.number = 0
        self.seen = ""

    def copy(self) -> Row:
        twin = Row(self, self.mark)
        twin.wrapped, twin.number, twin.seen = self.wrapped, self.number, self.seen
        return twin


class Soft(str):
    """A line that goes on in the next one."""

    __slots__ = ()


def text_of(row: Row) -> str:
    """The characters of a row without trailing blanks."""
    return "".join(map(_text, row)).rstrip(" ")


def mend(row: Row, start: int, end: int) -> None:
    """Blanks the halves that stay of wide characters when the cells start..end-1 are overwritten."""
    if 0 < start < len(row) and not row[start][0] and row[start] is not row[start][1].table.filler:
        row[start - 1] = row[start - 1][1].blank
    if 0 < end < len(row) and not row[end][0]:
        row[end] = row[end][1].blank


def encode_cells(cells: Sequence[Cell], plain: Style) -> str:
    """The cells as text with SGR sequences; starts and ends in the plain style."""
    out: list[str] = []
    put = out.append
    last = plain
    code = plain.code
    for text, style in cells:
        if style is not last:
            if style.code != code:  # equal styles are two objects after a `spend`
                if last.tail:
                    put(last.tail)
                code = style.code
                put(code)
            last = style
        put(text)
    if code != plain.code:
        put(last.tail + "\x1b[m")
    return "".join(out)


def encode(row: Row, plain: Style) -> str:
    """The row as a line, without trailing blanks of the plain style; a wrapped row keeps its blanks."""
    if not row.mark & STYLED:
        text = "".join(map(_text, row))
        return Soft(text) if row.wrapped else text.rstrip(" ")
    if row.wrapped:
        return Soft(encode_cells(row, plain))
    return encode_cells(row[: filled(row, plain)], plain)


def filled(row: Sequence[Cell], plain: Style) -> int:
    """Number of cells up to the last one that is no plain blank."""
    end = len(row)
    blank = plain.blank
    if end and row[end - 1] is plain.table.filler:
        end -= 1
    while end and (row[end - 1] is blank or (row[end - 1][0] == " " and row[end - 1][1] is plain)):
        end -= 1
    return end


def decode(line: str, styles: Styles) -> list[Cell]:
    """The cells of a line, wide ones with their empty second half."""
    style = styles.plain
    cells: list[Cell] = []
    for parameters, charset, text in _PARTS(line):
        if charset:
            foreground, background, flags, _ = style.look
            style = styles.of((foreground, background, flags, charset == "0"))
        elif not text:
            style = style.after(parameters)
        elif text.isascii():
            cells.extend(map(style.__getitem__, text))
        else:
            for cluster, width in clusters(text):
                cells.append(style[cluster])
                if width == 2:
                    cells.append(style[""])
    return cells


def strip_line(line: str) -> str:
    """The line's text without trailing blanks."""
    return (_SEQUENCE.sub("", line) if "\x1b" in line else line).rstrip(" ")


def plain_line(line: str) -> str:
    """The line's text with all its blanks."""
    return _SEQUENCE.sub("", line) if "\x1b" in line else str(line)


def sgr_line(line: str) -> str:
    """The line with its SGR sequences and no other."""
    return _CHARSET.sub("", line) if "\x1b(" in line else str(line)
