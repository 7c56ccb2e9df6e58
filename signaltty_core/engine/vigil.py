"""Looks every 2 s after those whose silence has a meaning only with their death (status-signals §4.3, terminal-status
§3.5): senders of status signals, process groups that reported OSC 7501. Sleeps while there is nobody to look after.
"""

from __future__ import annotations

from ..base.clock import passed_s
from ..state import hearing, program_status, speech, status_line
from ..state.world import Draft, is_live
from .portions import Portions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record, World
    from .ledger import Ledger
    from .ports import Clock, Processes, Timer

LOOK_S = 2.0
EARLY_S = 0.01  # the timer counts monotonic time


class Vigil:
    """One timer for all panes."""

    def __init__(self, world: World, ledger: Ledger, clock: Clock, processes: Processes) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._processes = processes
        self._timer: Timer | None = None
        self._looks = Portions(clock, self._look_at, self.arm)
        self._stopped = False

    def stop(self) -> None:
        """The server ends: nothing is recorded any more."""
        self._stopped = True
        self._looks.stop()

    def arm(self) -> None:
        """Somebody may need looking after from now on."""
        if (
            self._timer is None
            and not self._stopped
            and any(self._has_cause(pane["id"]) for pane in self._world.live_panes())
        ):
            self._timer = self._clock.after(LOOK_S, self._look)

    def follow(self, pane_id: str) -> None:
        """The pane has said something: look after it, and see in two seconds what became of a result unconfirmed."""
        if self._timer is None and self._has_cause(pane_id):
            self.arm()
        due = hearing.of(self._world, pane_id).program.due
        if due is not None and not due["awaited"]:
            due["awaited"] = True
            self._clock.after(program_status.LOST_END_S, lambda: self._settle(pane_id, due))

    def _settle(self, pane_id: str, due: Record) -> None:
        if pane_id in self._world.panes and not self._stopped:
            draft = Draft(self._world, self._clock.wall())
            program_status.settle(draft, pane_id, due)
            self._ledger.note(draft)

    def expect(self, pane_id: str, sent_at: float) -> None:
        """Another process has sent a line: whether it outlives its connection by two seconds decides if it is
        watched."""
        left_s = LOOK_S - passed_s(sent_at, self._clock.wall())
        self._clock.after(max(0.0, left_s), lambda: self._look_after(pane_id))

    def _look_after(self, pane_id: str) -> None:
        if pane_id in self._world.panes and not self._stopped:
            draft = Draft(self._world, self._clock.wall())
            self._look_at_sender(draft, pane_id)
            self._ledger.note(draft)

    def _has_cause(self, pane_id: str) -> bool:
        heard = hearing.of(self._world, pane_id)
        return heard.sender_at is not None or heard.progress_at is not None or bool(heard.program.groups())

    def _look(self) -> None:
        self._timer = None
        if not self._stopped:
            self._looks.take(pane["id"] for pane in self._world.live_panes() if self._has_cause(pane["id"]))

    def _look_at(self, pane_id: str) -> None:
        pane = self._world.panes.get(pane_id)
        if pane is None or not is_live(pane):
            return  # it was there when its turn was asked for
        draft = Draft(self._world, self._clock.wall())
        self._look_at_sender(draft, pane_id)
        self._look_at_groups(draft, pane_id)
        speech.tire(draft, pane_id)
        self._ledger.note(draft)
        self.follow(pane_id)

    def _look_at_sender(self, draft: Draft, pane_id: str) -> None:
        heard, fields = hearing.of(self._world, pane_id), self._world.instances[pane_id].get("signals", {})
        sender = fields.get("sender")
        if heard.sender_at is None or sender is None:
            return
        if not self._processes.is_running(sender["pid"], sender["start_time"]):
            heard.sender_at = None
            if fields.get("watched"):
                status_line.lose_sender(draft, pane_id)
        elif not fields.get("watched") and passed_s(heard.sender_at, draft.at) >= LOOK_S - EARLY_S:
            status_line.watch(draft, pane_id)

    def _look_at_groups(self, draft: Draft, pane_id: str) -> None:
        groups = hearing.of(self._world, pane_id).program.groups()
        gone = [group for group in groups if not self._processes.has_members(group)]
        if gone:
            program_status.drop_unfinished(draft, pane_id, gone)
