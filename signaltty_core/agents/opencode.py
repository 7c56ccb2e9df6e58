"""OpenCode's plugin events as facts (agents §4.3). Fields may stand at top level or, as OpenCode has them, in
`properties`, or in a tool hook's `input`."""

from __future__ import annotations

from . import readings
from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    BUSY,
    DONE,
    FAIL,
    INTERRUPT,
    NOOP,
    RESOLVED,
    START,
    TOOL_BEGIN,
    TOOL_END,
    UNKNOWN,
    Facts,
    Tool,
    question_of,
    text,
    tool_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload
    from .readings import Reading

_PARENTS = ("parentID", "parent_id", "parentId", "parent_session_id")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    fields = _spread(payload)
    facts = readings.read(EVENTS, event, fields)
    facts.sub_agent = facts.sub_agent or text(fields, *_PARENTS) is not None
    return facts


def _spread(payload: Payload) -> Payload:
    """All fields on one level; outer ones win."""
    fields: Payload = {}
    for source in (_part(_part(payload, "properties"), "info"), _part(payload, "properties"), _part(payload, "input")):
        fields.update(source)
    return {**fields, **payload}


def _part(payload: Payload, field: str) -> Payload:
    value = payload.get(field)
    return value if isinstance(value, dict) else {}


def _status(fields: Payload) -> Facts:
    status = text(_part(fields, "status"), "type") or text(fields, "status")
    if status in ("busy", "retry"):
        return Facts(BUSY)
    return Facts(DONE, "session idle", silent=True) if status == "idle" else Facts(UNKNOWN)


def _error(fields: Payload) -> Facts:
    name = text(_part(fields, "error"), "name") or text(fields, "error_name", "error", "name")
    if name is not None and "Abort" in name:
        return Facts(INTERRUPT)
    return Facts(FAIL, text(fields, "message") or "session error", title="OpenCode session error")


def _permission(fields: Payload) -> Facts:
    """Its tool is known by the call's id; the metadata is worded differently from the tool's arguments."""
    given = fields.get("patterns")
    patterns = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    asked = text(fields, "permission")
    shown = ": ".join(part for part in (asked, " ".join(each for each in patterns if isinstance(each, str))) if part)
    return Facts(ASK_PERMISSION, shown or None, tools=(Tool(_tool(fields).name or asked, None, _tool(fields).id),))


def _question(fields: Payload) -> Facts:
    return Facts(ASK_INPUT, question_of(Tool(input=fields), fields), tools=(_tool(fields),))


def _tool(fields: Payload) -> Tool:
    tool = tool_of(fields)
    call = _part(fields, "tool")
    arguments = _part(fields, "args") or _part(_part(fields, "output"), "args") or None
    return Tool(tool.name or text(fields, "tool"), tool.input or arguments, tool.id or text(call, "callID", "call_id"))


EVENTS: dict[str, Reading] = {
    "session.created": readings.plain(START),
    "session.status": _status,
    "session.idle": lambda fields: Facts(DONE, "session idle", title="OpenCode session idle"),
    "session.error": _error,
    "permission.asked": _permission,
    "permission.replied": readings.plain(RESOLVED),
    "question.asked": _question,
    "question.replied": readings.plain(RESOLVED),
    "question.rejected": readings.plain(RESOLVED),
    "tool.execute.before": lambda fields: Facts(TOOL_BEGIN, tools=(_tool(fields),)),
    "tool.execute.after": lambda fields: Facts(TOOL_END, tools=(_tool(fields),)),
    "session.compacted": readings.plain(NOOP),
    "session.updated": readings.plain(NOOP),
    "todo.updated": readings.plain(NOOP),
    "session.deleted": readings.plain(NOOP),
}
