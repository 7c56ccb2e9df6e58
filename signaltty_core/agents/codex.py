"""Codex's hooks and its `notify` messages as facts (agents §4.2)."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_PERMISSION,
    COMPACT_BEGIN,
    COMPACT_END,
    DONE,
    END,
    INTERRUPT,
    LATE_START,
    PROMPT,
    START,
    Facts,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _session_start(payload: Payload) -> Facts:
    facts = readings.session_start(payload)
    return Facts(LATE_START) if facts.outcome == START else facts


def _permission_request(payload: Payload) -> Facts:
    facts = readings.permission_request(payload)
    if facts.outcome == ASK_PERMISSION:
        facts.message = facts.message or "approval requested"
        facts.body = facts.tools[0].name or text(payload, "description")
    return facts


def _turn_complete(payload: Payload) -> Facts:
    """Internal threads, which name a task for example, report their own turns here."""
    message = text(payload, "last_assistant_message", "last-assistant-message")
    return Facts(DONE, message, only_session=text(payload, "thread-id", "thread_id"))


EVENTS: dict[str, Reading] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": readings.plain(PROMPT),
    "PreToolUse": readings.tool_begin,
    "PostToolUse": readings.tool_end,
    "PreCompact": readings.plain(COMPACT_BEGIN),
    "PostCompact": readings.plain(COMPACT_END),
    "PermissionRequest": _permission_request,
    "Stop": readings.stop,
    "agent-turn-complete": _turn_complete,
    "Interrupt": readings.plain(INTERRUPT),
    "SessionEnd": readings.plain(END),
}
