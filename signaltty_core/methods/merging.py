"""Merging a task's branch into the checkout it came from, so that the target is either merged or exactly as before
(tasks-and-git §4.3)."""

from __future__ import annotations

from os import unlink
from posixpath import join

from ..base.clock import rfc3339
from ..base.errors import BadParams, IoError, MergeConflict, TimedOut
from ..git import requests
from ..state import tasks
from ..state.effects import Work
from . import git_calls, intents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call
    from .worktree_calls import Repository

MERGE_MS = 120_000
_VARIABLE = "SIGNALTTY_MERGE_TIMEOUT_MS"
MERGE_HEAD = requests.read("rev-parse", "-q", "--verify", "MERGE_HEAD")


class Plan:
    """A merge that nothing speaks against. tip, head: commits of branch and target at that moment."""

    __slots__ = ("branch", "head", "source", "target", "tip")

    def __init__(self, source: str, target: str, branch: str, tip: str, head: str) -> None:
        self.source = source
        self.target = target
        self.branch = branch
        self.tip = tip
        self.head = head


async def plan(call: Call, task: Record, target_ref: str | None, ignore_dirty: bool) -> Plan:
    """Check everything that may speak against it, in the order of the table. Raises BadParams, IoError."""
    if task.get("pr", {}).get("state") == "open":
        raise BadParams("the task has an open pull request", url=task["pr"]["url"])
    if task["state"] != "completed":
        raise BadParams(f"only a completed task can be merged; this one is {task['state']}", state=task["state"])
    target = target_ref if target_ref is not None else task.get("target_branch")
    if target is None:
        raise BadParams("target_ref: the task knows no target branch", path="target_ref")
    source = task["source_repo"]
    actual = await git_calls.head_branch(call, source)
    if target != actual:
        shown = actual if actual is not None else "a detached HEAD"
        raise BadParams(
            f"the target is {target[:80]!r}, but {source} has {shown} checked out", expected=target, actual=actual
        )
    await check_worktree(call, task, ignore_dirty)
    if not await git_calls.is_clean(call, source, tracked_only=True):
        raise BadParams(f"the target has changes of its own: {source}")
    tip = await git_calls.branch_tip(call, source, task["branch"])
    head = await _head(call, source)
    if tip is None or head is None:
        raise IoError(f"branch {task['branch']} or the target has no commit")
    return Plan(source, target, task["branch"], tip, head)


async def check_worktree(call: Call, task: Record, ignore_dirty: bool) -> None:
    """Raise BadParams when work in the worktree was not committed."""
    if not ignore_dirty and not await git_calls.is_clean(call, task["worktree_path"]):
        raise BadParams("the worktree has changes that are not committed; commit them or pass ignore_dirty")


async def merge(call: Call, held: Repository, task: Record, wanted: Plan) -> str:
    """Merge and record the disposition; the commit the target is at now. What fails leaves the target as it was.

    held: the repository, entered. Raises MergeConflict, IoError, TimedOut.
    """
    if await git_calls.branch_tip(call, wanted.source, wanted.branch) != wanted.tip:
        raise IoError(f"branch {wanted.branch} has moved since it was looked at; look again")
    intent = await intents.begin(
        call,
        "merge",
        held.directory,
        task_id=task["id"],
        path=wanted.source,
        branch=wanted.branch,
        sha=wanted.tip,
        target=wanted.target,
        head=wanted.head,
    )
    try:
        head = await _merge(call, wanted, intent)
    except BaseException:
        intent.end()
        raise
    draft = call.draft()
    intent.close(draft)
    tasks.change(draft, task["id"], disposition=merged(wanted.target, head, draft.at), finish_error=None)
    call.commit(draft)
    return head


def merged(target: str, head: str, at: float) -> Record:
    return {"outcome": "merged", "target_ref": target, "merged_sha": head, "at": rfc3339(at)}


async def _merge(call: Call, wanted: Plan, intent: intents.Intent) -> str:
    limit_s = merge_limit_s(call)
    argv = requests.merge(await _name(call, wanted))
    try:
        code, printed, stderr = await git_calls.altering(call, wanted.source, argv, limit_s, intent=intent)
    except TimedOut:
        await restore(call, wanted.source, wanted.head)
        raise TimedOut(f"the merge did not end within {limit_s:g} s; the target is as before") from None
    if code != 0:
        conflicted = await _conflicted(call, wanted.source)
        await restore(call, wanted.source, wanted.head)
        if conflicted:
            raise MergeConflict(f"{len(conflicted)} files conflict", conflicted=conflicted)
        raise IoError(
            f"Git refused the merge: {git_calls.said(stderr or printed)}", stderr=stderr.decode(errors="replace")
        )
    head = await _head(call, wanted.source)
    if head is None or not await git_calls.contains(call, wanted.source, wanted.tip, head):
        raise IoError("Git reported success, but the target does not contain the branch")
    return head


async def _name(call: Call, wanted: Plan) -> str:
    """The branch by its short name, which the merge's message shows, unless a tag of that name would be merged."""
    _, printed, _ = await git_calls.asking(call, wanted.source, requests.commit_of(wanted.branch))
    is_branch = printed.decode("ascii", "replace").strip() == wanted.tip
    return wanted.branch if is_branch else f"refs/heads/{wanted.branch}"


async def restore(call: Call, source: str, head: str) -> None:
    """Bring the target back to the commit it was at, nothing half merged. Raises IoError when that fails.

    Only after a merge of ours has ended: the lock files of a killed one are in the way and nobody else's.
    """
    if await _is_restored(call, source, head):
        return
    for argv in (requests.MERGE_ABORT, requests.change("reset", "--merge", head)):
        _, _, stderr = await git_calls.altering(call, source, argv)
        if b".lock" in stderr and b"exists" in stderr:
            await _drop_lock(call, source)
            await git_calls.altering(call, source, argv)
        if await _is_restored(call, source, head):
            return
    raise IoError("the merge could not be undone; look at the target", abort_ok=False, target_dirty=True)


async def _is_restored(call: Call, source: str, head: str) -> bool:
    code, _, _ = await git_calls.asking(call, source, MERGE_HEAD)
    if code == 0 or await _head(call, source) != head:
        return False
    locked = await Work(git_calls.files(call).exists, await _lock_path(call, source))
    return not locked and await git_calls.is_clean(call, source, tracked_only=True)


async def _drop_lock(call: Call, source: str) -> None:
    try:
        await Work(unlink, await _lock_path(call, source))
    except OSError:
        pass  # it has gone by itself


async def _lock_path(call: Call, source: str) -> str:
    _, printed, _ = await git_calls.asking(call, source, requests.INDEX_PATH)
    return join(source, printed.decode("utf-8", "surrogateescape").removesuffix("\n")) + ".lock"


async def _conflicted(call: Call, source: str) -> list[str]:
    code, printed, _ = await git_calls.asking(call, source, requests.UNMERGED)
    names = {name.decode("utf-8", "replace") for name in printed.split(b"\0") if name}
    return sorted(names) if code == 0 else []


async def _head(call: Call, source: str) -> str | None:
    code, printed, _ = await git_calls.asking(call, source, requests.HEAD_COMMIT)
    return printed.decode("ascii", "replace").strip() if code == 0 else None


def merge_limit_s(call: Call) -> float:
    """The deadline of a merge; an unreadable variable counts as absent."""
    said = call.settings.environ.get(_VARIABLE, "")
    return (int(said) if said.isascii() and said.isdigit() and int(said) > 0 else MERGE_MS) / 1000
