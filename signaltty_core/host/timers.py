"""Deadlines in order. Time is always an argument, so tests own the clock."""

from __future__ import annotations

from _heapq import heappop, heappush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Timer:
    """One deadline; `cancel` may be called at any time and more than once."""

    __slots__ = ("due", "run")

    def __init__(self, due: float, run: Callable[[], None]) -> None:
        self.due = due
        self.run: Callable[[], None] | None = run

    def cancel(self) -> None:
        self.run = None


class Timers:
    """due: monotonic seconds. Equal deadlines fire in the order they were set."""

    __slots__ = ("_heap", "_order")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = 0

    def at(self, due: float, run: Callable[[], None]) -> Timer:
        timer = Timer(due, run)
        self._order += 1
        heappush(self._heap, (due, self._order, timer))
        return timer

    def wait_s(self, now: float) -> float | None:
        """Seconds until the next deadline, 0 if late, None if there is none."""
        while self._heap and self._heap[0][2].run is None:
            heappop(self._heap)
        return max(0.0, self._heap[0][0] - now) if self._heap else None

    def take_due(self, now: float) -> list[Timer]:
        """The timers due at `now`, in order; those set while they run wait for the next pass."""
        due: list[Timer] = []
        while self._heap and self._heap[0][0] <= now:
            due.append(heappop(self._heap)[2])
        return due
