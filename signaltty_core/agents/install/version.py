"""Which version an agent's program is, as it says itself (agents §8.2)."""

from __future__ import annotations

PROBE_S = 0.5


def parse(said: bytes) -> tuple[int, ...] | None:
    """The first word of the output that is a version with two dots; None when there is none."""
    for word in said[:4096].decode("utf-8", "replace").split():
        parts = word.lstrip("v").split(".")
        if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
            return tuple(int(part[:9]) for part in parts)
    return None
