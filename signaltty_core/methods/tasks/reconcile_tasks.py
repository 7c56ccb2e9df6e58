"""Open intents of tasks, brought to an end at a server's start (tasks-and-git §9)."""

from __future__ import annotations

from ...base.errors import IoError, ProtocolError
from ...git import requests
from ...state import tasks
from ...state.effects import Work
from ..checkouts import git_calls, merging, worktree_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call
    from ..checkouts.reconcile import Row


async def _worktree_add(call: Call, intent: Record) -> None:
    """No task came of it: the worktree goes, and the branch that was made for it."""
    if intent["task_id"] in call.world.tasks:
        return
    path = intent["path"]
    if await worktree_calls.registered(call, intent["repo"], path) is not None and await _was_filled(call, path):
        if not await git_calls.is_clean(call, path):
            return  # somebody has worked there
    await worktree_calls.undo_add(call, intent["repo"], path, intent["branch"], intent.get("sha"))


async def _worktree_remove(call: Call, intent: Record) -> None:
    """What is still registered stays; a second finish tries again."""
    if await worktree_calls.registered(call, intent["repo"], intent["path"]) is not None:
        _note(call, intent, {"cleanup_error": "the server was lost while the worktree was being removed"})


async def _merge(call: Call, intent: Record) -> None:
    """Merged and recorded, or undone and told."""
    source = intent["path"]
    code, printed, _ = await git_calls.asking(call, source, requests.HEAD_COMMIT)
    head = printed.decode("ascii", "replace").strip()
    if code == 0 and await git_calls.contains(call, source, intent["sha"], head):
        _, pending, _ = await git_calls.asking(call, source, merging.MERGE_HEAD)
        if pending.decode("ascii", "replace").strip() == intent["sha"]:  # Git forgets it only after its last hook
            await git_calls.altering(call, source, requests.change("merge", "--quit"))
        draft = call.draft()
        if intent["task_id"] in call.world.tasks:
            disposition = merging.merged(intent["target"], head, draft.at)
            tasks.change(draft, intent["task_id"], disposition=disposition, finish_error=None)
        call.commit(draft)
        return
    try:
        await merging.restore(call, source, intent["head"], intent["sha"])
        error: Record = {"error": IoError("the server was lost during the merge; nothing was merged").as_wire()}
    except ProtocolError as fault:
        error = {"error": fault.as_wire(), **fault.details}
    _note(call, intent, error)


async def _push(call: Call, intent: Record) -> None:
    """Nothing: `task.pr_open` may be called again."""


async def _branch_delete(call: Call, intent: Record) -> None:
    task = call.world.tasks.get(intent["task_id"])
    if task is None:
        return
    gone = await git_calls.branch_tip(call, intent["repo"], intent["branch"]) is None
    if gone and not task["disposition"].get("branch_deleted"):
        draft = call.draft()
        tasks.change(draft, task["id"], disposition={**task["disposition"], "branch_deleted": True})
        call.commit(draft)


async def _was_filled(call: Call, path: str) -> bool:
    """Whether Git had finished with the new checkout: it writes the index last."""
    code, printed, _ = await git_calls.asking(call, path, requests.INDEX_PATH)
    index = printed.decode("utf-8", "surrogateescape").removesuffix("\n")
    found: bool = code == 0 and await Work(git_calls.files(call).exists, index)
    return found


def _note(call: Call, intent: Record, error: Record) -> None:
    if intent["task_id"] in call.world.tasks:
        draft = call.draft()
        tasks.change(draft, intent["task_id"], finish_error=error)
        call.commit(draft)


ROWS: dict[str, Row] = {
    "task_worktree_add": _worktree_add,
    "task_worktree_remove": _worktree_remove,
    "merge": _merge,
    "push": _push,
    "branch_delete": _branch_delete,
}
