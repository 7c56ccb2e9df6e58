"""What may wait makes no answer and no signal."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.quiet import cut_sequence, end_of_update, find_update, is_quiet

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
    b"\x1b[3\x1b[m",
    b"\x1b\x1b[m",
    b"\x1b[" + b"1;" * 40,
    b"text \x1b]2;cut",
    b"\x1bP",
)
CUT = (b"\x1b", b"\x1b[", b"\x1b[3", b"\x1b[?2026", b"\x1b[38;5;", b"\x1b(", b"\x1b)")


@pytest.mark.parametrize("data", QUIET)
def test_drawing_moving_and_switching_is_quiet(data: bytes) -> None:
    assert is_quiet(data)


@pytest.mark.parametrize("data", MATTERS)
def test_what_asks_or_tells_is_not_quiet(data: bytes) -> None:
    assert (is_quiet(data), is_quiet(b"before" + data)) == (False, False)


@pytest.mark.parametrize("data", CUT)
def test_the_beginning_of_what_may_be_quiet_is_quiet(data: bytes) -> None:
    before = b"before\x1b[m" + data
    assert (is_quiet(data), is_quiet(before)) == (True, True)
    assert (cut_sequence(data), cut_sequence(before)) == (data, data)


@pytest.mark.parametrize("data", QUIET)
def test_complete_output_is_not_cut(data: bytes) -> None:
    assert cut_sequence(data) == b""


def test_an_update_ends_at_the_last_release_and_another_may_begin_behind_it() -> None:
    data = b"\x1b[?2026hone\x1b[?2026l \x1b[?2026htwo\x1b[?2026l and"
    ended = len(data) - 4
    assert end_of_update(data) == ended
    assert (find_update(data, 0), find_update(data, 1), find_update(data, ended)) == (0, 20, -1)
    assert (end_of_update(b"\x1b[?2026h"), find_update(b" \x1b[?2026h", 0)) == (0, 1)
