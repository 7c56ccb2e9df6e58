"""Streams that once showed a fault, shortened; every size and several cuts are tried again."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from scripts.fuzz_terminal import SIZES, check_data

LINES = (Path(__file__).parent / "streams.jsonl").read_text().splitlines()
STREAMS: list[dict[str, str]] = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("stream", STREAMS, ids=[stream["name"] for stream in STREAMS])
def test_a_stream_that_failed_once_does_so_no_more(stream: dict[str, str]) -> None:
    data = stream["latin1"].encode("latin-1")
    faults = {(size, seed): check_data(data, size, random.Random(seed), []) for size in SIZES for seed in range(5)}
    assert set(faults.values()) == {None}, faults
