"""Connections to one pane's status socket: cut into lines that count in the order of accepting (status-signals §2)."""

from __future__ import annotations

from . import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BYTES = 4096
DEADLINE_S = 0.5

EOF, DEADLINE, OVERSIZED = "eof", "deadline", "oversized"


class _Connection:
    __slots__ = ("ended", "fragment", "lines", "sender", "size_bytes")

    def __init__(self, sender: Any) -> None:
        self.sender = sender
        self.lines: list[bytes] = []
        self.fragment = b""
        self.size_bytes = 0
        self.ended = False


class Arrivals:
    """One per process instance. Counters: `ignored` lines, `oversized` and `timed_out` connections."""

    __slots__ = ("_open", "ignored", "oversized", "timed_out")

    def __init__(self) -> None:
        self._open: dict[int, _Connection] = {}
        self.ignored = 0
        self.oversized = 0
        self.timed_out = 0

    def open(self, number: int, sender: Any = None) -> None:
        """A connection was accepted; numbers rise. sender: whatever is to come back with its words."""
        self._open[number] = _Connection(sender)

    def feed(self, number: int, data: bytes) -> list[tuple[Any, str]]:
        """Bytes arrived; gives the words that count now, with their senders."""
        connection = self._open.get(number)
        if connection is None or connection.ended:
            return []
        room = BYTES - connection.size_bytes
        connection.size_bytes += len(data)
        *lines, connection.fragment = (connection.fragment + data[:room]).split(b"\n")
        connection.lines += lines
        if len(data) > room:
            return self.end(number, OVERSIZED)
        return self._take()

    def end(self, number: int, how: str) -> list[tuple[Any, str]]:
        """The connection is over; later ones that waited for it get their turn.

        how: EOF, after which a whole word without its newline counts, DEADLINE or OVERSIZED.
        """
        connection = self._open.get(number)
        if connection is None or connection.ended:
            return []
        connection.ended = True
        if how == EOF and connection.fragment in signals.WORDS:
            connection.lines.append(connection.fragment)
        self.timed_out += how == DEADLINE
        self.oversized += how == OVERSIZED
        connection.fragment = b""
        return self._take()

    def _take(self) -> list[tuple[Any, str]]:
        ready: list[tuple[Any, str]] = []
        while self._open:
            number = next(iter(self._open))
            connection = self._open[number]
            for line in connection.lines:
                word = signals.recognise(line)
                if word is not None:
                    ready.append((connection.sender, word))
                elif line.removesuffix(b"\r").strip(b" \t"):
                    self.ignored += 1
            connection.lines.clear()
            if not connection.ended:
                break
            del self._open[number]
        return ready
