"""Calls that may take long, in threads; results come back to the loop as plain values."""

from __future__ import annotations

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .loop import Loop

    Done = Callable[[Any, Exception | None], None]

MOST_THREADS = 16  # slow Git calls of several workspaces side by side; a thread ends when there is nothing to do


class Workers:
    """Threads are made on demand and are daemons: a stuck file system cannot hold up the server's end."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._queue: deque[tuple[Callable[..., Any], tuple[Any, ...], Done]] = deque()
        self._threads = 0

    def run(self, function: Callable[..., Any], args: tuple[Any, ...], done: Done) -> None:
        """Call function(*args) in a thread, then done(result, None) or done(None, error) on the loop."""
        self._queue.append((function, args, done))
        self._start()

    def _start(self) -> None:
        if self._threads < MOST_THREADS:
            from threading import Thread  # with the first slow call, not at start

            self._threads += 1
            Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                function, args, done = self._queue.popleft()
            except IndexError:
                self._loop.post(self._retire)
                return
            self._loop.post(_outcome(function, args, done))

    def _retire(self) -> None:
        self._threads -= 1
        if self._queue:  # came when this thread had just seen it empty, and no other could be started
            self._start()


def _outcome(function: Callable[..., Any], args: tuple[Any, ...], done: Done) -> Callable[[], None]:
    try:
        result = function(*args)
    except Exception as fault:
        error = fault
        return lambda: done(None, error)
    return lambda: done(result, None)
