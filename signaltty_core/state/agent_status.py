"""The Agent Status Protocol on a pane: events and ticks reduced, their outcome put on a Draft (agent-status §12, §16).

The record of sessions is the field `status_sessions` of the pane's process instance; a new instance starts without one.
"""

from __future__ import annotations

from ..status import names, projection, reduce, sessions, windows
from . import attention, decisions, lifecycle, progress, sources, workers
from .world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..status.envelope import Event
    from ..status.projection import Shift
    from ..status.reduce import Effects, Outcome, Processes
    from .world import Draft, Record, World

FIELD = "status_sessions"
SOURCE = "agent-event"
_DISPLAY = ("id", "name", "phase", "text", "interaction", "progress", "artifact")


def accept(
    draft: Draft, pane_id: str, event: Event, now: float, processes: Processes, more: Effects | None = None
) -> Outcome:
    """Apply one event to a living pane. more: effects of native hooks."""
    outcome = reduce.accept(
        draft.see_instance(pane_id).get(FIELD),
        event,
        pane_id=pane_id,
        arrival=draft.world.seq + 1,
        now=now,
        at=draft.at,
        processes=processes,
        more=more,
    )
    if outcome.reason == reduce.NO_SESSION:
        return outcome
    if outcome.reason is None:
        _speak(draft, pane_id, event, outcome)
    _settle(draft, pane_id, outcome, now)
    return outcome


def sweep(draft: Draft, now: float, processes: Processes, pane_ids: Iterable[str] | None = None) -> None:
    """Let time pass for these panes, or all of them; tracked processes are looked at."""
    for pane_id in list(draft.world.instances) if pane_ids is None else pane_ids:
        record = _record(draft, pane_id)
        if record is not None and record["sessions"]:
            outcome = reduce.tick(record, now=now, at=draft.at, processes=_others(draft, pane_id, processes))
            _put_back(draft, pane_id, record, outcome, now)


def on_shell_prompt(draft: Draft, pane_id: str, now: float, processes: Processes) -> None:
    """The pane's shell is back at its prompt (agent-status §10.4)."""
    record = _record(draft, pane_id)
    if record is not None and record["sessions"]:
        others = _others(draft, pane_id, processes)
        outcome = reduce.tick(record, now=now, at=draft.at, processes=others, at_prompt=True)
        _put_back(draft, pane_id, record, outcome, now)


def due(world: World, now: float) -> float | None:
    """When a living pane wants its next `sweep`, on the clock of `now`; None when none does."""
    moments = []
    for pane_id, instance in world.instances.items():
        record = instance.get(FIELD)
        if record is None or not record["sessions"] or not is_live(world.panes[pane_id]):
            continue
        moment = windows.due(record, now)
        if moment is not None:
            moments.append(moment)
        if windows.tracked(record):
            moments.append(now + windows.PROCESS_LOOK_S)
    return min(moments, default=None)


def is_tracking(world: World, pane_id: str) -> bool:
    """Whether a look at the process table may change what the pane shows."""
    record = world.instances[pane_id].get(FIELD)
    return record is not None and windows.tracked(record)


def displayed_view(pane: Record, record: Record) -> Record | None:
    """The view of the session that stands for the pane, None when there is none."""
    shown = record["shown"]
    session = record["sessions"].get(shown[0]) if shown is not None else None
    return sessions.view(session, pane["id"], process_name(pane), shown=True) if session is not None else None


def views(world: World, pane_id: str, now: float) -> list[Record]:
    """Views of a pane's sessions in display order, hidden ones last."""
    pane, record = world.panes[pane_id], world.instances[pane_id].get(FIELD)
    if record is None or not is_live(pane):
        return []
    shown = record["shown"][0] if record["shown"] is not None else None
    program = process_name(pane)
    found = sessions.in_order(record, now)
    return [sessions.view(each, pane_id, program, shown=each["id"] == shown) for each in found]


def process_name(pane: Record) -> str:
    """What the pane runs, as far as it is known (behaviour §5.7)."""
    argv: list[str] = pane["argv"]
    return argv[0].rsplit("/", 1)[-1] if argv else ""


def _others(draft: Draft, pane_id: str, processes: Processes) -> Processes:
    """The process table, in which the pane's own child lives: its death is the child's exit, told with its code."""
    child = draft.see_instance(pane_id).get("pid")

    def is_running(pid: int, start_time: int | None) -> bool:
        return pid == child or processes.is_running(pid, start_time)

    return reduce.Processes(processes.started_at, is_running)


def _record(draft: Draft, pane_id: str) -> Record | None:
    instance = draft.get("instances", pane_id)
    pane = draft.get("panes", pane_id)
    if instance is None or pane is None or not is_live(pane):
        return None
    found: Record | None = instance.get(FIELD)
    return found


def _put_back(draft: Draft, pane_id: str, before: Record, outcome: Outcome, now: float) -> None:
    """Keep what a tick has changed; one that changed nothing leaves the draft as it was."""
    session = sessions.displayed(outcome.record, now)
    same_display = (session["id"] if session else None) == (before["shown"][0] if before["shown"] else None)
    if outcome.record != before or not same_display:
        _settle(draft, pane_id, outcome, now)


def _settle(draft: Draft, pane_id: str, outcome: Outcome, now: float) -> None:
    """Keep the record, and let the displayed session act on the pane."""
    pane, former = draft.see_pane(pane_id), draft.see_instance(pane_id).get(FIELD)
    before = displayed_view(pane, former) if former is not None else None
    shift = projection.project(outcome.record, outcome, now, pane["lifecycle"])
    draft.instance(pane_id)[FIELD] = outcome.record
    if shift is not None:
        _act(draft, pane_id, shift)
    if not outcome.record["sessions"]:
        sources.let_go(draft, pane_id, SOURCE)
    _show(draft, pane_id, before, displayed_view(pane, outcome.record))


def _speak(draft: Draft, pane_id: str, event: Event, outcome: Outcome) -> None:
    """Note the message and what its name says about the pane (agent-status §6.3, §16)."""
    program = process_name(draft.see_pane(pane_id))
    session = outcome.record["sessions"].get(outcome.id)
    name = sessions.name_of(session if session is not None else {"name": event.name}, program)
    phase = session["phase"] if session is not None else "ended"
    sources.speak(draft, pane_id, SOURCE, f"{phase} {name}/{outcome.id}", holds=True)
    draft.touch(pane_id)
    kind = names.kind_of(event.name)
    if kind is not None and draft.see_pane(pane_id)["agent"]["kind"] in ("generic", "none"):
        pane = draft.pane(pane_id)
        pane["agent"] = {**pane["agent"], "kind": kind}
        draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane})


def _act(draft: Draft, pane_id: str, shift: Shift) -> None:
    if shift.lifecycle is not None and lifecycle.set_lifecycle(draft, pane_id, shift.lifecycle):
        sources.decide(draft, pane_id, SOURCE)
    if shift.lifecycle == "blocked":
        sources.note_question(draft, pane_id)
    if shift.message is not None:
        lifecycle.set_message(draft, pane_id, shift.message)
    if shift.ends_turn is not None:
        workers.end_turn(draft, pane_id, shift.ends_turn, draft.see_pane(pane_id).get("last_message"))
        draft.instance(pane_id)["turn_ended_at"] = draft.at
    if shift.drops_decision:
        decisions.clear(draft, pane_id, "moved_on")
    _mind(draft, pane_id, shift.attention)


def _mind(draft: Draft, pane_id: str, wish: str) -> None:
    pane = draft.see_pane(pane_id)
    if wish == projection.CLEAR:
        if pane["attention"] != "error":
            attention.clear(draft, pane_id, "hook")
    elif wish == projection.CLEAR_REQUIRED:
        if attention.is_required(pane["attention"]) and "pending_decision" not in pane:
            attention.clear(draft, pane_id, "hook")
    elif wish == projection.FINISH:
        attention.lower_required(draft, pane_id)
        attention.raise_to(draft, pane_id, "unread")
    elif attention.is_required(wish):
        attention.require(draft, pane_id, wish)
    else:
        attention.raise_to(draft, pane_id, wish)


def _show(draft: Draft, pane_id: str, before: Record | None, after: Record | None) -> None:
    """Publish another session, or another face of it; the pane's counter follows (agent-status §13, §16)."""
    if _face(before) == _face(after):
        return
    count: Any = after.get("progress") if after is not None else None
    progress.tell(draft, pane_id, SOURCE, {"kind": "count", **count, "source": SOURCE} if count is not None else None)
    payload: Record = {"pane_id": pane_id, "pane": draft.pane(pane_id)}
    if after is not None:
        payload["agent_status"] = after
    draft.emit("pane.updated", payload)


def _face(view: Record | None) -> list[Any] | None:
    return [view.get(field) for field in _DISPLAY] if view is not None else None
