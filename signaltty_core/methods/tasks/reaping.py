"""Ending the worker of a task, and what its pane owes nobody any more (behaviour §8.4, tasks-and-git §2.6)."""

from __future__ import annotations

from ...base.errors import TimedOut
from ...state import attention
from ...state.effects import SendSignal, Sleep, Until
from ...state.world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..call import Call

GENTLE_S = 5.0
LOOK_S = 0.02
LOOKS = 250
EXIT_S = 5.0


async def end_gently(call: Call, pane_id: str) -> None:
    """TERM to the worker's group, KILL after a while."""
    if not is_live(call.world.panes[pane_id]):
        clear_attention(call, pane_id)
        return
    await SendSignal(pane_id, "TERM", True)
    try:
        await _exited(pane_id, call, GENTLE_S)
    except TimedOut:
        pass
    await kill(call, pane_id)


async def kill(call: Call, pane_id: str) -> bool:
    """Kill the worker's group until nobody of it is left; False when it will not go. Its attention is cleared."""
    gone = False
    for _ in range(LOOKS):
        if not await SendSignal(pane_id, "KILL", True):
            gone = True
            break
        await Sleep(LOOK_S)
    try:
        await _exited(pane_id, call, EXIT_S)
    except TimedOut:
        return False
    clear_attention(call, pane_id)
    return gone


def clear_attention(call: Call, pane_id: str) -> None:
    """Nobody need look at the pane of a task that is closed."""
    if pane_id in call.world.panes:
        draft = call.draft()
        attention.clear(draft, pane_id, "task_closed", seen=False)
        call.commit(draft)


async def _exited(pane_id: str, call: Call, limit_s: float) -> None:
    """Until the end of the pane's child is recorded."""

    def check() -> bool | None:
        pane = call.world.panes.get(pane_id)
        return True if pane is None or not is_live(pane) else None

    await Until(check, limit_s, LOOK_S)
