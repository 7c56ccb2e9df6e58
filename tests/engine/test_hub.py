"""Who gets which events, and what can be replayed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from signaltty_core.base.limits import EVENT_QUEUE, EVENT_RING, REPLAY_EVENTS
from signaltty_core.engine.hub import Filter
from signaltty_core.journal.replay import Replayed
from signaltty_core.state.effects import ReadBack
from tests.engine.stage import Engine, Peer

Record = dict[str, Any]


def emit(engine: Engine, *events: str, **payload: Any) -> None:
    draft = engine.draft()
    for event in events:
        draft.emit(event, payload)
    engine.ledger.commit(draft)


def heard(peer: Peer) -> list[tuple[int, str]]:
    return [(frame["seq"], frame["event"]) for frame in peer.heard() if frame.get("type") == "event"]


@pytest.mark.parametrize(
    ("patterns", "wanted", "unwanted"),
    [
        (None, ["agent.done", "x"], []),
        (["*"], ["agent.done", "x"], []),
        ([], [], ["agent.done", ""]),
        (["agent.*"], ["agent.done", "agent", "agent."], ["agents.done", "agen", "pane.agent.done"]),
        (["agent.done"], ["agent.done"], ["agent.done2", "agent", "agent.working"]),
        (["agent.*", "pty.*"], ["agent.done", "pty.data"], ["pane.closed"]),
        (["ag*"], [], ["agent.done", "ag", "ag*"]),
        (["*.done"], [], ["agent.done"]),
        (["agent.*.*"], [], ["agent.done", "agent.x.y"]),
        (["*", "nonsense*"], ["agent.done"], []),
        ([""], [], ["agent.done"]),
        ([".*"], [], ["agent.done"]),
    ],
)
def test_globs_are_a_star_a_prefix_or_a_name(
    patterns: list[str] | None, wanted: list[str], unwanted: list[str]
) -> None:
    asked = Filter(patterns, None)
    assert [event for event in wanted if not asked.wants(event, None)] == []
    assert [event for event in unwanted if asked.wants(event, None)] == []


def test_task_ids_narrow_task_events_alone() -> None:
    asked = Filter(None, ["task_1"])
    assert asked.wants("task.updated", "task_1")
    assert asked.wants("pane.closed", None)
    assert not asked.wants("task.updated", "task_2")
    assert not asked.wants("task.updated", None)


def test_an_event_leaves_after_its_sync_with_a_number_that_grows() -> None:
    engine = Engine()
    peer = engine.peer()
    assert peer.ask("subscribe", events=["agent.*"]) == {"subscribed": True, "seq": 0}
    emit(engine, "agent.done", "pane.updated", "agent.idle")
    assert heard(peer) == []
    engine.sync()
    assert heard(peer) == [(1, "agent.done"), (3, "agent.idle")]


def test_the_reply_precedes_the_events() -> None:
    engine = Engine()
    peer = engine.peer()
    peer.say("subscribe")
    emit(engine, "agent.done")
    engine.sync()
    assert [frame.get("id", frame.get("event")) for frame in peer.heard()] == ["c1", "agent.done"]


def test_a_second_subscription_replaces_the_first() -> None:
    engine = Engine()
    peer = engine.peer()
    peer.ask("subscribe", events=["agent.*"])
    peer.ask("subscribe", events=["pane.*"])
    emit(engine, "agent.done", "pane.closed")
    engine.sync()
    assert heard(peer) == [(2, "pane.closed")]


def test_all_subscribers_get_one_encoding() -> None:
    engine = Engine()
    peers = [engine.peer(), engine.peer()]
    for peer in peers:
        peer.ask("subscribe")
    emit(engine, "pane.closed", pane_id="é")
    engine.sync()
    lines = [engine.router.next_line(peer.client) for peer in peers]
    assert lines[0] is not None
    assert lines[0] is lines[1]
    assert json.loads(lines[0])["payload"] == {"pane_id": "é"}


def replay(engine: Engine, from_seq: int, **params: Any) -> tuple[Record, list[tuple[int, str]], bool]:
    """The reply, the events behind it, and whether the connection was closed."""
    peer = engine.peer()
    peer.say("subscribe", from_seq=from_seq, **params)
    engine.sync()
    reply, *events = peer.heard()
    return reply["result"], [(event["seq"], event["event"]) for event in events], not peer.channel.is_open


def test_a_replay_from_the_ring_is_complete_and_live_events_follow() -> None:
    engine = Engine()
    emit(engine, "agent.working", "pane.updated")
    emit(engine, "agent.done")
    engine.sync()
    peer = engine.peer()
    peer.say("subscribe", from_seq=1, events=["agent.*"])
    emit(engine, "agent.idle")
    engine.sync()
    reply, *events = peer.heard()
    assert reply["result"] == {
        "subscribed": True,
        "seq": 3,
        "replay": {"status": "complete", "requested_after": 1, "retained_after": 0, "through": 3, "returned": 1},
    }
    assert [(event["seq"], event["event"]) for event in events] == [(3, "agent.done"), (4, "agent.idle")]


def test_replayed_events_wait_for_the_disk_too() -> None:
    engine = Engine()
    emit(engine, "agent.working")
    peer = engine.peer()
    peer.say("subscribe", from_seq=0)
    assert peer.heard() == []
    engine.sync()
    assert len(peer.heard()) == 2


@pytest.mark.parametrize(("from_seq", "status"), [(4, "cursor_ahead"), (1 << 60, "cursor_ahead")])
def test_a_cursor_from_the_future_is_told_and_the_connection_closed(from_seq: int, status: str) -> None:
    """Edge case 84."""
    engine = Engine()
    emit(engine, "agent.working", "agent.done", "agent.idle")
    result, events, closed = replay(engine, from_seq)
    assert result == {
        "subscribed": False,
        "seq": 3,
        "replay": {
            "status": status,
            "requested_after": from_seq,
            "retained_after": 0,
            "through": 3,
            "returned": 0,
            "recovery": "snapshot_then_resubscribe",
        },
    }
    assert (events, closed) == ([], True)
    assert engine.hub.subscribers == set()


def test_the_newest_number_itself_is_a_complete_empty_replay() -> None:
    engine = Engine()
    emit(engine, "agent.working")
    result, events, closed = replay(engine, 1)
    assert (result["replay"]["status"], events, closed) == ("complete", [], False)


def test_the_ring_holds_1024_events_and_its_floor_follows() -> None:
    engine = Engine()
    for _ in range(EVENT_RING + 10):
        emit(engine, "pane.updated")
    peer = engine.peer()
    peer.say("subscribe", from_seq=9)
    assert [effect for effect, _ in engine.host.waiting] == [read_back(peer, 9, EVENT_RING + 10)]
    result, events, _ = replay(engine, 10)
    assert (result["replay"]["status"], result["replay"]["retained_after"], len(events)) == ("complete", 10, EVENT_RING)
    assert [seq for seq, _ in events] == list(range(11, EVENT_RING + 11))


def read_back(peer: Peer, after: int, through: int) -> ReadBack:
    assert peer.client.filter is not None
    return ReadBack(after, through, peer.client.filter.wants, REPLAY_EVENTS)


class Late:
    """A subscriber that asked for numbers after 0 when the ring had lost its first three, and was not answered yet."""

    def __init__(self, **params: Any) -> None:
        self.engine = Engine()
        for _ in range(EVENT_RING + 3):
            emit(self.engine, "pane.updated")
        self.engine.sync()
        self.peer = self.engine.peer()
        self.peer.say("subscribe", from_seq=0, **params)

    def found(self, retained_after: int | None, *events: tuple[int, str, str]) -> None:
        ((_, done),) = self.engine.host.waiting
        done(Replayed(retained_after, list(events)), None)


def test_a_replay_from_disk_precedes_what_happened_while_it_was_read() -> None:
    late = Late(events=["agent.*"])
    emit(late.engine, "agent.done", "pane.updated")
    late.engine.sync()
    assert late.peer.heard() == []
    late.found(0, (2, "agent.working", '{"pane_id":"p"}'), (1027, "agent.idle", "{}"))
    reply, *events = late.peer.heard()
    assert reply["result"] == {
        "subscribed": True,
        "seq": 1027,
        "replay": {"status": "complete", "requested_after": 0, "retained_after": 0, "through": 1027, "returned": 2},
    }
    assert [(event["seq"], event["event"], event["payload"]) for event in events] == [
        (2, "agent.working", {"pane_id": "p"}),
        (1027, "agent.idle", {}),
        (1028, "agent.done", {}),
    ]


def test_a_replay_that_comes_when_its_reader_has_gone_is_not_kept() -> None:
    late = Late()
    late.peer.channel.close()
    late.found(0, (2, "agent.working", "{}"))
    assert (late.peer.client.behind_reply, len(late.peer.client.outbox), late.engine.faults) == ([], 0, [])


@pytest.mark.parametrize(
    ("retained_after", "count", "status", "shown"),
    [
        (None, 0, "unavailable", 3),
        (2, 0, "history_lost", 2),
        (500, 0, "history_lost", 3),
        (0, REPLAY_EVENTS + 1, "truncated", 0),
    ],
)
def test_a_replay_that_is_not_complete_ends_the_connection_without_an_event(
    retained_after: int | None, count: int, status: str, shown: int
) -> None:
    late = Late()
    emit(late.engine, "agent.done")
    late.engine.sync()
    late.found(retained_after, *((seq + 1, "x", "{}") for seq in range(count)))
    emit(late.engine, "agent.idle")
    late.engine.sync()
    assert [frame.get("result", frame) for frame in late.peer.heard()] == [
        {
            "subscribed": False,
            "seq": 1027,
            "replay": {
                "status": status,
                "requested_after": 0,
                "retained_after": shown,
                "through": 1027,
                "returned": 0,
                "recovery": "snapshot_then_resubscribe",
            },
        }
    ]
    assert (late.peer.channel.is_open, late.engine.hub.subscribers) == (False, set())


def test_a_full_replay_leaves_room_for_live_events() -> None:
    late = Late()
    late.found(0, *((seq + 1, "x", "{}") for seq in range(REPLAY_EVENTS)))
    for _ in range(EVENT_QUEUE):
        emit(late.engine, "pane.updated")
    late.engine.sync()
    assert len(late.peer.heard()) == 1 + REPLAY_EVENTS + EVENT_QUEUE


def test_a_subscriber_is_closed_when_too_much_happens_while_its_replay_is_read() -> None:
    late = Late()
    for _ in range(EVENT_QUEUE + 1):
        emit(late.engine, "pane.updated")
    assert not late.peer.channel.is_open
    late.found(0)
    assert late.engine.hub.subscribers == set()


def test_events_that_wait_are_not_sent_twice_by_a_replay() -> None:
    engine = Engine()
    peer = engine.peer()
    peer.ask("subscribe")
    emit(engine, "agent.working", "agent.done")
    peer.say("subscribe", id="c2", from_seq=0, events=["agent.*"])
    engine.sync()
    assert [frame.get("seq", frame.get("id")) for frame in peer.heard()] == ["c2", 1, 2]


@pytest.mark.parametrize("from_disk", [False, True])
def test_a_second_replay_begins_anew_behind_its_reply_and_grows_from_there(from_disk: bool) -> None:
    """Asked for anew, lower numbers come anew; nothing of the first subscription comes behind the second reply."""
    engine = Engine()
    if from_disk:
        engine.hub.floor = 1
    emit(engine, "agent.working", "agent.done", "agent.idle")
    peer = engine.peer()
    peer.ask("subscribe", from_seq=2)
    emit(engine, "agent.blocked", "pane.closed")
    peer.say("subscribe", id="again", from_seq=0, events=["agent.*"])
    emit(engine, "agent.failed")
    if from_disk:
        ((effect, answer),) = engine.host.waiting
        assert isinstance(effect, ReadBack)
        answer(Replayed(0, [(n, f"agent.{n}", "{}") for n in range(1, 5)]), None)
    engine.sync()
    frames = [frame.get("seq", frame.get("id")) for frame in peer.heard()]
    assert frames == ["again", 1, 2, 3, 4, 6]


def test_the_disk_shows_that_more_could_be_replayed_than_the_ring_holds() -> None:
    engine = Engine()
    for _ in range(EVENT_RING + 10):
        emit(engine, "pane.updated")
    engine.journal.proven_after = 4
    assert replay(engine, 20)[0]["replay"]["retained_after"] == 4


def test_holes_between_numbers_do_not_make_a_replay_incomplete() -> None:
    engine = Engine()
    emit(engine, "agent.working")
    for _ in range(5):
        engine.ledger.issue()
    emit(engine, "agent.done")
    result, events, _ = replay(engine, 3)
    assert (result["replay"]["status"], events) == ("complete", [(7, "agent.done")])


def test_a_subscriber_that_does_not_read_is_closed_at_4096_events_and_others_are_not() -> None:
    engine = Engine()
    slow, quick = engine.peer(), engine.peer()
    slow.ask("subscribe")
    quick.ask("subscribe")
    for _ in range(EVENT_QUEUE):
        emit(engine, "pane.updated")
        engine.sync()
        quick.heard()
    assert slow.channel.is_open
    emit(engine, "pane.updated")
    engine.sync()
    assert (slow.channel.is_open, len(quick.heard())) == (False, 1)
    assert engine.hub.subscribers == {quick.client}


def test_numbers_grow_on_each_connection_whatever_is_mixed() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.ask("subscribe")
    peer.ask("pane.attach", pane_id=pane_id)
    for number in range(50):
        engine.ingest.on_output(pane_id, b"text %d\r\n" % number)
        emit(engine, "pane.updated", "agent.done")
        if number % 7 == 0:
            engine.ingest.on_output(pane_id, b"\x1b]0;title %d\x07" % number)
    engine.sync()
    seqs = [frame["seq"] for frame in peer.heard() if "seq" in frame]
    assert len(seqs) > 150
    assert seqs == sorted(set(seqs))
