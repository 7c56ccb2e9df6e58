"""Locks that end with their holder: `signaltty.lock` beside the socket, `server.lock` beside the state."""

from __future__ import annotations

import fcntl
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

POLL_S = 0.02


class Lock:
    """A file locked with flock for this process's life; holds one line for people who ask who it is."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def say(self, text: str) -> None:
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, text.encode() + b"\n", 0)

    def release(self) -> None:
        os.close(self._fd)


def take(path: str, patience_s: float, give_up: Callable[[], bool] = lambda: False) -> Lock | None:
    """The lock, or None when another holds it for longer than `patience_s` or give_up() says to stop trying."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    ends_at = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= ends_at or give_up():
                os.close(fd)
                return None
            time.sleep(POLL_S)
            continue
        return Lock(fd)


def holder(path: str) -> str:
    """What the lock's holder says of itself; empty when nobody does."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(500).strip()
    except OSError:
        return ""
