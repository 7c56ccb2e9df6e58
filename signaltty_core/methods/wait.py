"""`wait`: until a pane reaches a state (behaviour §7)."""

from __future__ import annotations

from ..base.limits import WAIT_RECHECK_S, WAIT_S
from ..state import waits
from ..state.effects import Until
from ..wire.kinds import Object, PaneRef, WaitSeconds
from .looking import look
from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.world import Record
    from .call import Call


@method("wait")
async def wait(
    call: Call,
    pane_id: PaneRef,
    until: str | list[str],
    after: Object | None = None,
    timeout_s: WaitSeconds = WAIT_S,
) -> Any:
    """Wait until a pane reaches one of some states. Any further line on the connection ends the wait.

    pane_id: id or name
    until: lifecycle or attention states, `seen` or `attention_cleared`, in order of preference
    after: a `wait_baseline` of `pane.get`: only what happened since then counts
    timeout_s: seconds, 0 looks once; default 3600
    Errors: BAD_PARAMS, NO_SUCH_PANE, IDENTITY_CHANGED, TIMEOUT
    """
    wanted = waits.parse_until(until)
    id = call.world.pane(pane_id)["id"]
    baseline = None if after is None else waits.parse_after(after, id)
    call.caller.hold()
    look(call, id)

    def check() -> Record | None:
        return waits.check(call.world, id, wanted, baseline)

    return await Until(check, timeout_s, WAIT_RECHECK_S)
