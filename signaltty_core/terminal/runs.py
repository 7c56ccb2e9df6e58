"""Rows as JSON-able runs of equal attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import filled
from .sgr import NAMES

if TYPE_CHECKING:
    from .rows import Row
    from .styles import Style


def runs_of(row: Row, plain: Style) -> list[dict[str, object]]:
    """`[{"text", "fg"?, "bg"?, "bold"?: true, …}]`; colours as the SGR parameters that select them."""
    runs: list[dict[str, object]] = []
    text: list[str] = []
    last: Style | None = None
    cells = row.cells
    for character, style in cells[: filled(cells, plain)]:
        if style is not last:
            if last is not None:
                runs.append(_run("".join(text), last))
            text = []
            last = style
        text.append(character)
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
