"""Output that nobody need act upon waits until somebody looks or the host has time (performance §4.3): several frames
fed at once cost less than one by one, and so do many plain lines. A synchronized update waits for its end too, since
a terminal that has half of one must keep the whole former frame for readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .quiet import cut_sequence, end_of_update, find_update, is_quiet

if TYPE_CHECKING:
    from .terminal import Fed, Terminal


class PutBy:
    """A terminal and the output that it has not been fed. size_bytes: how much that is.

    `_open_from`: where in what waits a synchronized update begins that does not end in it, None without one;
    `_open_since`: when its beginning arrived. `_cut`: the beginning of a sequence at the end of what waits.
    """

    __slots__ = ("_cut", "_newest_at", "_open_from", "_open_since", "_parts", "_terminal", "size_bytes")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._parts: list[bytes] = []
        self._cut = b""
        self._open_from: int | None = None
        self._open_since = 0.0
        self._newest_at = 0.0
        self.size_bytes = 0

    @property
    def terminal(self) -> Terminal:
        """The terminal as all output so far has left it."""
        self.catch_up()
        return self._terminal

    @property
    def head(self) -> int:
        """The newest line number that anybody can know."""
        return self._terminal.head

    def take(self, data: bytes, now: float) -> Fed | None:
        """The next bytes: what they ask for, or None when all of them have been put by."""
        cut = self._cut if self.size_bytes else self._terminal.cut_sequence
        whole = cut + data if cut else data
        if cut is not None and is_quiet(whole):
            self._add(data, whole, now)
            return None
        ended = end_of_update(whole)
        if not ended and self._open_from is not None:
            return self.terminal.feed(data, now)
        # As an ESC always starts anew, an update may be cut off anywhere.
        start = find_update(whole, ended)
        rest = whole[start:] if start >= 0 and is_quiet(whole[start:]) else b""
        fed = self._terminal.feed(self._take_out(self.size_bytes) + data[: len(data) - len(rest)], now)
        if rest:
            self._add(rest, rest, now)
        return fed

    def digest(self, most_bytes: int) -> int:
        """Feeds what waits, but for an update that has not ended, of so many bytes at most; gives what waits still."""
        if self._open_from is None or self.size_bytes - self._open_from > most_bytes:
            self.catch_up()
        elif self._open_from:
            self._terminal.feed(self._take_out(self._open_from), self._newest_at)
        return self.size_bytes

    def catch_up(self) -> None:
        """Feeds all that waits; it asks for nothing."""
        if self.size_bytes:
            # Readers wait for the end of an update no longer because the terminal did not know of it.
            arrived_at = self._newest_at if self._open_from is None else self._open_since
            self._terminal.feed(self._take_out(self.size_bytes), arrived_at)

    def _add(self, data: bytes, whole: bytes, now: float) -> None:
        """Puts quiet bytes by; `whole` has in front of them the sequence that they go on with."""
        ended = end_of_update(whole)
        if ended:
            self._open_from = None
        start = find_update(whole, ended) if self._open_from is None else -1
        if start >= 0:
            self._open_from = max(self.size_bytes + start - (len(whole) - len(data)), 0)
            self._open_since = now
        self._newest_at = now
        self._cut = cut_sequence(whole)
        self._parts.append(data)
        self.size_bytes += len(data)

    def _take_out(self, size_bytes: int) -> bytes:
        """The first bytes of what waits: all, or those before the update that has not ended."""
        data = b"".join(self._parts)
        rest = data[size_bytes:]
        self._parts = [rest] if rest else []
        self._open_from = 0 if rest else None
        self.size_bytes = len(rest)
        return data[:size_bytes]
