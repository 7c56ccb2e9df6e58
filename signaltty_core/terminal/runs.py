"""Rows as JSON-able runs of equal attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import filled, split_codes
from .sgr import NAMES

if TYPE_CHECKING:
    from .rows import Row
    from .styles import Style


def runs_of(row: Row, plain: Style) -> list[dict[str, object]]:
    """`[{"text", "fg"?, "bg"?, "bold"?: true, …}]`; colours as the SGR parameters that select them."""
    pieces: list[tuple[str, Style]] = []
    if row.width >= 0 and row.tail is plain:
        style = plain
        for at, part in enumerate(split_codes(row.raw)):
            if at & 1:
                style = style.after(part)
            elif part:
                pieces.append((part, style))
        while pieces and pieces[-1][1] is plain:
            text_left = pieces.pop()[0].rstrip(" ")
            if text_left:
                pieces.append((text_left, plain))
                break
    else:
        cells = row.cells
        pieces = cells[: filled(cells, plain)]
    runs: list[dict[str, object]] = []
    text: list[str] = []
    last: Style | None = None
    for piece, style in pieces:
        if style is not last:
            if last is not None:
                runs.append(_run("".join(text), last))
            text = []
            last = style
        text.append(piece)
    if last is not None:
        runs.append(_run("".join(text), last))
    return runs


def _run(text: str, style: Style) -> dict[str, object]:
    foreground, background, flags, drawing = style.look
    run: dict[str, object] = {"text": text}
    if foreground:
        run["fg"] = foreground
    if background:
        run["bg"] = background
    run.update((name, True) for bit, name in NAMES.items() if flags & bit)
    if drawing:
        run["line_drawing"] = True
    return run
