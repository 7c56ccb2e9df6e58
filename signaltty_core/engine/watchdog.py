"""Tasks whose worker has been silent for too long are handed to a person (tasks-and-git §2.6).

Nothing is polled: one timer stands at the earliest moment at which a working task may have become silent. Signs of life
bear wall time; how long one is ago is counted in monotonic time, so that a clock that is set ends nobody's silence and
begins nobody's.
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

    Signs = tuple[float, float, float]

LOOK_S = 0.25  # two looks are never nearer
STEP_S = 1.0  # wall and monotonic time drift apart by less between two looks unless somebody sets the clock


class _Heard:
    """A task's signs of life at the last look, and the monotonic moment of the newest."""

    __slots__ = ("at", "signs")

    def __init__(self, signs: Signs, at: float) -> None:
        self.signs = signs
        self.at = at


class Watchdog:
    """silent_s: after how long without a sign of life; 0 never."""

    def __init__(self, world: World, ledger: Ledger, clock: Clock, silent_s: float) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._silent_s = silent_s
        self._heard: dict[str, _Heard] = {}
        self._lead_s: float | None = None  # of wall over monotonic time, at the last look
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
        self._listen()
        if self._heard:
            heard_at = min(heard.at for heard in self._heard.values())
            wait_s = max(LOOK_S, heard_at + self._silent_s - self._clock.now())
            self._timer = self._clock.after(wait_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._stopped:
            return
        self._listen()
        draft = Draft(self._world, self._clock.wall())
        for task_id, heard in self._heard.items():
            if self._clock.now() - heard.at >= self._silent_s:
                reason = {"reason": "worker_silent", "timeout_s": self._silent_s}
                tasks.move(draft, task_id, "input_required", reason)
        self._ledger.commit(draft)
        if self._timer is None:
            self._arm()

    def _listen(self) -> None:
        """See which working tasks have given a sign of life, and when."""
        lead_s = self._clock.wall() - self._clock.now()
        was_set = self._lead_s is not None and abs(lead_s - self._lead_s) > STEP_S
        self._lead_s = lead_s
        before, self._heard = self._heard, {}
        for task in self._world.tasks.values():
            if task["state"] == "working" and task.get("pane_id") in self._world.panes:
                signs = self._signs(task)
                heard = before.get(task["id"])
                if heard is None or heard.signs != signs:
                    heard = _Heard(signs, self._moment(signs, heard, was_set))
                self._heard[task["id"]] = heard

    def _moment(self, signs: Signs, before: _Heard | None, was_set: bool) -> float:
        """When the newest sign was given, no earlier than those known before; now, if the clock does not tell."""
        now = self._clock.now()
        fresh = [at for index, at in enumerate(signs) if before is None or at != before.signs[index]]
        ago_s = self._clock.wall() - max(fresh)
        at = now if was_set or ago_s < 0 else now - ago_s
        return at if before is None else max(at, before.at)

    def _signs(self, task: Record) -> Signs:
        """The worker's output, what it or somebody told of it, and that the task works again."""
        pane_id = task["pane_id"]
        return (
            self._world.activity.get(pane_id, 0.0),
            seconds_of(self._world.panes[pane_id]["last_activity_at"]),
            seconds_of(task["updated_at"]),
        )
