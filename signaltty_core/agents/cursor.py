"""Cursor's hooks as facts (agents §4.4). A waiting approval has no event of its own."""

from __future__ import annotations

from . import readings
from .base import DONE, END, FAIL, INTERRUPT, NOOP, PROMPT, START, UNKNOWN, Facts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_ENDS = {None: DONE, "completed": DONE, "aborted": INTERRUPT, "error": FAIL}


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _stop(payload: Payload) -> Facts:
    return Facts(_ENDS.get(text(payload, "status"), UNKNOWN))


EVENTS: dict[str, Reading] = {
    "sessionStart": readings.plain(START),
    "beforeSubmitPrompt": readings.plain(PROMPT),
    "preToolUse": readings.any_tool_begin,
    "beforeShellExecution": readings.any_tool_begin,
    "beforeMCPExecution": readings.any_tool_begin,
    "beforeReadFile": readings.any_tool_begin,
    "afterAgentThought": readings.any_tool_begin,
    "preCompact": readings.plain(NOOP),
    "postToolUse": readings.tool_end,
    "postToolUseFailure": readings.tool_end,
    "afterShellExecution": readings.tool_end,
    "afterMCPExecution": readings.tool_end,
    "afterFileEdit": readings.tool_end,
    "afterAgentResponse": readings.tool_end,
    "stop": _stop,
    "sessionEnd": readings.plain(END),
}
