"""Saved tails and screens, written by worker threads and at the end by the loop: the newest state wins."""

from __future__ import annotations

from _thread import allocate_lock

from ..host import files


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

    def write(self, number: int, pane_id: str, tail: bytes, screen: bytes | None, cols: int, rows: int) -> None:
        """Any thread. A state that comes later than a newer one is left out. Raises OSError."""
        with self._lock:
            if number < self._written.get(pane_id, 0):
                return
            self._written[pane_id] = number
            files.write_tail(self._state_dir, pane_id, tail)
            if screen is not None:
                files.write_screen(self._state_dir, pane_id, cols, rows, screen, tail)
