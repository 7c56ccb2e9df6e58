"""Saved tails and screens, written by worker threads and at the end by the loop: the newest state wins."""

from __future__ import annotations

from _thread import allocate_lock

from ..host import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    State = tuple[int, str, bytes, bytes | None, int, int]


class Tails:
    """One per server. Writers of the same pane would share a temporary file, hence the lock."""

    def __init__(self, state_dir: str) -> None:
        self._state_dir = state_dir
        self._lock = allocate_lock()
        self._taken = 0
        self._written: dict[str, int] = {}

    def number(self) -> int:
        """The number of a state that was taken just now."""
        self._taken += 1
        return self._taken

    def write_all(self, states: list[State]) -> None:
        """Any thread. Several states; of those that failed the last one's OSError is raised."""
        failed: OSError | None = None
        for state in states:
            try:
                self.write(*state)
            except OSError as fault:
                failed = fault
        if failed is not None:
            raise failed

    def write(self, number: int, pane_id: str, tail: bytes, screen: bytes | None, cols: int, rows: int) -> None:
        """Any thread. A state that comes later than a newer one is left out. Raises OSError."""
        with self._lock:
            if number < self._written.get(pane_id, 0):
                return
            self._written[pane_id] = number
            files.write_tail(self._state_dir, pane_id, tail)
            if screen is not None:
                files.write_screen(self._state_dir, pane_id, cols, rows, screen, tail)

    def prune(self, number: int, panes: Collection[str], live: Collection[str]) -> None:
        """Delete what panes that are gone have left. Any thread. Raises OSError.

        number: of the moment at which these panes were all there were; what was written later belongs to others. Never
        beside a write, whose file is there under another name first.
        """
        with self._lock:
            later = {pane_id for pane_id, written in self._written.items() if written > number}
            files.prune_history(self._state_dir, later.union(panes), later.union(live))
            for pane_id in self._written.keys() - later - set(panes):
                del self._written[pane_id]
