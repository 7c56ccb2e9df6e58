"""When a screen rule may end a turn or a question whose hook fell silent (terminal-status §9.4)."""

from __future__ import annotations

from ..base.clock import passed_s
from . import program_status, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from .world import Draft, Record

SHOWN_S = 1.0
QUIET_S = 2.0

_FROM = {"idle": ("working", "blocked"), "working": ("blocked",)}
_BESIDE = {"idle": ("blocked", "hold", "working"), "working": ("blocked", "hold")}  # what contradicts the winner
_SUMMARY = {"idle": ("blocked", "working"), "working": ("blocked",)}


def may_release(
    pane: Record,
    instance: Record,
    *,
    says: str,
    beside: Collection[str],
    shown_s: float,
    at: float,
    waited_for: bool,
) -> bool:
    """Whether a release rule that says `says` acts now.

    beside: the states of all other rules that match. shown_s: for how long it has won at every look. waited_for: a live
    waiter holds the pending decision.
    """
    if says not in _FROM or pane["lifecycle"] not in _FROM[says]:
        return False
    if not sources.is_held(instance, 2) or sources.is_held(instance, 3) or waited_for:
        return False
    if shown_s < SHOWN_S or passed_s(instance.get("heard_at", at), at) < QUIET_S:
        return False
    if instance.get("program", {}).get("state") in _SUMMARY[says]:
        return False
    return not any(state in _BESIDE[says] for state in beside)


def release(draft: Draft, pane_id: str, says: str) -> None:
    """The turn or question is over: lifecycle as shown, nobody is asked any more, nothing is raised."""
    program_status.end_question(draft, pane_id, "screen", says, "screen")
