"""Streams that once showed a fault, shortened; every size and cut is tried again."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
STREAMS = [json.loads(line) for line in (Path(__file__).parent / "streams.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    found = importlib.util.spec_from_file_location("fuzz_terminal", ROOT / "scripts" / "fuzz_terminal.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("stream", STREAMS, ids=[stream["name"] for stream in STREAMS])
def test_a_stream_that_failed_once_does_so_no_more(fuzz: ModuleType, stream: dict[str, str]) -> None:
    data = stream["latin1"].encode("latin-1")
    faults = {
        (size, seed): fuzz.check_data(data, size, random.Random(seed), []) for size in fuzz.SIZES for seed in range(5)
    }
    assert set(faults.values()) == {None}, faults
