"""Time, randomness and timers of this machine (engine/ports.py `Clock`)."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .loop import Loop


class Clock:
    """Time, randomness and timers of this machine."""

    def __init__(self, loop: Loop) -> None:
        self.after = loop.after
        self.now = loop.now
        self.exact = time.monotonic
        self.wall = time.time
        self.random = os.urandom
