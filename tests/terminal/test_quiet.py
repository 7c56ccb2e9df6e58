"""What may wait makes no answer and no signal, and waiting changes nothing that is seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.terminal.quiet import is_quiet
from signaltty_core.terminal.terminal import Terminal

QUIET = (
    b"",
    b"plain \xe4\xbd\xa0 text\r\n\t\x08",
    b"\x1b[2J\x1b[1;1H\x1b[38;5;3mred\x1b[m\x1b[K",
    b"\x1b[?2026h\x1b[?25lframe\x1b[?25h\x1b[?2026l",
    b"\x1b7\x1b[10;20r\x1bM\x1b8\x1b(0lqk\x1b(B",
)
MATTERS = (
    b"\x07",
    b"\x1b]0;title\x07",
    b"\x1b]7501;state=working\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x1b_G\x1b\\",
    b"\x1bc",
    b"\x1b[c",
    b"\x1b[>c",
    b"\x1b[6n",
    b"\x1b[?6n",
    b"\x1b[?u",
    b"\x1b[>q",
    b"\x1b[?2026$p",
    b"\x1b[18t",
    b"\x1b",
    b"\x1b[",
    b"\x1b[3",
    b"\x1b[3\x1b[m",
    b"\x1b(",
    b"text \x1b]2;cut",
)
TOKENS = (
    *QUIET,
    *MATTERS,
    b"\x1b\\",
    b"6n",
    b"0;name",
    b"\n\n\n",
    b"wide \xe4\xb8",
    b"\xad\xff",
    b"\x18",
    b"\x1b[4A",
    b"x" * 30,
)


@pytest.mark.parametrize("data", QUIET)
def test_drawing_moving_and_switching_is_quiet(data: bytes) -> None:
    assert is_quiet(data)


@pytest.mark.parametrize("data", MATTERS)
def test_what_asks_tells_or_is_cut_is_not_quiet(data: bytes) -> None:
    assert (is_quiet(data), is_quiet(b"before" + data)) == (False, False)


@pytest.mark.parametrize("start", [b"\x1b", b"\x1b[", b"\x1b]0;na", b"\x1bPq"])
def test_nothing_may_wait_behind_an_unfinished_sequence(start: bytes) -> None:
    terminal = Terminal(80, 24, version="1")
    assert terminal.may_wait(b"me")
    terminal.feed(start, 0.0)
    assert not terminal.may_wait(b"me")


@given(st.lists(st.lists(st.sampled_from(TOKENS), max_size=4).map(b"".join), max_size=12))
def test_what_may_wait_asks_for_nothing_and_can_be_fed_later(chunks: list[bytes]) -> None:
    at_once, later = Terminal(20, 5, version="1"), Terminal(20, 5, version="1")
    waiting = b""
    for chunk in chunks:
        told = at_once.feed(chunk, 0.0)
        if later.may_wait(chunk):
            assert told == ([], [])
            waiting += chunk
        else:
            assert later.feed(waiting, 0.0) == ([], [])
            assert later.feed(chunk, 0.0) == told
            waiting = b""
    later.feed(waiting, 0.0)
    assert (later.read_tail(), later.snapshot(), later.cursor) == (
        at_once.read_tail(),
        at_once.snapshot(),
        at_once.cursor,
    )
