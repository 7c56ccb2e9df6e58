"""The vectors of the Agent Status Protocol, through the very command a person runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.rig import COMMAND

FILES = [Path(__file__).parent / "status" / f"agent-status{part}.jsonl" for part in ("", "-more")]
LINES = [line for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def replay(vectors: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*COMMAND, "debug", "replay", "agent-status"], input=vectors, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def results() -> list[dict[str, Any]]:
    return replay("\n".join(LINES))


def test_one_line_comes_for_each_vector_in_order(results: list[dict[str, Any]]) -> None:
    assert [result["vector"] for result in results] == [vector["name"] for vector in VECTORS]
    assert len(VECTORS) == 1190


@pytest.mark.parametrize("at", range(len(VECTORS)), ids=lambda at: str(VECTORS[at]["name"]))
def test_a_vector_ends_as_it_expects(results: list[dict[str, Any]], at: int) -> None:
    expected, result = dict(VECTORS[at]["expect"]), results[at]
    said = expected.pop("stderr_contains", "")
    expected.setdefault("sessions", result["sessions"])
    assert {key: result[key] for key in expected} == {**expected, "sessions": sorted(expected["sessions"])}
    assert said in (result["stderr"] or "")


def test_a_vector_may_stand_on_standard_input_and_an_unknown_kind_is_named() -> None:
    alone = replay(json.dumps({"name": "empty", "steps": []}))
    assert [(line["vector"], line["lifecycle"], line["sessions"]) for line in alone] == [("empty", "unknown", [])]
    done = subprocess.run([*COMMAND, "debug", "replay", "nope"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("signaltty: unknown kind 'nope'; known: agent-status")
