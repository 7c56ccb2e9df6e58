"""What time and processes do to status sessions (agent-status §10)."""

from __future__ import annotations

from .phases import drop
from .sessions import IDLE_SHOWN_S, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Record = dict[str, Any]
    Session = dict[str, Any]

PROCESS_LOOK_S = 2.0
UNRESOLVED_S = 600.0
STALE_S = 1800.0


def due(record: Record, now: float) -> float | None:
    """When the record wants its next look, on the clock of `now`; None when nothing can happen by itself."""
    moments = [moment for session in record["sessions"].values() for moment in _moments(session, now)]
    return min(moments, default=None)


def tracked(record: Record) -> bool:
    """Whether a process is watched for any session."""
    return any("pid" in session for session in record["sessions"].values())


def tick(record: Record, now: float, at: float, runs: Callable[[Session], bool]) -> list[str]:
    """Let time act on a copy of the record; the ids removed as stale. runs: whether a session's process is alive."""
    stale = []
    for id in list(record["sessions"]):
        session = record["sessions"][id]
        if "pid" in session and not runs(session) and _bury(record, session, now, at):
            continue
        _let_pass(session, now, at)
        if session["phase"] == "unresolved-stop" and now - session["phase_since"] >= UNRESOLVED_S:
            remove(record, id, now)
        elif _can_go_stale(session) and now - session["updated_at"] >= STALE_S:
            remove(record, id, now)
            stale.append(id)
    return stale


def on_shell_prompt(record: Record, now: float, at: float, runs: Callable[[Session], bool]) -> list[str]:
    """The shell is back: what no living process vouches for is over (agent-status §10.4). Gives the stale ids."""
    stale = tick(record, now, at, runs)
    for id, session in list(record["sessions"].items()):
        if session["phase"] in ("starting", "running", "needs-input") and "pid" not in session:
            remove(record, id, now)
    return stale


def _bury(record: Record, session: Session, now: float, at: float) -> bool:
    """The session's process has died; whether the session goes with it."""
    if session["phase"] in ("running", "needs-input"):
        session.update(phase="unresolved-stop", phase_since=now, since=at)
        drop(session, "text", "text_until", "interaction", "asked", "held_until", "before_compact", "pid", "pid_start")
    elif session["phase"] in ("starting", "idle"):
        remove(record, session["id"], now)
        return True
    return False


def _let_pass(session: Session, now: float, at: float) -> None:
    if "held_until" in session and now >= session["held_until"]:
        session.update(phase="idle", phase_since=now, since=at, ended_turn_at=now, updated_at=now, updated=at)
        drop(session, "held_until")
    if "text_until" in session and now >= session["text_until"]:
        drop(session, "text", "text_until")


def _moments(session: Session, now: float) -> Iterator[float]:
    if "held_until" in session:
        yield session["held_until"]
    if "text_until" in session:
        yield session["text_until"]
    if session["phase"] == "unresolved-stop":
        yield session["phase_since"] + UNRESOLVED_S
    if session["phase"] == "idle" and session["updated_at"] + IDLE_SHOWN_S > now:
        yield session["updated_at"] + IDLE_SHOWN_S
    if _can_go_stale(session):
        yield session["updated_at"] + STALE_S


def _can_go_stale(session: Session) -> bool:
    return session["phase"] in ("starting", "running", "idle") and "pid" not in session
