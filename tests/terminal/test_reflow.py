"""Resizing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signaltty_core.terminal.terminal import Terminal


def fed(data: bytes, cols: int, rows: int) -> Terminal:
    terminal = Terminal(cols, rows, version="1")
    terminal.feed(data, 0.0)
    return terminal


TEXT = st.lists(st.text(alphabet="ab cdé文字한👍 ", max_size=70), max_size=12)
SIZE = st.tuples(st.integers(2, 40), st.integers(1, 10))


@settings(max_examples=150)
@given(TEXT, SIZE, st.lists(SIZE, min_size=1, max_size=4))
def test_no_character_is_lost_and_no_line_is_cut(
    texts: list[str], size: tuple[int, int], sizes: list[tuple[int, int]]
) -> None:
    """Edge case 154."""
    terminal = fed("\r\n".join(texts).encode(), *size)
    for cols, rows in sizes:
        terminal.resize(cols, rows)
        text = "".join(terminal.read_tail(5000).text.split())
        assert text == "".join("".join(texts).split())
        assert len(terminal.read_screen().split("\n")) <= rows


@settings(max_examples=80)
@given(TEXT, st.integers(2, 30), st.integers(2, 30))
def test_a_screen_without_history_comes_back_after_a_narrow_time(texts: list[str], cols: int, narrow: int) -> None:
    terminal = fed("\r\n".join([text.rstrip() for text in texts]).encode(), cols, 300)
    before = terminal.read_screen()
    terminal.resize(narrow, 600)
    terminal.resize(cols, 300)
    assert terminal.read_screen() == before


def test_a_round_trip_over_a_narrow_screen_with_history_restores_everything() -> None:
    lines = [f"line {n} " + "word " * (n % 14) for n in range(40)]
    terminal = fed("\r\n".join(lines).encode(), 80, 24)
    before = (terminal.read_tail(5000), terminal.read_screen(), terminal.cursor)
    terminal.resize(20, 24)
    terminal.resize(80, 24)
    assert (terminal.read_tail(5000), terminal.read_screen(), terminal.cursor) == before


@pytest.mark.parametrize(
    ("data", "size", "to", "cursor"),
    [
        (b"0123456789abc", (20, 4), (10, 4), (3, 1)),
        (b"0123456789abc", (10, 4), (20, 4), (13, 0)),
        (b"0123456789", (10, 4), (20, 4), (10, 0)),
        (b"0123456789", (20, 4), (10, 4), (10, 0)),
        (b"a\r\nb\r\nc\r\n$ ", (10, 4), (10, 2), (2, 1)),
        (b"a\r\nb\x1b[4;7H", (10, 4), (5, 4), (5, 3)),
        (b"$ ", (10, 4), (30, 9), (2, 0)),
    ],
)
def test_the_cursor_stays_at_its_character(
    data: bytes, size: tuple[int, int], to: tuple[int, int], cursor: tuple[int, int]
) -> None:
    terminal = fed(data, *size)
    terminal.resize(*to)
    assert terminal.cursor == cursor


def test_attributes_survive_a_way_through_history() -> None:
    terminal = fed(b"\x1b[31mred\x1b[0m\r\n2\r\n3\r\n4", 10, 4)
    before = terminal.read_screen(strip_ansi=False)
    terminal.resize(10, 2)
    terminal.resize(10, 4)
    assert terminal.read_screen(strip_ansi=False) == before


def test_the_alternate_screen_is_cut_and_padded_and_the_main_one_below_it_wrapped() -> None:
    terminal = fed(b"0123456789abc\x1b[?1049h\x1b[Habcdefghij\r\nk\r\nl\r\nm", 10, 4)
    terminal.resize(5, 3)
    assert terminal.read_screen() == "abcde\nk\nl"
    terminal.resize(10, 4)
    assert terminal.read_screen() == "abcde\nk\nl"
    terminal.feed(b"\x1b[?1049l!", 0.0)
    assert terminal.read_screen() == "0123456789\nabc!"


def test_margins_become_the_whole_screen() -> None:
    terminal = fed(b"\x1b[2;3r", 10, 4)
    terminal.resize(10, 5)
    terminal.feed(b"\x1b[5;1Ha\r\nb", 0.0)
    assert terminal.read_screen() == "\n\n\na\nb"


def test_a_line_that_did_not_change_keeps_its_number() -> None:
    terminal = fed(b"short\r\n0123456789abcde\r\n", 20, 4)
    assert terminal.head == 2
    terminal.resize(10, 4)
    assert terminal.read_rendered(2, 10).text == "0123456789\nabcde"
