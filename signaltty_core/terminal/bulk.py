"""Many lines at once: those that only pass through the screen go to history without ever being rows.

A flood of lines is the one load where a person sees nothing in between, and the commonest way to make a terminal slow.
Lines of printable text in the plain style qualify.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .lines import Soft, decode, encode_cells
from .printing import width_known
from .widths import CLUSTER_CHARS, JOINER, clusters, is_regional

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .screen import Screen
    from .styles import Style

# Fewer are as quick one by one.
LEAST_LINES = 6
# No C0 but CR and LF, no C1, no byte that was no UTF-8.
_SIMPLE = re.compile("[\r\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]*").match


def scroll_bulk(screen: Screen, text: str, run: Callable[[str], None]) -> str:
    """Carries out as many leading lines of the text as qualify; the rest of it. `run` is the token loop."""
    if (
        screen.style is not screen.styles.plain
        or not screen.simple
        or screen.on_alternate
        or screen.top
        or screen.bottom != screen.rows - 1
        or 20 in screen.ansi_modes
        or screen.rows < 2
        or screen.cols < 2
    ):
        return text
    if text[0] == "\n":  # the chunk was cut inside a CRLF
        screen.index()
        text = text[1:]
    found = _SIMPLE(text)
    end = text.rfind("\r\n", 0, found.end() if found else 0) + 2
    count = text.count("\n", 0, end)
    first = screen.rows - screen.y  # so many until the bottom row is a fresh one
    if count < first + LEAST_LINES or text.count("\r", 0, end) != count or text.count("\r\n", 0, end) != count:
        return text
    whole = text[:end]
    lines: Sequence[str] = whole[:-2].split("\r\n")
    if whole.isascii():
        run("\r\n".join(lines[:first]) + "\r\n")
        if max(map(len, lines)) > screen.cols:
            _scroll_rows(screen, [part for line in lines[first:] for part in _cut(line, screen.cols)])
        else:
            _scroll_rows(screen, [line.rstrip(" ") for line in lines[first:]] if " \r\n" in whole else lines[first:])
    elif count > 2 * screen.rows:
        run("\r\n".join(lines[:first]) + "\r\n")
        keep = len(lines) - (screen.rows - 1)
        passing = _plain_lines(screen, lines[first:keep])
        if passing is None:
            keep = first
        else:
            _pass_through(screen, passing)
        run("\r\n".join(lines[keep:]) + "\r\n")
    else:
        return text
    return text[end:]


def _scroll_rows(screen: Screen, lines: Sequence[str]) -> None:
    """Adds ASCII lines at the bottom, where the cursor stands on a fresh row."""
    grid, plain = screen.grid, screen.styles.plain
    push = screen.history.push
    over = max(len(lines) - (screen.rows - 1), 0)
    leaving = grid[: len(lines) - over]
    for row in leaving:
        push(row, plain)
    screen.history.extend(lines[:over])
    for row, line in zip(leaving, lines[over:], strict=True):
        row.renew(plain)
        row.raw = str(line)
        row.width = len(line)
        row.mark = plain.mark
        row.wrapped = type(line) is Soft
    grid[:-1] = grid[len(leaving) : -1] + leaving


def _pass_through(screen: Screen, lines: list[str]) -> None:
    """Puts the rows and then the lines into history and leaves an empty screen."""
    plain = screen.styles.plain
    for row in screen.grid[:-1]:
        screen.history.push(row, plain)
        row.renew(plain)
    screen.history.extend(lines)
    screen.y = 0


def _cut(line: str, cols: int) -> list[str]:
    """An ASCII line as rows, all but the last one soft."""
    parts = [line[at : at + cols] for at in range(0, len(line), cols)] or [""]
    return [*map(Soft, parts[:-1]), parts[-1].rstrip(" ")]


def _stripped(line: str) -> str:
    return line.rstrip(" ") if line[-1:] == " " else line


def _plain_lines(screen: Screen, lines: Sequence[str]) -> list[str] | None:
    out: list[str] = []
    for line in lines:
        width = _width(screen, line)
        if width < 0:
            return None
        out += _wrapped(screen, line, screen.cols) if width > screen.cols else [_stripped(line)]
    return out


def _width(screen: Screen, text: str) -> int:
    """Cells of the text at the start of a row or behind other text; -1 if it must be drawn to know."""
    rest = set(text) - screen.narrow
    if rest <= screen.wide:
        return len(text) + (sum(map(screen.wide.__contains__, text)) if rest else 0)
    widths = {character: width_known(screen, character) for character in rest}
    marks = [character for character, width in widths.items() if width == 0]
    if min(widths.values()) < 0 or text[0] in marks or sum(map(text.count, marks)) >= CLUSTER_CHARS:
        return -1
    if JOINER in rest or any(map(is_regional, rest)):
        return sum([width for _, width in clusters(text)])
    return len(text) + sum([(width - 1) * text.count(character) for character, width in widths.items()])


def _wrapped(screen: Screen, line: str, cols: int) -> list[str]:
    """A line that is too long as rows; a wide character at the margin goes to the next one."""
    plain: Style = screen.styles.plain
    cells = decode(line, screen.styles)
    out: list[str] = []
    at = 0
    while len(cells) - at > cols:
        stop = at + cols
        if not cells[stop][0] and cols > 1:
            stop -= 1
        out.append(Soft(encode_cells(cells[at:stop], plain)))
        at = stop
    out.append(_stripped(encode_cells(cells[at:], plain)))
    return out
