"""pane.* about what goes in and what is on the screen."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.errors import BadParams, NoSuchPane, PaneExited, RateLimited, TimedOut
from signaltty_core.base.limits import READ_REPLY_BYTES
from signaltty_core.methods.panes.pane_io import _fitting as fitting
from signaltty_core.methods.panes.pane_io import decode_base64
from signaltty_core.state.effects import Sleep, WriteInput
from signaltty_core.terminal.terminal import Terminal
from signaltty_core.wire.codec import encode
from tests.methods.shop import Shop


class Runtime:
    def __init__(self) -> None:
        self.terminal = Terminal(80, 24, version="1")
        self.output_offset = 0


class Desk(Shop):
    """One pane with a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.id = self.spawn(self.workspace())["id"]
        self.machine.runtimes[self.id] = Runtime()

    def show(self, text: str) -> None:
        self.machine.runtimes[self.id].terminal.feed(text.replace("\n", "\r\n").encode(), 0.0)

    def end(self) -> None:
        self.change(lambda draft: draft.pane(self.id).update(live={"state": "exited", "code": 0}))

    def read(self, **params: Any) -> Any:
        return self.ask("pane.read", pane_id=self.id, **params)


@given(st.binary(max_size=50))
def test_padded_base64_is_read(data: bytes) -> None:
    assert decode_base64(b64encode(data).decode(), "p") == data


@given(st.text(alphabet="AQZaz09+/=-_ \n\u00e9", max_size=12))
def test_any_text_is_the_one_form_of_its_bytes_or_refused(text: str) -> None:
    try:
        data = decode_base64(text, "p")
    except BadParams as fault:
        assert fault.details == {"path": "p"}
    else:
        assert b64encode(data).decode() == text


def test_input_is_written_within_its_budget() -> None:
    desk = Desk()
    play = desk.play("pane.input", pane_id=desk.id, data_b64="cGluZwo=")
    assert play.expect(WriteInput(desk.id, b"ping\n", 5.0)).reply(5).ended() == {"written": 5}


def test_no_input_is_written_at_once_and_an_ended_program_takes_none() -> None:
    desk = Desk()
    assert desk.ask("pane.input", pane_id=desk.id, data_b64="") == {"written": 0}
    desk.end()
    with pytest.raises(PaneExited) as caught:
        desk.ask("pane.input", pane_id=desk.id, data_b64="")
    assert caught.value.details == {"pane_id": desk.id, "written_bytes": 0}


def test_a_mebibyte_is_the_most() -> None:
    desk = Desk()
    play = desk.play("pane.input", pane_id=desk.id, data_b64=b64encode(bytes(1 << 20)).decode())
    assert isinstance(play.asked, WriteInput)
    with pytest.raises(RateLimited):
        desk.ask("pane.input", pane_id=desk.id, data_b64=b64encode(bytes((1 << 20) + 1)).decode())


def test_an_unchanged_size_is_no_event() -> None:
    desk = Desk()
    before = desk.world.seq
    desk.ask("pane.resize", pane_id=desk.id, cols=80, rows=24)
    assert (desk.world.seq, desk.machine.deeds[-1][0]) == (before, "open_runtime")
    desk.ask("pane.resize", pane_id=desk.id, cols=81, rows=1)
    assert (desk.since(before), desk.machine.deeds[-1]) == (["pane.resized"], ("resize", desk.id, 81, 5))


def test_modes_read_what_they_say() -> None:
    desk = Desk()
    desk.show("\n".join(f"line {number}" for number in range(40)) + "\n\x1b[31mred\x1b[0m\n")
    screen = desk.read(mode="screen")
    assert (screen["text"].split("\n")[-1], screen["truncated"], len(screen["text"].split("\n"))) == ("red", False, 23)
    tail = desk.read(lines=3)
    assert tail == {"text": "line 38\nline 39\nred", "truncated": True}
    assert "\x1b[" in desk.read(lines=1, strip_ansi=False)["text"]
    everything = desk.read(mode="rendered", lines=5000)
    assert (len(everything["text"].split("\n")), everything["dropped"], everything["truncated"]) == (41, False, False)
    nothing = desk.read(mode="rendered", after_seq=everything["next_seq"])
    assert nothing == {
        "text": "",
        "seq": everything["next_seq"],
        "next_seq": everything["next_seq"],
        "dropped": False,
        "truncated": False,
    }


def test_reading_changes_nothing() -> None:
    desk = Desk()
    desk.show("text")
    before = (desk.world.seq, repr(desk.world.tables))
    for mode in ("screen", "tail", "rendered"):
        assert desk.read(mode=mode)["text"] == "text"
    desk.end()
    assert desk.read()["text"] == "text"
    assert before[0] + 1 == desk.world.seq


@pytest.mark.parametrize("cell", ["x", "é", "\x1b"])
def test_a_reply_is_cut_to_the_newest_lines_that_fit(cell: str) -> None:
    """Edge case 175: a character becomes up to six bytes on the wire."""
    lines = [cell * 4000 + str(number) for number in range(5000)]
    text, cut = fitting("\n".join(lines))
    kept = text.split("\n")
    assert (cut, kept) == (True, lines[-len(kept) :])
    assert READ_REPLY_BYTES * 0.99 < len(encode(text)) <= READ_REPLY_BYTES + 2


def test_a_reply_that_fits_is_whole() -> None:
    text = "é" * 1000 + "\n" + "x" * 1_000_000
    assert fitting(text) == (text, False)
    wide = "\n".join(["x" * 7000] * 1000)
    assert fitting(wide) == (wide, False)


def test_a_read_that_was_cut_says_so() -> None:
    """More than 8 MiB on the wire: 3,000 lines of 500 characters that take six bytes each."""
    desk = Desk()
    desk.machine.runtimes[desk.id].terminal = Terminal(500, 24, version="1")
    desk.show("\n".join(["\u00e9" * 500] * 3000))
    for mode in ("tail", "rendered"):
        read = desk.read(mode=mode, lines=3000)
        assert (len(read["text"].split("\n")) < 3000, read["truncated"]) == (True, True)


def waiting(desk: Desk, match: str, **params: Any) -> Any:
    return desk.play("pane.wait_for_output", pane_id=desk.id, match=match, **params)


def test_a_line_that_is_there_matches_at_once_but_only_new_ones_in_rendered_mode() -> None:
    desk = Desk()
    desk.show("one\ntwo\n")
    found = waiting(desk, "tw").ended()
    assert (found["matched_line"], found["text"]) == ("two", "one\ntwo")
    cursor = desk.read(mode="rendered")["next_seq"]
    play = waiting(desk, "two", mode="rendered", after_seq=cursor).expect(Sleep(0.1))
    desk.show("two again\n")
    assert play.reply().ended()["matched_line"] == "two again"


def test_the_cursor_moves_on_between_polls() -> None:
    desk = Desk()
    play = waiting(desk, "z", mode="rendered", lines=5)
    for number in range(50):
        desk.show(f"line {number}\n")
    play.reply()
    desk.show("zebra\n")
    found = play.reply().ended()
    assert (found["matched_line"], found["text"], found["truncated"]) == ("zebra", "zebra", False)


@pytest.mark.parametrize("before", ["", "make\n", "line\n" * 100])
def test_a_burst_cannot_step_the_cursor_past_a_match(before: str) -> None:
    desk = Desk()
    desk.show(before)
    play = waiting(desk, "zebra", mode="rendered", lines=1)
    desk.show("zebra\nand\nmore\n")
    found = play.reply().ended()
    assert (found["matched_line"], found["text"], found["truncated"]) == ("zebra", "more", True)


def test_a_wait_takes_as_long_as_it_was_given_whatever_the_clock_on_the_wall_says() -> None:
    desk = Desk()
    play = waiting(desk, "x", timeout_s=10).expect(Sleep(0.1))
    desk.at += 3600
    play.reply().expect(Sleep(0.1))
    desk.at -= 7200
    desk.machine.passed_s += 10
    with pytest.raises(TimedOut):
        play.reply().ended()


def test_an_expression_is_searched_in_rows_and_joined_lines() -> None:
    desk = Desk()
    desk.show("a" * 100 + "END\n")
    assert waiting(desk, "^a+END$", regex=True).ended()["matched_line"] == "a" * 100 + "END"
    assert waiting(desk, "^a{20}END$", regex=True).ended()["matched_line"] == "a" * 100 + "END"
    assert waiting(desk, "aEND").ended()["matched_line"] == "a" * 100 + "END"


def test_time_and_ends_are_told() -> None:
    desk = Desk()
    with pytest.raises(TimedOut):
        waiting(desk, "x", timeout_s=0).ended()
    play = waiting(desk, "x", timeout_s=1)
    desk.machine.passed_s += 1
    with pytest.raises(TimedOut):
        play.reply().ended()
    play = waiting(desk, "last")
    desk.show("last words\n")
    desk.end()
    assert play.reply().ended()["matched_line"] == "last words"
    with pytest.raises(PaneExited):
        waiting(desk, "x").ended()
    play = waiting(Desk(), "x")
    assert play.asked == Sleep(0.1)


def test_a_pane_closed_meanwhile_is_gone() -> None:
    desk = Desk()
    play = waiting(desk, "x")
    desk.ask("pane.close", pane_id=desk.id)
    with pytest.raises(NoSuchPane):
        play.reply().ended()


def test_all_lines_of_a_poll_share_one_limit() -> None:
    desk = Desk()
    desk.show("line\n" * 400)
    guarded: list[Any] = []
    desk.machine.guard = lambda run: (guarded.append(run), run())[1]  # type: ignore[method-assign]
    waiting(desk, "^never$", regex=True)
    assert len(guarded) == 2


def test_an_expression_that_takes_too_long_is_refused() -> None:
    desk = Desk()

    def late(run: Any) -> Any:
        raise TimedOut("interrupted")

    desk.machine.guard = late  # type: ignore[method-assign]
    with pytest.raises(BadParams, match="pattern too slow"):
        waiting(desk, "(a+)+$", regex=True).ended()


@pytest.mark.parametrize(("match", "regex"), [("", False), ("", True), ("(", True), ("[z-a]", True), ("a{2,1}", True)])
def test_a_faulty_pattern_is_refused_before_the_connection_is_held(match: str, regex: bool) -> None:
    desk = Desk()
    with pytest.raises(BadParams) as caught:
        waiting(desk, match, regex=regex).ended()
    assert caught.value.details == {"path": "match"}


def test_clearing_is_the_machines_business() -> None:
    desk = Desk()
    assert desk.ask("pane.clear", pane_id=desk.id) == {}
    assert desk.machine.deeds[-1] == ("clear", desk.id)
