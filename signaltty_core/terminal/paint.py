"""Runs of text and SGR sequences onto rows: those that go over cells, over the end of a row, or need drawing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from .printing import draw, write
from .rows import RAW_CHARS, mend
from .styles import DIRTY, STYLED, WIDE, draw_parts

if TYPE_CHECKING:
    from .rows import Row
    from .screen import Screen
    from .styles import Cell, Style


def draw_coded(screen: Screen, parts: list[str]) -> None:
    """Prints text with SGR sequences between, of any kind and length; the style goes along."""
    style = screen.style
    cells: list[Cell] = []
    known = screen.simple and screen.narrow.issuperset("".join(parts[::2]))
    for at, part in enumerate(parts):
        if at & 1:
            after = style.next.get(part) or style.siblings.get(part) or style.after(part)
            if cells and after.look[1] is not style.look[1]:  # the background that scrolling fills new rows with
                write(screen, cells, DIRTY | STYLED)
                cells = []
            screen.style = style = after
        elif known:
            if len(part) == 1:
                cells.append(style[part])
            elif part:
                cells += map(style.__getitem__, part)
        elif part:
            draw(screen, part)
    if cells:
        write(screen, cells, DIRTY | STYLED)


def draw_long(screen: Screen, parts: list[str]) -> None:
    """Prints narrow text with SGR sequences between that goes over the end of a row, keeping it as text."""
    texts, codes = parts[::2], parts[1::2]
    ends = [*accumulate(map(len, texts))]
    style = screen.style
    cols, total = screen.cols, ends[-1]
    at = done = 0  # texts whose sequences have been followed, and characters printed
    while done < total:
        start = bisect_right(ends, done)
        style = screen.style = style.over(codes[at:start])  # scrolling fills a row with the background of the next text
        if screen.x >= cols:
            screen.wrap()
        x, y = screen.x, screen.y
        stop = min(done + cols - x, total)
        at = bisect_left(ends, stop)
        first = len(texts[start]) - ends[start] + done
        last = len(texts[at]) - ends[at] + stop
        if at == start:
            piece = [texts[at][first:last]]
        else:
            piece = [texts[start][first:], *parts[2 * start + 1 : 2 * at], texts[at][:last]]
        after = style.over(codes[start:at])
        put_down(screen.grid[y], x, x + stop - done, piece, style, after)
        screen.x += stop - done
        screen.style = style = after
        done = stop
    screen.style = style.over(codes[at:])


def put_down(row: Row, x: int, end: int, parts: list[str], style: Style, after: Style) -> None:
    """Prints narrow text where it fits."""
    run = "".join(parts) if style is row.tail.table.plain else style.code + "".join(parts)
    if not x and (end >= row.width >= 0 or end == row.cols):
        row.start_anew(run, end, after, DIRTY | STYLED)
    elif 0 <= row.width <= x:
        if row.width < x:
            row.pad(x)
        row.raw += "".join(parts) if style is row.last else style.code + "".join(parts)
        row.width = end
        row.last = after
        row.mark |= DIRTY | STYLED
    else:
        overwrite(row, x, end, parts, style, after, DIRTY | STYLED)
    if len(row.raw) > RAW_CHARS:
        row.settle()


def overwrite(row: Row, x: int, end: int, parts: list[str], style: Style, after: Style, mark: int) -> None:
    """Puts text of known width over the cells x..end-1 of a row. parts: texts and the SGR sequences between them."""
    cells = row.drawn if row.width < 0 else row.cells
    if row.mark & WIDE:
        mend(cells, x, end)
    size = len(parts)
    row.mark |= mark
    if mark & WIDE or size > 5:
        cells[x:end] = draw_parts(parts, style)
    elif size == 1:
        cells[x:end] = map(style.__getitem__, parts[0])
    elif size == 3 and not parts[0]:
        cells[x:end] = map(after.__getitem__, parts[2])
    elif size == 5 and not parts[0] and not parts[4]:
        style = style.next.get(parts[1]) or style.siblings.get(parts[1]) or style.after(parts[1])
        cells[x:end] = map(style.__getitem__, parts[2])
    else:
        cells[x:end] = draw_parts(parts, style)
