"""The server's log: one line per happening on standard error, which a detached server has in `server.log`."""

from __future__ import annotations

import sys
import time

from ..base.clock import rfc3339
from ..base.text import visible


def log(text: str) -> None:
    """Write a line; a log that cannot be written must not end a server."""
    try:
        sys.stderr.write(f"{rfc3339(time.time())} [{_pid()}] {visible(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def log_fault(fault: BaseException) -> None:
    """Write a traceback: something of ours is wrong."""
    from traceback import format_exception

    for part in format_exception(type(fault), fault, fault.__traceback__):
        for line in part.rstrip("\n").split("\n"):
            log(line)


def _pid() -> int:
    from os import getpid

    return getpid()
