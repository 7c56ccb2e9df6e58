"""Intents: what is about to be done to a repository, on disk before it is done (tasks-and-git §9)."""

from __future__ import annotations

from ...state.effects import Synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft
    from ..call import Call


class Intent:
    """One that stands in the World until its outcome is recorded."""

    __slots__ = ("_call", "id")

    def __init__(self, call: Call, id: str) -> None:
        self._call = call
        self.id = id

    def note_process(self, pid: int, start_time: int | None) -> None:
        """Which process does it: a later server ends it first."""
        if self.id in self._call.world.tables["intents"]:
            draft = self._call.draft()
            draft.edit("intents", self.id).update(pid=pid, start_time=start_time)
            self._call.commit(draft)

    def close(self, draft: Draft) -> None:
        """It ends with this change, which records the outcome."""
        draft.remove(self.id)

    def end(self) -> None:
        """It ends without any other change; nothing happens when it has ended before."""
        if self.id in self._call.world.tables["intents"]:
            draft = self._call.draft()
            self.close(draft)
            self._call.commit(draft)


async def begin(call: Call, kind: str, repo: str, **facts: str | None) -> Intent:
    """Record what is about to happen; on disk when this returns.

    kind: worktree_add, worktree_remove, merge, push or branch_delete. repo: the repository's common directory.
    """
    made = {"id": call.new_id("intent"), "kind": kind, "repo": repo}
    made.update({name: value for name, value in facts.items() if value is not None})
    draft = call.draft()
    draft.put("intents", made)
    call.commit(draft)
    await Synced()
    return Intent(call, made["id"])
