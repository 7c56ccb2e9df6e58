"""The filtered stream."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signaltty_core.terminal.filter import OutputFilter
from signaltty_core.terminal.terminal import Terminal

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "terminal"
PIECES = [
    *(b"\x1b[c", b"\x1b[0c", b"\x1b[1c", b"\x1b[>q", b"\x1b[6n", b"\x1b[?6n", b"\x1b[?u", b"\x1b[?2026$p", b"\x1b[18t"),
    *(
        b"\x1b]10;?\x07",
        b"\x1b]11;?\x1b\\",
        b"\x1b]12;?\x07",
        b"\x1b]7501;?\x07",
        b"\x1b]7501;state=idle\x1b\\",
        b"\x1b]7501",
    ),
    *(
        b"\x1bP+q544e\x1b\\",
        b"\x1bP$qm\x1b\\",
        b"\x1b]0;t\x07",
        b"\x1b[1;31m",
        b"text",
        b"\x18",
        b"\x1b",
        b"\x1b[",
        b"\x1b]",
        b"\n",
    ),
    *(
        "é文".encode(),
        b"\x9d7501;x\x07",
        b"\x1b[\n5n",
        b"\x1b\n[c",
        b"?",
        b"\x1b[" + b"0" * 70 + b"c",
        b"\x1b]1",
        b"0;?",
        b"\\",
    ),
]


def filtered(data: bytes, size: int) -> bytes:
    output = OutputFilter()
    return b"".join([output.feed(data[at : at + size]) for at in range(0, len(data), size)]) + output.finish()


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a\x1b[cb\x1b[5nc\x1b[18td", b"abcd"),
        (b"\x1b[1c\x1b[?6n\x1b]12;?\x07\x1b]10;#fff\x07", b"\x1b[1c\x1b[?6n\x1b]12;?\x07\x1b]10;#fff\x07"),
        (b"a\x1b]7501;state=working\x07b\x1b]7501;?\x1b\\c", b"abc"),
        (b"\x1b]7501;state=idle\x1b[1mX", b"\x1b[1mX"),
        (b"\x1b]7501;state=idle\x18X", b"X"),
        (b"\x1b]7501;" + b"x" * 10_000 + b"\x07Y", b"Y"),
        (b"\x1b]75010;x\x07\x1b]7501\x07", b"\x1b]75010;x\x07\x1b]7501\x07"),
        (b"\x1b[5\n\rnx", b"\n\rx"),
        (b"x\x1b", b"x\x1b"),
        (b"x\x1b]7501;sta", b"x"),
        (b"\x1bP+q" + b"4" * 9000 + b"\x1b\\x", b"\x1bP+q" + b"4" * 9000 + b"\x1b\\x"),
        (b"\x1bPq#0\x1b[c", b"\x1bPq#0"),
    ],
)
def test_reports_and_answered_queries_are_taken_out(data: bytes, shown: bytes) -> None:
    assert [filtered(data, size) for size in (1 << 16, 1, 3)] == [shown] * 3


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), st.integers(1, 7))
def test_any_cut_shows_the_same_bytes_and_no_query_is_left(data: bytes, size: int) -> None:
    shown = filtered(data, 1 << 16)
    assert filtered(data, size) == shown
    terminal = Terminal(80, 24, version="1")
    assert terminal.feed(data, 0.0).answers == [] or shown != data


@pytest.mark.parametrize("name", ["claude-allow", "claude-subagent", "claude-turn"])
def test_a_filtered_recording_draws_the_same_screen_and_asks_nothing(name: str) -> None:
    data = (CORPUS / f"{name}.bin").read_bytes()
    raw, clean = Terminal(100, 30, version="1"), Terminal(100, 30, version="1")
    raw.feed(data, 0.0)
    fed = clean.feed(filtered(data, 100), 0.0)
    assert clean.snapshot() == raw.snapshot()
    assert fed.answers == []
    assert b"7501" not in filtered(data, 100)


def test_nothing_is_held_back_behind_a_complete_sequence() -> None:
    output = OutputFilter()
    assert output.feed(b"\x1b[1mx\x1b]0;long title without end") == b"\x1b[1mx\x1b]0;long title without end"
    assert output.feed(b"\x1b[1") == b""
    assert output.feed(b"m") == b"\x1b[1m"
