"""Staying until a person has answered a native permission request, or until nobody can (behaviour §6.3)."""

from __future__ import annotations

from ...agents import verdicts
from ...base.errors import TimedOut
from ...base.limits import WAIT_RECHECK_S
from ...state import decisions
from ...state.effects import Until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...agents.table import Kind
    from ...state.world import Draft, Record
    from ..call import Call


async def wait(
    call: Call, draft: Draft, pane_id: str, kind: Kind, decision_id: str, timeout_s: float, gives_way: bool
) -> Record:
    """Publish the question and stay until it is answered or over. Whatever ends the call, the route ends with it.

    gives_way: the agent shows its own dialog only once the wait is over, so a person at the prompt ends it (agents §5).
    """
    call.waiters.open(pane_id, decision_id)
    outcome: Record | None
    try:
        call.commit(draft)
        call.caller.hold()
        outcome = await Until(lambda: _look(call, pane_id, decision_id, gives_way), timeout_s, WAIT_RECHECK_S)
    except TimedOut:
        outcome = call.waiters.outcome(pane_id, decision_id) or {"cancelled": "timeout"}
    finally:
        call.waiters.close(pane_id, decision_id)
        _withdraw(call, pane_id, decision_id)
    assert outcome is not None
    if "option_id" in outcome:
        return {"accepted": True, "native_verdict": verdicts.verdict(kind.key, outcome["option_id"])}
    return {"accepted": True, "native_verdict": None, "cancelled": outcome["cancelled"]}


def _look(call: Call, pane_id: str, decision_id: str, gives_way: bool) -> Record | None:
    """How the wait has ended, None while it lasts: answered, released, given way to a person at the prompt, or its
    question is gone or no longer this session's."""
    outcome = call.waiters.outcome(pane_id, decision_id)
    if outcome is not None:
        return outcome
    pane = call.world.panes.get(pane_id)
    if pane is None or not decisions.is_pending(pane, decision_id):
        return {"cancelled": "moved_on"}
    if not decisions.is_routed(pane, call.world.instances[pane_id]):
        return {"cancelled": "moved_on"}
    return {"cancelled": "attended"} if gives_way and call.machine.is_watched(pane_id) else None


def _withdraw(call: Call, pane_id: str, decision_id: str) -> None:
    """Clear the question nobody can answer any more; the pane stays blocked (behaviour §6.1)."""
    pane = call.world.panes.get(pane_id)
    if pane is None or not decisions.is_pending(pane, decision_id):
        return
    if not decisions.is_generated(call.world.instances[pane_id], decision_id):
        return
    draft = call.draft()
    decisions.clear(draft, pane_id, "native_cancelled")
    call.commit(draft)
