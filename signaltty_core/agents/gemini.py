"""Gemini's hooks as facts (agents §4.7)."""

from __future__ import annotations

from . import readings
from .base import ASK_INPUT, ASK_PERMISSION, DONE, END, NOOP, NOTE, PROMPT, START, Facts, Tool, fold, is_asking, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _notification(payload: Payload) -> Facts:
    message = text(payload, "message")
    if fold(readings.notice_type(payload) or "") != "toolpermission":
        return Facts(NOTE, message, repeats=True)
    details = payload.get("details")
    if isinstance(details, dict) and is_asking(Tool(text(details, "type"))):
        return Facts(ASK_INPUT, text(details, "title") or message, repeats=True)
    return Facts(ASK_PERMISSION, message, repeats=True)


def _session_end(payload: Payload) -> Facts:
    return Facts(NOOP if payload.get("reason") == "clear" else END)


EVENTS: dict[str, Reading] = {
    "SessionStart": readings.plain(START),
    "BeforeAgent": readings.plain(PROMPT),
    "BeforeTool": readings.any_tool_begin,
    "BeforeModel": readings.any_tool_begin,
    "BeforeToolSelection": readings.any_tool_begin,
    "PreCompress": readings.plain(NOOP),
    "AfterTool": readings.tool_end,
    "AfterModel": readings.tool_end,
    "Notification": _notification,
    "AfterAgent": lambda payload: Facts(DONE, text(payload, "prompt_response", "promptResponse")),
    "SessionEnd": _session_end,
}
