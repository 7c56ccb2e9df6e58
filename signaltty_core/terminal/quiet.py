"""Which output may wait: bytes that ask for no answer and tell nobody anything, so that only who looks misses them."""

from __future__ import annotations

import re

# An ESC that begins anything else than a complete, plain sequence which draws, moves, or switches: strings, queries,
# what resets, what is unknown, and whatever the chunk cuts.
_MATTERS = re.compile(rb"\x1b(?!\[[0-9;?]*[@-bd-mrs]|[78=>M]|[()][0-9A-B])").search


def is_quiet(data: bytes) -> bool:
    """Whether these bytes, fed to a terminal that is in no sequence, leave it so and make no answer and no signal."""
    return b"\x07" not in data and not _MATTERS(data)
