"""Turn baselines: the checkout as it was when an agent began to work (tasks-and-git §8)."""

from __future__ import annotations

from ...base.errors import ProtocolError
from . import git_diffs
from .git_calls import top_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


def begins_turn(event: str, payload: Record) -> bool:
    """An agent works, and not because somebody has answered it."""
    return event == "agent.working" and payload.get("prev") != "blocked"


async def record(call: Call, workspace_id: str, pane_id: str, seq: int, started_at: str) -> None:
    """Capture the checkout and keep it as the workspace's baseline. seq: of the event that began the turn.

    A failure is kept as well: who asks for the turn's changes is told.
    """
    workspace = call.world.workspaces.get(workspace_id)
    if workspace is None:
        return
    baseline: Record = {"id": workspace_id, "pane_id": pane_id, "seq": seq, "started_at": started_at}
    try:
        baseline["tree"] = await git_diffs.capture(call, await top_level(call, workspace["cwd"]))
    except ProtocolError as fault:
        baseline["error"] = fault.message
    if workspace_id not in call.world.workspaces:
        return
    draft = call.draft()
    known = call.world.tables["baselines"].get(workspace_id)
    if known is None or known["seq"] < seq:  # captures may end in another order than they began
        draft.put("baselines", baseline)
    draft.emit("workspace.turn_started", {"workspace_id": workspace_id, "pane_id": pane_id, "started_at": started_at})
    call.commit(draft)
