"""Notifications that come in pieces (OSC 99, terminal-status §5)."""

from __future__ import annotations

UNFINISHED = 16
PIECE_BYTES = 4096


class Pieces:
    """Unfinished notifications by their id, oldest first; at most 16."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[str, dict[str, bytes]] = {}

    def clear(self) -> None:
        self._open.clear()

    def add(self, meta: str, payload: str) -> tuple[bytes, bytes] | None:
        """Takes one piece; (title, body) when it was the last one."""
        pairs = dict(pair.partition("=")[::2] for pair in meta.split(":"))
        part = pairs.get("p", "title")
        if part not in ("title", "body"):
            return None
        raw = payload.encode("utf-8", "surrogateescape")
        if pairs.get("e") == "1":
            raw = _decode(raw)
        name = pairs.get("i", "")
        texts = self._open.setdefault(name, {"title": b"", "body": b""})
        texts[part] = (texts[part] + raw)[:PIECE_BYTES]
        if pairs.get("d") == "0":
            if len(self._open) > UNFINISHED:
                del self._open[next(iter(self._open))]
            return None
        del self._open[name]
        return texts["title"], texts["body"]


def _decode(raw: bytes) -> bytes:
    """Base64 with or without its padding; nothing when it is faulty."""
    from binascii import Error, a2b_base64  # few programs encode their notifications

    try:
        return a2b_base64(raw.rstrip(b"=") + b"=" * (-len(raw.rstrip(b"=")) % 4))
    except Error:
        return b""
