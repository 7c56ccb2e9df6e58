"""What the journal's files can prove: the record beside them, its doubts and its rotation (persistence §4.4).

After a doubt, `retained_after` is the last number given when it arose. A generation whose first number lies above it
was written wholly after the doubt; once that is the older one of two, completeness can be shown again.
"""

from __future__ import annotations

from ..wire.codec import NotJson, decode, encode

RECORD_BYTES = 512  # fixed, so that overwriting it in place never changes the file's length


class Retention:
    """retained_after: every state event above it is in the files. predecessor: whether `audit.jsonl.1` belongs to them.

    current_bytes, predecessor_bytes: least lengths. known_complete: no doubt has been seen.
    """

    __slots__ = ("current_bytes", "known_complete", "predecessor", "predecessor_bytes", "retained_after")

    def __init__(
        self,
        retained_after: int,
        predecessor: bool = False,
        current_bytes: int = 0,
        predecessor_bytes: int = 0,
        known_complete: bool = True,
    ) -> None:
        self.retained_after = retained_after
        self.predecessor = predecessor
        self.current_bytes = current_bytes
        self.predecessor_bytes = predecessor_bytes
        self.known_complete = known_complete


class Generation:
    """What a journal file is found to be: length, smallest and greatest number (0: none), all lines ours or not."""

    __slots__ = ("first_seq", "last_seq", "size_bytes", "sound")

    def __init__(self, size_bytes: int, first_seq: int = 0, last_seq: int = 0, sound: bool = True) -> None:
        self.size_bytes = size_bytes
        self.first_seq = first_seq
        self.last_seq = last_seq
        self.sound = sound


def encode_record(retention: Retention) -> bytes:
    """The record padded to its fixed length."""
    fields = {
        "retained_after": retention.retained_after,
        "predecessor": retention.predecessor,
        "current_bytes": retention.current_bytes,
        "predecessor_bytes": retention.predecessor_bytes,
        "known_complete": retention.known_complete,
    }
    return encode(fields).encode("ascii").ljust(RECORD_BYTES - 1) + b"\n"


def parse_record(data: bytes) -> Retention | None:
    """None for anything but a whole record: then nothing is claimed."""
    try:
        fields = decode(data)
    except NotJson:
        return None
    if not isinstance(fields, dict):
        return None
    numbers = [fields.get(name) for name in ("retained_after", "current_bytes", "predecessor_bytes")]
    flags = [fields.get(name) for name in ("predecessor", "known_complete")]
    if not all(type(number) is int and number >= 0 for number in numbers):
        return None
    if not all(isinstance(flag, bool) for flag in flags):
        return None
    return Retention(
        fields["retained_after"],
        fields["predecessor"],
        fields["current_bytes"],
        fields["predecessor_bytes"],
        fields["known_complete"],
    )


def check(
    stored: Retention | None, current: Generation | None, predecessor: Generation | None, newest_seq: int
) -> Retention:
    """The record that holds for the files found. newest_seq: the last number that may have been given."""
    now = Retention(newest_seq)
    now.current_bytes = current.size_bytes if current else 0
    if stored is None:
        now.predecessor = predecessor is not None
        now.predecessor_bytes = predecessor.size_bytes if predecessor else 0
        now.known_complete = current is None and predecessor is None
        return now
    now.predecessor = stored.predecessor
    now.predecessor_bytes = predecessor.size_bytes if predecessor and stored.predecessor else 0
    bad_current = _is_doubtful(current, stored.current_bytes)
    bad_predecessor = stored.predecessor and _is_doubtful(predecessor, stored.predecessor_bytes)
    if not stored.predecessor and predecessor is not None and predecessor.last_seq > stored.retained_after:
        bad_current = True  # the record is older than the files
    now.known_complete = stored.known_complete and not bad_current and not bad_predecessor
    if not bad_current:
        now.retained_after = stored.retained_after
        if bad_predecessor:
            oldest = current.first_seq if current else 0
            now.retained_after = max(stored.retained_after, (oldest or newest_seq + 1) - 1)
    if predecessor is None:
        now.predecessor = False
    return now


def says_the_same(one: Retention, other: Retention) -> bool:
    """Whether they differ in nothing but lengths, which alone may be overwritten in place."""
    return (one.retained_after, one.predecessor, one.known_complete) == (
        other.retained_after,
        other.predecessor,
        other.known_complete,
    )


def rotate(retention: Retention, current: Generation, predecessor: Generation | None) -> Retention:
    """The record for after `current` has become the predecessor and the former predecessor is gone."""
    gone = predecessor.last_seq if predecessor else 0
    after = max(retention.retained_after, gone)
    clean = current.sound and current.first_seq > retention.retained_after
    return Retention(
        after,
        predecessor=True,
        predecessor_bytes=current.size_bytes,
        known_complete=retention.known_complete or clean,
    )


def _is_doubtful(found: Generation | None, least_bytes: int) -> bool:
    if found is None:
        return least_bytes > 0
    return found.size_bytes < least_bytes or not found.sound
