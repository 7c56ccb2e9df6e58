"""Lifecycle primitives and the child's end."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.state.attention import raise_to
from signaltty_core.state.decisions import set_decision
from signaltty_core.state.lifecycle import STATES, end_child, set_lifecycle, set_message
from tests.fake import START, Stage

DECISION = {"id": "d", "prompt": "?", "options": [], "answerable": True, "received_at": ""}


def test_a_move_is_told_once_with_where_it_came_from() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.at = START + 1
    assert stage.change(set_lifecycle, pane, "working") is True
    assert stage.change(set_lifecycle, pane, "working") is False
    assert [(event, payload) for _, event, payload in stage.events] == [
        ("agent.working", {"pane_id": pane, "lifecycle": "working", "prev": "unknown"})
    ]
    found = stage.world.panes[pane]
    assert (found["last_lifecycle"], found["lifecycle_since"]) == ("unknown", "2027-01-15T08:00:01.000Z")
    assert found["last_activity_at"] == "2027-01-15T08:00:01.000Z"


@pytest.mark.parametrize("state", [state for state in STATES if state != "unknown"])
def test_a_move_becomes_the_last_transition_into_its_state(state: str) -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(set_lifecycle, pane, state)
    number, event, _ = stage.events[-1]
    instance = stage.world.instances[pane]
    assert event == f"agent.{state}"
    assert (instance["lifecycle_seq"], instance["transitions"]) == (number, {state: number})


def test_only_working_begins_a_turn_and_leaving_it_measures_it() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(set_lifecycle, pane, "idle")
    assert stage.world.instances[pane]["turn_began"] is False
    stage.change(set_lifecycle, pane, "working")
    assert stage.world.instances[pane]["turn_began"] is True
    assert "last_run_secs" not in stage.world.panes[pane]
    stage.at += 12.9
    stage.change(set_lifecycle, pane, "blocked")
    stage.at += 50
    stage.change(set_lifecycle, pane, "done")
    assert stage.world.panes[pane]["last_run_secs"] == 12


@pytest.mark.parametrize(
    ("state", "expected"), [("working", "working"), ("done", "working"), ("blocked", "input_required")]
)
def test_a_task_whose_submit_was_unconfirmed_goes_on_with_its_worker(state: str, expected: str) -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state="input_required", status_reason={"reason": "submit_unconfirmed"})
    stage.change(set_lifecycle, pane, state)
    assert stage.world.tasks[task]["state"] == expected


def test_a_task_parked_for_another_reason_stays_parked() -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state="input_required", status_reason={"reason": "turn_interrupted"})
    stage.change(set_lifecycle, pane, "working")
    assert stage.world.tasks[task]["state"] == "input_required"


def test_a_message_is_cleaned_and_an_empty_one_changes_nothing() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(set_message, pane, " \x1b[1mhello\x07 ")
    stage.change(set_message, pane, "\x1b[0m")
    assert stage.world.panes[pane]["last_message"] == "hello"
    stage.change(set_message, pane, "x" * 3000)
    assert len(stage.world.panes[pane]["last_message"]) == 2000


@pytest.mark.parametrize(
    ("kind", "before", "code", "after"),
    [
        ("generic", "working", 0, "done"),
        ("none", "unknown", 0, "done"),
        ("generic", "working", 3, "failed"),
        ("generic", "idle", None, "exited"),
        ("claude", "working", 0, "exited"),
        ("claude", "blocked", 1, "exited"),
        ("claude", "done", 1, "done"),
        ("generic", "failed", 0, "failed"),
    ],
)
def test_an_ended_child_leaves_the_lifecycle_its_kind_and_status_say(
    kind: str, before: str, code: int | None, after: str
) -> None:
    stage = Stage()
    pane = stage.pane(kind, lifecycle=before)
    stage.change(end_child, pane, code, None)
    found = stage.world.panes[pane]
    assert (found["lifecycle"], found["live"]) == (after, {"state": "exited", "code": code})
    assert found["restore_state"] == "EXITED"


def test_a_killed_child_is_told_with_its_os_signal() -> None:
    """Edge case 131."""
    stage = Stage()
    pane = stage.pane()
    stage.change(set_lifecycle, pane, "working")
    since = len(stage.events)
    stage.change(end_child, pane, None, "KILL")
    assert [(event, payload) for _, event, payload in stage.events[since:]] == [
        ("pane.exited", {"pane_id": pane, "code": None, "signal": "KILL"}),
        ("agent.exited", {"pane_id": pane, "lifecycle": "exited", "prev": "working"}),
        ("attention.created", {"pane_id": pane, "attention": "unread", "prev": "none"}),
    ]
    found = stage.world.panes[pane]
    assert found["live"] == {"state": "exited", "code": None, "signal": "KILL"}
    assert stage.state(pane) == ("exited", "unread")


def test_the_exit_counts_as_a_transition_even_when_the_pane_stays_done() -> None:
    stage = Stage()
    pane = stage.pane(lifecycle="done")
    stage.change(end_child, pane, 0, None)
    number = next(number for number, event, _ in stage.events if event == "pane.exited")
    instance = stage.world.instances[pane]
    assert (instance["lifecycle_seq"], instance["transitions"]["exited"]) == (number, number)


def test_a_child_ends_once() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(end_child, pane, 0, None)
    since = len(stage.events)
    stage.change(end_child, pane, 1, None)
    assert stage.told(since) == []


@pytest.mark.parametrize(
    ("lifecycle", "level", "decides", "expected"),
    [
        ("done", "none", False, ("none", [])),
        ("failed", "none", False, ("none", [])),
        ("idle", "none", False, ("unread", ["attention.created"])),
        ("done", "unread", False, ("unread", [])),
        ("blocked", "permission_required", False, ("unread", ["attention.cleared", "attention.created"])),
        ("done", "none", True, ("unread", ["attention.created"])),
        ("working", "error", False, ("error", [])),
        ("working", "warning", False, ("warning", [])),
    ],
)
def test_what_was_reviewed_stays_so_and_a_question_is_over(
    lifecycle: str, level: str, decides: bool, expected: tuple[str, list[str]]
) -> None:
    stage = Stage()
    pane = stage.pane(lifecycle=lifecycle)
    if level != "none":
        stage.change(raise_to, pane, level)
    if decides:
        stage.change(set_decision, pane, DECISION)
    since = len(stage.events)
    stage.change(end_child, pane, 0, None)
    told = [event for event in stage.told(since) if event.startswith("attention.")]
    assert (stage.world.panes[pane]["attention"], told) == expected


def test_the_pending_decision_and_the_progress_end_with_the_child() -> None:
    stage = Stage()
    pane = stage.pane(progress={"kind": "percent", "value": 3})
    stage.change(set_decision, pane, DECISION)
    stage.change(end_child, pane, 0, None)
    cleared: list[Any] = [payload for _, event, payload in stage.events if event == "decision.cleared"]
    assert cleared == [{"pane_id": pane, "decision_id": "d", "reason": "pane_exited"}]
    assert {"progress", "pending_decision"}.isdisjoint(stage.world.panes[pane])
