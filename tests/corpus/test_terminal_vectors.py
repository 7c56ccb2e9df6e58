"""The terminal on vectors whose expectations a mature multiplexer and the standards agree on."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.cli.local.replay.terminal import play

LINES = (Path(__file__).parent / "terminal" / "vectors.jsonl").read_text().splitlines()
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def composed(value: object) -> str:
    return unicodedata.normalize("NFC", json.dumps(value, ensure_ascii=False, sort_keys=True))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_terminal_shows_what_is_expected(vector: dict[str, Any]) -> None:
    result = play(vector)
    assert composed({key: result[key] for key in vector["expect"]}) == composed(vector["expect"])
