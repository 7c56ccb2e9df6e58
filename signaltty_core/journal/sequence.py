"""Which numbers may be issued: the reservation that makes them unique across restarts (persistence §4.1)."""

from __future__ import annotations

from ..base.errors import IoError
from ..base.limits import GREATEST_NUMBER, RESERVE_BELOW, RESERVED_NUMBERS


def parse(data: bytes) -> int:
    """The stored integer, the next unreserved number. Raises IoError when it is none."""
    digits = data.strip()
    if not digits.isdigit() or len(digits) > 16 or not 0 < int(digits) <= GREATEST_NUMBER:
        raise IoError(f"event-sequence.json: the reservation of event numbers is not an integer: {data[:40]!r}")
    return int(digits)


def start(stored: int | None, greatest: int) -> int:
    """The first number a new server may use. greatest: the largest number that snapshot and journal show, 0 for none.

    Raises IoError when the reservation does not lie above it, since numbers would then be given twice.
    """
    if stored is None:
        return greatest + 1
    if stored <= greatest:
        raise IoError(
            f"event-sequence.json: the reservation of event numbers says {stored}, but number {greatest} has been used"
        )
    return stored


def is_short(next_seq: int, limit: int) -> bool:
    """Whether it is time to reserve ahead."""
    return limit - next_seq < RESERVE_BELOW


def extend(next_seq: int, limit: int) -> int:
    """The limit after reserving one more block, or as many as put `next_seq` below it."""
    return limit + RESERVED_NUMBERS * max(1, -((limit - next_seq - 1) // RESERVED_NUMBERS))
