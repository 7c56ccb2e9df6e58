"""What each event of the Agent Status Protocol does to its session (agent-status §8)."""

from __future__ import annotations

from .envelope import KIND_PRIORITY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .envelope import Event

    Session = dict[str, Any]

STOP_GRACE_S = 2.0
COMPACT_TEXT_S = 120.0
COMPACT_TEXT = "Compacting"


class Step:
    """One event on one session. is_new: the event has made the session. still_runs: whether its process is alive."""

    __slots__ = ("at", "event", "is_new", "now", "session", "still_runs")

    def __init__(
        self, session: Session, event: Event, *, now: float, at: float, is_new: bool, still_runs: Callable[[], bool]
    ) -> None:
        self.session = session
        self.event = event
        self.now = now
        self.at = at
        self.is_new = is_new
        self.still_runs = still_runs

    def enter(self, phase: str) -> None:
        """Set the phase; what belongs to another phase goes."""
        session = self.session
        if session["phase"] != phase or self.is_new:
            session.update(phase=phase, phase_since=self.now, since=self.at)
        drop(session, "held_until", "quiet", "before_compact")
        if phase != "needs-input":
            drop(session, "interaction", "asked")

    def end_turn(self) -> None:
        self.session["ended_turn_at"] = self.now

    def say(self, text: str | None) -> None:
        put(self.session, "text", text)
        drop(self.session, "text_until")

    def count(self, *, anew: bool = False) -> None:
        """Take the event's counter. anew: without one the old counter goes."""
        if self.event.progress is not None or anew or self.event.empties_progress:
            put(self.session, "progress", self.event.progress)


def put(session: Session, field: str, value: object) -> None:
    if value is None:
        session.pop(field, None)
    else:
        session[field] = value


def drop(session: Session, *fields: str) -> None:
    for field in fields:
        session.pop(field, None)


def apply(step: Step) -> bool:
    """Change the session as the event says; whether the event sets a phase. `session.end` is not among them."""
    return EFFECTS[step.event.effect](step)


def _start(step: Step) -> bool:
    session, event = step.session, step.event
    step.enter("starting")
    step.say(event.text)
    step.count(anew=True)
    drop(session, "tasks")
    if event.pid is None and "pid" in session and not step.still_runs():
        drop(session, "pid", "pid_start")
    return True


def _running(step: Step) -> bool:
    opens_turn = not step.is_new and step.session["phase"] in ("idle", "unresolved-stop")
    step.enter("running")
    step.say(step.event.text)
    step.count(anew=opens_turn)
    return True


def _resolved(step: Step) -> bool:
    step.enter("running")
    step.say(step.event.text)
    step.count()
    return True


def _idle(step: Step) -> bool:
    if step.event.stop:
        return _stop_candidate(step)
    if step.session["phase"] in ("running", "needs-input"):
        step.end_turn()
    step.enter("idle")
    step.say(step.event.text)
    step.count()
    return True


def _stop_candidate(step: Step) -> bool:
    if step.session["phase"] == "idle":
        drop(step.session, "before_compact")
        step.count()
        return False
    step.enter("running")
    step.session["held_until"] = step.now + STOP_GRACE_S
    step.say(step.event.text)
    step.count()
    return True


def _needs_input(step: Step) -> bool:
    session, event = step.session, step.event
    stands = session["interaction"] if session["phase"] == "needs-input" else None
    step.enter("needs-input")
    step.count()
    if stands is None or KIND_PRIORITY[stands] <= KIND_PRIORITY[event.kind]:
        session["interaction"] = event.kind
        drop(session, "asked")
        step.say(event.ask_text)
    return True


def _progress(step: Step) -> bool:
    step.count()
    return False


def _compacting(step: Step) -> bool:
    before = step.session.get("before_compact")
    if not step.is_new and step.session["phase"] in ("idle", "starting"):
        before = step.session["phase"]
    step.enter("running")
    put(step.session, "before_compact", before)
    step.say(step.event.text or COMPACT_TEXT)
    step.session["text_until"] = step.now + COMPACT_TEXT_S
    step.count()
    return True


def _compacted(step: Step) -> bool:
    session = step.session
    rests = session["phase"] == "idle" and not step.is_new
    step.enter(session.get("before_compact") or ("idle" if rests else "running"))
    step.say(None)
    step.count()
    return True


EFFECTS: dict[str, Callable[[Step], bool]] = {
    "session.start": _start,
    "agent.running": _running,
    "agent.input-resolved": _resolved,
    "agent.idle": _idle,
    "agent.needs-input": _needs_input,
    "task.progress": _progress,
    "agent.compacting": _compacting,
    "agent.compacted": _compacted,
}
