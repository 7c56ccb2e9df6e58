"""`task.diff`, `task.file_diff`: what a task's worktree has changed since its base (tasks-and-git §6)."""

from __future__ import annotations

from ...base.errors import IoError, ProtocolError
from ...state import tasks
from ...wire.kinds import TaskRef
from ..checkouts import git_calls, git_diffs
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("task.diff")
async def task_diff(call: Call, task_id: TaskRef) -> Record:
    """Count what a task has changed, and tell how a merge would end.

    task_id: the task
    Errors: BAD_PARAMS, NO_SUCH_TASK, IO_ERROR, TIMEOUT
    """
    task = call.world.task(task_id)
    changed = await git_diffs.against_base(call, await _root(call, task), task["base_sha"])
    preview = await _preview(call, task)
    return {"task_id": task["id"], "base_sha": task["base_sha"], **changed, "merge_preview": preview}


@method("task.file_diff")
async def task_file_diff(call: Call, task_id: TaskRef, path: str) -> Record:
    """Show what a task has changed in one file.

    task_id: the task
    path: its literal name, relative to the worktree
    Errors: BAD_PARAMS, NO_SUCH_TASK, IO_ERROR, TIMEOUT
    """
    task = call.world.task(task_id)
    root = await _root(call, task)
    untracked, content = await git_diffs.file_of_checkout(call, root, path, task["base_sha"])
    return {"task_id": task["id"], "path": path, "untracked": untracked, "content": content}


async def _root(call: Call, task: Record) -> str:
    """The worktree, while it is one: a directory left over could be inside another repository. Raises IoError."""
    path: str = task["worktree_path"]
    outcome = task["disposition"]["outcome"]
    if tasks.has_lost_its_place(call.world, task):
        raise IoError(f"the task is {task['state'] if outcome == 'none' else outcome}, and its worktree is gone")
    try:
        root = await git_calls.canonical(call, await git_calls.top_level(call, path))
    except ProtocolError as fault:
        if outcome != "none":
            raise IoError(f"the task is {outcome}, and its worktree is gone") from None
        raise IoError(f"the task's worktree cannot be read: {fault.message}") from None
    if root != path:
        raise IoError(f"{path} is no worktree any more")
    return path


async def _preview(call: Call, task: Record) -> Record | None:
    """None without a target, or where Git cannot tell."""
    target = task.get("target_branch")
    if target is None:
        return None
    try:
        tip = await git_calls.branch_tip(call, task["worktree_path"], task["branch"])
        return None if tip is None else await git_diffs.merge_preview(call, task["worktree_path"], target, tip)
    except ProtocolError:
        return None
