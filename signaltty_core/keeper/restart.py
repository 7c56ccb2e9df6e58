"""Bringing a lost server back: the plan of revive.py carried out, with the process it has started in view."""

from __future__ import annotations

from .process import log, start_detached
from .revive import Revival

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .revive import Timings


class Restart:
    """argv: starts the server again; empty when nobody has told.

    While the process that was started neither ends nor connects nothing else is started: it may just be slow."""

    __slots__ = ("_pid", "_revival", "_start_s", "_until", "argv")

    def __init__(self, timings: Timings) -> None:
        self.argv: list[str] = []
        self._revival = Revival(timings)
        self._start_s = timings.start_s
        self._pid = 0
        self._until = 0.0

    @property
    def due(self) -> float | None:
        """Monotonic time of the next start."""
        return self._revival.due

    def lose(self, now: float, stayed_s: float) -> None:
        """A server is gone without a farewell."""
        if self.argv:
            self._revival.lose(now, stayed_s)

    def cancel(self) -> None:
        """A server is there."""
        self._revival.cancel()
        self._until = 0.0

    def look(self, now: float, nofile: tuple[int, int]) -> None:
        """Start what is due; give up on a start that has come to nothing."""
        due = self._revival.due
        if due is None:
            if self._pid and 0.0 < self._until <= now:
                self._revival.plan(now)
        elif now >= due:
            if self._pid and now < self._until:
                self._revival.cancel()  # its end plans the next
            else:
                self._start(now, nofile)

    def end(self, pids: list[int], now: float, wanted: bool) -> None:
        """These processes have ended; when ours is among them and no server came of it, plan the next."""
        if self._pid in pids:
            self._pid = 0
            if wanted:
                self._revival.plan(now)

    def _start(self, now: float, nofile: tuple[int, int]) -> None:
        self._revival.start(now)
        self._until = now + self._start_s
        try:
            self._pid = start_detached(self.argv, nofile)
        except OSError as fault:
            log(f"cannot start the server: {fault}")
            self._revival.plan(now)
            return
        log(f"the server is lost, started it again as process {self._pid}")
