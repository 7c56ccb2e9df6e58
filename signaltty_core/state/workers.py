"""What a pane's life means for the task it works on (agents §2.5, behaviour §5.2, §6.2). All act on a Draft."""

from __future__ import annotations

from ..base.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record


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
    _move(draft, task["id"], "input_required", reason)


def resume(draft: Draft, pane_id: str, *, only: str | None = None) -> None:
    """Let the pane's parked task work again. only: just for this reason of parking."""
    task = _task_of(draft, pane_id)
    if task is None or task["state"] != "input_required":
        return
    if only is None or task.get("status_reason", {}).get("reason") == only:
        _move(draft, task["id"], "working", None)


def _task_of(draft: Draft, pane_id: str) -> Record | None:
    task_id = draft.see_pane(pane_id).get("task_id")
    return draft.get("tasks", task_id) if task_id else None


def _move(draft: Draft, task_id: str, state: str, reason: Record | None) -> None:
    task = draft.edit("tasks", task_id)
    prev = task["state"]
    task.update(state=state, updated_at=rfc3339(draft.at))
    task.pop("status_reason", None)
    if reason is not None:
        task["status_reason"] = reason
    payload = {"task_id": task_id, "context_id": task.get("context_id"), "task": task, "prev_state": prev}
    draft.emit("task.updated", payload)
