"""A pane's life and the task it works on."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.state import workers
from tests.fake import Stage


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("done", {"reason": "turn_ended_without_report", "last_message": "bye"}),
        ("failed", {"reason": "turn_ended_without_report", "last_message": "bye", "failed": True}),
        ("interrupted", {"reason": "turn_interrupted"}),
    ],
)
def test_a_turn_s_end_parks_a_working_task_with_its_reason(how: str, reason: dict[str, Any]) -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane)
    stage.change(workers.end_turn, pane, how, "bye")
    found = stage.world.tasks[task]
    assert (found["state"], found["status_reason"]) == ("input_required", reason)
    assert stage.events[-1][1:] == (
        "task.updated",
        {"task_id": task, "context_id": "tctx_1", "task": found, "prev_state": "working"},
    )


@pytest.mark.parametrize("state", ["pending", "input_required", "completed", "canceled"])
def test_a_task_in_another_state_is_left_alone(state: str) -> None:
    stage = Stage()
    pane = stage.pane()
    stage.task(pane, state=state)
    stage.change(workers.end_turn, pane, "done", "bye")
    assert stage.told() == []


def test_a_pane_without_task_has_nothing_to_park_or_resume() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(workers.end_turn, pane, "done", None)
    stage.change(workers.resume, pane)
    assert stage.told() == []


def test_a_parked_task_goes_on_without_its_reason() -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state="input_required", status_reason={"reason": "turn_interrupted"})
    stage.change(workers.begin_turn, pane)
    assert stage.world.tasks[task]["state"] == "input_required"
    stage.change(workers.resume, pane)
    assert (stage.world.tasks[task]["state"], "status_reason" in stage.world.tasks[task]) == ("working", False)
