"""Splits a byte stream into lines. No sockets, no JSON: bytes in, lines out, bounded, linear however it is cut."""

from __future__ import annotations

from ..base.errors import RateLimited
from ..base.limits import LINE_BYTES


class LineBuffer:
    """Collects bytes and gives back whole lines, without their newline.

    limit: longest line in bytes; a longer one raises RateLimited once and the buffer must be thrown away.
    Scans each byte once, however the stream was cut.
    """

    __slots__ = ("_data", "_limit", "_seen")

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._data = bytearray()
        self._seen = 0
        self._limit = limit

    def feed(self, data: bytes) -> list[bytes]:
        """Lines completed by `data`, in order."""
        buffer = self._data
        buffer += data
        lines: list[bytes] = []
        start = 0
        while (end := buffer.find(b"\n", max(start, self._seen))) >= 0:
            if end - start > self._limit:
                raise RateLimited(f"line too large: more than {self._limit} bytes")
            lines.append(bytes(buffer[start:end]))
            start = self._seen = end + 1
        del buffer[:start]
        self._seen = len(buffer)
        if self._seen > self._limit:
            raise RateLimited(f"line too large: more than {self._limit} bytes")
        return lines
