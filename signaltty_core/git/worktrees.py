"""A repository's worktrees: how Git lists them, and which of them may be removed (tasks-and-git §7)."""

from __future__ import annotations

from .naming import is_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

TASK_LOCK_REASON = "managed by signaltty task"


def parse(printed: bytes) -> list[Record]:
    """Worktrees of `git worktree list --porcelain -z`; the first is the main one."""
    found: list[Record] = []
    for block in printed.split(b"\0\0"):
        fields = [field.decode("utf-8", "surrogateescape") for field in block.split(b"\0") if field]
        if not fields or not fields[0].startswith("worktree "):
            continue
        made: Record = {"path": fields[0][len("worktree ") :], "main": not found}
        made.update(bare=False, locked=False, prunable=False)
        for field in fields[1:]:
            name, _, value = field.partition(" ")
            if name in ("bare", "locked", "prunable"):
                made[name] = True
                if name == "locked" and value:
                    made["lock_reason"] = value
            elif name == "branch":
                made["branch"] = value.removeprefix("refs/heads/")
            elif name == "HEAD" and value.strip("0"):  # zeros: no commit yet
                made["head"] = value
        found.append(made)
    return found


def shown(worktree: Record, workspace_id: str | None) -> Record:
    """The wire's record of one."""
    path = worktree["path"].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    made = {**worktree, "path": path}
    made.pop("lock_reason", None)
    return made if workspace_id is None else {**made, "workspace_id": workspace_id}


def removal_fault(worktree: Record) -> str | None:
    """Why Git's own record rules a removal out; the order is that of the refusals."""
    for name, reason in (
        ("main", "it is the main checkout"),
        ("bare", "it is a bare repository"),
        ("locked", "it is locked"),
        ("prunable", "its directory is gone"),
    ):
        if worktree[name]:
            return reason
    return None


def nested(worktrees: list[Record], path: str) -> str | None:
    """Another registered worktree inside the path, which a removal would delete with it."""
    for worktree in worktrees:
        other: str = worktree["path"]
        if other != path and is_inside(other, path):
            return other
    return None


def is_lock_contention(stderr: bytes) -> bool:
    """Whether Git failed because another process holds one of its lock files for a moment."""
    return b"File exists" in stderr and (b".lock'" in stderr or b"could not lock config file" in stderr)


def is_taken_branch(stderr: bytes) -> bool:
    """Whether Git refused to make a branch because there is one of that name."""
    return b"a branch named '" in stderr and b"already exists" in stderr


def named_lock(stderr: bytes) -> str | None:
    """The lock file Git says is in its way."""
    _, begins, rest = stderr.partition(b"Unable to create '")
    path, ends, _ = rest.partition(b".lock': File exists")
    return path.decode("utf-8", "surrogateescape") + ".lock" if begins and ends else None


def is_about_submodules(stderr: bytes) -> bool:
    """Whether Git refused a removal only because of initialised submodules."""
    return b"containing submodules" in stderr
