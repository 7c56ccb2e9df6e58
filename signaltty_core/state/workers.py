"""What a pane's life means for the task it works on (agents §2.5, behaviour §5.2, §6.2). All act on a Draft."""

from __future__ import annotations

from . import sources, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record


_WORDS_ONLY = {"reason": "decision_required", "decision_id": None}


def end_turn(draft: Draft, pane_id: str, how: str, last_message: str | None) -> None:
    """Park the pane's working task, because its worker's turn is over without a report.

    how: `done`, `failed` or `interrupted`.
    """
    task = _task_of(draft, pane_id)
    if task is None or task["state"] != "working":
        return
    if how == "interrupted":
        reason: Record = {"reason": "turn_interrupted"}
    else:
        reason = {"reason": "turn_ended_without_report", "last_message": last_message}
        if how == "failed":
            reason["failed"] = True
    tasks.move(draft, task["id"], "input_required", reason)


def resume(draft: Draft, pane_id: str) -> None:
    """Let the pane's parked task work again."""
    task = _task_of(draft, pane_id)
    if task is not None and task["state"] == "input_required":
        tasks.move(draft, task["id"], "working")


def begin_turn(draft: Draft, pane_id: str) -> None:
    """The worker has begun by itself: that resumes a task whose prompt nobody had confirmed, and one that waited for
    an answer only the worker's own screen takes."""
    task = _task_of(draft, pane_id)
    reason = task.get("status_reason", {}) if task is not None else {}
    if reason.get("reason") == "submit_unconfirmed" or reason == _WORDS_ONLY:
        resume(draft, pane_id)


def take_up(draft: Draft, pane_id: str, first_of: str | None) -> None:
    """The pane's agent has taken a prompt: its parked task works again, or the pending task whose first one it was.

    A question that came meanwhile keeps the task waiting; a turn that is over already ends as any other.
    """
    task = _task_of(draft, pane_id)
    if task is None or task["state"] != ("input_required" if first_of is None else "pending"):
        return
    if first_of is not None and task["id"] != first_of:
        return
    pane = draft.see_pane(pane_id)
    if "pending_decision" in pane or pane["lifecycle"] == "blocked":
        tasks.move(draft, task["id"], "input_required", decision_reason(pane))
        return
    tasks.move(draft, task["id"], "working")
    if pane["lifecycle"] in ("done", "failed") and sources.is_hooked(draft.see_instance(pane_id)):
        end_turn(draft, pane_id, pane["lifecycle"], pane.get("last_message"))


def decision_reason(pane: Record) -> Record:
    """Why a task waits for a person; no id for a request that is only words."""
    decision = pane.get("pending_decision")
    return {"reason": "decision_required", "decision_id": decision["id"] if decision is not None else None}


def lose(draft: Draft, pane_id: str, how: str, **evidence: object) -> None:
    """The worker is gone before its task was over.

    how: `pane_exited` or `pane_closed`; evidence: what is known of the child's end.
    """
    task = _task_of(draft, pane_id)
    if task is None or tasks.is_terminal(task):
        return
    reason: Record = {"reason": how, **evidence}
    if task["state"] == "pending":
        said = "the worker has ended before it was ready" if how == "pane_exited" else "the worker's pane was closed"
        reason = {"stage": "ready_timeout", **reason, "error": {"code": "PANE_EXITED", "message": said, "details": {}}}
    tasks.move(draft, task["id"], "failed", reason)


def _task_of(draft: Draft, pane_id: str) -> Record | None:
    """The task whose worker the pane is: panes of other work may name it too."""
    task_id = draft.see_pane(pane_id).get("task_id")
    task = draft.get("tasks", task_id) if task_id else None
    return task if task is not None and task.get("pane_id", pane_id) == pane_id else None
