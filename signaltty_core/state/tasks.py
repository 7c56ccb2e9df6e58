"""Tasks: their records, their states and the moves between them, and what a worker is told (tasks-and-git §1, §2)."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.errors import BadParams
from .words import TASK_STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import Any

    from .world import Draft, Record, World

STATES = TASK_STATES
TERMINAL = ("completed", "failed", "canceled", "rejected")
REPORTED = ("completed", "failed", "rejected")
_MOVES = {
    "pending": ("working", "input_required", "failed", "canceled", "completed", "rejected"),
    "working": ("input_required", "completed", "failed", "canceled", "rejected"),
    "input_required": ("working", "completed", "failed", "canceled", "rejected"),
}

PROMPT_BYTES = 32_768
SUMMARY_BYTES = 8_192
ARTIFACTS = 32
EVIDENCE_BYTES = 256 << 10
SUBMIT_DELAY_MS = 300
STALL_S = 5.0
READY_S = 30.0
KEPT = 1_000
FIRST_PROMPT = "first_prompt"  # kind of the intent a pending task keeps open


def is_terminal(task: Mapping[str, Any]) -> bool:
    return task["state"] in TERMINAL


def parse_contract(given: Mapping[str, Any]) -> Record:
    """A checked contract. Raises BadParams naming the field."""
    objective = given.get("objective")
    if not isinstance(objective, str) or not objective.strip():
        raise BadParams("contract.objective: expected a text that is not blank", path="contract.objective")
    if _size_bytes(objective, "contract.objective") > PROMPT_BYTES:
        raise BadParams(f"contract.objective: more than {PROMPT_BYTES} bytes", path="contract.objective")
    contract: Record = {"objective": objective}
    for name in ("constraints", "output_format"):
        value = given.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise BadParams(f"contract.{name}: expected a string", path=f"contract.{name}")
            _size_bytes(value, f"contract.{name}")
            contract[name] = value
    criteria = given.get("acceptance_criteria")
    if criteria is not None:
        path = "contract.acceptance_criteria"
        if not isinstance(criteria, list) or not all(isinstance(one, str) for one in criteria):
            raise BadParams(f"{path}: expected an array of strings", path=path)
        for one in criteria:
            _size_bytes(one, path)
        contract["acceptance_criteria"] = list(criteria)
    for text in _texts(contract):
        if any((one < " " or "\x7f" <= one <= "\x9f") and one not in "\t\n\r" for one in text):
            raise BadParams("contract: holds a control character other than tab and line breaks", path="contract")
    return contract


def parse_result(given: Mapping[str, Any], at: float) -> Record:
    """A checked TaskResult of a report. Raises BadParams naming the field."""
    if given.get("status") not in REPORTED:
        raise BadParams(f"status: expected one of {', '.join(REPORTED)}", path="status")
    summary = given.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        raise BadParams("summary: expected a text that is not blank", path="summary")
    if _size_bytes(summary, "summary") > SUMMARY_BYTES:
        raise BadParams(f"summary: more than {SUMMARY_BYTES} bytes", path="summary")
    artifacts = given.get("artifacts") or []
    if not isinstance(artifacts, list) or len(artifacts) > ARTIFACTS:
        raise BadParams(f"artifacts: expected an array of at most {ARTIFACTS}", path="artifacts")
    result: Record = {
        "status": given["status"],
        "summary": summary,
        "artifacts": [_artifact(one, f"artifacts[{index}]") for index, one in enumerate(artifacts)],
    }
    if given.get("evidence") is not None:
        result["evidence"] = given["evidence"]
    result["reported_at"] = rfc3339(at)
    return result


def new(id: str, *, context_id: str, label: str, contract: Record, at: float, **fields: Any) -> Record:
    """A task as it is stored first; fields that are None stay out."""
    moment = rfc3339(at)
    return {
        "id": id,
        "context_id": context_id,
        **{name: value for name, value in fields.items() if value is not None},
        "label": label,
        "contract": contract,
        "state": "pending",
        "disposition": {"outcome": "none"},
        "created_at": moment,
        "updated_at": moment,
    }


def short(task_id: str) -> str:
    return task_id[-8:]


def prompt(task: Record) -> str:
    """The first prompt: who the worker is, then the contract, parts without content left out."""
    contract = task["contract"]
    parts = [preamble(task["id"], task["branch"], task["base_sha"]), f"## Objective\n\n{contract['objective'].strip()}"]
    if (contract.get("constraints") or "").strip():
        parts.append(f"## Constraints\n\n{contract['constraints'].strip()}")
    criteria = [one.strip() for one in contract.get("acceptance_criteria", ()) if one.strip()]
    if criteria:
        parts.append("## Acceptance Criteria\n\n" + "\n".join(f"- {one}" for one in criteria))
    if (contract.get("output_format") or "").strip():
        parts.append(f"## Expected Output Format\n\n{contract['output_format'].strip()}")
    return "\n\n".join(parts)


def preamble(task_id: str, branch: str, base_sha: str) -> str:
    return (
        f"You are the worker of task {task_id}. You work alone in a Git worktree of your own, on branch {branch}, "
        f"made from commit {base_sha}. Stay inside this directory and commit your work to that branch. When you are "
        "finished, or cannot go on, run exactly one of these in the shell: `signaltty report --status completed "
        '--summary "what was done"`, or the same with `--status failed` or `--status rejected` and the reason; '
        "`--evidence` may add JSON that proves it. The task's id is in the variable SIGNALTTY_TASK. A turn that ends "
        "without a report counts as unfinished."
    )


def check_prompt(task: Record) -> None:
    """Raise BadParams for a prompt that is too long to be given to anybody."""
    fixed = len(preamble(task["id"], task["branch"], task["base_sha"]).encode())
    if len(prompt(task).encode()) > fixed + PROMPT_BYTES:
        raise BadParams(f"contract: the prompt has more than {PROMPT_BYTES} bytes", path="contract")


def finishing(task_id: str) -> str:
    """The claim of whoever changes what there is of the task: its start, its end, its pull request."""
    return f"finish:{task_id}"


def active(world: World) -> int:
    """How many tasks are not over."""
    return sum(1 for task in world.tasks.values() if not is_terminal(task))


def create(draft: Draft, task: Record) -> Record:
    """Store a new task and tell of it."""
    draft.put("tasks", task)
    draft.emit("task.created", {"task_id": task["id"], "context_id": task["context_id"], "task": task})
    return task


def move(draft: Draft, task_id: str, state: str, reason: Record | None = None) -> None:
    """Bring the task to `state`, with the reason that replaces the one before; an event tells of both.

    A move that is none of the table changes nothing: whoever comes late finds the task over.
    """
    now = draft.get("tasks", task_id)
    if now is None or (state != now["state"] and state not in _MOVES.get(now["state"], ())):
        return
    prev = now["state"]
    if prev == state and now.get("status_reason") == reason:
        return
    task = draft.edit("tasks", task_id)
    task["state"] = state
    task.pop("status_reason", None)
    if reason is not None:
        task["status_reason"] = reason
    _tell(draft, task, prev if prev != state else None)
    if state != "pending":
        _close_intents(draft, task_id, FIRST_PROMPT)


def change(draft: Draft, task_id: str, **fields: Any) -> Record:
    """Set fields of the task and tell of it; None removes one."""
    task = draft.edit("tasks", task_id)
    for name, value in fields.items():
        if value is None:
            task.pop(name, None)
        else:
            task[name] = value
    _tell(draft, task, None)
    return task


def report(draft: Draft, task_id: str, result: Record) -> None:
    """The worker's own word: the result is stored and the task is over."""
    task = draft.edit("tasks", task_id)
    prev = task["state"]
    task.update(result=result, state=result["status"])
    task.pop("status_reason", None)
    payload = {"task_id": task_id, "context_id": task.get("context_id"), "result": result}
    draft.emit("task.result", payload)
    _tell(draft, task, prev)
    _close_intents(draft, task_id, FIRST_PROMPT)


def open_first_prompt(
    draft: Draft, task_id: str, *, ready_timeout_s: float, stall_timeout_s: float, submit_delay_ms: float
) -> Record:
    """Remember what the pending task still waits for, so that a next server can go on (tasks-and-git §9)."""
    return draft.put(
        "intents",
        {
            "id": intent_id(task_id),
            "kind": FIRST_PROMPT,
            "task_id": task_id,
            "ready_timeout_s": ready_timeout_s,
            "stall_timeout_s": stall_timeout_s,
            "submit_delay_ms": submit_delay_ms,
            "pasted": False,
        },
    )


def intent_id(task_id: str) -> str:
    return f"{FIRST_PROMPT}:{task_id}"


def is_left(task: Mapping[str, Any]) -> bool:
    """Whether the task is over and nobody has merged or discarded it."""
    return is_terminal(task) and bool(task["disposition"]["outcome"] == "none")


def overflow(world: World, gone: Container[str] = ()) -> list[str]:
    """The finished tasks that are too many, those first that changed longest ago.

    gone: tasks nobody finished whose worktree is no more; they count as finished.
    """
    finished = [
        task for task in world.tasks.values() if is_terminal(task) and (not is_left(task) or task["id"] in gone)
    ]
    if len(finished) <= KEPT:
        return []
    finished.sort(key=lambda task: str(task["updated_at"]))
    return [task["id"] for task in finished[: len(finished) - KEPT]]


def _tell(draft: Draft, task: Record, prev: str | None) -> None:
    """One event for all that a change does to the task, from the state before it to the one after it."""
    task["updated_at"] = rfc3339(draft.at)
    for event, told in draft.events:
        if event == "task.updated" and told["task_id"] == task["id"]:
            before = told.pop("prev_state", prev)
            if before is not None and before != task["state"]:
                told["prev_state"] = before
            return
    payload = {"task_id": task["id"], "context_id": task.get("context_id"), "task": task}
    if prev is not None:
        payload["prev_state"] = prev
    draft.emit("task.updated", payload)


def _close_intents(draft: Draft, task_id: str, kind: str) -> None:
    found = [row["id"] for row in draft.rows("intents") if row.get("task_id") == task_id and row["kind"] == kind]
    if found:
        draft.remove(*found)


def _texts(contract: Record) -> list[str]:
    plain = [contract[name] for name in ("objective", "constraints", "output_format") if name in contract]
    return [*plain, *contract.get("acceptance_criteria", [])]


def _artifact(given: Any, path: str) -> Record:
    if not isinstance(given, dict):
        raise BadParams(f"{path}: expected an object", path=path)
    made: Record = {}
    for name in ("name", "path", "version"):
        value = given.get(name)
        if value is None and name == "version":
            continue
        if not isinstance(value, str) or not value:
            raise BadParams(f"{path}.{name}: expected a non-empty string", path=f"{path}.{name}")
        made[name] = value
    return made


def _size_bytes(text: str, path: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BadParams(f"{path}: holds half a character", path=path) from None


def has_lost_its_place(world: World, task: Record) -> bool:
    """Whether what stands at worktree_path is somebody else's: the task was cleaned up, or a later task is there."""
    place, at, done = task["worktree_path"], task["created_at"], task["disposition"]
    later = (one for one in world.tasks.values() if one["worktree_path"] == place and one["created_at"] > at)
    is_cleaned_up = "branch_deleted" in done and "cleanup_error" not in task.get("finish_error", {})
    return is_cleaned_up or any(one["disposition"]["outcome"] == "none" for one in later)
