"""The terminal on vectors whose expectations a mature multiplexer and the standards agree on."""

from __future__ import annotations

import json
import unicodedata
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.terminal.terminal import Terminal

LINES = (Path(__file__).parent / "terminal" / "vectors.jsonl").read_text().splitlines()
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def play(vector: dict[str, Any]) -> dict[str, Any]:
    terminal = Terminal(vector["cols"], vector["rows"], version="0.1.0")
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
        "reply": b64encode(reply).decode(),
        "title": terminal.title,
    }


def composed(value: object) -> str:
    return unicodedata.normalize("NFC", json.dumps(value, ensure_ascii=False, sort_keys=True))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_terminal_shows_what_is_expected(vector: dict[str, Any]) -> None:
    result = play(vector)
    assert composed({key: result[key] for key in vector["expect"]}) == composed(vector["expect"])
