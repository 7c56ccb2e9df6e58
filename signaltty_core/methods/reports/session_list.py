"""session.list: what agents have said of themselves."""

from __future__ import annotations

from ...state import agent_status
from ...wire.kinds import PaneRef
from ..looking import look
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("session.list")
def session_list(call: Call, pane_id: PaneRef | None = None) -> Record:
    """List status sessions in pane order, the shown one of each pane first.

    pane_id: only those of this pane; id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    chosen = None if pane_id is None else str(call.world.pane(pane_id)["id"])
    look(call, chosen)
    panes = [str(pane["id"]) for pane in call.world.panes_in_order()] if chosen is None else [chosen]
    now = call.machine.now()
    return {"sessions": [view for id in panes for view in agent_status.views(call.world, id, now)]}
