"""Qwen's hooks as facts (agents §4.10): Claude's table for the events it has."""

from __future__ import annotations

from . import claude, readings
from .base import LAPSE, NOOP, NUDGE, TOOL_END, Facts, batch_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_SHARED = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)
_KNOWN = ("QueryEnd", "SessionDelete", "TodoCreated", "TodoCompleted", "MessageDisplay")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _notification(payload: Payload) -> Facts:
    facts = claude.notification(payload)
    if facts.outcome == NUDGE:
        facts.outcome = LAPSE
    return facts


def _batch(payload: Payload) -> Facts:
    """A refused tool is in the batch too, and has not run."""
    calls = payload.get("tool_calls")
    if not isinstance(calls, list):
        return Facts(NOOP)
    ran = [each for each in calls if isinstance(each, dict) and each.get("status") != "cancelled"]
    return Facts(TOOL_END, tools=batch_of({"tool_calls": ran})) if ran else Facts(NOOP)


EVENTS: dict[str, Reading] = {
    **{event: claude.EVENTS[event] for event in _SHARED},
    **{event: readings.plain(NOOP) for event in _KNOWN},
    "Notification": _notification,
    "PostToolBatch": _batch,
}
