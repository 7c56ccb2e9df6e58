"""Text onto the grid: runs of known width at once, clusters and rarer modes character by character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .rows import mend
from .styles import DIRTY, WIDE
from .widths import CLUSTER_CHARS, JOINER, clusters, is_pictograph, is_regional, joins, width_of

if TYPE_CHECKING:
    from .screen import Screen
    from .styles import Cell

# Characters whose width is remembered per terminal: at most about 10 MB, for output that shows every character there is
KNOWN_CHARS = 65_536
KNOWN_WORDS = 1024
_RUNS = re.compile("[\x20-\x7e]+|[^\x20-\x7e]+").findall


def draw(screen: Screen, text: str) -> None:
    """Prints text of any kind, without control characters."""
    if screen.simple:
        if screen.narrow.issuperset(text):
            write(screen, list(map(screen.style.__getitem__, text)), screen.style.mark)
            return
        if screen.wide.issuperset(text):
            style = screen.style
            cells = [style[""]] * (2 * len(text))
            cells[::2] = map(style.__getitem__, text)
            write(screen, cells, style.mark | WIDE)
            return
    if max(text) >= "\udc80":  # bytes that were no UTF-8 come as lone surrogates
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if screen.simple:
        draw_mixed(screen, text)
    else:
        draw_each(screen, text)


def draw_mixed(screen: Screen, text: str) -> None:
    """Collects characters of known width into runs; the others go one by one."""
    narrow, wide, style = screen.narrow, screen.wide, screen.style
    cells: list[Cell] = []
    stub = style[""]
    mark = style.mark
    for run in _RUNS(text):
        if run.isascii() or narrow.issuperset(run):
            cells += map(style.__getitem__, run)
            continue
        # Behind ASCII text nothing joins what stands there, unless what is between has no place.
        for cluster, width in cut_word(screen, run) if cells and screen.cols > 1 else ():
            cells.append(style[cluster])
            if width == 2:
                cells.append(stub)
                mark |= WIDE
            run = ""
        for character in run:
            if character in narrow:
                cells.append(style[character])
            elif character in wide:
                cells.append(style[character])
                cells.append(stub)
                mark |= WIDE
            else:
                if cells:
                    write(screen, cells, mark)
                    cells = []
                draw_each(screen, character)
    if cells:
        write(screen, cells, mark)


def cut_word(screen: Screen, word: str) -> list[tuple[str, int]]:
    """A word without ASCII as clusters and their widths, remembered; empty if it must be drawn to know."""
    known = screen.words.get(word)
    if known is None:
        for character in word:
            if character not in screen.narrow and character not in screen.wide:
                width_known(screen, character)
        known = clusters(word)
        if not known or known[0][0][0] != word[0] or max(map(len, [text for text, _ in known])) >= CLUSTER_CHARS:
            known = []
        if len(screen.words) >= KNOWN_WORDS:
            screen.words.clear()
        if len(word) < CLUSTER_CHARS:
            screen.words[word] = known
    return known


def write(screen: Screen, cells: list[Cell], mark: int) -> None:
    """Puts cells at the cursor, wrapping where a row ends; a wide character is never cut."""
    cols, at, end = screen.cols, 0, len(cells)
    while at < end:
        if screen.x >= cols:
            screen.wrap()
        x = screen.x
        stop = min(at + cols - x, end)
        if stop < end and not cells[stop][0]:
            stop -= 1
            if stop == at:  # a wide character that does not fit
                if cols < 2:
                    at += 2
                else:
                    leave_last_column(screen)
                continue
        row = screen.grid[screen.y]
        there = row.cells
        screen.x = x + stop - at
        if row.mark & WIDE:
            mend(there, x, screen.x)
        there[x : screen.x] = cells if stop - at == end else cells[at:stop]
        row.mark |= mark
        at = stop


def draw_each(screen: Screen, text: str) -> None:
    """Prints character by character: marks, unknown characters, and every text in the rarer modes."""
    narrow, wide, style = screen.narrow, screen.wide, screen.style
    for character in text:
        if character in narrow:
            width = 1
        elif character in wide:
            width = 2
        else:
            width = width_known(screen, character)
            if width < 0 or join(screen, character, width):
                continue
        x = place(screen, width)
        if x < 0:
            continue
        row = screen.grid[screen.y]
        cells = row.cells
        if row.mark & WIDE:
            mend(cells, x, x + width)
        cells[x] = style[character]
        row.mark |= style.mark
        if width == 2:
            cells[x + 1] = style[""]
            row.mark |= WIDE
        screen.x = x + width if 7 in screen.modes else min(x + width, screen.cols - 1)


def width_known(screen: Screen, character: str) -> int:
    """The width of a character that is neither in `narrow` nor in `wide`, or was not until now."""
    known = screen.special.get(character)
    return learn(screen, character) if known is None else known


def learn(screen: Screen, character: str) -> int:
    """The width of a character that is not known yet; from now on it is, if it never joins another.

    Pictographs join only what ends with a joiner, so until this terminal has seen one they are like other text.
    """
    width = width_of(character)
    if character == JOINER and not screen.joiner_seen:
        screen.joiner_seen = True
        for row in screen.grid + screen.other:
            row.settle()  # while it is known how wide their characters were
        screen.narrow.difference_update([known for known in screen.narrow if is_pictograph(known)])
        screen.wide.difference_update([known for known in screen.wide if is_pictograph(known)])
    if len(screen.narrow) + len(screen.wide) + len(screen.special) < KNOWN_CHARS:
        if width <= 0 or is_regional(character) or (screen.joiner_seen and is_pictograph(character)):
            screen.special[character] = width
        else:
            (screen.narrow if width == 1 else screen.wide).add(character)
    return width


def place(screen: Screen, width: int) -> int:
    """The column where a character of that width goes, after wrapping or making room; -1 if it has no place."""
    if screen.x + width > screen.cols:
        if width > screen.cols:
            return -1
        if 7 in screen.modes:
            leave_last_column(screen)
        elif width == 2:
            return -1
        else:
            screen.x = screen.cols - 1
    if 4 in screen.ansi_modes:
        screen.insert_blanks(width)
    return screen.x


def join(screen: Screen, character: str, width: int) -> bool:
    """Adds the character to the cell before the cursor if it belongs there; a mark never takes a cell itscreen."""
    row = screen.grid[screen.y]
    cells = row.cells
    x = min(screen.x, screen.cols) - 1
    if x > 0 and not cells[x][0]:
        x -= 1
    if x < 0:
        return width == 0
    text, style = cells[x]
    if not joins(text, character, width):
        return False
    if len(text) < CLUSTER_CHARS:
        cells[x] = style[text + character]
        row.mark |= DIRTY
    return True


def leave_last_column(screen: Screen) -> None:
    """Wraps; where a wide character did not fit the last column stays blank."""
    if screen.x < screen.cols:
        row = screen.grid[screen.y]
        cells = row.cells
        if row.mark & WIDE:
            mend(cells, screen.x, screen.cols)
        cells[screen.x :] = [screen.styles.filler] * (screen.cols - screen.x)
        row.mark |= DIRTY
    screen.wrap()
