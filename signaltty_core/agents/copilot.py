"""Copilot's hooks as facts (agents §4.8), in either spelling of its event names."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    DONE,
    END,
    FAIL,
    INTERRUPT,
    LATE_START,
    NOOP,
    NOTE,
    OFFERED,
    PROMPT,
    Facts,
    fold,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_NOTICES = {"permission_prompt": ASK_PERMISSION, "elicitation_dialog": ASK_INPUT}
_ENDS = {"error": FAIL, "abort": INTERRUPT}


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return readings.read(EVENTS, fold(event), payload)


def _permission_request(payload: Payload) -> Facts:
    """It comes before Copilot's own rules are asked, so alone it does not prove that anybody is."""
    facts = readings.permission_request(payload)
    facts.outcome = OFFERED if facts.outcome == ASK_PERMISSION else NOOP
    return facts


def _notification(payload: Payload) -> Facts:
    kind = readings.notice_type(payload)
    if kind == "agent_idle":
        return readings.nudge(payload)
    return Facts(_NOTICES.get(kind or "", NOTE), text(payload, "message"), repeats=True)


def _error(payload: Payload) -> Facts:
    error = payload.get("error")
    said = text(error, "message", "name") if isinstance(error, dict) else text(payload, "error")
    return Facts(NOOP, said or text(payload, "message"))


def _session_end(payload: Payload) -> Facts:
    return Facts(_ENDS.get(text(payload, "reason") or "", END), goodbye=True)


EVENTS: dict[str, Reading] = {
    "sessionstart": readings.plain(LATE_START),
    "userpromptsubmitted": readings.plain(PROMPT),
    "userpromptsubmit": readings.plain(PROMPT),
    "pretooluse": readings.tool_begin,
    "precompact": readings.plain(NOOP),
    "posttooluse": readings.tool_end,
    "posttoolusefailure": readings.tool_end,
    "permissionrequest": _permission_request,
    "notification": _notification,
    "agentstop": lambda payload: Facts(DONE),
    "stop": lambda payload: Facts(DONE),
    "erroroccurred": _error,
    "sessionend": _session_end,
}
