"""Hermes' hooks as facts (agents §4.13). Its session ends come after every message, not at the program's end."""

from __future__ import annotations

from . import readings
from .base import ASK_PERMISSION, DONE, PROMPT, RESOLVED, SETTLE, START, Facts, approval_text, text, tool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _approval(payload: Payload) -> Facts:
    tool = tool_of(payload)
    return Facts(ASK_PERMISSION, text(payload, "prompt", "message") or approval_text(tool), tools=(tool,))


EVENTS: dict[str, Reading] = {
    "on_session_start": readings.plain(START),
    "on_session_reset": readings.plain(START),
    "pre_llm_call": readings.plain(PROMPT),
    "pre_tool_call": readings.tool_begin,
    "post_tool_call": readings.tool_end,
    "pre_approval_request": _approval,
    "post_approval_response": readings.plain(RESOLVED),
    "post_llm_call": lambda payload: Facts(DONE, text(payload, "last_assistant_message")),
    "on_session_end": readings.plain(SETTLE),
    "on_session_finalize": readings.plain(SETTLE),
}
