"""The process's own signals: an orderly end, and the clock that interrupts a user's pattern."""

from __future__ import annotations

import _signal

from ..base.errors import TimedOut
from ..base.limits import PATTERN_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .loop import Loop


def end_on_signals(loop: Loop, stop: Callable[[], None], *, detached: bool) -> None:
    """SIGTERM and SIGINT call stop() on the loop; a detached server ignores SIGHUP (persistence §8)."""

    def ask(_number: int, _frame: object) -> None:
        loop.post(stop)

    for number in (_signal.SIGTERM, _signal.SIGINT):
        _signal.signal(number, ask)
    _signal.signal(_signal.SIGHUP, _signal.SIG_IGN if detached else ask)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_IGN)
    _signal.set_wakeup_fd(loop.wake_fd, warn_on_full_buffer=False)


def guard(run: Callable[[], Any], limit_s: float = PATTERN_S) -> Any:
    """run() on this, the main thread; raises TimedOut when it needs longer. `re` holds the interpreter, so only a
    signal can end a pattern that went astray (house: the loop)."""

    def expire(_number: int, _frame: object) -> None:
        raise TimedOut(f"interrupted after {limit_s:g} s")

    before = _signal.signal(_signal.SIGALRM, expire)
    try:
        _signal.setitimer(_signal.ITIMER_REAL, limit_s)
        return run()
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, before)
