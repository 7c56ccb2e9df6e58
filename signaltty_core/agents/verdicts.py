"""Permission questions of agents that wait for a verdict: the question made for a person, the answer in the agent's
own words (behaviour §6.3, agents §5)."""

from __future__ import annotations

from ..state import decisions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .base import Payload
    from .table import Kind

EVENT = "PermissionRequest"
ALLOW, DENY = "once", "deny"
DENIED = "Denied in signaltty"
_OPTIONS = [{"id": ALLOW, "label": "Allow once"}, {"id": DENY, "label": "Deny"}]


def is_native(kind: Kind, event: str, payload: Payload) -> bool:
    """Whether the hook is a permission request complete enough for a verdict; snake-case fields only."""
    return kind.waits and event == EVENT and _is_valid(payload)


def generated(id: str, payload: Payload, *, answerable: bool, at: float) -> Record:
    """The decision for a native-valid permission request."""
    import json  # a question for a person is rare and may be indented at leisure

    shown = json.dumps(payload["tool_input"], indent=2, ensure_ascii=False)
    prompt = f"Allow {payload['tool_name']}?\n{shown}"
    return decisions.make(id, prompt, [dict(option) for option in _OPTIONS], answerable=answerable, at=at)


def verdict(kind: str, option_id: str) -> Record:
    """What the agent reads from its hook; no other key is ever sent."""
    decision: Record = {"behavior": "allow"} if option_id == ALLOW else {"behavior": "deny", "message": DENIED}
    if kind == "copilot":
        return decision
    return {"hookSpecificOutput": {"hookEventName": EVENT, "decision": decision}}


def _is_valid(payload: Payload) -> bool:
    return (
        all(isinstance(payload.get(field), str) and payload[field].strip() for field in ("session_id", "tool_name"))
        and type(payload.get("tool_input")) is dict
    )
