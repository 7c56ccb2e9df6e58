"""Kimi's hooks as facts (agents §4.14)."""

from __future__ import annotations

from . import readings
from .base import ASK_PERMISSION, END, NOTE, PROMPT, START, TOOL_BEGIN, Facts, approval_text, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_ASKED_BEFORE = ("Shell", "WriteFile", "StrReplaceFile")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _tool_begin(payload: Payload) -> Facts:
    facts = readings.tool_begin(payload)
    tool = facts.tools[0]
    if facts.outcome == TOOL_BEGIN and tool.name in _ASKED_BEFORE:
        return Facts(ASK_PERMISSION, approval_text(tool), tools=(tool,))
    return facts


def _notification(payload: Payload) -> Facts:
    if readings.notice_type(payload) == "permission_prompt":
        return Facts(ASK_PERMISSION, text(payload, "title", "message"), repeats=True)
    return Facts(NOTE, text(payload, "message"), repeats=True)


EVENTS: dict[str, Reading] = {
    "SessionStart": readings.plain(START),
    "UserPromptSubmit": readings.plain(PROMPT),
    "PreToolUse": _tool_begin,
    "PostToolUse": readings.tool_end,
    "Notification": _notification,
    "Stop": readings.stop,
    "SessionEnd": readings.plain(END),
}
