"""`task.*` that look at tasks, wait for them and end them; starting and finishing one are modules of their own."""

from __future__ import annotations

from ...base.errors import BadParams, NoSuchTask
from ...base.limits import WAIT_RECHECK_S, WAIT_S
from ...state import tasks
from ...state.effects import Until
from ...wire.codec import encode
from ...wire.kinds import Count, Json, PaneRef, TaskRef, WaitSeconds
from .reaping import end_gently
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

LIST_DEFAULT, LIST_MAX = 100, 1_000
_PSEUDO = {"terminal": tasks.TERMINAL, "settled": (*tasks.TERMINAL, "input_required")}


@method("task.get")
def task_get(call: Call, task_id: TaskRef) -> Record:
    """Show a task.

    task_id: the task
    Errors: BAD_PARAMS, NO_SUCH_TASK
    """
    return {"task": call.world.task(task_id)}


@method("task.list")
def task_list(
    call: Call, context_id: str | None = None, state: str | None = None, limit: Count = LIST_DEFAULT
) -> Record:
    """List tasks in the order they were made.

    context_id: only those of this context
    state: only those in this state
    limit: at most so many; default 100, at most 1000
    Errors: BAD_PARAMS
    """
    if state is not None and state not in tasks.STATES:
        raise BadParams(f"state: unknown state {state[:40]!r}; known: {', '.join(tasks.STATES)}", path="state")
    if limit > LIST_MAX:
        raise BadParams(f"limit: at most {LIST_MAX}", path="limit")
    found = [
        task
        for task in call.world.tasks.values()
        if (context_id is None or task["context_id"] == context_id) and (state is None or task["state"] == state)
    ]
    return {"tasks": found[:limit]}


@method("task.wait")
async def task_wait(
    call: Call,
    task_id: TaskRef | None = None,
    context_id: str | None = None,
    until: str | list[str] = "settled",
    timeout_s: WaitSeconds = WAIT_S,
) -> Record:
    """Wait until a task, or every task of a context, is in one of some states. Any further line ends the wait.

    task_id: the task; exactly one of it and context_id is given
    context_id: the context; one without tasks is satisfied at once
    until: task states, `terminal`, or `settled` (terminal or waiting for input, the default)
    timeout_s: seconds, 0 looks once; default 3600
    Errors: BAD_PARAMS, NO_SUCH_TASK, TIMEOUT
    """
    if (task_id is None) == (context_id is None):
        raise BadParams("give exactly one of task_id and context_id")
    wanted = parse_until(until)
    if task_id is not None:
        call.world.task(task_id)
    call.caller.hold()

    def check() -> Record | None:
        if task_id is not None:
            found = [call.world.task(task_id)]
        else:
            found = [task for task in call.world.tasks.values() if task["context_id"] == context_id]
        if all(task["state"] in wanted for task in found):
            return {"satisfied": True, "tasks": found}
        return None

    result: Record = await Until(check, timeout_s, WAIT_RECHECK_S)
    return result


@method("task.report", mutates=True)
def task_report(
    call: Call,
    status: str,
    summary: str,
    task_id: TaskRef | None = None,
    pane_id: PaneRef | None = None,
    artifacts: list[dict[str, Json]] | None = None,
    evidence: Json | None = None,
) -> Record:
    """Hand in the result of a task, which ends it.

    status: completed, failed or rejected
    summary: what was done, or why not
    task_id: the task; default the one the pane works on
    pane_id: the worker's pane
    artifacts: what was made, as {name, path, version?}
    evidence: any JSON that shows it
    Errors: BAD_PARAMS, NO_SUCH_TASK, NO_SUCH_PANE
    """
    if evidence is not None and len(encode(evidence)) > tasks.EVIDENCE_BYTES:
        raise BadParams(f"evidence: more than {tasks.EVIDENCE_BYTES} bytes", path="evidence")
    result = tasks.parse_result(
        {"status": status, "summary": summary, "artifacts": artifacts, "evidence": evidence}, call.clock()
    )
    task = _addressed(call, task_id, pane_id)
    _refuse_ended(task)
    draft = call.draft()
    tasks.report(draft, task["id"], result)
    call.commit(draft)
    return {"task": call.world.tasks[task["id"]]}


@method("task.cancel", mutates=True)
def task_cancel(call: Call, task_id: TaskRef) -> Record:
    """End a task without a result; its worker is told to end, pane, worktree and branch stay.

    task_id: the task
    Errors: BAD_PARAMS, NO_SUCH_TASK
    """
    task = call.world.task(task_id)
    _refuse_ended(task)
    draft = call.draft()
    tasks.move(draft, task["id"], "canceled")
    call.commit(draft)
    if task.get("pane_id") in call.world.panes:
        call.background(end_gently(call, task["pane_id"]))
    return {"task": call.world.tasks[task["id"]]}


def parse_until(until: str | list[str]) -> frozenset[str]:
    """The states that end a wait. Raises BadParams for none or an unknown one."""
    wanted = [until] if isinstance(until, str) else until
    if not wanted:
        raise BadParams("until: must not be empty", path="until")
    found: set[str] = set()
    for one in wanted:
        if one not in tasks.STATES and one not in _PSEUDO:
            known = ", ".join((*tasks.STATES, *_PSEUDO))
            raise BadParams(f"until: unknown state {one[:40]!r}; known: {known}", path="until")
        found.update(_PSEUDO.get(one, (one,)))
    return frozenset(found)


def _refuse_ended(task: Record) -> None:
    if tasks.is_terminal(task):
        raise BadParams(f"task {task['id']} is {task['state']} already", state=task["state"])


def _addressed(call: Call, task_id: str | None, pane_id: str | None) -> Record:
    """The task a report is about."""
    if task_id is not None:
        return call.world.task(task_id)
    if pane_id is None:
        raise BadParams("give task_id or pane_id")
    pane = call.world.pane(pane_id)
    if pane.get("task_id") is None:
        raise NoSuchTask(f"pane {pane['id']} works for no task", pane_id=pane["id"])
    return call.world.task(pane["task_id"])
