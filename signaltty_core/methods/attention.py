"""attention.pending and focus.next_unread: which panes want a person, most urgent first."""

from __future__ import annotations

from ..base.limits import PENDING_DEFAULT, PENDING_MAX
from ..state import attention
from ..state.views import pending_view
from ..wire.kinds import Count
from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call


@method("attention.pending")
def attention_pending(call: Call, limit: Count = PENDING_DEFAULT) -> Record:
    """List the panes that want a person, by severity, then the newest.

    limit: how many at most; default 50, more than 500 counts as 500
    Errors: BAD_PARAMS
    """
    return {"panes": [pending_view(pane) for pane in _ranked(call)[: min(limit, PENDING_MAX)]]}


@method("focus.next_unread")
def focus_next_unread(call: Call) -> Record:
    """Name the pane that wants a person most; null when none does.

    Errors: none
    """
    waiting = _ranked(call)
    return {"pane_id": waiting[0]["id"] if waiting else None}


def _ranked(call: Call) -> list[Record]:
    return attention.ranked([call.pane_view(pane_id) for pane_id in call.world.panes])
