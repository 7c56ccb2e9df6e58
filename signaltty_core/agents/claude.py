"""Claude's hooks as facts (agents §4.1)."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    COMPACT_BEGIN,
    COMPACT_END,
    END,
    FAIL,
    NOOP,
    NOTE,
    PROMPT,
    RESOLVED,
    Facts,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_INPUT_NOTICES = ("elicitation_dialog", "elicitation_url_dialog", "agent_needs_input")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def notification(payload: Payload) -> Facts:
    """By its type; one without is a question, and its words tell which."""
    kind, message = readings.notice_type(payload), text(payload, "message")
    if kind is None:
        asks = ASK_PERMISSION if message is not None and "permission" in message.lower() else ASK_INPUT
        return Facts(asks, message, repeats=True)
    if "permission" in kind:
        return Facts(ASK_PERMISSION, message, repeats=True)
    if kind == "idle_prompt":
        return readings.nudge(payload)
    return Facts(ASK_INPUT if kind in _INPUT_NOTICES else NOTE, message, repeats=True)


def stop_failure(payload: Payload) -> Facts:
    """By the error's name, unless that is that it has none: then by the words Claude shows instead of an answer."""
    error = payload.get("error")
    said = text(error, "message") if isinstance(error, dict) else text(payload, "error")
    if said == "unknown":
        said = text(payload, "last_assistant_message", "lastAssistantMessage") or said
    return Facts(FAIL, said)


def session_end(payload: Payload) -> Facts:
    """A session that is only exchanged for another one has not ended."""
    return Facts(NOOP if payload.get("reason") in ("clear", "resume") else END)


EVENTS: dict[str, Reading] = {
    "SessionStart": readings.session_start,
    "UserPromptSubmit": readings.plain(PROMPT),
    "PreToolUse": readings.tool_begin,
    "PostToolUse": readings.tool_end,
    "PostToolUseFailure": readings.tool_end,
    "PostToolBatch": readings.batch_end,
    "PermissionDenied": readings.tool_end,
    "PreCompact": readings.plain(COMPACT_BEGIN),
    "PostCompact": readings.plain(COMPACT_END),
    "PermissionRequest": readings.permission_request,
    "Elicitation": lambda payload: Facts(ASK_INPUT, text(payload, "message")),
    "ElicitationResult": readings.plain(RESOLVED),
    "Notification": notification,
    "Stop": readings.stop,
    "StopFailure": stop_failure,
    "SessionEnd": session_end,
}
