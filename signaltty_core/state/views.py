"""What clients see of a record beyond what is stored (behaviour §3.4)."""

from __future__ import annotations

from ..base.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Record, World


def pane_view(world: World, pane_id: str) -> Record:
    """The pane's record with its newest sign of life and what its sources say."""
    pane = _with_sources(world, _with_status(world, world.panes[pane_id]))
    at = world.activity.get(pane_id)
    if at is not None:
        moment = rfc3339(at)
        if moment > pane["last_activity_at"]:
            return {**pane, "last_activity_at": moment}
    return pane


def _with_status(world: World, pane: Record) -> Record:
    sessions = world.instances.get(pane["id"], {}).get("status_sessions")
    if sessions is None or pane["live"]["state"] != "live":
        return pane
    from .agent_status import displayed_view  # only panes whose agent speaks that protocol pay for it

    shown = displayed_view(pane, sessions)
    return pane if shown is None else {**pane, "agent_status": shown}


def _with_sources(world: World, pane: Record) -> Record:
    signals = world.instances.get(pane["id"], {}).get("signals")
    if signals is not None:
        pane = {**pane, "status_signals": {name: signals[name] for name in ("run", "state", "at")}}
    heard = world.hearings.get(pane["id"])
    if heard is None or not len(heard.program):
        return pane
    from .program_status import view  # only panes whose program speaks OSC 7501 pay for it

    return {**pane, "program_status": view(world, pane["id"])}


def pending_view(pane: Record) -> Record:
    """One line of `attention.pending`."""
    kept = ("workspace_id", "tab_id", "label", "task_id", "lifecycle", "attention", "last_message", "attention_since")
    return {"pane_id": pane["id"]} | {key: pane[key] for key in kept if key in pane}
