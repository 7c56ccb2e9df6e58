"""Tasks whose worker has been silent for too long are handed to a person (tasks-and-git §2.6).

Nothing is polled: one timer stands at the earliest moment at which a working task may have become silent.
"""

from __future__ import annotations

from ..base.clock import seconds_of
from ..state import tasks
from ..state.world import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record, World
    from .ledger import Ledger
    from .ports import Clock, Timer

LOOK_S = 0.25  # two looks are never nearer


class Watchdog:
    """silent_s: after how long without a sign of life; 0 never."""

    def __init__(self, world: World, ledger: Ledger, clock: Clock, silent_s: float) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._silent_s = silent_s
        self._timer: Timer | None = None
        self._stopped = False

    def stop(self) -> None:
        """The server ends: nothing is recorded any more."""
        self._stopped = True

    def on_change(self) -> None:
        """Tasks may have begun to work."""
        if self._timer is None and self._silent_s and not self._stopped and self._world.tasks:
            self._arm()

    def _arm(self) -> None:
        due = [self._heard_at(task) + self._silent_s for task in self._working()]
        if due:
            wait_s = max(LOOK_S, min(due) - self._clock.wall())
            self._timer = self._clock.after(wait_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._stopped:
            return
        draft = Draft(self._world, self._clock.wall())
        for task in self._working():
            if draft.at - self._heard_at(task) >= self._silent_s:
                reason = {"reason": "worker_silent", "timeout_s": self._silent_s}
                tasks.move(draft, task["id"], "input_required", reason)
        self._ledger.commit(draft)
        if self._timer is None:
            self._arm()

    def _working(self) -> list[Record]:
        return [
            task
            for task in self._world.tasks.values()
            if task["state"] == "working" and task.get("pane_id") in self._world.panes
        ]

    def _heard_at(self, task: Record) -> float:
        """The worker's last sign of life; that a task works again counts as one."""
        pane_id = task["pane_id"]
        return max(
            self._world.activity.get(pane_id, 0.0),
            seconds_of(self._world.panes[pane_id]["last_activity_at"]),
            seconds_of(task["updated_at"]),
        )
