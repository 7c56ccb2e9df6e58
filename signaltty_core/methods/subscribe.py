"""`subscribe`: events as they happen, and those since a number (behaviour §12, persistence §6)."""

from __future__ import annotations

from ..wire.kinds import Seq, TaskRef
from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .call import Call


@method("subscribe")
def subscribe(
    call: Call,
    events: list[str] | None = None,
    from_seq: Seq | None = None,
    task_ids: list[TaskRef] | None = None,
) -> Any:
    """Get events on this connection, behind the reply.

    events: patterns like `*`, `agent.*` or a whole name; default all
    from_seq: first replay every matching event above this number
    task_ids: of task events only those of these tasks
    Errors: BAD_PARAMS
    """
    return call.caller.subscribe(events, task_ids, from_seq)
