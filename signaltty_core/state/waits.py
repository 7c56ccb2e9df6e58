"""Waits and baselines: has what somebody waits for come true (behaviour §7). Pure; the World is an argument."""

from __future__ import annotations

from ..base.errors import BadParams, IdentityChanged
from . import attention, lifecycle
from .world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .world import Record, World

SEEN = ("seen", "attention_cleared")
_ATTENTION = {*attention.LEVELS, *SEEN}
OUTCOMES = (*lifecycle.STATES, *attention.LEVELS, *SEEN)


def baseline(world: World, pane_id: str) -> Record:
    """What to capture before new work is given (behaviour §7)."""
    instance = world.instances[pane_id]
    return {
        "pane_id": pane_id,
        "process_instance": instance["process_instance"],
        "agent_session_id": world.panes[pane_id]["agent"].get("agent_session_id"),
        "session_generation": instance["session_generation"],
        "lifecycle_seq": instance["lifecycle_seq"],
        "attention_seq": instance["attention_seq"],
    }


def parse_until(until: str | list[str]) -> list[str]:
    """The outcomes waited for, in the caller's order. Raises BadParams for none or an unknown one."""
    wanted = [until] if isinstance(until, str) else until
    if not wanted:
        raise BadParams("until: must not be empty", path="until")
    for index, outcome in enumerate(wanted):
        if outcome not in OUTCOMES:
            path = "until" if isinstance(until, str) else f"until[{index}]"
            raise BadParams(f"{path}: unknown outcome {outcome[:40]!r}; known: {', '.join(OUTCOMES)}", path=path)
    return wanted


def parse_after(after: dict[str, Any], pane_id: str) -> Record:
    """A checked baseline. Raises BadParams for one of another pane or with a wrong field."""
    if after.get("pane_id") != pane_id:
        raise BadParams("after.pane_id: the baseline is of another pane", path="after.pane_id")
    process = after.get("process_instance")
    if not isinstance(process, str) or not process:
        raise BadParams("after.process_instance: expected a non-empty string", path="after.process_instance")
    session = after.get("agent_session_id")
    if session is not None and not isinstance(session, str):
        raise BadParams("after.agent_session_id: expected a string or null", path="after.agent_session_id")
    for field in ("session_generation", "lifecycle_seq", "attention_seq"):
        number = after.get(field)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise BadParams(f"after.{field}: expected an integer of 0 or more", path=f"after.{field}")
    return after


def check(world: World, pane_id: str, wanted: list[str], after: Record | None) -> Record | None:
    """The result of the wait, or None while nothing matches.

    Raises NoSuchPane, IdentityChanged, or BadParams for a baseline from the future; in that order.
    """
    pane = world.pane(pane_id)
    instance = world.instances[pane["id"]]
    if after is not None:
        _same_identity(pane, instance, after)
    for outcome in wanted:
        seq = _matches(pane, instance, outcome, after)
        if seq is not None:
            return {
                "satisfied": True,
                "outcome": outcome,
                "transition_seq": seq,
                "lifecycle": pane["lifecycle"],
                "attention": pane["attention"],
            }
    return None


def _same_identity(pane: Record, instance: Record, after: Record) -> None:
    session, known = pane["agent"].get("agent_session_id"), after.get("agent_session_id")
    if instance["process_instance"] != after["process_instance"]:
        raise IdentityChanged("the pane's process was replaced since the baseline was taken")
    if instance["session_generation"] != after["session_generation"] or (known is not None and session != known):
        raise IdentityChanged("the agent's session was replaced since the baseline was taken")
    for field in ("lifecycle_seq", "attention_seq"):
        if after[field] > instance[field]:
            raise BadParams(f"after.{field}: the baseline is ahead of the pane", path=f"after.{field}")


def _matches(pane: Record, instance: Record, outcome: str, after: Record | None) -> int | None:
    """The number of the transition that satisfies `outcome`, or None."""
    state = "none" if outcome in SEEN else outcome
    seq: int = instance["transitions"].get(state, 0)
    if after is not None:
        return seq if seq > after["attention_seq" if outcome in _ATTENTION else "lifecycle_seq"] else None
    if outcome in _ATTENTION:
        holds = pane["attention"] == state
    else:
        holds = pane["lifecycle"] == state or (state == "exited" and not is_live(pane))
    return seq if holds else None
