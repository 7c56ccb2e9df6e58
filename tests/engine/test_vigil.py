"""Whose death is news: watched senders and reporting process groups; and nobody is looked after for nothing."""

from __future__ import annotations

import pytest

from signaltty_core.state import program_status
from tests.engine.stage import Engine
from tests.engine.test_listener import hear, state
from tests.fake import CHILD_PID


def test_a_sender_that_outlives_its_connection_and_dies_leaves_an_idle_pane() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\nblocked:permission\n", pid=42)
    engine.advance(2.5)
    assert state(engine, pane_id) == ("blocked", "permission_required")
    engine.processes.gone.add(42)
    engine.advance(2)
    assert state(engine, pane_id) == ("idle", "none")


def test_a_sender_that_is_gone_within_two_seconds_is_not_watched() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\n", pid=42)
    engine.advance(1)
    engine.processes.gone.add(42)
    engine.advance(60)
    assert state(engine, pane_id) == ("working", "none")


def test_a_clock_set_back_by_an_hour_does_not_put_the_watch_off_by_an_hour() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\nblocked:permission\n", pid=42)
    engine.clock.set_by_s = -3600.0
    engine.advance(2.5)
    engine.processes.gone.add(42)
    engine.advance(2)
    assert state(engine, pane_id) == ("idle", "none")


def test_a_watched_sender_goes_on_holding_the_pane_after_its_stop() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\n", pid=42)
    engine.advance(3)
    hear(engine, pane_id, 2, b"stop\n", pid=42)
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=working\x07")
    assert state(engine, pane_id) == ("done", "unread")
    engine.processes.gone.add(42)
    engine.advance(2)
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=blocked\x07")
    assert state(engine, pane_id) == ("blocked", "input_required")


def test_a_group_without_members_takes_its_records_along() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.processes.groups[pane_id] = 900
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=blocked:kind=permission\x07\x1b]7501;state=done:id=a\x07")
    engine.advance(10)
    assert state(engine, pane_id) == ("blocked", "permission_required")
    engine.processes.gone.add(900)
    engine.advance(2)
    assert [record["id"] for record in program_status.views(engine.world, pane_id)] == ["a"]


def test_an_end_that_only_the_program_tells_counts_after_two_seconds_and_not_before() -> None:
    engine = Engine()
    pane_id = engine.pane("claude")
    ask = engine.peer().ask
    ask("hook-event", agent="claude", event="UserPromptSubmit", pane_id=pane_id, payload={"session_id": "s"})
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=working\x07\x1b]7501;state=done\x07")
    engine.advance(1.9)
    assert state(engine, pane_id) == ("working", "none")
    engine.advance(0.2)
    assert state(engine, pane_id) == ("done", "unread")


def test_a_progress_that_nobody_confirms_is_dropped_after_ten_minutes() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"\x1b]9;4;1;40\x07")
    engine.advance(598)
    engine.ingest.on_output(pane_id, b"\x1b]9;4;1;40\x07")
    engine.advance(598)
    assert engine.world.panes[pane_id]["progress"]["value"] == 40
    engine.advance(4)
    assert "progress" not in engine.world.panes[pane_id]


@pytest.mark.parametrize(
    "data", [b"", b"\x1b]0;title\x07", b"\x1b]7501;state=done\x07", b"\x1b]9;4;1;4\x07\x1b]9;4;0\x07"]
)
def test_nobody_is_looked_after_for_nothing(data: bytes) -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.processes.groups[pane_id] = CHILD_PID
    engine.ingest.on_output(pane_id, data)
    engine.advance(3)
    assert engine.clock.timers.wait_s(engine.clock.now()) is None


def test_the_vigil_ends_with_what_it_was_for() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\n", pid=42)
    engine.advance(5)
    engine.ingest.on_exit(pane_id, 0, None)
    engine.advance(5)
    assert engine.clock.timers.wait_s(engine.clock.now()) is None
