"""Keeps status sessions true while nobody asks: their windows, and the processes they follow (agent-status §10).

One timer for all panes, set for the earliest moment any of them wants.
"""

from __future__ import annotations

from ..state import agent_status
from ..state.world import Draft
from ..status.reduce import Processes
from .portions import Portions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import World
    from .ledger import Ledger
    from .ports import Clock, Host, Timer


class Sweep:
    """Armed anew by whoever changes sessions (`Machine.note_sessions`); without sessions there is no timer."""

    def __init__(self, world: World, ledger: Ledger, host: Host, clock: Clock) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._timer: Timer | None = None
        self._due = 0.0
        self._looks = Portions(clock, self._look_at, self.arm)
        self._stopped = False
        self.processes = Processes(host.started_at, host.is_running)

    def stop(self) -> None:
        """The server ends: nothing is recorded any more."""
        self._stopped = True
        self._looks.stop()

    def on_prompt(self, draft: Draft, pane_id: str) -> None:
        """The pane's shell is back at its prompt; the change becomes part of the draft."""
        agent_status.on_shell_prompt(draft, pane_id, self._clock.now(), self.processes)

    def arm(self) -> None:
        """See when the next look is due; a look at processes that is due already stays where it is."""
        if self._looks.is_busy():
            return  # who is left of the last look is due already
        now = self._clock.now()
        due = agent_status.due(self._world, now)
        if self._timer is not None:
            if due is not None and now < self._due <= due:
                return
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._due = due
            self._timer = self._clock.after(max(due - now, 0.0), self._look)

    def _look(self) -> None:
        self._timer = None
        if not self._stopped:
            instances = self._world.instances
            self._looks.take(pane_id for pane_id in instances if agent_status.FIELD in instances[pane_id])

    def _look_at(self, pane_id: str) -> None:
        draft = Draft(self._world, self._clock.wall())
        agent_status.sweep(draft, self._clock.now(), self.processes, [pane_id])
        if not draft.is_empty():
            self._ledger.note(draft)
