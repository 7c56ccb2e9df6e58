"""What waits to be sent: order, gates, backlogs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.limits import VIEWER_BACKLOG_BYTES
from signaltty_core.engine.outbox import OVERFLOWED, QUEUED, SKIPPED, Outbox

HALF = b"x" * (VIEWER_BACKLOG_BYTES // 2)


def taken(outbox: Outbox, synced: int = 1 << 30) -> list[bytes]:
    lines = []
    while (line := outbox.take(synced)) is not None:
        lines.append(line)
    return lines


def test_nothing_leaves_before_it_is_on_disk_and_nothing_overtakes() -> None:
    outbox = Outbox()
    outbox.event(5, b"event 5")
    outbox.output("p", b"output")
    outbox.reply(6, b"reply behind 6")
    outbox.reply(0, b"error")
    assert taken(outbox, 4) == []
    assert taken(outbox, 5) == [b"event 5", b"output"]
    assert taken(outbox, 5) == []
    assert taken(outbox, 6) == [b"reply behind 6", b"error"]


@given(st.lists(st.tuples(st.sampled_from(["reply", "event", "output"]), st.integers(0, 9)), max_size=30))
def test_whatever_is_queued_comes_out_in_its_order(items: list[tuple[str, int]]) -> None:
    outbox = Outbox()
    for index, (kind, gate) in enumerate(items):
        line = b"%d" % index
        if kind == "output":
            outbox.output("p", line)
        else:
            getattr(outbox, kind)(gate, line)
    got: list[bytes] = []
    for synced in range(10):
        got += taken(outbox, synced)
    assert got == [b"%d" % index for index in range(len(items))]
    assert (len(outbox), outbox.events, outbox.replies, outbox.backlog) == (0, 0, 0, {})


def test_counts_follow_what_waits() -> None:
    outbox = Outbox()
    outbox.reply(0, b"r")
    outbox.event(1, b"e")
    outbox.event(2, b"e")
    outbox.output("p", b"four")
    assert (outbox.replies, outbox.events, outbox.backlog) == (1, 2, {"p": 4})
    outbox.take(9)
    outbox.take(9)
    assert (outbox.replies, outbox.events, outbox.backlog) == (0, 1, {"p": 4})


def test_what_is_asked_for_counts_by_its_length_until_it_is_taken() -> None:
    outbox = Outbox()
    outbox.reply(0, b"12345", [(1, b"123"), (2, b"12")])
    outbox.event(3, b"e")
    left = [outbox.unread_bytes]
    while outbox.take(9):
        left.append(outbox.unread_bytes)
    assert left == [10, 5, 2, 0, 0]


def test_a_backlog_above_a_mebibyte_is_dropped_for_a_snapshot_that_is_made_when_its_turn_comes() -> None:
    outbox = Outbox()
    made = []
    assert (outbox.output("p", HALF), outbox.output("p", HALF)) == (QUEUED, QUEUED)
    outbox.event(1, b"event")
    assert outbox.output("p", b"more") == OVERFLOWED
    outbox.snapshot("p", lambda: made.append(True) or b"snapshot")  # type: ignore[func-returns-value]
    assert (outbox.output("p", b"part of the snapshot"), made) == (SKIPPED, [])
    outbox.reply(0, b"reply")
    assert taken(outbox) == [b"event", b"snapshot", b"reply"]
    assert (made, outbox.output("p", b"after")) == ([True], QUEUED)
    assert taken(outbox) == [b"after"]


def test_panes_have_backlogs_of_their_own() -> None:
    outbox = Outbox()
    outbox.output("p", HALF)
    outbox.output("q", b"q1")
    outbox.output("p", HALF)
    assert outbox.output("p", b"!") == OVERFLOWED
    assert outbox.output("q", b"q2") == QUEUED
    assert taken(outbox) == [b"q1", b"q2"]


def test_dropping_a_panes_output_leaves_everything_else() -> None:
    outbox = Outbox()
    outbox.output("p", b"p1")
    outbox.reply(0, b"reply")
    outbox.output("q", b"q1")
    outbox.output("p", b"p2")
    outbox.drop_output("p")
    outbox.drop_output("unknown")
    assert (taken(outbox), outbox.backlog) == ([b"reply", b"q1"], {})


def test_dropping_a_lagging_panes_output_forgets_the_snapshot_too() -> None:
    outbox = Outbox()
    outbox.output("p", HALF)
    outbox.output("p", HALF)
    outbox.output("p", b"!")
    outbox.snapshot("p", lambda: b"snapshot")
    outbox.drop_output("p")
    assert (taken(outbox), outbox.output("p", b"fresh")) == ([], QUEUED)
