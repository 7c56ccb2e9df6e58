"""Amp's plugin events as facts (agents §4.12)."""

from __future__ import annotations

from . import readings
from .base import DONE, FAIL, INTERRUPT, PROMPT, START, Facts, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_ENDS = {None: DONE, "done": DONE, "error": FAIL}


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, event, payload)


def _end(payload: Payload) -> Facts:
    return Facts(_ENDS.get(text(payload, "status"), INTERRUPT))


EVENTS: dict[str, Reading] = {
    "session.start": readings.plain(START),
    "agent.start": readings.plain(PROMPT),
    "tool.call": readings.any_tool_begin,
    "tool.result": readings.tool_end,
    "agent.end": _end,
}
