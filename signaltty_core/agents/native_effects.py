"""What native hooks do to status sessions beyond the protocol's own events (agent-status §15.2, §15.4).

Which tools have begun and which one is asked about is kept on the session, with the records of `tools`.
"""

from __future__ import annotations

from ..status import phases
from ..status.envelope import KIND_PRIORITY
from ..status.phases import put
from . import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..status.phases import Step

TURN_GAP_S = 2.0  # a tool that begins sooner after a turn's end still belongs to that turn


def _ask(step: Step) -> bool:
    """A question, and the tool it is about; one of lower priority leaves both as they stand."""
    session, event = step.session, step.event
    stands = session["interaction"] if session["phase"] == "needs-input" else None
    standing = session.get("asked") if stands is not None else None
    phases.EFFECTS["agent.needs-input"](step)
    if stands is None or KIND_PRIORITY[stands] <= KIND_PRIORITY[event.kind]:
        note = event.tools[0] if event.tools else {}
        session["asked"] = tools.asked(note, session.get("tools", []), standing)
    return True


def _tool_begin(step: Step) -> bool:
    _begin(step)
    step.count()
    if not _may_begin(step):
        return False
    step.enter("running")
    return True


def _tool_end(step: Step) -> bool:
    session, ended = step.session, step.event.tools
    for note in ended:
        session["tools"] = tools.end(session.get("tools", []), note)
    step.count()
    phase = session["phase"]
    if phase == "needs-input":
        if not tools.ends_asked(session.get("asked"), ended):
            return False
        step.enter("running")
        step.say(None)
        return True
    if phase == "starting" or (phase == "idle" and "ended_turn_at" not in session):
        step.enter("running")
        return True
    return False


def _failed(step: Step) -> bool:
    step.end_turn()
    step.enter("unresolved-stop")
    step.say(step.event.text)
    return True


def _interrupted(step: Step) -> bool:
    if step.session["phase"] not in ("running", "needs-input"):
        return False
    step.end_turn()
    step.enter("idle")
    step.session["quiet"] = True
    step.say(None)
    return True


def _count_tasks(step: Step) -> bool:
    """The counter of tasks by id; one created after all are done begins a new set (agent-status §15.3)."""
    session, told = step.session, step.event.tasks or {}
    known: dict[str, bool] = dict(session.get("tasks", {}))
    for id, is_done in told.items():
        if not is_done and known and all(known.values()):
            known = {}
        known[id] = is_done or known.get(id, False)
    session["tasks"] = known
    put(session, "progress", {"done": sum(known.values()), "total": len(known)})
    return False


def _begin(step: Step) -> None:
    for note in step.event.tools:
        step.session["tools"] = tools.begin(step.session.get("tools", []), note)


def _may_begin(step: Step) -> bool:
    session = step.session
    phase = session["phase"]
    if phase == "idle":
        ended_at = session.get("ended_turn_at")
        return ended_at is None or (not step.event.sub_agent and step.now - ended_at >= TURN_GAP_S)
    return phase in ("starting", "unresolved-stop") or "held_until" in session


EFFECTS: dict[str, Callable[[Step], bool]] = {
    "ask": _ask,
    "tool-begin": _tool_begin,
    "tool-end": _tool_end,
    "failed": _failed,
    "interrupted": _interrupted,
    "tasks": _count_tasks,
}
