"""A string that goes over several chunks: OSC, DCS, SOS, PM or APC without its end yet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .queries import STRING_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

_STOP = {"]": re.compile("[\x07\x18\x1a\x1b]").search}
_STOP |= dict.fromkeys("PX^_", re.compile("[\x18\x1a\x1b]").search)


class OpenString:
    """kind: the character after ESC, "" outside strings. `done(kind, content, terminator)` gets what has ended well.

    A string that is longer than anything interpreted is followed to its end and kept no further.
    """

    __slots__ = ("_done", "_escape_seen", "_parts", "_size", "kind")

    def __init__(self, done: Callable[[str, str, str], None]) -> None:
        self.kind = ""
        self._done = done
        self._parts: list[str] = []
        self._size = 0
        self._escape_seen = False

    def begin(self, kind: str, content: str, escape_seen: bool) -> None:
        """escape_seen: an ESC follows that may be the first half of ST."""
        self.kind = kind
        self._parts, self._size, self._escape_seen = [content], len(content), escape_seen

    def go_on(self, text: str) -> str:
        """Adds to the open string; what is left of the text once it has ended."""
        if self._escape_seen:
            self._escape_seen = False
            if text[0] == "\\":
                self._close("\x1b\\")
                return text[1:]
            self.kind = ""
            return "\x1b" + text
        found = _STOP[self.kind](text)
        end = found.start() if found else len(text)
        if self._size <= STRING_BYTES:
            self._parts.append(text[:end])
        self._size += end
        if not found:
            return ""
        if found[0] == "\x07":
            self._close("\x07")
        elif found[0] != "\x1b":
            self.kind = ""
        elif end + 1 == len(text):
            self._escape_seen = True
        elif text[end + 1] == "\\":
            self._close("\x1b\\")
            return text[end + 2 :]
        else:
            self.kind = ""
            return text[end:]
        return text[end + 1 :]

    def _close(self, terminator: str) -> None:
        kind, self.kind = self.kind, ""
        content = "".join(self._parts) if self._size <= STRING_BYTES else ""
        self._parts = []
        self._done(kind, content, terminator)
