"""Many lines at once: those that only pass through the screen go to history without ever being cells.

A flood of lines, plain or coloured, is the one load where a person sees nothing in between, and the commonest way to
make a terminal slow. Lines of printable text, SGR and CRLF qualify.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .lines import Soft, decode, encode_cells, split_codes
from .printing import width_known
from .widths import CLUSTER_CHARS, JOINER, clusters, is_regional

if TYPE_CHECKING:
    from collections.abc import Callable

    from .screen import Screen
    from .styles import Style

# No C0 but CR and LF, no C1, no byte that was no UTF-8. The two alternatives begin with different characters and
# nothing follows them, so the pattern never backtracks.
_SIMPLE = re.compile("(?:[\r\n\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]+|\x1b\\[[0-9;]{0,1000}m)*").match


def scroll_bulk(screen: Screen, text: str, run: Callable[[str], None]) -> str:
    """Carries out as many leading lines of the text as qualify; the rest of it. `run` is the token loop."""
    if (
        not screen.simple
        or screen.on_alternate
        or screen.top
        or screen.bottom != screen.rows - 1
        or 20 in screen.ansi_modes
        or screen.style.look[1]
        or screen.style.look[3]
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
    if count <= 2 * screen.rows or text.count("\r", 0, end) != count or text.count("\r\n", 0, end) != count:
        return text
    lines = text[: end - 2].split("\r\n")
    first = _to_bottom(screen, lines, run)
    keep = len(lines) - (screen.rows - 1)
    if first >= keep or screen.style.look[1] or not _pass_through(screen, lines[first:keep], text):
        keep = first
    run("\r\n".join(lines[keep:]) + "\r\n")
    return text[end:]


def _to_bottom(screen: Screen, lines: list[str], run: Callable[[str], None]) -> int:
    """Runs lines until the bottom row is a fresh one; how many that took."""
    taken = screen.rows - screen.y + 1
    run("\r\n".join(lines[:taken]) + "\r\n")
    return taken


def _pass_through(screen: Screen, lines: list[str], text: str) -> bool:
    """Puts the rows and then the lines into history and leaves an empty screen; False if the lines must be run.

    text: what the lines were cut from, for questions that are cheaper to ask once.
    """
    skipped = 0
    if "\x1b" in text or screen.style is not screen.styles.plain:
        whole = _coded_lines(screen, lines)
    elif not text.isascii():
        whole = _plain_lines(screen, lines)
    else:
        if max(map(len, lines)) > screen.cols:
            whole = [part for line in lines for part in _cut(line, screen.cols)]
        else:
            skipped = max(len(lines) - screen.history.limit, 0)
            lines = lines[skipped:]  # the others would be evicted at once
            whole = [line.rstrip(" ") for line in lines] if " \r\n" in text else lines
    if whole is None:
        return False
    eraser = screen.eraser
    for row in screen.grid[:-1]:
        screen.history.push(row, screen.styles.plain)
        row.renew(eraser)
    screen.history.extend(whole, skipped)
    screen.y = 0
    return True


def _cut(line: str, cols: int) -> list[str]:
    """An ASCII line as rows, all but the last one soft."""
    parts = [line[at : at + cols] for at in range(0, len(line), cols)] or [""]
    return [*map(Soft, parts[:-1]), parts[-1].rstrip(" ")]


def _stripped(line: str) -> str:
    return line.rstrip(" ") if line[-1:] == " " else line


def _plain_lines(screen: Screen, lines: list[str]) -> list[str] | None:
    out: list[str] = []
    for line in lines:
        width = _width(screen, line)
        if width < 0:
            return None
        out += _wrapped(screen, line, screen.cols) if width > screen.cols else [_stripped(line)]
    return out


def _coded_lines(screen: Screen, lines: list[str]) -> list[str] | None:
    """The lines as the ring keeps them, with the screen's style moved on; None if a background would fill rows."""
    plain = screen.styles.plain
    style = screen.style
    cols = screen.cols
    out: list[str] = []
    for line in lines:
        coded: list[str] = []
        width = 0
        filling = False
        current = plain
        for at, piece in enumerate(split_codes(line) if "\x1b" in line else (line,)):
            if at & 1:
                style = style.next.get(piece) or style.after(piece)
                filling = filling or bool(style.look[1])
            elif piece:
                if style is not current:
                    coded.append(style.code)
                    current = style
                coded.append(piece)
                taken = len(piece) if piece.isascii() else _width(screen, piece)
                if taken < 0:
                    return None
                width += taken
        if style.look[1] or (filling and width > cols):
            return None
        if current is not plain:
            coded.append("\x1b[m")
        whole = "".join(coded)
        if width > cols:
            out += _wrapped(screen, whole, cols)
        else:
            out.append(whole.rstrip(" ") if whole[-1:] == " " else whole)
    screen.style = style
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
