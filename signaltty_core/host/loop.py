"""The one place that waits. Descriptors, timers and posts from other threads meet here.

A pass serves wake-ups and sockets first, then PTYs, posts and timers, then the `after_pass` hooks. PTYs are watched
with `late=True`: whatever floods, a request never waits for more than one read budget (performance §4.4).
"""

from __future__ import annotations

import selectors
import sys
import time
from _socket import socket as Socket
from _thread import RLock
from collections import deque
from os import pipe, read, set_blocking, write

from .timers import Timer, Timers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Ready = Callable[[int], None]

_WAKE_BYTES = 4096
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


def fd_of(file: int | Socket) -> int:
    return file if isinstance(file, int) else file.fileno()


class _Watch:
    __slots__ = ("late", "ready")

    def __init__(self, ready: Ready, late: bool) -> None:
        self.ready = ready
        self.late = late


class Loop:
    """Single-threaded loop; only `post` and `wake_fd` may be used from elsewhere.

    on_fault: gets the exception of a callback; the loop goes on. Default: a traceback on stderr.
    """

    def __init__(self, on_fault: Callable[[BaseException], None] | None = None) -> None:
        self._selector = selectors.DefaultSelector()
        self._watches: dict[int, _Watch] = {}
        self._timers = Timers()
        self._posted: deque[Callable[[], None]] = deque()
        self._running = False
        self._on_fault = on_fault or _show_fault
        self._now = time.monotonic()
        self.after_pass: list[Callable[[], None]] = []
        self._at_end: list[Callable[[], None]] = []
        self._waking = RLock()  # a signal handler may post in the middle of a post
        self._wake_r, self.wake_fd = pipe()
        set_blocking(self._wake_r, False)
        set_blocking(self.wake_fd, False)
        self.watch(self._wake_r, READ, self._drain)

    def now(self) -> float:
        """Monotonic seconds, read once per pass."""
        return self._now

    def watch(self, file: int | Socket, events: int, ready: Ready, *, late: bool = False) -> None:
        """Call ready(mask) while `file` is ready; calling again changes interest and callback."""
        fd = fd_of(file)
        watch = _Watch(ready, late)
        if fd in self._watches:
            self._selector.modify(fd, events, watch)
        else:
            self._selector.register(fd, events, watch)
        self._watches[fd] = watch

    def forget(self, file: int | Socket) -> None:
        """Stop watching; call before closing the descriptor. Unknown files are ignored."""
        fd = fd_of(file)
        if self._watches.pop(fd, None) is not None:
            self._selector.unregister(fd)

    def after(self, seconds: float, run: Callable[[], None]) -> Timer:
        return self._timers.at(time.monotonic() + seconds, run)

    def post(self, run: Callable[[], None]) -> None:
        """Run on the loop's thread soon. Safe from any thread."""
        self._posted.append(run)
        with self._waking:  # a descriptor that was closed meanwhile may be somebody else's by now
            if self.wake_fd < 0:
                return  # closed; a worker that was still busy has nobody to tell
            try:
                write(self.wake_fd, b"\0")
            except BlockingIOError:
                pass  # a full pipe already means "wake up"

    def at_end(self, run: Callable[[], None]) -> None:
        """Run once at the end of this pass, behind the `after_pass` hooks."""
        self._at_end.append(run)

    def run(self) -> None:
        self._running = True
        while self._running:
            self.turn()

    def stop(self) -> None:
        self._running = False

    def turn(self, longest_s: float | None = None) -> None:
        """One pass: wait at most `longest_s` seconds, then sockets, PTYs, posts, timers, hooks."""
        wait_s = 0.0 if self._posted or self._at_end else self._timers.wait_s(time.monotonic())
        if longest_s is not None:
            wait_s = longest_s if wait_s is None else min(wait_s, longest_s)
        ready = self._selector.select(wait_s)
        self._now = time.monotonic()
        late = []
        for key, mask in ready:
            if key.data.late:
                late.append((key, mask))
            else:
                self._call(key.fd, key.data, mask)
        for key, mask in late:
            self._call(key.fd, key.data, mask)
        for _ in range(len(self._posted)):
            self._guard(self._posted.popleft())
        for timer in self._timers.take_due(time.monotonic()):
            if timer.run is not None:
                self._guard(timer.run)
        for hook in self.after_pass:
            self._guard(hook)
        while self._at_end:
            runs, self._at_end = self._at_end, []
            for run in runs:
                self._guard(run)

    def close(self) -> None:
        self._selector.close()
        from os import close

        with self._waking:
            wake_fd, self.wake_fd = self.wake_fd, -1
            close(wake_fd)
            close(self._wake_r)

    def _call(self, fd: int, watch: _Watch, mask: int) -> None:
        if self._watches.get(fd) is watch:  # an earlier callback of this pass may have dropped it
            try:
                watch.ready(mask)
            except Exception as fault:
                self._on_fault(fault)

    def _guard(self, run: Callable[[], None]) -> None:
        try:
            run()
        except Exception as fault:
            self._on_fault(fault)

    def _drain(self, _mask: int) -> None:
        try:
            while len(read(self._wake_r, _WAKE_BYTES)) == _WAKE_BYTES:
                pass
        except BlockingIOError:
            pass


def _show_fault(fault: BaseException) -> None:
    sys.excepthook(type(fault), fault, fault.__traceback__)
