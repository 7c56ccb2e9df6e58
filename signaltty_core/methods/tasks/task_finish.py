"""`task.finish`: the work is merged or thrown away, then its worktree goes (tasks-and-git §4)."""

from __future__ import annotations

from typing import Literal

from ...base.clock import rfc3339
from ...base.errors import BadParams, IoError, MergeConflict, PanesAlive, ProtocolError
from ...git.naming import is_inside
from ...state import tasks
from ...state.effects import Work
from ...state.world import is_live
from ...wire.kinds import TaskRef
from ..panes import closing
from ..checkouts import git_calls, intents, merging, worktree_calls
from .forgetting import forget_finished
from ..checkouts.git_calls import Held
from .reaping import clear_attention, kill
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call
    from ..checkouts.worktree_calls import Repository


@method("task.finish", mutates=True)
async def task_finish(
    call: Call,
    task_id: TaskRef,
    mode: Literal["merge", "discard"],
    target_ref: str | None = None,
    delete_branch: bool | None = None,
    ignore_dirty: bool = False,
) -> Record:
    """Merge a task's work into its target, or discard it; then remove its worktree.

    task_id: the task
    mode: merge or discard
    target_ref: branch to merge into, which must be checked out; default the one the task came from
    delete_branch: default true for merge, false for discard; a branch that was there before always stays
    ignore_dirty: merge although the worktree has changes that are not committed; they are lost
    Errors: BAD_PARAMS, NO_SUCH_TASK, PANES_ALIVE, MERGE_CONFLICT, IO_ERROR, TIMEOUT
    """
    call.world.task(task_id)
    async with Held(call, tasks.finishing(task_id)):
        finishing = _Finishing(call, task_id, ignore_dirty)
        held = await _repository(call, call.world.task(task_id))
        async with held:
            merged: Record | None = None
            if call.world.task(task_id)["disposition"]["outcome"] != "none":
                await finishing.check_left_over()
            elif mode == "merge":
                merged = await finishing.merge(held, target_ref)
            else:
                await finishing.discard()
            outcome = call.world.task(task_id)["disposition"]["outcome"]
            deletes = outcome == "merged" if delete_branch is None else delete_branch
            fault = await finishing.clean_up(held, deletes)
        result: Record = {"task": call.world.task(task_id)}
        await forget_finished(call)
    if merged is not None:
        result["merge"] = merged
    if fault is not None:
        result["cleanup_error"] = fault
    return result


async def _repository(call: Call, task: Record) -> Repository:
    """The task's repository, also when the checkout it came from is gone, as a finished task's is."""
    try:
        return await worktree_calls.repository(call, task["source_repo"])
    except ProtocolError:
        if not await Work(git_calls.files(call).exists, task["worktree_path"]):
            raise
    return await worktree_calls.repository(call, task["worktree_path"])


class _Finishing:
    """One task being finished, its repository held. tip: what was merged."""

    __slots__ = ("_call", "_id", "_ignore_dirty", "_tip")

    def __init__(self, call: Call, task_id: str, ignore_dirty: bool) -> None:
        self._call = call
        self._id = task_id
        self._ignore_dirty = ignore_dirty
        self._tip: str | None = None

    @property
    def _task(self) -> Record:
        return self._call.world.task(self._id)

    async def check_left_over(self) -> None:
        """A task that is finished can only be cleaned up, and only once: what stands there later is somebody else's."""
        task = self._task
        lost = tasks.has_lost_its_place(self._call.world, task)
        if lost or not await Work(git_calls.files(self._call).exists, task["worktree_path"]):
            raise BadParams(f"the task is {task['disposition']['outcome']} already")
        await self.check_panes()

    async def check_panes(self) -> None:
        """Nobody but the worker is inside the worktree, or on the way there. Raises PanesAlive."""
        task, world = self._task, self._call.world
        others = [(pane["id"], pane["cwd"]) for pane in world.live_panes() if pane["id"] != task.get("pane_id")]
        coming = [("", place) for place in world.claims.entered()]
        everybody = [*others, *coming]
        own = git_calls.files(self._call)
        path, *places = await Work(own.canonical, [task["worktree_path"], *(cwd for _, cwd in everybody)])
        inside = [id for (id, _), place in zip(everybody, places, strict=True) if is_inside(place, path)]
        if inside:
            raise PanesAlive(
                f"{len(inside)} other panes are inside {task['worktree_path']}", pane_ids=[id for id in inside if id]
            )

    async def discard(self) -> None:
        await self.check_panes()
        task = self._task
        if not tasks.is_terminal(task):
            draft = self._call.draft()
            tasks.move(draft, self._id, "canceled")
            self._call.commit(draft)
        await self._end_worker()
        draft = self._call.draft()
        disposition = {"outcome": "discarded", "at": rfc3339(draft.at)}
        tasks.change(draft, self._id, disposition=disposition, finish_error=None)
        self._call.commit(draft)

    async def merge(self, held: Repository, target_ref: str | None) -> Record:
        """`{target, sha}`. What hinders it is kept as the task's `finish_error`, where the table says so."""
        await self.check_panes()
        wanted = await merging.plan(self._call, self._task, target_ref, self._ignore_dirty)
        await self._end_worker()
        await merging.check_worktree(self._call, self._task, self._ignore_dirty)
        try:
            sha = await merging.merge(self._call, held, self._task, wanted)
        except ProtocolError as fault:
            kept = (
                dict(fault.details) if isinstance(fault, MergeConflict) else {"error": fault.as_wire(), **fault.details}
            )
            draft = self._call.draft()
            tasks.change(draft, self._id, finish_error=kept)
            self._call.commit(draft)
            raise
        self._tip = wanted.tip
        return {"target": wanted.target, "sha": sha}

    async def clean_up(self, held: Repository, deletes_branch: bool) -> str | None:
        """Remove the worktree, its workspaces and its branch; what hindered it, which the task keeps."""
        task, call = self._task, self._call
        fault = await self._changed_since(held.directory)
        if fault is None and not tasks.has_lost_its_place(call.world, task):
            fault = await worktree_calls.clear(call, held, task["worktree_path"], self._id, self.check_panes)
            if fault is None:
                await self._close_workspaces()
        deleted = False
        if fault is None and deletes_branch and not task["preexisting_branch"]:
            deleted = await self._delete_branch(held)
        draft = call.draft()
        disposition = {**self._task["disposition"], "branch_deleted": deleted}
        error = {"cleanup_error": fault} if fault is not None else None
        if disposition != self._task["disposition"] or error != self._task.get("finish_error"):
            tasks.change(draft, self._id, disposition=disposition, finish_error=error)
        call.commit(draft)
        return fault

    async def _changed_since(self, repository: str) -> str | None:
        """Whether somebody worked on in a worktree that is merged: then it is kept."""
        task = self._task
        if task["disposition"]["outcome"] != "merged" or self._ignore_dirty:
            return None
        if not await Work(git_calls.files(self._call).exists, task["worktree_path"]):
            return None
        try:
            if await worktree_calls.registered(self._call, repository, task["worktree_path"]) is None:
                return None  # what is left of it after a removal that failed
            if not await git_calls.is_clean(self._call, task["worktree_path"]):
                return "the worktree was changed after the merge and is kept"
            tip = await git_calls.branch_tip(self._call, task["source_repo"], task["branch"])
            head = task["disposition"]["merged_sha"]
            if tip is not None and not await git_calls.contains(self._call, task["source_repo"], tip, head):
                return "the branch has commits from after the merge and is kept"
        except ProtocolError as fault:
            return fault.message
        return None

    async def _delete_branch(self, held: Repository) -> bool:
        """False when it is somewhere else than it was, or Git will not."""
        call, task = self._call, self._task
        try:
            tip = self._tip or await git_calls.branch_tip(call, held.directory, task["branch"])
            if tip is None:
                return False
            intent = await intents.begin(
                call, "branch_delete", held.directory, task_id=self._id, branch=task["branch"], sha=tip
            )
            try:
                return await git_calls.delete_branch(call, held.directory, task["branch"], tip)
            finally:
                intent.end()
        except ProtocolError:
            return False

    async def _close_workspaces(self) -> None:
        """Workspaces rooted in the worktree go, unless panes of theirs live elsewhere."""
        call, path = self._call, self._task["worktree_path"]
        listed = list(call.world.workspaces.values())
        places = await Work(git_calls.files(call).canonical, [one["cwd"] for one in listed])
        for workspace, place in zip(listed, places, strict=True):
            alive = any(pane["workspace_id"] == workspace["id"] for pane in call.world.live_panes())
            if place == path and not alive and workspace["id"] in call.world.workspaces:
                draft = call.draft()
                closing.close_workspace(call, draft, workspace["id"], "TERM")
                call.commit(draft)

    async def _end_worker(self) -> None:
        """Nobody writes in the worktree any more. Raises IoError when the worker will not go."""
        pane_id = self._task.get("pane_id")
        pane = self._call.world.panes.get(pane_id or "")
        if pane is None:
            return
        if not is_live(pane):
            clear_attention(self._call, pane["id"])
        if not await kill(self._call, pane["id"]):
            raise IoError("the worker could not be ended", pane_id=pane["id"])
