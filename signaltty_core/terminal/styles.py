"""Sets of attributes, and the cells that are written with them.

A cell is a pair (text, style) that exists once per style, so writing a run is
`cells[x:end] = map(style.__getitem__, run)`, a loop in C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sgr import ALL_FLAGS, PLAIN, effect_of, look_after, parameters_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .sgr import Effect, Look

Cell = tuple[str, "Style"]

# Bits of Row.mark; a row that is FRESH and not DIRTY has only blanks that look like its tail, and no number.
DIRTY, STYLED, WIDE, FRESH = 1, 2, 4, 8
# Cells, transitions and styles kept for reuse per terminal; about 130 bytes each, so 8 MB for hostile output.
INTERNED = 65_536
EFFECTS = 4096


class Style(dict[str, Cell]):
    """One set of attributes: its cells by text, and the styles that SGR leads to from here.

    next, siblings: by one SGR sequence, or several in a row. siblings: shared by all that differ in nothing but
    the foreground.
    """

    __slots__ = ("blank", "code", "eraser", "look", "mark", "next", "siblings", "table", "tail")

    def __init__(self, look: Look, table: Styles) -> None:
        self.look = look
        self.table = table
        self.next: dict[str, Style] = {}
        self.siblings = table.siblings_of(look)
        self[" "] = self.blank = (" ", self)  # one cell at least: an empty dict would be false
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

    def over(self, codes: Sequence[str]) -> Style:
        """The style after several SGR sequences, not remembered."""
        style = self
        if len(codes) > 8 and self.siblings.keys() >= set(codes):
            return self.siblings[codes[-1]]  # each sets the foreground and nothing else
        for code in codes:
            style = style.next.get(code) or style.siblings.get(code) or style.after(code)
        return style

    def along(self, codes: str, each: Sequence[str]) -> Style:
        """The style after several SGR sequences, joined and one by one, remembered if they are several."""
        if len(each) == 1:
            return self.after(codes)
        style = self
        for code in each:
            style = style.after(code)
        if len(codes) < 64 and self.table.owns(self):
            self.table.spend()
            self.next[codes] = style
        return style

    def after(self, code: str) -> Style:
        """The style after one SGR sequence, remembered."""
        found = self.next.get(code)
        if found is None:
            found = self.siblings.get(code)
        if found is None:
            effect = self.table.effect_of(code[2:-1])
            found = self.table.of(look_after(self.look, effect))
            if len(code) < 64 and self.table.owns(self):
                self.table.spend()
                # All that differ in the foreground alone are led to the same style: 256 colours need no 65,536 entries.
                lone = effect[0] is not None and effect[1:] == (None, ALL_FLAGS, 0)
                (self.siblings if lone else self.next)[code] = found
        return found


def draw_parts(parts: Sequence[str], style: Style) -> list[Cell]:
    """The cells of texts at even places with SGR sequences between; each character is one or two cells wide."""
    wide = style.table.wide
    cells: list[Cell] = []
    for at, part in enumerate(parts):
        if at & 1:
            style = style.next.get(part) or style.siblings.get(part) or style.after(part)
        elif part.isascii() or wide.isdisjoint(part):
            cells += map(style.__getitem__, part)
        else:
            stub = style[""]
            for character in part:
                cells.append(style[character])
                if character in wide:
                    cells.append(stub)
    return cells


class Styles:
    """All styles of one terminal, bounded: when the room is used up, everything remembered is forgotten at once.

    wide: characters that take two cells (printing.py).
    """

    __slots__ = ("_effects", "_room", "_siblings", "_styles", "filler", "plain", "wide")

    def __init__(self) -> None:
        self._siblings: dict[tuple[str, int, bool], dict[str, Style]] = {}
        self._styles: dict[Look, Style] = {}
        self._effects: dict[str, Effect] = {}
        self._room = INTERNED
        self.wide: set[str] = set()
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
        if parameters[:5] == "38;2;":  # too many to be remembered
            return effect_of(parameters)
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
            self.plain[" "] = self.plain.blank
            self._styles = {PLAIN: self.plain}
            self._siblings = {PLAIN[1:]: self.plain.siblings}
            self._room = INTERNED
