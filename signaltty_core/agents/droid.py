"""Droid's hooks as facts (agents §4.9). It asks before a tool without a hook that says so."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    DONE,
    END,
    NOOP,
    PAUSE,
    PROMPT,
    TOOL_BEGIN,
    Facts,
    approval_text,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_CHANGING = ("Create", "Edit", "Execute", "MultiEdit", "NotebookEdit", "Write")
_PERMISSION_WORDS = ("permission", "approv", "confirm")
_WAITING_WORDS = ("waiting for your input", "idle")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _tool_begin(payload: Payload) -> Facts:
    facts = readings.tool_begin(payload)
    tool = facts.tools[0]
    asks = tool.name == "ExitSpecMode" or (tool.name in _CHANGING and _mode(payload) == "off")
    if facts.outcome == TOOL_BEGIN and asks:
        return Facts(ASK_PERMISSION, approval_text(tool), tools=(tool,))
    return facts


def _notification(payload: Payload) -> Facts:
    message = text(payload, "message")
    said = (message or "").lower()
    if any(word in said for word in _PERMISSION_WORDS):
        return Facts(ASK_PERMISSION, message, repeats=True)
    if any(word in said for word in _WAITING_WORDS):
        return readings.nudge(payload)
    return Facts(ASK_INPUT, message, repeats=True)


def _stop(payload: Payload) -> Facts:
    facts = readings.stop(payload)
    facts.outcome = PAUSE if _mode(payload) == "spec" else DONE
    return facts


def _session_end(payload: Payload) -> Facts:
    return Facts(NOOP if payload.get("reason") == "clear" else END)


def _mode(payload: Payload) -> str | None:
    return text(payload, "permission_mode", "permissionMode")


EVENTS: dict[str, Reading] = {
    "SessionStart": readings.session_start,
    "UserPromptSubmit": readings.plain(PROMPT),
    "PreToolUse": _tool_begin,
    "PreCompact": readings.plain(NOOP),
    "PostToolUse": readings.tool_end,
    "Notification": _notification,
    "Stop": _stop,
    "SessionEnd": _session_end,
}
