"""The one door: numbers, journal, deeds."""

from __future__ import annotations

import pytest

from tests.engine.stage import Engine


def test_events_of_a_change_get_consecutive_numbers_and_the_last_line_has_the_records() -> None:
    engine = Engine()
    draft = engine.draft()
    draft.put("workspaces", {"id": "ws_1", "name": "n"})
    draft.put("tabs", {"id": "tab_1"})
    draft.emit("workspace.created", {"workspace": draft.records["workspaces"]["ws_1"]})
    draft.emit("tab.created", {"tab_id": "tab_1"})
    engine.ledger.commit(draft)
    assert (engine.world.seq, engine.ledger.committed, engine.ledger.synced) == (2, 2, 0)
    first, last = engine.journal.lines
    assert (first["seq"], first["event"], "records" in first) == (1, "workspace.created", False)
    assert (last["seq"], last["event"], last["records"]) == (2, "tab.created", {"tabs": [{"id": "tab_1"}]})
    assert engine.world.workspaces == {"ws_1": {"id": "ws_1", "name": "n"}}


def test_a_change_without_an_event_takes_one_number_and_is_not_published() -> None:
    engine = Engine()
    peer = engine.peer()
    peer.ask("subscribe")
    draft = engine.draft()
    draft.put("tabs", {"id": "tab_1"})
    engine.ledger.commit(draft)
    engine.sync()
    assert (engine.world.seq, [line["event"] for line in engine.journal.lines], peer.heard()) == (1, [None], [])


def test_an_empty_change_takes_no_number() -> None:
    engine = Engine()
    engine.ledger.commit(engine.draft())
    assert (engine.world.seq, engine.journal.lines) == (0, [])


def test_issued_numbers_are_never_given_twice() -> None:
    engine = Engine()
    numbers = [engine.ledger.issue(), engine.ledger.issue()]
    draft = engine.draft()
    draft.emit("pane.updated", {})
    engine.ledger.commit(draft)
    numbers += [engine.journal.lines[0]["seq"], engine.ledger.issue()]
    assert numbers == [1, 2, 3, 4]


def test_deeds_wait_for_the_sync_of_their_change_and_keep_their_order() -> None:
    engine = Engine()
    done = []
    for name in ("a", "b"):
        draft = engine.draft()
        draft.emit("pane.updated", {})
        draft.then += [lambda name=name: done.append(name + "1"), lambda name=name: done.append(name + "2")]
        engine.ledger.commit(draft)
    assert done == []
    engine.ledger.on_synced(1)
    assert done == ["a1", "a2"]
    engine.ledger.on_synced(2)
    assert done == ["a1", "a2", "b1", "b2"]


def test_deeds_of_an_empty_change_wait_for_what_was_committed_before() -> None:
    engine = Engine()
    done: list[str] = []
    draft = engine.draft()
    draft.then.append(lambda: done.append("at once"))
    engine.ledger.commit(draft)
    assert done == ["at once"]
    draft = engine.draft()
    draft.emit("pane.updated", {})
    engine.ledger.commit(draft)
    draft = engine.draft()
    draft.then.append(lambda: done.append("later"))
    engine.ledger.commit(draft)
    assert done == ["at once"]
    engine.sync()
    assert done == ["at once", "later"]


def test_a_faulty_deed_does_not_hold_up_the_others() -> None:
    engine = Engine()
    done = []
    draft = engine.draft()
    draft.emit("pane.updated", {})
    draft.then += [lambda: done.append(1), lambda: 1 / 0, lambda: done.append(2)]
    engine.ledger.commit(draft)
    with pytest.raises(ZeroDivisionError):
        engine.sync()
    assert done == [1, 2]


def test_a_deed_may_make_the_next_change() -> None:
    engine = Engine()

    def again() -> None:
        draft = engine.draft()
        draft.emit("pane.closed", {})
        draft.then.append(lambda: done.append(engine.ledger.synced))
        engine.ledger.commit(draft)

    done: list[int] = []
    draft = engine.draft()
    draft.emit("pane.updated", {})
    draft.then.append(again)
    engine.ledger.commit(draft)
    engine.sync()
    assert (engine.ledger.committed, done) == (2, [])
    engine.sync()
    assert done == [2]


def test_the_numbers_of_transitions_stand_in_the_records() -> None:
    engine = Engine()
    pane_id = engine.pane()
    before = engine.world.seq
    engine.ingest.on_output(pane_id, b"\x07")
    instance = engine.world.instances[pane_id]
    assert (instance["attention_seq"], instance["transitions"]) == (before + 1, {"unread": before + 1})


def test_a_change_that_only_the_snapshot_keeps_is_not_journaled_and_takes_no_number() -> None:
    engine = Engine()
    pane_id = engine.pane()
    seq, told = engine.world.seq, []
    engine.ledger.on_fleeting = lambda: told.append("fleeting")
    draft = engine.draft()
    draft.instance(pane_id)["sources"] = {"osc9_4": {"value": "40%", "at": "T"}}
    draft.then.append(lambda: told.append("deed"))
    engine.ledger.commit(draft)
    assert engine.world.instances[pane_id]["sources"] == {"osc9_4": {"value": "40%", "at": "T"}}
    assert (engine.world.seq, engine.journal.lines, told) == (seq, [], ["deed", "fleeting"])


def test_a_percentage_is_shown_and_neither_numbered_nor_published_nor_journaled() -> None:
    """persistence §4.2."""
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.ask("subscribe")
    seq, written = engine.world.seq, list(engine.journal.lines)
    for value in range(5):
        engine.ingest.on_output(pane_id, b"\x1b]9;4;1;%d\x07" % value)
    engine.sync()
    assert engine.world.panes[pane_id]["progress"]["value"] == 4
    assert (engine.world.seq, engine.journal.lines, peer.heard()) == (seq, written, [])
    engine.ingest.on_output(pane_id, b"\x1b]2;title\x07")
    engine.sync()
    (frame,) = peer.heard()
    assert (frame["seq"], frame["payload"]["pane"]["progress"]["value"]) == (seq + 1, 4)


def test_facts_of_a_process_are_journaled_when_a_reply_tells_of_them() -> None:
    """persistence §4.2: without an event and without a reply they wait for the snapshot."""
    engine = Engine()
    pane_id = engine.pane()
    written = []
    for change in (engine.ledger.note, engine.ledger.commit):
        draft = engine.draft()
        draft.instance(pane_id)["spoken"] = [change.__name__]
        before = len(engine.journal.lines)
        change(draft)
        written.append(len(engine.journal.lines) - before)
        assert engine.world.instances[pane_id]["spoken"] == [change.__name__]
    assert written == [0, 1]


def test_whoever_waits_is_told_of_a_change_that_only_the_snapshot_keeps() -> None:
    engine = Engine()
    pane_id = engine.pane()
    told: list[str] = []
    engine.on_change.append(lambda: told.append("change"))
    draft = engine.draft()
    draft.instance(pane_id)["sources"] = {}
    engine.ledger.note(draft)
    assert told == ["change"]
