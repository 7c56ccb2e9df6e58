"""Of the tasks that are finished only the newest are kept (tasks-and-git §2.8)."""

from __future__ import annotations

from posixpath import lexists

from ...state import tasks
from ...state.effects import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Call


async def forget_finished(call: Call) -> None:
    """Drop those that are too many, without an event. A task nobody finished counts once its worktree is gone."""
    if len(call.world.tasks) <= tasks.KEPT:
        return
    places = {id: task["worktree_path"] for id, task in call.world.tasks.items() if tasks.is_left(task)}
    gone = await Work(_missing, places)
    draft = call.draft()
    draft.remove(*tasks.overflow(call.world, gone))
    call.commit(draft)


def _missing(places: dict[str, str]) -> frozenset[str]:
    return frozenset(id for id, path in places.items() if not lexists(path))
