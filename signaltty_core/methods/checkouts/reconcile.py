"""What a server finds begun by the one before: each open intent is brought to one of its ends (tasks-and-git §9)."""

from __future__ import annotations

from ...base.errors import ProtocolError
from ...state.effects import Work
from . import worktree_calls
from .git_calls import INTENT, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ...state.effects import Effect
    from ...state.world import Draft, Record
    from ..call import Call

    Row = Callable[[Call, Record], Coroutine[Effect, Any, None]]


def begin(call: Call) -> None:
    """Take every repository that has an open intent, so that requests wait, and go on in the background."""
    of_repository: dict[str, list[Record]] = {}
    for intent in call.world.tables["intents"].values():
        if "repo" in intent:
            of_repository.setdefault(intent["repo"], []).append(intent)
    for repo, found in of_repository.items():
        call.world.claims.take(repo)
        call.background(_reconcile(call, repo, found))


async def _reconcile(call: Call, repo: str, found: list[Record]) -> None:
    try:
        for intent in found:
            if "pid" in intent:
                await Work(files(call).end_left_over, intent["pid"], intent.get("start_time"))
            await Work(files(call).end_marked, INTENT, intent["id"])
            row = _row_of(intent)
            try:
                if row is not None:
                    await row(call, intent)
            except ProtocolError:
                pass  # the repository has gone, or Git cannot tell: then there is nothing to bring to an end
            if intent["id"] in call.world.tables["intents"]:
                close(call, intent)
    finally:
        call.world.claims.give_back(repo)


def close(call: Call, intent: Record, draft: Draft | None = None) -> None:
    """The intent ends with this change, or alone."""
    change = draft or call.draft()
    change.remove(intent["id"])
    call.commit(change)


def _row_of(intent: Record) -> Row | None:
    if "task_id" not in intent and intent["kind"] in _ROWS:
        return _ROWS[intent["kind"]]
    from ..tasks.reconcile_tasks import ROWS  # a table of its own, which few starts need

    kind: str = intent["kind"]
    return ROWS.get(f"task_{kind}" if kind.startswith("worktree_") else kind)


async def _worktree_add(call: Call, intent: Record) -> None:
    """A whole checkout stays and is told; what Git had not finished goes."""
    known = await worktree_calls.registered(call, intent["repo"], intent["path"])
    if known is None or known.get("lock_reason") == worktree_calls.UNFINISHED:
        await worktree_calls.undo_add(call, intent["repo"], intent["path"], intent["branch"], intent.get("sha"))
        return
    _tell(call, intent, "create")


async def _worktree_remove(call: Call, intent: Record) -> None:
    """As after success when Git no longer knows it, else it is left as it is."""
    if await worktree_calls.registered(call, intent["repo"], intent["path"]) is None:
        _tell(call, intent, "remove")


def _tell(call: Call, intent: Record, operation: str) -> None:
    draft = call.draft()
    told = {"operation": operation, "path": intent["path"], "workspace_id": intent.get("workspace_id")}
    draft.emit("worktree.changed", told)
    close(call, intent, draft)


_ROWS: dict[str, Row] = {"worktree_add": _worktree_add, "worktree_remove": _worktree_remove}
