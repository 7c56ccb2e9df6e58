"""The Agent Status Protocol's reducer: one event, one tick or one shell prompt on a pane's record of sessions.

Nothing is read from outside: the clock and the process table are arguments, the record given is not changed. What the
outcome means for the pane is `projection`'s affair.
"""

from __future__ import annotations

from . import phases, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .envelope import Event

    Record = dict[str, Any]
    Session = dict[str, Any]
    Effects = dict[str, Callable[[phases.Step], bool]]

NO_SESSION = "no_session"
SUPERSEDED = "superseded"


class Processes:
    """The process table as the reducer sees it.

    started_at: start stamp of the process under a pid, None without one. is_running: whether the very process with that
    stamp is alive.
    """

    __slots__ = ("is_running", "started_at")

    def __init__(self, started_at: Callable[[int], int | None], is_running: Callable[[int, int | None], bool]) -> None:
        self.started_at = started_at
        self.is_running = is_running

    def runs(self, session: Session) -> bool:
        """Whether the session's process is alive; one that was dead when it was learned never is."""
        stamp = session.get("pid_start")
        return stamp is not None and self.is_running(session["pid"], stamp)


class Outcome:
    """A changed record and what happened. reason: why the event was not applied. id: the session it touched.

    sets_phase: the event sets a phase, be it the old one. entered: ids of sessions that have come to another phase.
    stale: ids removed as stale. ended: the event has removed its session.
    """

    __slots__ = ("ended", "entered", "id", "reason", "record", "sets_phase", "stale")

    def __init__(self, record: Record, id: str | None = None, reason: str | None = None) -> None:
        self.record = record
        self.id = id
        self.reason = reason
        self.sets_phase = False
        self.entered: set[str] = set()
        self.stale: list[str] = []
        self.ended = False


def accept(
    before: Record | None,
    event: Event,
    *,
    pane_id: str,
    arrival: int,
    now: float,
    at: float,
    processes: Processes,
    more: Effects | None = None,
) -> Outcome:
    """Apply one event. arrival: a number that grows with every event. more: effects beside those of the protocol."""
    record = sessions.copy_of(before)
    id, present = sessions.find(record, event, sessions.synthetic_id(pane_id))
    if sessions.comes_after_end(record, event, now):
        return Outcome(record, None, SUPERSEDED)
    addressed = record["sessions"].get(present)
    if addressed is not None and sessions.is_late(addressed, event):
        _fill_blanks(addressed, event, processes)
        return Outcome(record, present, SUPERSEDED)
    if id is None:
        return Outcome(record, None, NO_SESSION)
    if present is None:
        record["sessions"][id] = sessions.new_session(id, now, at)
    elif present != id:
        sessions.rename(record, present, id)
    outcome = Outcome(record, id)
    session = record["sessions"][id]
    if event.sent_ms is not None:
        session["last_sent"] = event.sent_ms
    if event.effect == "session.end":
        sessions.remove(record, id, now)
        outcome.ended = True
        return outcome
    phase = session["phase"]
    _learn(session, event, processes)
    step = phases.Step(
        session, event, now=now, at=at, is_new=present is None, still_runs=lambda: processes.runs(session)
    )
    effect = phases.EFFECTS.get(event.effect) or (more or {})[event.effect]
    outcome.sets_phase = effect(step)
    session.update(updated_at=now, updated=at, touched=arrival)
    if session["phase"] != phase or step.is_new:
        outcome.entered.add(id)
    for surplus in sessions.make_room(record, id):
        sessions.remove(record, surplus, now)
    return outcome


def _learn(session: Session, event: Event, processes: Processes) -> None:
    """What an event says about its session besides the phase (agent-status §7)."""
    if event.name is not None:
        session["name"] = event.name
    if event.parent_id is not None and event.parent_id != session["id"]:
        session["parent_id"] = event.parent_id
    if event.pid is not None:
        _track(session, event.pid, processes)
    if event.cwd is not None:
        session["working_directory"] = event.cwd
    if event.artifact is not None:
        session["artifact"] = event.artifact


def _fill_blanks(session: Session, event: Event, processes: Processes) -> None:
    """A late event may still tell what nobody has told (agent-status §9)."""
    if event.name is not None:
        session.setdefault("name", event.name)
    if event.parent_id is not None and event.parent_id != session["id"]:
        session.setdefault("parent_id", event.parent_id)
    if event.pid is not None and "pid" not in session:
        _track(session, event.pid, processes)
    if event.cwd is not None:
        session.setdefault("working_directory", event.cwd)


def _track(session: Session, pid: int, processes: Processes) -> None:
    """Watch this process; the stamp of one that is gone already stays unknown, which counts as dead."""
    stamp = processes.started_at(pid)
    session["pid"] = pid
    if stamp is None:
        session.pop("pid_start", None)
    else:
        session["pid_start"] = stamp


def tick(before: Record, *, now: float, at: float, processes: Processes, at_prompt: bool = False) -> Outcome:
    """Let time pass up to `now`, processes looked at. at_prompt: the pane's shell shows its prompt."""
    from . import windows

    record = sessions.copy_of(before)
    outcome = Outcome(record)
    act = windows.on_shell_prompt if at_prompt else windows.tick
    outcome.stale = act(record, now, at, processes.runs)
    for id, session in record["sessions"].items():
        if session["phase"] != before["sessions"][id]["phase"]:
            outcome.entered.add(id)
    return outcome
