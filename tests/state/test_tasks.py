"""Tasks: contracts, results, prompts, and every move between states (tasks-and-git §1, §2)."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.state import lifecycle, tasks, workers
from signaltty_core.state.world import Draft
from tests.fake import START, Stage

ALLOWED = {
    "pending": {"working", "input_required", "failed", "canceled", "completed", "rejected"},
    "working": {"input_required", "completed", "failed", "canceled", "rejected"},
    "input_required": {"working", "completed", "failed", "canceled", "rejected"},
    "completed": set(),
    "failed": set(),
    "canceled": set(),
    "rejected": set(),
}


@pytest.mark.parametrize(("before", "after"), [*product(tasks.STATES, tasks.STATES)])
def test_only_moves_of_the_table_happen_and_each_is_told_once(before: str, after: str) -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state=before)
    since = len(stage.events)
    stage.change(tasks.move, task, after)
    moved = after in ALLOWED[before]
    assert stage.world.tasks[task]["state"] == (after if moved else before)
    told = [payload for _, _, payload in stage.events[since:]]
    assert [payload["prev_state"] for payload in told] == ([before] if moved else [])


def test_a_new_reason_alone_is_told_without_a_former_state() -> None:
    stage = Stage()
    task = stage.task(stage.pane(), state="input_required", status_reason={"reason": "turn_interrupted"})
    since = len(stage.events)
    stage.change(tasks.move, task, "input_required", {"reason": "decision_required", "decision_id": "d"})
    stage.change(tasks.move, task, "input_required", {"reason": "decision_required", "decision_id": "d"})
    (told,) = [payload for _, _, payload in stage.events[since:]]
    assert "prev_state" not in told and told["task"]["status_reason"]["decision_id"] == "d"


def test_a_first_prompt_s_intent_lives_as_long_as_the_task_is_pending() -> None:
    stage = Stage()
    task = stage.task(stage.pane(), state="pending")
    times = {"ready_timeout_s": 30.0, "stall_timeout_s": 5.0, "submit_delay_ms": 300.0}
    stage.change(lambda draft: tasks.open_first_prompt(draft, task, **times))
    assert stage.world.tables["intents"][tasks.intent_id(task)] == {
        "id": tasks.intent_id(task),
        "kind": "first_prompt",
        "task_id": task,
        "pasted": False,
        **times,
    }
    stage.change(tasks.move, task, "working")
    assert stage.world.tables["intents"] == {}


@pytest.mark.parametrize(
    ("contract", "path"),
    [
        ({}, "contract.objective"),
        ({"objective": 7}, "contract.objective"),
        ({"objective": " \n\t"}, "contract.objective"),
        ({"objective": "é" * 16_385}, "contract.objective"),
        ({"objective": "\ud800"}, "contract.objective"),
        ({"objective": "x", "constraints": []}, "contract.constraints"),
        ({"objective": "x", "output_format": 1}, "contract.output_format"),
        ({"objective": "x", "acceptance_criteria": "y"}, "contract.acceptance_criteria"),
        ({"objective": "x", "acceptance_criteria": [1]}, "contract.acceptance_criteria"),
        ({"objective": "x\x1b[201~"}, "contract"),
        ({"objective": "x", "acceptance_criteria": ["\x03"]}, "contract"),
    ],
)
def test_a_faulty_contract_is_refused_by_its_field(contract: dict[str, Any], path: str) -> None:
    with pytest.raises(BadParams) as caught:
        tasks.parse_contract(contract)
    assert caught.value.details["path"] == path


def test_a_contract_keeps_what_it_knows_and_no_more() -> None:
    given = {"objective": "é" * 16_384, "constraints": None, "acceptance_criteria": [], "more": 1}
    assert tasks.parse_contract(given) == {"objective": "é" * 16_384, "acceptance_criteria": []}


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ({"status": "done", "summary": "x"}, "status"),
        ({"status": "canceled", "summary": "x"}, "status"),
        ({"status": "completed", "summary": " "}, "summary"),
        ({"status": "completed", "summary": "x" * 8_193}, "summary"),
        ({"status": "completed", "summary": "x", "artifacts": [{"name": "a", "path": "b"}] * 33}, "artifacts"),
        ({"status": "completed", "summary": "x", "artifacts": ["a"]}, "artifacts[0]"),
        ({"status": "completed", "summary": "x", "artifacts": [{"name": "a"}]}, "artifacts[0].path"),
    ],
)
def test_a_faulty_result_is_refused_by_its_field(result: dict[str, Any], path: str) -> None:
    with pytest.raises(BadParams) as caught:
        tasks.parse_result(result, START)
    assert caught.value.details["path"] == path


def test_a_result_is_kept_whole() -> None:
    given = {"status": "rejected", "summary": "no", "evidence": {"log": [1]}}
    artifact = {"name": "a", "path": "b", "version": "2", "more": 1}
    assert tasks.parse_result({**given, "artifacts": [artifact]}, START) == {
        **given,
        "artifacts": [{"name": "a", "path": "b", "version": "2"}],
        "reported_at": "2027-01-15T08:00:00.000Z",
    }
    assert tasks.parse_result(given, START)["artifacts"] == []


def test_a_report_tells_the_result_before_the_move() -> None:
    stage = Stage()
    task = stage.task(stage.pane(), state="input_required", status_reason={"reason": "turn_interrupted"})
    since = len(stage.events)
    result = tasks.parse_result({"status": "failed", "summary": "no way"}, START)
    stage.change(tasks.report, task, result)
    found = stage.world.tasks[task]
    assert [(event, payload) for _, event, payload in stage.events[since:]] == [
        ("task.result", {"task_id": task, "context_id": "tctx_1", "result": result}),
        (
            "task.updated",
            {"task_id": task, "context_id": "tctx_1", "task": found, "prev_state": "input_required"},
        ),
    ]
    assert (found["state"], found["result"], "status_reason" in found) == ("failed", result, False)


def described(**contract: Any) -> dict[str, Any]:
    return {"id": "task_1", "branch": "b", "base_sha": "0" * 40, "contract": {"objective": "win", **contract}}


def test_a_prompt_leaves_out_what_has_no_content() -> None:
    preamble = tasks.preamble("task_1", "b", "0" * 40)
    assert tasks.prompt(described()) == f"{preamble}\n\n## Objective\n\nwin"
    assert tasks.prompt(described(constraints=" ", acceptance_criteria=["", " "], output_format="")) == tasks.prompt(
        described()
    )
    assert tasks.prompt(described(acceptance_criteria=["a", "b"])).endswith("## Acceptance Criteria\n\n- a\n- b")
    assert "signaltty report --status completed" in preamble and "SIGNALTTY_TASK" in preamble


def test_a_prompt_may_be_so_long_beside_its_preamble_and_no_longer() -> None:
    frame = len("\n\n## Objective\n\n")
    tasks.check_prompt(described(objective="x" * (32_768 - frame)))
    with pytest.raises(BadParams):
        tasks.check_prompt(described(objective="x" * (32_769 - frame)))


def test_the_finished_tasks_that_changed_longest_ago_are_too_many() -> None:
    """Edge case 171."""
    stage = Stage()
    draft = stage.draft()
    for number in range(1_002):
        finished = {"outcome": "merged"} if number else {"outcome": "none"}
        row = {"id": f"task_{number}", "state": "completed", "disposition": finished, "updated_at": f"{number:05}"}
        draft.put("tasks", row)
    stage.commit(draft)
    assert tasks.overflow(stage.world) == ["task_1"]


@pytest.mark.parametrize("state", ["pending", "working", "input_required", "completed"])
def test_a_worker_s_end_fails_a_task_that_is_not_over(state: str) -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state=state)
    stage.change(lifecycle.end_child, pane, None, "KILL")
    found = stage.world.tasks[task]
    if state == "completed":
        assert (found["state"], "status_reason" in found) == ("completed", False)
        return
    assert found["state"] == "failed"
    reason = dict(found["status_reason"])
    error = reason.pop("error", None)
    stage_of = {"stage": "ready_timeout"} if state == "pending" else {}
    assert reason == {"reason": "pane_exited", "exit_code": None, "signal": "KILL", **stage_of}
    assert (error is not None) == (state == "pending")


def test_a_pane_that_only_names_a_task_is_not_its_worker() -> None:
    stage = Stage()
    worker, other = stage.pane(), stage.pane()
    task = stage.task(worker)
    stage.change(lambda draft: draft.pane(other).update(task_id=task))
    stage.change(lifecycle.end_child, other, 0, None)
    stage.change(workers.end_turn, other, "done", None)
    assert stage.world.tasks[task]["state"] == "working"


def test_a_taken_prompt_resumes_a_parked_task_unless_a_decision_has_come() -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state="input_required", status_reason={"reason": "turn_interrupted"})
    stage.change(workers.take_up, pane, "task_other")
    assert stage.world.tasks[task]["state"] == "input_required"
    stage.change(lambda draft: draft.pane(pane).update(pending_decision={"id": "d"}))
    stage.change(workers.take_up, pane, None)
    assert stage.world.tasks[task]["status_reason"] == {"reason": "decision_required", "decision_id": "d"}
    stage.change(lambda draft: draft.pane(pane).pop("pending_decision"))
    stage.change(workers.take_up, pane, None)
    assert stage.world.tasks[task]["state"] == "working"


@pytest.mark.parametrize("first", [True, False])
def test_a_question_on_the_worker_s_screen_keeps_the_task_waiting_until_it_is_answered_there(first: bool) -> None:
    """A dialog that comes after Enter and names no decision: trust of a folder, a review of hooks."""
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane, state="pending" if first else "input_required")
    stage.change(lifecycle.set_lifecycle, pane, "blocked")
    stage.change(workers.take_up, pane, task if first else None)
    found = stage.world.tasks[task]
    assert (found["state"], found["status_reason"]) == (
        "input_required",
        {"reason": "decision_required", "decision_id": None},
    )
    stage.change(lifecycle.set_lifecycle, pane, "idle")
    assert stage.world.tasks[task]["state"] == "input_required"
    stage.change(lifecycle.set_lifecycle, pane, "working")
    assert (stage.world.tasks[task]["state"], "status_reason" in stage.world.tasks[task]) == ("working", False)


def test_a_change_that_moves_a_task_twice_is_told_once_from_where_it_was() -> None:
    stage = Stage()
    task = stage.task(stage.pane(), state="pending")

    def twice(draft: Draft) -> None:
        tasks.change(draft, task, worker_pid=7)
        tasks.move(draft, task, "working")
        tasks.move(draft, task, "input_required", {"reason": "turn_interrupted"})

    stage.change(twice)
    found = stage.world.tasks[task]
    ((_, event, payload),) = stage.events
    assert event == "task.updated"
    assert payload == {"task_id": task, "context_id": "tctx_1", "task": found, "prev_state": "pending"}
    assert (found["state"], found["worker_pid"]) == ("input_required", 7)

    def back(draft: Draft) -> None:
        tasks.move(draft, task, "working")
        tasks.move(draft, task, "input_required", {"reason": "turn_interrupted"})

    stage.change(back)
    assert "prev_state" not in stage.events[1][2]


def test_work_that_goes_on_beside_a_decision_resumes_nothing() -> None:
    stage = Stage()
    pane = stage.pane()
    reason = {"reason": "decision_required", "decision_id": "d"}
    task = stage.task(pane, state="input_required", status_reason=reason)
    stage.change(lifecycle.set_lifecycle, pane, "working")
    assert stage.world.tasks[task]["status_reason"] == reason


def test_a_first_prompt_s_turn_that_is_over_already_parks_the_task() -> None:
    stage = Stage()
    pane = stage.pane("claude")
    task = stage.task(pane, state="pending")
    stage.ask("hook-event", agent="claude", event="UserPromptSubmit", pane_id=pane, payload={"session_id": "s"})
    payload = {"session_id": "s", "last_assistant_message": "all done"}
    stage.ask("hook-event", agent="claude", event="Stop", pane_id=pane, payload=payload)
    assert stage.world.tasks[task]["state"] == "pending"
    stage.change(workers.take_up, pane, task)
    assert stage.world.tasks[task]["status_reason"]["reason"] == "turn_ended_without_report"
