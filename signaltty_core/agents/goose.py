"""Goose's hooks as facts (agents §4.11). It has no event for an approval."""

from __future__ import annotations

from . import readings
from .base import END, NOOP, PROMPT, START, TOOL_BEGIN, TOOL_END, Facts, Tool, text, tool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _tool(payload: Payload) -> Tool:
    tool = tool_of(payload)
    return Tool(tool.name, tool.input, text(payload, "tool_call_id", "toolCallId") or tool.id)


def _tool_begin(payload: Payload) -> Facts:
    return Facts(TOOL_BEGIN, tools=(_tool(payload),))


def _tool_end(payload: Payload) -> Facts:
    return Facts(TOOL_END, tools=(_tool(payload),))


EVENTS: dict[str, Reading] = {
    "SessionStart": readings.plain(START),
    "UserPromptSubmit": readings.plain(PROMPT),
    "PreToolUse": _tool_begin,
    "BeforeReadFile": _tool_begin,
    "BeforeShellExecution": _tool_begin,
    "PreToolUseResult": readings.plain(NOOP),
    "PostToolUse": _tool_end,
    "PostToolUseFailure": _tool_end,
    "AfterFileEdit": _tool_end,
    "AfterShellExecution": _tool_end,
    "Stop": readings.stop,
    "SessionEnd": readings.plain(END),
}
