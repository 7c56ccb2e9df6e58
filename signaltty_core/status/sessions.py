"""The status sessions of a pane: their records, which one an event belongs to, which one stands for the pane.

A pane's record is `{sessions, turn, shown, ended}` (agent-status §6.2), JSON throughout, for it is kept with the pane's
process instance. The functions that change one are given a private copy (`copy_of`). `now` is a clock that rests while
the machine sleeps, `at` wall time.
"""

from __future__ import annotations

from ..base.clock import rfc3339
from .envelope import KIND_PRIORITY
from .names import name_of_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .envelope import Event

    Record = dict[str, Any]
    Session = dict[str, Any]

SESSIONS_MAX = 64
ENDED_MAX = 64
ENDED_S = 60.0
IDLE_SHOWN_S = 120.0
PHASE_RANK = {"needs-input": 5, "unresolved-stop": 4, "running": 3, "idle": 1, "starting": 0}
_HELD_RANK = 2
_ASK_LABELS = {
    "approval": "Requires approval",
    "question": "Needs decision",
    "decision": "Needs decision",
    "auth": "Needs sign-in",
    "generic-input": "Needs input",
}


def empty() -> Record:
    return {"sessions": {}, "turn": False, "shown": None, "ended": {}}


def copy_of(record: Record | None) -> Record:
    """A copy whose sessions may be changed field by field."""
    if record is None:
        return empty()
    sessions = {id: dict(session) for id, session in record["sessions"].items()}
    return {**record, "sessions": sessions, "ended": dict(record["ended"])}


def synthetic_id(pane_id: str) -> str:
    return f"synthetic_{pane_id}"


def new_session(id: str, now: float, at: float) -> Session:
    return {"id": id, "phase": "starting", "phase_since": now, "since": at, "updated_at": now, "updated": at}


def find(record: Record, event: Event, synthetic: str) -> tuple[str | None, str | None]:
    """The id of the session the event belongs to, and the id it has now (agent-status §7).

    The second differs where the synthetic session takes a real id, and is None for a session yet to be made. The first
    is None when the event ends a session that is not there.
    """
    sessions = record["sessions"]
    given, name = event.session_id, event.name
    if given is not None:
        if given in sessions:
            return given, given
        if event.effect == "session.end":
            return None, None
        own = sessions.get(synthetic)
        if own is not None and event.parent_id is None and (own.get("name") in (None, name) or name is None):
            return given, synthetic
        return given, None
    fitting = [each for each in sessions.values() if name is None or each.get("name") in (None, name)]
    if fitting:
        first = str(max(fitting, key=_rank)["id"])
        return first, first
    if event.effect == "session.end":
        return None, None
    return synthetic, synthetic if synthetic in sessions else None


def rename(record: Record, old: str, new: str) -> None:
    """The session gets its real id and keeps all it has learned."""
    session = record["sessions"].pop(old)
    session["id"] = new
    if session.get("parent_id") == new:
        session.pop("parent_id")
    record["sessions"][new] = session
    if record["shown"] is not None and record["shown"][0] == old:
        record["shown"] = [new, *record["shown"][1:]]


def remove(record: Record, id: str, now: float) -> None:
    """Drop the session; its id is remembered for late events (agent-status §9)."""
    session = record["sessions"].pop(id)
    if "last_sent" in session:
        ended = {each: mark for each, mark in record["ended"].items() if each != id and now - mark[1] < ENDED_S}
        ended[id] = [session["last_sent"], now]
        record["ended"] = dict(list(ended.items())[-ENDED_MAX:])


def make_room(record: Record, kept: str) -> list[str]:
    """The ids to remove so that the pane holds no more sessions than it may; never `kept`."""
    surplus = len(record["sessions"]) - SESSIONS_MAX
    if surplus <= 0:
        return []
    others = sorted((each for each in record["sessions"].values() if each["id"] != kept), key=_rank)
    return [str(each["id"]) for each in others[:surplus]]


def comes_after_end(record: Record, event: Event, now: float) -> bool:
    """Whether the event was started before one that a session now gone has applied (agent-status §9)."""
    given = event.session_id
    if event.sent_ms is None or (bool(record["sessions"]) if given is None else given in record["sessions"]):
        return False
    marks = [mark[0] for id, mark in record["ended"].items() if now - mark[1] < ENDED_S and given in (None, id)]
    return bool(marks) and event.sent_ms < max(marks)


def is_late(session: Session, event: Event) -> bool:
    """Whether the event was started before one that the session has applied (agent-status §9)."""
    return event.sent_ms is not None and bool(event.sent_ms < session.get("last_sent", event.sent_ms))


def is_hidden(session: Session, now: float) -> bool:
    """Whether nobody needs to see it any more: idle for long."""
    return bool(session["phase"] == "idle" and now - session["updated_at"] >= IDLE_SHOWN_S)


def displayed(record: Record, now: float) -> Session | None:
    """The session that stands for the pane (agent-status §11)."""
    eligible = [each for each in record["sessions"].values() if not is_hidden(each, now)]
    return max(eligible, key=_rank) if eligible else None


def in_order(record: Record, now: float) -> list[Session]:
    """All sessions, the displayed one first, hidden ones last."""
    found = sorted(record["sessions"].values(), key=_rank, reverse=True)
    return sorted(found, key=lambda each: is_hidden(each, now))


def name_of(session: Session, program: str) -> str:
    return session.get("name") or name_of_program(program)


def label(session: Session) -> str:
    """One line for a list (agent-status §13)."""
    phase, progress = session["phase"], session.get("progress")
    count = f" ({progress['done']}/{progress['total']})" if progress is not None else ""
    if phase == "running":
        return f"{session.get('text') or 'Running'}{count}"
    if phase == "idle":
        return f"Idle{count}" if progress is not None and progress["done"] < progress["total"] else "Idle"
    if phase == "needs-input":
        return ask_label(session)
    return "Stopped early" if phase == "unresolved-stop" else "Starting"


def ask_label(session: Session) -> str:
    return _ASK_LABELS[session["interaction"]]


def view(session: Session, pane_id: str, program: str, *, shown: bool) -> Record:
    """What clients see of a session; fields without a value are left out (agent-status §16)."""
    made: Record = {"pane_id": pane_id, "id": session["id"], "synthetic": session["id"] == synthetic_id(pane_id)}
    if "parent_id" in session:
        made["parent_id"] = session["parent_id"]
    made.update(name=name_of(session, program), phase=session["phase"], held="held_until" in session)
    if "text" in session:
        made["text"] = session["text"]
    if session["phase"] == "needs-input":
        asks = {"kind": session["interaction"]}
        made["interaction"] = {**asks, "text": session["text"]} if "text" in session else asks
    for field, source in (
        ("progress", "progress"),
        ("artifact", "artifact"),
        ("cwd", "working_directory"),
        ("pid", "pid"),
    ):
        if source in session:
            made[field] = session[source]
    made.update(label=label(session), shown=shown, since=rfc3339(session["since"]))
    made["updated_at"] = rfc3339(session["updated"])
    return made


def _rank(session: Session) -> tuple[int, int, bool, int]:
    phase = session["phase"]
    rank = _HELD_RANK if "held_until" in session else PHASE_RANK[phase]
    priority = KIND_PRIORITY[session["interaction"]] if phase == "needs-input" else 0
    return rank, priority, "parent_id" not in session, session.get("touched", 0)
