"""The token loop: any cut, broken sequences, hostile input."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.fuzz_terminal import PIECES, check_stream, state_of
from signaltty_core.terminal.scanner import Bell, Report, Title
from signaltty_core.terminal.terminal import Terminal

CORPUS = Path(__file__).resolve().parent.parent / "corpus" / "terminal"
RECORDINGS = sorted(CORPUS.glob("*.bin"))
PIECE = st.one_of(st.sampled_from(PIECES), st.binary(max_size=6), st.text(max_size=6).map(str.encode))


def fed(data: bytes, size: int = 1 << 16, cols: int = 20, rows: int = 4) -> tuple[Terminal, list[object], list[bytes]]:
    terminal = Terminal(cols, rows, version="1.0")
    signals: list[object] = []
    answers: list[bytes] = []
    for at in range(0, len(data), size):
        part = terminal.feed(data[at : at + size], 0.0)
        signals += part.signals
        answers += part.answers
    terminal.tick(2.0)
    return terminal, signals, answers


@settings(max_examples=100)
@given(st.lists(PIECE, max_size=25).map(b"".join), st.integers(1, 9), st.sampled_from((1, 2, 7, 20)), st.integers(1, 5))
def test_a_stream_gives_the_same_however_it_is_cut(data: bytes, size: int, cols: int, rows: int) -> None:
    whole, signals, answers = fed(data, cols=cols, rows=rows)
    cut, cut_signals, cut_answers = fed(data, size, cols, rows)
    assert state_of(cut) == state_of(whole)
    assert (cut_signals, cut_answers) == (signals, answers)


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_gives_the_same_byte_by_byte(recording: Path) -> None:
    data = recording.read_bytes()
    whole, signals, answers = fed(data, cols=100, rows=30)
    cut, cut_signals, cut_answers = fed(data, 1, 100, 30)
    assert state_of(cut) == state_of(whole)
    assert (cut_signals, cut_answers) == (signals, answers)
    assert any(isinstance(signal, Report) for signal in signals)
    assert answers


def test_generated_streams_hold_what_the_fuzzer_asks() -> None:
    recordings = [path.read_bytes() for path in RECORDINGS]
    assert [(seed, fault) for seed in range(100) if (fault := check_stream(seed, recordings))] == []


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[3\n1mA", "\nA"),
        (b"\x1b[2\rCX", "  X"),
        (b"\x1b[3\x18A", "A"),
        (b"\x1b[3\x1aA", "A"),
        (b"\x1b[3\x1b[1CA", " A"),
        (b"\x1b]0;title\x1b[1CA", " A"),
        (b"\x1b]0;title\x18A", "A"),
        (b"\x1b\n[1CA", "\n A"),
        (b"\x1b[?1;2\x03zA", "A"),
        (b"\x1b\x07[?25lA\x1b\x00]2;t\x07B", "AB"),
        ("\x1b[文A".encode(), "文A"),
        ("\x1b文A".encode(), "文A"),
        (b"\x1bP1$r\x07A\x1b\\B", "B"),
        (b"\x1bXsos\x1b\\\x1b^pm\x1b\\\x1b_apc\x1b\\A", "A"),
        (b"\x1b[1;2;3zA\x1b%GB\x1b[=5;1~C", "ABC"),
        (b"A\x7fB\x00C", "ABC"),
        ("A\x9b31mB\x85".encode(), "A31mB"),
        (b"\x1b[<35;1;1MA", "A"),
        (b"\x1b[>4;?mA", "A"),
    ],
)
def test_a_broken_or_unknown_sequence_prints_nothing_of_itself(data: bytes, text: str) -> None:
    assert [fed(data, size)[0].read_screen() for size in (1 << 16, 1, 2, 3)] == [text] * 4


def test_invalid_bytes_are_shown_as_one_mark_per_faulty_sequence() -> None:
    data = b"a\xffb\xe3\x81c\xf0\x9f\x98d\x80"
    assert fed(data)[0].read_screen() == data.decode("utf-8", "replace")
    assert fed(data, 1)[0].read_screen() == data.decode("utf-8", "replace")


def test_a_bell_counts_only_outside_sequences() -> None:
    assert fed(b"\x07\x1b]2;t\x07\x1bPx\x07\x1b\\\x1b[\x07m")[1] == [Bell(), Title("t")]


NASTY = {
    "a title of a megabyte": b"\x1b]2;" + b"x" * 1_000_000 + b"\x07",
    "a string without an end": b"\x1bP" + b"q" * 1_000_000,
    "saved cursors without an end": b"\x1b7" * 40_000,
    "pushed keyboards and titles": b"\x1b[>1u\x1b[22;0t" * 10_000,
    "parameters of eighty digits": (b"\x1b[" + b"9" * 80 + b";" + b"8" * 80 + b"H") * 2_000,
    "half a million parameters": b"\x1b[" + b"1;" * 500_000 + b"mX",
    "nothing but escapes": b"\x1b" * 40_000,
    "controls inside sequences": b"\x1b[\n\x1b\r" * 20_000,
    "strings cut short": b"\x1b]0;a\x1bPb\x18" * 20_000,
    "marks without an end": b"e" + "\u0301".encode() * 100_000,
    "joiners without an end": "👨\u200d".encode() * 20_000,
    "a colour for every cell": b"".join(b"\x1b[38;2;%d;%d;9mx" % (n & 255, n >> 8) for n in range(20_000)),
    "every third character": "".join(map(chr, [*range(0x20, 0xD800, 3), *range(0xE000, 0x20000, 3)])).encode(),
    "unfinished notifications": b"".join(b"\x1b]99;i=%d:d=0;%s\x07" % (n, b"x" * 5000) for n in range(200)),
    "huge scrolls and repeats": b"ab\x1b[99999b\x1b[99999S\x1b[99999L\x1b[99999@\x1b[99999P" * 100,
    "a line without an end": b"x" * 500_000,
}


@pytest.mark.parametrize("data", NASTY.values(), ids=NASTY.keys())
def test_hostile_output_costs_bounded_memory(data: bytes) -> None:
    terminal = Terminal(80, 24, version="1", ring_lines=500)
    tracemalloc.start()
    try:
        for at in range(0, len(data), 4096):
            terminal.feed(data[at : at + 4096], 0.0)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 40_000_000
    terminal.feed(b"\x18\x1bcend", 0.0)
    assert terminal.read_screen() == "end"


@pytest.mark.parametrize(("cols", "rows"), [(1, 1), (2, 1), (1, 3), (500, 200)])
def test_any_size_takes_a_full_screen_program(cols: int, rows: int) -> None:
    data = RECORDINGS[0].read_bytes()
    terminal, _, _ = fed(data, 1000, cols, rows)
    for size in ((3, 2), (500, 200), (1, 1), (80, 24)):
        terminal.resize(*size)
        terminal.feed(data[:3000], 0.0)
    assert len(terminal.read_screen().split("\n")) <= 24


def test_a_query_is_answered_in_order_with_its_terminator() -> None:
    data = b"\x1b[c\x1b]7501;?\x1b\\\x1b[6n\x1b]11;?\x07\x1b[>q\x1bP+q544e\x1b\\"
    assert fed(data)[2] == [
        b"\x1b[?62;22c",
        b"\x1b]7501;?\x1b\\",
        b"\x1b[1;1R",
        b"\x1b]11;rgb:0000/0000/0000\x07",
        b"\x1bP>|signaltty 1.0\x1b\\",
        b"\x1bP0+r\x1b\\",
    ]


def test_positions_follow_origin_mode_and_size_although_they_are_remembered() -> None:
    terminal = Terminal(20, 10, version="1")
    terminal.feed(b"\x1b[9;9H\x1b[3;3H", 0.0)
    assert terminal.cursor == (2, 2)
    terminal.feed(b"\x1b[2;8r\x1b[?6h\x1b[3;3H", 0.0)
    assert terminal.cursor == (2, 3)
    terminal.feed(b"\x1b7\x1b[?6l\x1b[3;3H", 0.0)
    assert terminal.cursor == (2, 2)
    terminal.feed(b"\x1b8\x1b[3;3H", 0.0)
    assert terminal.cursor == (2, 3)
    terminal.feed(b"\x1b[?6l\x1b[9;9H", 0.0)
    terminal.resize(5, 5)
    terminal.feed(b"\x1b[9;9H", 0.0)
    assert terminal.cursor == (4, 4)
