"""The server's log: one line per happening on standard error, which a detached server has in `server.log`."""

from __future__ import annotations

import os
import time

from ..base.clock import rfc3339
from ..base.text import visible


def log(text: str) -> None:
    """Write a line; a log that cannot be written must not end a server.

    Straight to descriptor 2: what a full disk refuses would stay in a buffered stream and be tried with every line.
    """
    line = f"{rfc3339(time.time())} [{os.getpid()}] {visible(text)}\n"
    try:
        os.write(2, line.encode("utf-8", "backslashreplace"))
    except OSError:
        pass


def log_fault(fault: BaseException) -> None:
    """Write a traceback: something of ours is wrong."""
    try:
        from traceback import format_exception
    except OSError:  # no descriptor is left to read the module with
        log(f"{type(fault).__name__}: {fault}")
        return
    for part in format_exception(type(fault), fault, fault.__traceback__):
        for line in part.rstrip("\n").split("\n"):
            log(line)
