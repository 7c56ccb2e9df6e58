"""pi's extension events as facts (agents §4.5)."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    DONE,
    END,
    FAIL,
    INTERRUPT,
    NOOP,
    PROMPT,
    RESOLVED,
    START,
    TOOL_BEGIN,
    TOOL_END,
    Facts,
    Tool,
    text,
    tool_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _tool(payload: Payload) -> Tool:
    tool, given = tool_of(payload), payload.get("input")
    return Tool(tool.name, tool.input or (given if isinstance(given, dict) else None), tool.id or _call_id(payload))


def _call_id(payload: Payload) -> str | None:
    return text(payload, "tool_call_id", "toolCallId")


def _prompt_start(payload: Payload) -> Facts:
    asks = ASK_PERMISSION if payload.get("kind") == "confirm" else ASK_INPUT
    return Facts(asks, text(payload, "title"))


def _settled(payload: Payload) -> Facts:
    if payload.get("aborted") is True:
        return Facts(INTERRUPT)
    if payload.get("failed") is True:
        return Facts(FAIL, text(payload, "error"))
    return Facts(DONE, text(payload, "last_assistant_message"))


EVENTS: dict[str, Reading] = {
    "session_start": readings.plain(START),
    "agent_start": readings.plain(PROMPT),
    "tool_call": lambda payload: Facts(TOOL_BEGIN, tools=(_tool(payload),)),
    "tool_result": lambda payload: Facts(TOOL_END, tools=(_tool(payload),)),
    "ui_prompt_start": _prompt_start,
    "ui_prompt_end": readings.plain(RESOLVED),
    "agent_end": readings.plain(NOOP),  # the agent may go on by itself
    "agent_settled": _settled,
    "session_shutdown": readings.plain(END),
}
