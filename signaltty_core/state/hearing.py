"""What a pane's present process has said beyond its records: connections, reports, shell marks.

No change of these is journaled; the snapshot has them as the field `hearing` of the process instance (persistence §3).
"""

from __future__ import annotations

from ..status.arrivals import Arrivals
from ..status.program import Records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Record, World

FIELD = "hearing"


class Hearing:
    """One per process instance. shell: the last shell mark. progress_at: when OSC 9;4 last told something. sender_at:
    when the sender of the last status line was accepted; None when nobody need look after it."""

    __slots__ = ("lines", "process_instance", "program", "progress_at", "sender_at", "shell")

    def __init__(self, process_instance: str) -> None:
        self.process_instance = process_instance
        self.lines = Arrivals()
        self.program = Records()
        self.shell: Record | None = None
        self.progress_at: float | None = None
        self.sender_at: float | None = None


def of(world: World, pane_id: str) -> Hearing:
    """The pane's; a new process begins with nothing, one that a new server takes over with what was saved."""
    instance = world.instances[pane_id]
    hearing = world.hearings.get(pane_id)
    if hearing is None or hearing.process_instance != instance["process_instance"]:
        hearing = world.hearings[pane_id] = Hearing(instance["process_instance"])
        _restore(hearing, instance.get(FIELD, {}))
        if "sender" in instance.get("signals", ()):
            hearing.sender_at = 0.0
    return hearing


def saved(world: World) -> dict[str, Record]:
    """Process instances together with what was heard of them, for the snapshot; `of` restores it in a later server."""
    found = {}
    for pane_id, hearing in world.hearings.items():
        instance = world.instances.get(pane_id)
        if instance is not None and instance["process_instance"] == hearing.process_instance:
            found[pane_id] = {**instance, FIELD: _facts(hearing)}
    return found


def forget(world: World, pane_id: str) -> None:
    """The process has ended: connections count on, all else is gone."""
    hearing = of(world, pane_id)
    hearing.program = Records()
    hearing.shell = None
    hearing.progress_at = hearing.sender_at = None


def _facts(hearing: Hearing) -> Record:
    program = hearing.program
    facts = {
        "records": program.saved(),
        "said_at": program.said_at,
        "due": program.due and {**program.due, "awaited": False},
        "shell": hearing.shell,
        "progress_at": hearing.progress_at,
    }
    return {name: value for name, value in facts.items() if value}


def _restore(hearing: Hearing, facts: Record) -> None:
    hearing.program.restore(facts.get("records", ()))
    hearing.program.said_at = facts.get("said_at", 0.0)
    hearing.program.due = facts.get("due")
    hearing.shell = facts.get("shell")
    hearing.progress_at = facts.get("progress_at")
