"""The file of a listening socket: bound for its owner alone, known again later, free of dead predecessors."""

from __future__ import annotations

import os
import stat
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as Socket

BACKLOG = 1024
PROBE_S = 0.2


def bound(path: str) -> Socket:
    """A socket that listens there. Raises OSError, for a path that is too long one without an errno."""
    sock = Socket(AF_UNIX, SOCK_STREAM)
    sock.setblocking(False)
    old_mask = os.umask(0o177)
    try:
        sock.bind(path)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    finally:
        os.umask(old_mask)
    return sock


def make_room(path: str) -> str | None:
    """Remove a dead socket of ours; gives why the path cannot be had. Only a refused connection proves death."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        return f"{path} exists and is no socket of ours"
    probe = Socket(AF_UNIX, SOCK_STREAM)
    probe.settimeout(PROBE_S)
    try:
        probe.connect(path)
    except ConnectionRefusedError:
        os.unlink(path)
        return None
    except FileNotFoundError:
        return None
    except OSError as fault:
        return f"cannot tell whether somebody listens at {path}: {fault}"
    finally:
        probe.close()
    return f"another server listens at {path}"


def identity(path: str) -> tuple[int, int]:
    """Device and inode; (0, 0) for nothing."""
    try:
        found = os.lstat(path)
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)
