"""Which output may wait: bytes that ask for no answer and tell nobody anything, so that only who looks misses them."""

from __future__ import annotations

import re

# An ESC that begins anything else than a plain sequence which draws, moves, or switches: strings, queries, what resets,
# what is unknown. The last one may be cut, so long as it has no more characters than programs that draw ever send.
_MATTERS = re.compile(rb"\x1b(?!\[[0-9;?]*[@-bd-mrs]|[78=>M]|[()][0-9A-B]|\[[0-9;?]{0,62}\Z|[()]?\Z)").search
_CUT = re.compile(rb"\x1b(?:\[[0-9;?]*|[()]?)\Z").match
_UPDATE = b"\x1b[?2026h"
_RELEASE = b"\x1b[?2026l"


def is_quiet(data: bytes) -> bool:
    """Whether these bytes, fed to a terminal that is in no sequence, make no answer and no signal, and leave it in none
    or in one of which `cut_sequence` gives the beginning."""
    return b"\x07" not in data and not _MATTERS(data)


def cut_sequence(data: bytes) -> bytes:
    """The beginning of a sequence at the end of quiet bytes."""
    at = data.rfind(b"\x1b")
    return data[at:] if at >= 0 and _CUT(data, at) else b""


def end_of_update(data: bytes) -> int:
    """The place behind the end of the last synchronized update; 0 without one."""
    at = data.rfind(_RELEASE)
    return at + len(_RELEASE) if at >= 0 else 0


def find_update(data: bytes, start: int) -> int:
    """Where, from that place on, the first synchronized update begins; -1 without one."""
    return data.find(_UPDATE, start)
