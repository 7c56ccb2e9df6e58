"""What a child prints while no server listens: the newest bytes, and how many older ones were lost."""

from __future__ import annotations

BUFFER_BYTES = 1 << 20  # keeper §2


class DrainBuffer:
    """Bounded, oldest bytes dropped. Costs nothing until it is used."""

    __slots__ = ("_data", "_limit_bytes", "dropped")

    def __init__(self, limit_bytes: int = BUFFER_BYTES) -> None:
        self._data = bytearray()
        self._limit_bytes = limit_bytes
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._data)

    def add(self, data: bytes) -> None:
        self._data += data
        excess = len(self._data) - self._limit_bytes
        if excess > 0:
            del self._data[:excess]  # moves the start of the array, not its content
            self.dropped += excess

    def take(self) -> tuple[bytes, int]:
        """All bytes, oldest first, and how many were dropped before them; empties the buffer."""
        data, dropped = bytes(self._data), self.dropped
        self._data = bytearray()
        self.dropped = 0
        return data, dropped
