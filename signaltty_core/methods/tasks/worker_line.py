"""How a task's worker is called: an agent that keeps its commands in a sandbox must be able to commit."""

from __future__ import annotations

from posixpath import dirname, isdir

from ...base.errors import ProtocolError
from ...git import requests
from ...state.effects import Work
from ..checkouts import git_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

_SANDBOXED = ("codex",)


async def worker_line(call: Call, task: Record, argv: list[str], kind: str) -> list[str]:
    """argv of the worker, with what its sandbox must let it write added."""
    if kind not in _SANDBOXED:
        return argv
    from ...agents.install import codex_line

    try:
        code, printed, _ = await git_calls.asking(call, task["worktree_path"], requests.GIT_DIRECTORIES)
    except ProtocolError:
        return argv  # the worker starts all the same, and says itself what it may not do
    own, _, common = printed.decode("utf-8", "surrogateescape").removesuffix("\n").partition("\n")
    if code != 0 or not common:
        return argv
    return codex_line.with_places(argv, await Work(commit_places, own, common, task["branch"]))


def commit_places(own: str, common: str, branch: str) -> list[str]:
    """The directories a commit on the branch writes to; hooks and configuration of the repository are not among them.

    own: the worktree's directory in the repository. common: the repository. Blocks.
    """
    wanted = (own, f"{common}/objects", f"{common}/refs/heads/{branch}", f"{common}/logs/refs/heads/{branch}")
    found = []
    for path in wanted:
        while not isdir(path) and path != common:
            path = dirname(path)
        if path != common:
            found.append(path)
    return found
