"""Waiting changes nothing that is seen, and what asks for something is served at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.terminal.put_by import PutBy
from signaltty_core.terminal.terminal import Fed, Terminal

BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"
PIECES = (
    BEGIN,
    END,
    BEGIN + b"\x1b[Hframe\x1b[K" + END,
    BEGIN + b"\x1b[2;1H\x1b[31mred\x1b[m half",
    b"\x1b[H\x1b[2J",
    b"plain \xe4\xbd\xa0 text\r\n",
    b"\n\n\n",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b7\x1b[2;4r\x1bM\x1b8\x1b(0lqk\x1b(B",
    b"\x1b]0;title\x07",
    b"\x1b]7501;state=working\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x1b[6n",
    b"\x1b[?2026$p",
    b"\x1b[c",
    b"\x1bc",
    b"\x07",
    b"\x1b",
    b"\x1b[",
    b"\x1b[?2026",
    b"\x1b[38;5",
    b"\x1b(",
    b"\x1b]2;cut",
    b"6n",
    b"h",
    b"wide \xe4\xb8",
    b"\xad\xff",
    b"\x18",
    b"x" * 30,
)
STREAMS = st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join)


def output(cols: int = 20, rows: int = 5) -> PutBy:
    return PutBy(Terminal(cols, rows, version="1"))


def seen(terminal: Terminal) -> tuple[object, ...]:
    """All that readers, viewers and the program can tell, but for the numbers of lines."""
    return (
        terminal.read_tail(strip_ansi=False),
        terminal.read_screen(),
        terminal.history_lines(),
        terminal.snapshot(),
        terminal.cursor,
        terminal.modes,
        terminal.due(),
        terminal.title,
    )


def spoken(told: list[Fed | None]) -> tuple[list[bytes], list[object]]:
    fed = [each for each in told if each is not None]
    return [answer for each in fed for answer in each.answers], [signal for each in fed for signal in each.signals]


@given(STREAMS, st.data())
def test_nobody_can_tell_how_long_output_waited(stream: bytes, data: st.DataObject) -> None:
    at_once, waits = Terminal(20, 5, version="1"), output()
    at = 0
    while at < len(stream):
        size = data.draw(st.integers(1, 40))
        chunk, at = stream[at : at + size], at + size
        assert spoken([waits.take(chunk, 0.0)]) == spoken([at_once.feed(chunk, 0.0)])
        deed = data.draw(st.sampled_from(("none", "digest", "digest all", "look")))
        if deed == "look":
            assert seen(waits.terminal) == seen(at_once)
        elif deed != "none":
            waiting = waits.size_bytes
            left = waits.digest(waiting if deed == "digest" else -1)
            assert left == waits.size_bytes <= (waiting if deed == "digest" else 0)
    assert seen(waits.terminal) == seen(at_once)


@given(STREAMS, st.data())
def test_who_follows_new_lines_misses_none_because_output_waited(stream: bytes, data: st.DataObject) -> None:
    """Fed at once, each beginning of an update numbers the rows, so that some that are as they were count as new."""
    at_once, waits = Terminal(20, 5, version="1"), output()
    cursors = (0, 0)
    had: set[str] = set()
    at = 0
    while at < len(stream):
        size = data.draw(st.integers(1, 40))
        chunk, at = stream[at : at + size], at + size
        at_once.feed(chunk, 0.0)
        waits.take(chunk, 0.0)
        waits.digest(data.draw(st.sampled_from((-1, 10, 1000))))
        if data.draw(st.booleans()):
            reads = [
                each.read_rendered(after, 100) for each, after in zip((at_once, waits.terminal), cursors, strict=True)
            ]
            new_at_once, new = (set(read.text.split("\n")) for read in reads)
            assert new <= new_at_once <= new | had
            had = set(at_once.read_tail().text.split("\n")) | {""}
            cursors = (reads[0].next_seq, reads[1].next_seq)


def test_an_update_cut_by_the_end_of_a_read_waits_for_its_end() -> None:
    waits = output()
    assert waits.take(BEGIN + b"one" + END + BEGIN + b"\x1b[Htw", 0.0) is None
    assert waits.digest(100) == len(BEGIN + b"\x1b[Htw")
    assert waits.head == 1  # who looks now is shown the first frame, and nobody did
    assert waits.take(b"o" + END, 0.0) is None
    assert waits.digest(100) == 0
    assert waits.terminal.read_screen() == "two"


def test_an_update_of_which_nothing_has_ended_waits_no_longer_than_asked() -> None:
    waits = output()
    begun = BEGIN + b"half"
    waits.take(begun, 0.0)
    assert waits.digest(len(begun)) == len(begun)
    assert waits.digest(len(begun) - 1) == 0


def test_what_is_in_no_update_waits_for_no_digest() -> None:
    waits = output()
    waits.take(BEGIN + b"frame" + END + b" and more \x1b[3", 0.0)
    assert waits.digest(1000) == 0
    assert waits.take(b"1mred", 0.0) is None
    assert waits.terminal.read_screen() == "frame and more red"


def test_whoever_looks_in_an_update_sees_the_frame_before_it() -> None:
    waits = output()
    waits.take(BEGIN + b"one" + END + BEGIN + b"\x1b[Htwo", 0.0)
    assert waits.terminal.read_screen() == "one"
    waits.take(END, 0.0)
    assert waits.terminal.read_screen() == "two"


@pytest.mark.parametrize("at", range(1, len(END)))
def test_the_end_of_an_update_may_come_in_two_parts(at: int) -> None:
    waits = output()
    waits.take(BEGIN + b"one" + END[:at], 0.0)
    waits.take(END[at:] + BEGIN + b"\x1b[Htwo", 0.0)
    assert waits.digest(100) == len(BEGIN + b"\x1b[Htwo")


def test_between_updates_a_program_is_answered_and_heard_at_once() -> None:
    waits = output()
    rest = BEGIN + b"\x1b[Htwo"
    assert waits.take(BEGIN + b"on", 0.0) is None
    fed = waits.take(b"e" + END + b"\x1b[6n\x1b]2;name\x07" + BEGIN + b"x" + END + rest, 0.0)
    assert fed is not None
    assert (fed.answers, [type(signal).__name__ for signal in fed.signals]) == ([b"\x1b[1;4R"], ["Title"])
    assert waits.size_bytes == len(rest)


def test_what_a_program_says_before_an_update_lets_it_wait() -> None:
    waits = output()
    rest = BEGIN + b"\x1b[Htwo"
    fed = waits.take(BEGIN + b"one" + END + b"\x1b]2;name\x07\x1b[6n" + rest, 0.0)
    assert (fed and fed.answers, waits.size_bytes) == ([b"\x1b[1;4R"], len(rest))
    fed = waits.take(b"!" + END + b"\x07 \x1b]2;cut" + rest, 0.0)
    assert (fed and len(fed.signals), waits.size_bytes) == (1, len(rest))
    assert waits.terminal.read_screen() == "two!"


def test_in_an_update_a_program_is_answered_at_once() -> None:
    waits = output()
    fed = waits.take(BEGIN + b"one" + END + BEGIN + b"\x1b[6n", 0.0)
    assert (fed and fed.answers, waits.size_bytes) == ([b"\x1b[1;4R"], 0)


def test_an_update_lasts_from_when_its_beginning_came() -> None:
    waits = output()
    for now, chunk in ((1.0, b"before"), (2.0, BEGIN + b"half"), (2.2, b" and half"), (2.3, BEGIN + b"!")):
        assert waits.take(chunk, now) is None
    assert waits.terminal.due() == 3.0


def test_a_query_in_an_update_that_waits_makes_it_last_no_longer() -> None:
    waits = output()
    waits.take(BEGIN + b"half", 2.0)
    waits.take(b"\x1b[6n" + BEGIN, 2.5)
    assert waits.terminal.due() == 3.0


def test_an_update_that_a_digest_has_left_lasts_no_longer_for_it() -> None:
    waits = output()
    waits.take(BEGIN + b"one" + END + BEGIN + b"half", 2.0)
    waits.digest(100)
    assert waits.take(b" and half", 2.2) is None
    assert waits.digest(100) == len(BEGIN + b"half and half")
    assert waits.terminal.due() == 3.0


@pytest.mark.parametrize("start", [b"\x1b]0;na", b"\x1bPq"])
def test_nothing_waits_in_a_string(start: bytes) -> None:
    waits = output()
    waits.take(start, 0.0)
    assert waits.take(b"me", 0.0) == ([], [])


def test_nothing_waits_behind_what_may_be_a_query() -> None:
    waits = output()
    assert waits.take(b"\x1b[?2026", 0.0) is None
    assert waits.take(b"$p", 0.0) == ([b"\x1b[?2026;2$y"], [])
    assert waits.take(b"\x1b[?2026$", 0.0) == ([], [])
    assert waits.take(b"p", 0.0) == ([b"\x1b[?2026;2$y"], [])
