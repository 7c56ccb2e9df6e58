"""Many lines at once: those that only pass through the screen go to history without ever being cells.

A flood of lines, plain or coloured, is the one load where a person sees nothing in between, and the commonest way to
make a terminal slow. Lines of printable ASCII, SGR and CRLF qualify.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .rows import Soft, decode, encode_cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from .screen import Screen

# The two alternatives begin with different characters and nothing follows, so the pattern never backtracks.
_SIMPLE = re.compile("(?:[\x20-\x7e\r\n]+|\x1b\\[[0-9;]{0,1000}m)*").match
_SGR = re.compile("\x1b\\[([0-9;]*)m").split


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
    if first < keep and not screen.style.look[1]:
        passing = lines[first:keep]
        styled = "\x1b" in text
        skipped = len(passing) - screen.history.limit
        if skipped > 0 and not styled and max(map(len, passing)) <= screen.cols:
            passing = passing[skipped:]  # the others would be evicted at once
        else:
            skipped = 0
        whole = _as_history(screen, passing, styled)
        if whole is None:
            keep = first
        else:
            _push_all(screen)
            screen.history.extend(whole, skipped)
            screen.y = 0
    else:
        keep = first
    run("\r\n".join(lines[keep:]) + "\r\n")
    return text[end:]


def _to_bottom(screen: Screen, lines: list[str], run: Callable[[str], None]) -> int:
    """Runs lines until the bottom row is a fresh one; how many that took."""
    taken = screen.rows - screen.y + 1
    run("\r\n".join(lines[:taken]) + "\r\n")
    return taken


def _push_all(screen: Screen) -> None:
    """Moves everything above the bottom row into history; all rows are blank then."""
    cells, mark = screen.blank_cells()
    for row in screen.grid[:-1]:
        screen.history.push(row, screen.styles.plain)
        row.renew(cells, mark)


def _as_history(screen: Screen, lines: list[str], styled: bool) -> list[str] | None:
    """The lines as the ring keeps them, with the screen's style moved on; None if a background would fill rows."""
    plain = screen.styles.plain
    style = screen.style
    cols = screen.cols
    if style is plain and not styled:
        return _wrapped(lines, cols)
    out: list[str] = []
    for line in lines:
        if "\x1b" not in line:
            pieces = [line]
            width = len(line)
            coded = line if style is plain else f"{style.code}{line}\x1b[m" if line else ""
        else:
            pieces = _SGR(line)
            coded_pieces: list[str] = []
            width = 0
            filling = False
            current = plain
            for at, piece in enumerate(pieces):
                if at & 1:
                    after = style.next.get(piece)
                    style = style.after(piece) if after is None else after
                    filling = filling or bool(style.look[1])
                elif piece:
                    if style is not current:
                        coded_pieces.append(style.code)
                        current = style
                    coded_pieces.append(piece)
                    width += len(piece)
            if style.look[1] or (filling and width > cols):
                return None
            if current is not plain:
                coded_pieces.append("\x1b[m")
            coded = "".join(coded_pieces)
        if width > cols:
            cells = decode(coded, screen.styles)
            for start in range(0, width - cols, cols):
                out.append(Soft(encode_cells(cells[start : start + cols], plain)))
            rest = width % cols or cols
            coded = encode_cells(cells[width - rest :], plain)
        out.append(coded.rstrip(" ") if coded[-1:] == " " else coded)
    screen.style = style
    return out


def _wrapped(lines: list[str], cols: int) -> list[str]:
    """Plain lines, those that are too long cut into soft ones."""
    if max(map(len, lines)) > cols:
        cut: list[str] = []
        for line in lines:
            while len(line) > cols:
                cut.append(Soft(line[:cols]))
                line = line[cols:]
            cut.append(line)
        lines = cut
    return [line.rstrip(" ") if line[-1:] == " " and type(line) is str else line for line in lines]
