"""Merging a task's branch into the checkout it came from, so that the target is either merged or exactly as before
(tasks-and-git §4.3)."""

from __future__ import annotations

from os import unlink
from posixpath import basename, lexists

from ...base.clock import rfc3339
from ...base.errors import BadParams, IoError, MergeConflict, TimedOut
from ...git import requests, worktrees
from ...state import tasks
from ...state.effects import Work
from . import git_calls, intents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call
    from .worktree_calls import Repository

MERGE_S = 120.0
_LOCKS = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock", "the branch's own")
_VARIABLE = "SIGNALTTY_MERGE_TIMEOUT_MS"
MERGE_HEAD = requests.read("rev-parse", "-q", "--verify", "MERGE_HEAD")
PARENTS = requests.read("rev-parse", "-q", "HEAD^@")


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
        raise BadParams(
            "the task has an open pull request; merge or close that, then task.pr_refresh", url=task["pr"]["url"]
        )
    if task["state"] != "completed":
        raise BadParams(f"only a completed task can be merged; this one is {task['state']}", state=task["state"])
    target = target_ref if target_ref is not None else task.get("target_branch")
    if target is None:
        raise BadParams(
            "target_ref: the task was started on a detached HEAD; name the branch to merge into", path="target_ref"
        )
    source = task["source_repo"]
    actual = await git_calls.head_branch(call, source)
    if target != actual:
        shown = actual if actual is not None else "a detached HEAD"
        raise BadParams(
            f"the target is {target[:80]!r}, but {source} has {shown} checked out; check the target out there first",
            expected=target,
            actual=actual,
        )
    await check_worktree(call, task, ignore_dirty)
    await _check_target(call, source)
    tip = await git_calls.branch_tip(call, source, task["branch"])
    head = await _head(call, source)
    if tip is None or head is None:
        raise IoError(f"branch {task['branch']} or the target has no commit")
    return Plan(source, target, task["branch"], tip, head)


async def check_worktree(call: Call, task: Record, ignore_dirty: bool) -> None:
    """Raise BadParams when work in the worktree was not committed, or to something else than the task's branch."""
    if ignore_dirty:
        return
    path = task["worktree_path"]
    if not await git_calls.is_clean(call, path):
        raise BadParams("the worktree has changes that are not committed; commit them or pass ignore_dirty")
    head, tip = await _head(call, path), await git_calls.branch_tip(call, task["source_repo"], task["branch"])
    if head is not None and tip is not None and not await git_calls.contains(call, path, head, tip):
        raise BadParams(
            f"the worktree is at {head[:12]}, which branch {task['branch']} does not contain; pass ignore_dirty to "
            "merge the branch as it is",
            head=head,
        )


async def _check_target(call: Call, source: str) -> None:
    """Raise BadParams when the target has work of its own that is not committed."""
    if await _pending(call, source) is not None:
        raise BadParams(f"the target is in the middle of a merge: {source}; end or abort that first")
    if not await git_calls.is_clean(call, source, tracked_only=True):
        raise BadParams(f"the target has changes of its own: {source}; commit or stash them first")


async def merge(call: Call, held: Repository, task: Record, wanted: Plan) -> str:
    """Merge and record the disposition; the commit the target is at now. What fails leaves the target as it was.

    held: the repository, entered. Raises MergeConflict, IoError, TimedOut.
    """
    if await git_calls.branch_tip(call, wanted.source, wanted.branch) != wanted.tip:
        raise IoError(f"branch {wanted.branch} has moved since it was looked at; look again")
    if await _head(call, wanted.source) != wanted.head:  # to go back to the old commit would drop the new one
        raise IoError(f"the target {wanted.target} has moved since it was looked at; look again")
    await _check_target(call, wanted.source)
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
    limit_s = git_calls.limit_s(call, _VARIABLE, MERGE_S)
    argv = requests.merge(await _name(call, wanted))
    try:
        code, printed, stderr = await git_calls.altering(call, wanted.source, argv, limit_s, intent=intent)
    except TimedOut:
        await restore(call, wanted.source, wanted.head, wanted.tip)
        raise TimedOut(f"the merge did not end within {limit_s:g} s; the target is as before") from None
    if code != 0:
        conflicted = await _conflicted(call, wanted.source)
        await restore(call, wanted.source, wanted.head, wanted.tip)
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


async def restore(call: Call, source: str, head: str, tip: str) -> None:
    """Bring the target back to the commit it was at, nothing half merged. Raises IoError when that fails.

    Only after a merge of ours (of `tip`) has ended: the lock files of a killed one are in the way and nobody else's.
    """
    if await _is_restored(call, source, head):
        return
    await _refuse_foreign(call, source, head, tip)
    for argv in (requests.MERGE_ABORT, requests.reset_merge(head)):
        for _ in _LOCKS:
            _, _, stderr = await git_calls.altering(call, source, argv)
            if not await Work(_drop_lock, worktrees.named_lock(stderr)):
                break
        if await _is_restored(call, source, head):
            return
    raise IoError("the merge could not be undone; look at the target", abort_ok=False, target_dirty=True)


async def _refuse_foreign(call: Call, source: str, head: str, tip: str) -> None:
    """Raise IoError when the target holds what somebody else made meanwhile: going back would throw it away."""
    code, printed, _ = await git_calls.asking(call, source, PARENTS)
    ours = printed.decode("ascii", "replace").split() == [head, tip]
    if (await _head(call, source) not in (head, None) and not (code == 0 and ours)) or (
        await _pending(call, source) not in (tip, None)
    ):
        raise IoError("somebody else moved the target during the merge; look at it", abort_ok=False, target_dirty=True)


async def _is_restored(call: Call, source: str, head: str) -> bool:
    if await _pending(call, source) is not None or await _head(call, source) != head:
        return False
    locked = await Work(_any_exists, await _locks(call, source))
    return not locked and await git_calls.is_clean(call, source, tracked_only=True)


def _drop_lock(path: str | None) -> bool:
    """Whether a lock that a killed merge leaves behind was in the way, and is gone now."""
    if path is None or not (basename(path) in _LOCKS or "/refs/heads/" in path):
        return False
    try:
        unlink(path)
    except FileNotFoundError:
        pass  # it has gone by itself
    except OSError:
        return False
    return True


async def _locks(call: Call, source: str) -> list[str]:
    """The lock files a killed merge may leave: of the index, of HEAD, and of the branch that is checked out."""
    branch = await git_calls.head_branch(call, source)
    names = ["index", "HEAD"] if branch is None else ["index", "HEAD", f"refs/heads/{branch}"]
    paths = [await git_calls.asking(call, source, requests.path_of(name)) for name in names]
    return [printed.decode("utf-8", "surrogateescape").removesuffix("\n") + ".lock" for _, printed, _ in paths]


def _any_exists(paths: list[str]) -> bool:
    return any(lexists(path) for path in paths)


async def _conflicted(call: Call, source: str) -> list[str]:
    code, printed, _ = await git_calls.asking(call, source, requests.UNMERGED)
    names = {name.decode("utf-8", "replace") for name in printed.split(b"\0") if name}
    return sorted(names) if code == 0 else []


async def _head(call: Call, source: str) -> str | None:
    code, printed, _ = await git_calls.asking(call, source, requests.HEAD_COMMIT)
    return printed.decode("ascii", "replace").strip() if code == 0 else None


async def _pending(call: Call, source: str) -> str | None:
    """The commit that is being merged there; None when none is."""
    code, printed, _ = await git_calls.asking(call, source, MERGE_HEAD)
    return printed.decode("ascii", "replace").strip() if code == 0 else None
