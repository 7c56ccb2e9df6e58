"""Children whose keeper is lost: they live on, and this server signals them itself and sees them vanish (keeper §4)."""

from __future__ import annotations

import os

from ..keeper.protocol import OS_SIGNALS, is_running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .loop import Loop
    from .timers import Timer

_LOOK_S = 0.5  # nobody tells of the end of a process that is not ours


class Orphans:
    """on_vanished(pane_id): an orphan that was not forgotten has ended; how, nobody knows."""

    __slots__ = ("_known", "_loop", "_on_vanished", "_timer", "_unheard")

    def __init__(self, loop: Loop, on_vanished: Callable[[str], None]) -> None:
        self._loop = loop
        self._on_vanished = on_vanished
        self._known: dict[str, tuple[int, int]] = {}
        self._unheard: set[str] = set()
        self._timer: Timer | None = None

    def __contains__(self, pane_id: str) -> bool:
        return pane_id in self._known

    def take(self, children: dict[str, tuple[int, int]]) -> None:
        """Watch over these: per pane id pid and start time."""
        self._known.update(children)
        self._plan()

    def forget(self, pane_id: str) -> None:
        """Its end is no news any more; it can still be signalled."""
        self._unheard.add(pane_id)

    def drop(self, pane_id: str) -> None:
        """The pane has another child now."""
        self._known.pop(pane_id, None)
        self._unheard.discard(pane_id)

    def signal(self, pane_id: str, name: str, group: bool) -> bool:
        """Whether it was sent; never to a later process with the same number."""
        from signal import Signals  # an enum: 5 ms, and only after a loss

        pid, start_time = self._known[pane_id]
        if name not in OS_SIGNALS or not is_running(pid, start_time):
            return False
        try:
            (os.killpg if group else os.kill)(pid, Signals[f"SIG{name}"])
        except OSError:
            return False
        return True

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._known.clear()

    def _plan(self) -> None:
        if self._timer is None and self._known:
            self._timer = self._loop.after(_LOOK_S, self._look)

    def _look(self) -> None:
        self._timer = None
        for pane_id, (pid, start_time) in [*self._known.items()]:
            if pane_id in self._known and not is_running(pid, start_time):
                is_news = pane_id not in self._unheard
                self.drop(pane_id)
                if is_news:
                    self._on_vanished(pane_id)
        self._plan()
