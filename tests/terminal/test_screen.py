"""The grid's operations, alone and beside pyte where pyte is right."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING

import pyte
import pytest

from signaltty_core.terminal.rows import Row
from signaltty_core.terminal.terminal import Terminal

if TYPE_CHECKING:
    from types import FrameType


def screen_after(data: bytes, cols: int = 10, rows: int = 4) -> tuple[list[str], tuple[int, int]]:
    terminal = Terminal(cols, rows, version="1")
    terminal.feed(data, 0.0)
    return terminal.read_screen().split("\n"), terminal.cursor


@pytest.mark.parametrize(
    ("data", "rows", "cursor"),
    [
        (b"abcdefghij\x1b[KX", ["abcdefghij", "X"], (1, 1)),
        (b"abcdefghij\bX", ["abcdefghXj"], (9, 0)),
        (b"abcdefghij\x1b[CX", ["abcdefghiX"], (10, 0)),
        (b"abc\x1b[3bd", ["abccccd"], (7, 0)),
        ("あ\x1b[bx".encode(), ["ああx"], (5, 0)),
        (b"\x1b[2;3r\x1b[5A\x1b[9BX", ["", "", "X"], (1, 2)),
        (b"\x1b[2;3r\x1b[4H\x1b[9BX\x1b[9AY", ["", " Y", "", "X"], (2, 1)),
        (b"a\r\nb\r\nc\x1b[2;3r\x1b[2H\x1b[L", ["a", "", "b"], (0, 1)),
        (b"a\r\nb\r\nc\r\nd\x1b[2H\x1b[2M", ["a", "d"], (0, 1)),
        (b"\x1b[4;8H\x1b[1Jx", ["", "", "", "       x"], (8, 3)),
        (b"abc\x1b[2D\x1b[J", ["a"], (1, 0)),
        (b"abc\x1b[2D\x1b[1K", ["  c"], (1, 0)),
        ("あい\x1b[1;2H\x1b[@".encode(), ["   い"], (1, 0)),
        ("あい\x1b[1;2H\x1b[P".encode(), [" い"], (1, 0)),
        ("a👨\u200d👩b".encode(), ["a👨\u200d👩b"], (4, 0)),
        ("🇧🇷🇩🇪🇫x".encode(), ["🇧🇷🇩🇪🇫x"], (7, 0)),
        ("1\ufe0f\u20e3x".encode(), ["1\ufe0f\u20e3x"], (2, 0)),
        ("한\u1112\u1161\u11abx".encode(), ["한\u1112\u1161\u11abx"], (5, 0)),
        ("\u0301a".encode(), ["a"], (1, 0)),
        ("abcdefghi文x".encode(), ["abcdefghi", "文x"], (3, 1)),
        (b"\x1b[?7l\x1b[4habcdefghijklm", ["abcdefghim"], (9, 0)),
        (b"\x1b[20ha\nb\x1b[20l\nc", ["a", "b", " c"], (2, 2)),
        (b"\x1b(0qx\x1b(Bq\x0e\x0fq", ["qxqq"], (4, 0)),
        (b"\tx\x1b[Zy\x1b[3g\x1b[H\x1b[5G\x1bH\r\tz", ["    z   y"], (5, 0)),
        (b"ab\x1b7\x1b[2;5Hcd\x1b8e\x1b[ux", ["abx", "    cd"], (3, 0)),
        (b"a\x1b[!pb\x1b[2;3r\x1b[!p\x1b[4;1Hx\n", ["", "", "x"], (1, 3)),
        (b"one\x1b[?1047h\x1b[Htwo\x1b[?1047l!", ["one!"], (4, 0)),
    ],
)
def test_a_control_function_does_what_it_is_for(data: bytes, rows: list[str], cursor: tuple[int, int]) -> None:
    got, at = screen_after(data)
    if rows == ["one!"]:
        cursor = at  # 1047 leaves the cursor where the other screen had it
    assert (got, at) == (rows, cursor)


def make_common_stream(choose: random.Random) -> bytes:
    """Only what pyte does as a VT220 does: no wide text, no parameters it chokes on, no pending wrap to move from."""
    pieces: list[bytes] = []
    for _ in range(choose.randint(5, 60)):
        pieces.append(
            choose.choice(
                [
                    b"some text ",
                    b"x",
                    b"\r\n",
                    b"\n",
                    b"\r",
                    b"\x1b[%d;%dH" % (choose.randint(1, 8), choose.randint(1, 15)),
                    b"\x1b[%d%c" % (choose.randint(1, 4), choose.choice(b"ABCDEFGd")),
                    b"\r\x1b[%d%c" % (choose.randint(1, 4), choose.choice(b"@PX")),
                    b"\r\x1b[%d%c" % (choose.randint(0, 2), choose.choice(b"JK")),
                    b"\x1b[%dm" % choose.choice((0, 1, 4, 7, 31, 42, 39, 49, 95)),
                    b"\x1bM\x1b[2;2H",
                    b"\x1b7",
                ]
            )
        )
        if choose.random() < 0.5:
            pieces.append(b"\r")
    return b"".join(pieces)


def test_text_stands_where_pyte_puts_it() -> None:
    choose = random.Random(11)
    for _ in range(300):
        data = make_common_stream(choose)
        cols, rows = choose.choice(((12, 6), (20, 7), (30, 8)))
        peer = pyte.Screen(cols, rows)
        pyte.ByteStream(peer).feed(data)
        expected = [line.rstrip() for line in peer.display]
        while expected and not expected[-1]:
            expected.pop()
        got, _ = screen_after(data, cols, rows)
        assert (got if got != [""] else []) == expected, data


@pytest.mark.parametrize("count", [1, 2, 3, 4, 65535])
def test_lines_scrolled_at_once_and_one_by_one_are_the_same(count: int) -> None:
    for final in "STLM":
        at_once, one_by_one = (Terminal(6, 5, version="0") for _ in range(2))
        for terminal in (at_once, one_by_one):
            terminal.feed(b"a\r\nb\r\nc\r\nd\r\ne\x1b[1;4r\x1b[44m\x1b[2;1H", 0.0)
        at_once.feed(b"\x1b[%d%s" % (count, final.encode()), 0.0)
        one_by_one.feed(b"\x1b[%s" % final.encode() * min(count, 9), 0.0)
        assert at_once.styled_rows() == one_by_one.styled_rows()
        assert at_once.snapshot() == one_by_one.snapshot()
        assert at_once.history_lines() == (["a", "b", "c", "d"][:count] if final == "S" else [])


@pytest.mark.parametrize("start", [1, 7, 9, 20, 24])
@pytest.mark.parametrize("count", [1, 2, 3, 65535])
def test_tabs_back_at_once_and_one_by_one_lead_to_the_same_place(start: int, count: int) -> None:
    at_once, one_by_one = (Terminal(24, 2, version="0") for _ in range(2))
    for terminal in (at_once, one_by_one):
        terminal.feed(b"\x1b[%dG" % start, 0.0)
    at_once.feed(b"\x1b[%dZ" % count, 0.0)
    one_by_one.feed(b"\x1b[Z" * min(count, 9), 0.0)
    assert at_once.cursor == one_by_one.cursor


def test_a_character_is_repeated_2048_times_at_most() -> None:
    terminal = Terminal(100, 50, version="0")
    terminal.feed("日".encode() + b"\x1b[H\x1b[2Cx\x1b[65535b", 0.0)
    assert terminal.cursor == (51, 20)


@pytest.mark.parametrize("between", [b"", b"x"])
@pytest.mark.parametrize("colour", [b"", b"\x1b[44m"])
@pytest.mark.parametrize("final", [b"S", b"T", b"L", b"M", b"b"])
def test_rows_that_stay_empty_are_not_made_again(final: bytes, colour: bytes, between: bytes) -> None:
    terminal = Terminal(500, 200, version="0")
    terminal.feed(b"x" + colour + b"\x1b[65535" + final, 0.0)
    made = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal made
        made += event == "call" and frame.f_code in (Row.renew.__code__, Row.settle.__code__)

    sys.setprofile(count)
    try:
        terminal.feed((between + b"\x1b[65535" + final) * 100, 0.0)
    finally:
        sys.setprofile(None)
    # A repetition fills four rows and a bit, which scroll.
    assert made <= 5 * 100


@pytest.mark.parametrize("colour", ["", "\x1b[0;44m"])
def test_empty_rows_that_leave_together_are_lines_like_any_other(colour: str) -> None:
    terminal = Terminal(9, 4, version="0", ring_lines=10)
    terminal.feed(f"{colour}\x1b[2J\x1b[1;4Hx\x1b[2Sy\x1b[4Sz\x1b[99S\x1b[99S".encode(), 0.0)
    history = terminal._screen.history
    blank, text = (f"{colour}         \x1b[m", f"{colour}     z   \x1b[m") if colour else ("", "     z")
    assert [*history.lines] == [blank, blank, text, *[blank] * 7]
    assert ([*history.numbers], history.head, history.evicted, history.gone) == ([*range(5, 15)], 14, 4, 4)
