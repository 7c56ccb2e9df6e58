"""Vectors of kind `terminal`: what the emulator shows after output, resizes and time."""

from __future__ import annotations

from base64 import b64decode, b64encode

from ....base.version import VERSION
from ....terminal.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def play(vector: dict[str, Any]) -> dict[str, Any]:
    """The grid, what a reader sees of it, cursor, history, title, and all bytes the terminal answered."""
    terminal = Terminal(vector.get("cols", 80), vector.get("rows", 24), version=VERSION)
    now, reply = 0.0, b""
    for step in vector["steps"]:
        if "output" in step:
            reply += b"".join(terminal.feed(b64decode(step["output"]), now).answers)
        elif "resize" in step:
            terminal.resize(*step["resize"])
        else:
            now += step["wait_s"]
            terminal.tick(now)
    x, y = terminal.cursor
    visible = terminal.read_screen()
    return {
        "rows": terminal.grid_rows(),
        "visible_rows": visible.split("\n") if visible else [],
        "cursor": {"x": x, "y": y},
        "history": terminal.history_lines(),
        "reply": b64encode(reply).decode("ascii"),
        "title": terminal.title,
    }
