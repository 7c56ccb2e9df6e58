"""The bundled rules on recorded screens, through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AGENTS = Path(__file__).parent / "agents"


@pytest.mark.parametrize("name", ["screen.jsonl", "screen-80.jsonl"])
def test_every_recorded_screen_is_judged_right(name: str) -> None:
    recorded = AGENTS / name
    command = [sys.executable, str(ROOT / "signaltty.py"), "debug", "replay", "screen", str(recorded)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    vectors = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    assert [result["name"] for result in results] == [vector["name"] for vector in vectors]
    for vector, result in zip(vectors, results, strict=True):
        wanted = vector["expect"]
        assert {key: result[key] for key in wanted} == wanted, (vector["name"], result)
