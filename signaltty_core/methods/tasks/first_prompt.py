"""A task's first prompt, given behind everybody's back once its worker is ready (tasks-and-git §2.5)."""

from __future__ import annotations

from ...base.errors import AgentBusy, ProtocolError, TimedOut
from ...base.limits import WAIT_RECHECK_S
from ...state import tasks, workers
from ...state.effects import Synced, Until
from ...state.world import is_live
from ..panes.on_screen import in_the_way
from ..panes.submission import Submission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

TAIL_LINES = 12
FOREVER_S = 30 * 86_400.0  # a worker may stand at its first dialog until somebody comes


async def run(call: Call, task_id: str) -> None:
    """Wait for the worker, submit, and record what became of it. The task's intent says with which times."""
    intent = call.world.tables["intents"].get(tasks.intent_id(task_id))
    task = call.world.tasks.get(task_id)
    if intent is None or task is None or task["state"] != "pending":
        return
    if intent["pasted"]:
        error = TimedOut("the server was lost after the prompt was pasted", stage="activity_gate")
        _move(call, task_id, "input_required", _unconfirmed(error))
        return
    readiness = _Readiness(call, task_id, intent["ready_timeout_s"])
    found = await Until(readiness.check, FOREVER_S, WAIT_RECHECK_S)
    while found == "ready" and not await _submit(call, task, intent):
        found = await Until(readiness.check, FOREVER_S, WAIT_RECHECK_S)
    if found == "late":
        screen = call.machine.runtime(task["pane_id"]).terminal.read_screen()
        tail = "\n".join(screen.split("\n")[-TAIL_LINES:])
        _move(call, task_id, "failed", {"stage": "ready_timeout", "screen_tail": tail})


class _Readiness:
    """Whether the worker takes a prompt. Time in which it asks a person does not count."""

    __slots__ = ("_call", "_ends_at", "_looked_at", "_task_id")

    def __init__(self, call: Call, task_id: str, limit_s: float) -> None:
        self._call = call
        self._task_id = task_id
        self._looked_at = call.machine.now()
        self._ends_at = self._looked_at + limit_s

    def check(self) -> str | None:
        """`ready`, `late`, `over` when the task is no longer pending, None while there is time."""
        world, now = self._call.world, self._call.machine.now()
        task = world.tasks.get(self._task_id)
        pane = world.panes.get(task["pane_id"]) if task is not None else None
        if task is None or task["state"] != "pending" or pane is None or not is_live(pane):
            return "over"
        way = in_the_way(self._call, pane)
        if pane["lifecycle"] == "blocked" or (way is not None and way[0] == "blocked"):
            self._ends_at += now - self._looked_at
        self._looked_at = now
        if pane["lifecycle"] in ("idle", "done") and way is None:
            return "ready"
        return "late" if now >= self._ends_at else None


async def _submit(call: Call, task: Record, intent: Record) -> bool:
    """Whether that was the end of it; False when something has come in the way before the first byte."""
    task_id, pane_id = task["id"], task["pane_id"]

    async def note_paste() -> None:
        """From here on a next server must not type it again."""
        if intent["id"] in call.world.tables["intents"]:
            draft = call.draft()
            draft.edit("intents", intent["id"])["pasted"] = True
            call.commit(draft)
            await Synced()

    submission = Submission(
        call,
        pane_id,
        tasks.prompt(task),
        delay_s=intent["submit_delay_ms"] / 1000,
        stall_s=intent["stall_timeout_s"],
        first_of=task_id,
    )
    try:
        await submission.run(before_paste=note_paste)
    except ProtocolError as fault:
        if "rule" in fault.details and not submission.pasted:
            return False
        pane = call.world.panes.get(pane_id)
        if pane is not None:  # else the task has been told of its worker's end
            state, reason = _meaning(pane, fault, submission.pasted)
            _move(call, task_id, state, reason)
    return True


def _meaning(pane: Record, fault: ProtocolError, pasted: bool) -> tuple[str, Record]:
    """The task's state and reason after a prompt that was not confirmed."""
    asks = "pending_decision" in pane or pane["attention"] == "permission_required" or pane["lifecycle"] == "blocked"
    refused_for_question = isinstance(fault, AgentBusy) and fault.details.get("stage") != "draft"
    if asks and (refused_for_question or fault.details.get("stage") == "activity_gate"):
        return "input_required", workers.decision_reason(pane)
    if fault.details.get("stage") == "activity_gate" or (pasted and isinstance(fault, AgentBusy)):
        return "input_required", _unconfirmed(fault)
    return "failed", {"stage": "submit_refused", "error": fault.as_wire()}


def _unconfirmed(fault: ProtocolError) -> Record:
    return {"reason": "submit_unconfirmed", "stage": "activity_gate", "error": fault.as_wire()}


def _move(call: Call, task_id: str, state: str, reason: Record) -> None:
    task = call.world.tasks.get(task_id)
    if task is not None and task["state"] == "pending":
        draft = call.draft()
        tasks.move(draft, task_id, state, reason)
        call.commit(draft)
