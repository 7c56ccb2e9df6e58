"""Lines: what a row becomes when it leaves the screen.

A line is one string with the SGR sequences of its runs in it: about 50 bytes and the text, nothing for the garbage
collector to walk. A row that was written from left to right keeps its sequences as the program sent them.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from .widths import clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .styles import Cell, Style, Styles

_SEQUENCE = re.compile("\x1b(?:\\[[0-9;]*m|\\([0B])")
_CHARSET = re.compile("\x1b\\([0B]")
_PARTS = re.compile("(\x1b\\[[0-9;]*m)|\x1b\\(([0B])|([^\x1b]+)").findall
# Text at even places, SGR sequences at odd ones.
split_codes = re.compile("(\x1b\\[[0-9;]*m)").split
take_codes_out = re.compile("\x1b\\[[0-9;]*m").sub
cell_text = itemgetter(0)


class Soft(str):
    """A line that goes on in the next one."""

    __slots__ = ()


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


def filled(cells: Sequence[Cell], plain: Style) -> int:
    """Number of cells up to the last one that is no plain blank."""
    end = len(cells)
    blank = plain.blank
    if end and cells[end - 1] is plain.table.filler:
        end -= 1
    while end and (cells[end - 1] is blank or (cells[end - 1][0] == " " and cells[end - 1][1] is plain)):
        end -= 1
    return end


def decode(line: str, styles: Styles) -> list[Cell]:
    """The cells of a line, wide ones with their empty second half."""
    style = styles.plain
    cells: list[Cell] = []
    for code, charset, text in _PARTS(line):
        if charset:
            foreground, background, flags, _ = style.look
            style = styles.of((foreground, background, flags, charset == "0"))
        elif not text:
            style = style.after(code)
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


def sgr_line(line: str, plain: Style) -> str:
    """The line with its SGR sequences, in the one form that its cells have, and no other."""
    if "\x1b" not in line:
        return str(line)
    if "\x1b(" in line:
        return _CHARSET.sub("", line)
    out: list[str] = []
    last = style = plain
    for at, part in enumerate(split_codes(line)):
        if at & 1:
            style = style.after(part)
        elif part:
            if style is not last and style.code != last.code:
                out.append(style.code)
            last = style
            out.append(part)
    whole = "".join(out)
    if last.code != plain.code:
        return whole + "\x1b[m"
    return whole if type(line) is Soft else whole.rstrip(" ")
