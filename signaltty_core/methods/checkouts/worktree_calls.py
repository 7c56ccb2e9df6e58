"""Worktrees made and removed, one change of a repository at a time, guarded and repeatable (tasks-and-git §2.3, §4.4,
§7)."""

from __future__ import annotations

from posixpath import islink

from ...base.errors import BadParams, IoError, ProtocolError
from ...git import naming, requests, worktrees
from ...state.effects import Sleep, Work
from . import intents
from .git_calls import Deadline, Held, altering, asking, branch_tip, canonical, common_directory, failed, files
from .git_calls import is_clean, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType
    from typing import Any

    from ...state.effects import Effect
    from ...state.world import Record
    from ..call import Call

ATTEMPTS = 6  # a lock file of another Git: up to five more tries within these seconds
ATTEMPTS_S = 5.0
ATTEMPT_AFTER_S = 0.6
UNFINISHED = "initializing"  # Git's own lock while it fills a new worktree


class Repository(Held):
    """`async with`: nobody else here changes the repository. directory: where Git is asked, the repository itself."""

    def __init__(self, call: Call, directory: str) -> None:
        super().__init__(call, directory)
        self.directory = directory


async def repository(call: Call, directory: str) -> Repository:
    """The repository a checkout belongs to. Raises BadParams outside one."""
    return Repository(call, await common_directory(call, directory))


class Removing:
    """`with`: nothing may be started or opened in the path. Raises BadParams while somebody else removes it."""

    def __init__(self, call: Call, path: str) -> None:
        self._claims = call.world.claims
        self._path = path

    def __enter__(self) -> None:
        if self._claims.is_removed(self._path):
            raise BadParams(f"path: {self._path} is being removed", path="path")
        self._claims.removing.add(self._path)

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._claims.removing.discard(self._path)


class Added:
    """A worktree that now exists; `intent` stays open until the caller has recorded it."""

    __slots__ = ("intent", "preexisting_branch")

    def __init__(self, intent: intents.Intent, preexisting_branch: bool) -> None:
        self.intent = intent
        self.preexisting_branch = preexisting_branch


async def list_worktrees(call: Call, directory: str) -> list[Record]:
    """Git's registrations. Raises IoError."""
    code, printed, stderr = await asking(call, directory, requests.WORKTREES)
    if code != 0:
        raise failed("the worktrees cannot be listed", stderr)
    return worktrees.parse(printed)


async def registered(call: Call, directory: str, path: str) -> Record | None:
    """The registration whose canonical path this is. path: canonical."""
    listed = await list_worktrees(call, directory)
    paths = await Work(files(call).canonical, [one["path"] for one in listed])
    return next((one for one, known in zip(listed, paths, strict=True) if known == path), None)


async def add(
    call: Call,
    held: Repository,
    path: str,
    branch: str,
    sha: str,
    *,
    lock_reason: str | None = None,
    adopts: bool = True,
    task_id: str | None = None,
    workspace_id: str | None = None,
) -> Added:
    """Check a branch out in a new worktree: an existing one if `adopts`, else a new one at the commit `sha`.

    held: the repository, entered. path: absolute. What fails leaves neither directory nor branch.
    Raises BadParams for a taken path or branch, IoError, TimedOut.
    """
    place = await canonical(call, path)
    if not naming.is_text(place):
        raise BadParams("path: a directory on the way has a name that is not UTF-8", path="path")
    async with Held(call, f"path:{place}"):
        if not await Work(files(call).is_vacant, place):
            raise BadParams(f"path: {path} exists and is not empty", path="path")
        if await registered(call, held.directory, place) is not None:
            raise BadParams(f"path: {path} is a registered worktree", path="path")
        tip = await branch_tip(call, held.directory, branch)
        if tip is not None and not adopts:
            raise BadParams(f"branch: {branch} exists already", path="branch")
        intent = await intents.begin(
            call,
            "worktree_add",
            held.directory,
            task_id=task_id,
            workspace_id=workspace_id,
            path=place,
            branch=branch,
            sha=None if tip is not None else sha,
        )
        try:
            await _try_to_add(call, held, place, branch, None if tip is not None else sha, lock_reason, intent)
        except ProtocolError:
            intent.end()
            raise
        return Added(intent, tip is not None)


async def _try_to_add(
    call: Call,
    held: Repository,
    path: str,
    branch: str,
    start: str | None,
    lock_reason: str | None,
    intent: intents.Intent,
) -> None:
    ends = Deadline(call, ATTEMPTS_S)
    made = False  # a branch that an attempt made and could not take back: the next one adopts it
    for attempt in range(ATTEMPTS):
        argv = requests.add_worktree(path, branch, None if made else start, lock_reason)
        try:
            code, _, stderr = await altering(call, held.directory, argv, intent=intent)
        except ProtocolError:
            await undo_add(call, held.directory, path, branch, start)
            raise
        if code == 0:
            return
        if worktrees.is_taken_branch(stderr):
            break  # another program was quicker: the branch is its own, and Git has made nothing
        if b"already exists" in stderr:  # the same with the place, but Git makes the branch first
            await _drop_branch(call, held.directory, branch, start)
            break
        await undo_add(call, held.directory, path, branch, start)
        if attempt + 1 == ATTEMPTS or not worktrees.is_lock_contention(stderr) or ends.left_s() < ATTEMPT_AFTER_S:
            break
        await Sleep(ATTEMPT_AFTER_S)
        made = start is not None and await branch_tip(call, held.directory, branch) == start
    raise failed("the worktree was not added", stderr)


async def undo_add(call: Call, directory: str, path: str, branch: str, start: str | None) -> None:
    """Take back what an unfinished addition left. start: where a branch that was made for it must still be."""
    try:
        await altering(call, directory, requests.remove_worktree(path, force=2))
        await altering(call, directory, requests.PRUNE_WORKTREES)
        if await registered(call, directory, path) is None and await Work(files(call).is_left_over, path):
            await Work(files(call).remove_tree, path)
    except ProtocolError:
        pass  # the failure that led here is the one to report
    await _drop_branch(call, directory, branch, start)


async def _drop_branch(call: Call, directory: str, branch: str, start: str | None) -> None:
    """Delete a branch that was made a moment ago; start: the commit it must still be at, None for an older one."""
    if start is not None:
        try:
            await altering(call, directory, requests.delete_branch(branch, start))
        except ProtocolError:
            pass


async def remove(call: Call, directory: str, path: str, intent: intents.Intent) -> None:
    """Remove a clean worktree without force, or with one when only initialised submodules are in the way.

    Raises BadParams when Git refuses, TimedOut.
    """
    code, _, stderr = await altering(call, directory, requests.remove_worktree(path), intent=intent)
    if code != 0 and worktrees.is_about_submodules(stderr) and await is_clean(call, path):
        code, _, stderr = await altering(call, directory, requests.remove_worktree(path, force=1), intent=intent)
    if code != 0:
        raise BadParams(f"path: Git does not remove it: {said(stderr)}", path="path")


async def clear(
    call: Call, held: Repository, path: str, task_id: str, check: Callable[[], Coroutine[Effect, Any, None]]
) -> str | None:
    """Remove a task's worktree whatever is in it; None once the path is gone, else what went wrong.

    held: the repository, entered. path: no link when it was made; where one leads now is nobody's to remove.
    check: raises while somebody is inside; asked once nobody can enter any more.
    """
    if await Work(islink, path):
        return f"{path} was replaced by a link and is left alone"
    place = await canonical(call, path)
    intent = await intents.begin(call, "worktree_remove", held.directory, task_id=task_id, path=place)
    try:
        with Removing(call, place):
            await check()
            await _clear(call, held.directory, place, intent)
            fault = None
    except ProtocolError as failure:
        fault = failure.message
    intent.end()
    return fault


async def _clear(call: Call, directory: str, path: str, intent: intents.Intent) -> None:
    known = await registered(call, directory, path)
    inner = worktrees.nested(await list_worktrees(call, directory), path if known is None else known["path"])
    if inner is not None:
        raise IoError(f"the worktree {inner} is inside it")
    await altering(call, directory, requests.unlock_worktree(path))
    _, _, stderr = await altering(call, directory, requests.remove_worktree(path, force=2), intent=intent)
    await altering(call, directory, requests.PRUNE_WORKTREES)
    if not await Work(files(call).exists, path):
        return
    if await registered(call, directory, path) is not None:
        raise IoError(f"the worktree was not removed: {said(stderr)}")
    if await Work(files(call).is_repository, path):
        raise IoError(f"{path} is a repository of its own by now and is left alone")
    await Work(files(call).remove_tree, path)
