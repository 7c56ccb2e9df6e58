"""What a pane's present process has said that lives in memory alone: connections, records, shell marks."""

from __future__ import annotations

from ..status.arrivals import Arrivals
from ..status.program import Records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Record, World


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
    """The pane's; a new process begins with nothing, one that a new server takes over with its saved summary."""
    instance = world.instances[pane_id]
    hearing = world.hearings.get(pane_id)
    if hearing is None or hearing.process_instance != instance["process_instance"]:
        hearing = world.hearings[pane_id] = Hearing(instance["process_instance"])
        saved = instance.get("program")
        if saved is not None:
            hearing.program.restore(saved)
        if "sender" in instance.get("signals", ()):
            hearing.sender_at = 0.0
    return hearing


def forget(world: World, pane_id: str) -> None:
    """The process has ended: connections count on, all else is gone."""
    hearing = of(world, pane_id)
    hearing.program = Records()
    hearing.shell = None
    hearing.progress_at = hearing.sender_at = None
