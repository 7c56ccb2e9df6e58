"""The vectors of status signals and OSC 7501, through the command line and cut anew in ways that must not matter."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.version import VERSION
from signaltty_core.cli.local.replay import program as replay_program
from signaltty_core.cli.local.replay import signals as replay_signals

Record = dict[str, Any]
ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "status"
KINDS = ("status-signals", "osc7501")
PARTS = ("", "-more")


def load(kind: str) -> list[Record]:
    return [json.loads(line) for part in PARTS for line in read(kind, part).splitlines()]


def read(kind: str, part: str) -> str:
    return (FOLDER / f"{kind}{part}.jsonl").read_text()


def expected(vector: Record) -> Record:
    """In answers the version 0.0.0 stands for the real one."""
    wanted = dict(vector["expect"])
    if "answers" in wanted:
        raw = [base64.b64decode(answer).replace(b"y 0.0.0", b"y " + VERSION.encode()) for answer in wanted["answers"]]
        wanted["answers"] = [base64.b64encode(answer).decode() for answer in raw]
    return wanted


@pytest.mark.parametrize("kind", KINDS)
def test_every_vector_holds_on_the_command_line(kind: str) -> None:
    vectors = load(kind)
    command = [sys.executable, str(ROOT / "signaltty.py"), "debug", "replay", kind]
    given = "".join(read(kind, part) for part in PARTS).encode()
    done = subprocess.run(command, input=given, capture_output=True, check=True, timeout=60)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["name"] for result in results] == [vector["name"] for vector in vectors]
    for vector, result in zip(vectors, results, strict=True):
        wanted = expected(vector)
        assert {key: result[key] for key in wanted} == wanted, vector["name"]


def outputs_only(vector: Record) -> bytes | None:
    if all(set(step) == {"output"} for step in vector["steps"]):
        return b"".join(base64.b64decode(step["output"]) for step in vector["steps"])
    return None


def test_output_cut_anew_says_the_same() -> None:
    chance = random.Random(7501)
    played = 0
    for vector in load("osc7501"):
        data = outputs_only(vector)
        if data is None:
            continue
        cuts = (
            [[at] for at in range(1, len(data))]
            if len(data) < 100
            else [[chance.randrange(len(data))] for _ in "123456"]
        )
        cuts.append(list(range(len(data))))
        for places in cuts[:40]:
            pieces = [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
            steps = [{"output": base64.b64encode(piece).decode()} for piece in pieces]
            result, wanted = replay_program.play({"steps": steps}), expected(vector)
            assert {key: result[key] for key in wanted} == wanted, (vector["name"], places)
            played += 1
    assert played > 1000


def test_lines_cut_anew_say_the_same() -> None:
    chance = random.Random(11)
    for vector in load("status-signals"):
        for _ in range(5):
            steps = []
            for step in vector["steps"]:
                if "connection" in step:
                    data = b"".join(base64.b64decode(chunk) for chunk in step["connection"]["chunks"])
                    places = sorted(chance.randrange(len(data) + 1) for _ in range(5))
                    pieces = [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
                    chunks = [base64.b64encode(piece).decode() for piece in pieces]
                    step = {"connection": {**step["connection"], "chunks": chunks}}
                steps.append(step)
            result = replay_signals.play({"steps": steps})
            assert {key: result[key] for key in vector["expect"]} == vector["expect"], vector["name"]
