"""Qwen's hooks as facts (agents §4.10): Claude's table for the events it has."""

from __future__ import annotations

from . import claude, readings
from .base import ASK_INPUT, ASK_PERMISSION, LAPSE, NOOP, NUDGE, TOOL_END, Facts, Tool, batch_of, is_asking

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
    if facts.outcome == ASK_PERMISSION and _asks_a_question(facts.message):
        return Facts(ASK_INPUT, repeats=True)
    return facts


def _asks_a_question(message: str | None) -> bool:
    """`Qwen Code needs your permission to use ask_user_question`: the question itself came with another hook."""
    return message is not None and is_asking(Tool(message.rpartition(" ")[2]))


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
