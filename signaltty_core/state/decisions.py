"""The question a pane's agent has asked: validity, setting, clearing (behaviour §6.1)."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.errors import BadParams
from ..base.limits import PROMPT_CHARS
from ..base.text import sanitise, unhidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .world import Draft, Record


def parse(given: dict[str, Any], *, answerable: bool, at: float) -> Record:
    """A decision record from a caller's object. Raises BadParams naming what is wrong; extra fields are ignored."""
    id, prompt, options = given.get("id"), given.get("prompt"), given.get("options")
    if not isinstance(id, str) or not id.strip():
        raise BadParams("decision.id: expected a non-blank string", path="decision.id")
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadParams("decision.prompt: expected a non-blank string", path="decision.prompt")
    if not isinstance(options, list) or not options:
        raise BadParams("decision.options: expected at least one option", path="decision.options")
    kept = []
    for index, option in enumerate(options):
        path = f"decision.options[{index}]"
        if not isinstance(option, dict):
            raise BadParams(f"{path}: expected an object", path=path)
        for field in ("id", "label"):
            if not isinstance(option.get(field), str) or not option[field]:
                raise BadParams(f"{path}.{field}: expected a non-empty string", path=f"{path}.{field}")
        kept.append({"id": option["id"], "label": unhidden(option["label"])})
    if len({option["id"] for option in kept}) != len(kept):
        raise BadParams("decision.options: option ids must be unique", path="decision.options")
    return make(id, prompt, kept, answerable=answerable, at=at)


def make(id: str, prompt: str, options: list[Record], *, answerable: bool, at: float) -> Record:
    return {
        "id": id,
        "prompt": _shown_whole(prompt),
        "options": options,
        "answerable": answerable,
        "received_at": rfc3339(at),
    }


def _shown_whole(prompt: str) -> str:
    """What a person decides on: nothing of it is dropped unseen, and a cut says so."""
    shown = unhidden(prompt)
    if len(shown) > PROMPT_CHARS:
        note = f"\n… of {len(shown)} characters"
        shown = shown[: PROMPT_CHARS - len(note)] + note
    return sanitise(shown, PROMPT_CHARS)


def set_decision(draft: Draft, pane_id: str, decision: Record) -> None:
    """Make it the pane's pending decision; it replaces an older one in one event."""
    pane = draft.pane(pane_id)
    older = pane.get("pending_decision")
    pane["pending_decision"] = decision
    draft.emit("decision.created", {"pane_id": pane_id, "decision": decision, "prev": older["id"] if older else None})


def clear(draft: Draft, pane_id: str, reason: str) -> bool:
    """Drop the pending decision unanswered; False when there is none."""
    if "pending_decision" not in draft.see_pane(pane_id):
        return False
    gone = draft.pane(pane_id).pop("pending_decision")
    draft.emit("decision.cleared", {"pane_id": pane_id, "decision_id": gone["id"], "reason": reason})
    return True


def option_of(decision: Record, option_id: str) -> int:
    """The option's index from 0. Raises BadParams for an unknown one."""
    for index, option in enumerate(decision["options"]):
        if option["id"] == option_id:
            return index
    known = ", ".join(option["id"] for option in decision["options"])
    raise BadParams(f"option_id: no option {option_id[:80]!r}; known: {known[:400]}", path="option_id")


def set_route(draft: Draft, pane_id: str, decision_id: str | None) -> None:
    """Bind a generated question to the kind and session it was asked in; None: the pending one is a caller's."""
    if decision_id is None:
        if "native" in draft.see_instance(pane_id):
            draft.instance(pane_id).pop("native")
        return
    agent = draft.see_pane(pane_id)["agent"]
    draft.instance(pane_id)["native"] = {
        "decision_id": decision_id,
        "kind": agent["kind"],
        "agent_session_id": agent.get("agent_session_id"),
    }


def end_route(draft: Draft, pane_id: str, holds: Callable[[str, str], bool]) -> None:
    """Clear the pending question when a waiter holds it whose kind or session this change has replaced."""
    pane = draft.see_pane(pane_id)
    pending = pane.get("pending_decision")
    if pending is not None and holds(pane_id, pending["id"]) and not is_routed(pane, draft.see_instance(pane_id)):
        clear(draft, pane_id, "native_cancelled")


def is_pending(pane: Record, decision_id: str) -> bool:
    pending = pane.get("pending_decision")
    return bool(pending is not None and pending["id"] == decision_id)


def is_generated(instance: Record, decision_id: str) -> bool:
    """Whether the question was made from a native permission request (behaviour §6.3)."""
    return bool(instance.get("native", {}).get("decision_id") == decision_id)


def is_routed(pane: Record, instance: Record) -> bool:
    """Whether the pending question is a generated one and the pane still of the kind and session it was made for."""
    pending, native = pane.get("pending_decision"), instance.get("native")
    if pending is None or native is None or native["decision_id"] != pending["id"]:
        return False
    agent = pane["agent"]
    return bool(native["kind"] == agent["kind"] and native["agent_session_id"] == agent.get("agent_session_id"))
