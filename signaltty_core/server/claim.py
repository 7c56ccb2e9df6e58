"""Becoming the one server of a socket and of a state directory (behaviour §13, persistence §2, §10, cli §3)."""

from __future__ import annotations

import errno
import os
import stat
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as Socket

from ..base.errors import IoError
from ..host import files, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Options

LOCK_S = 5.0  # one that shuts down may hold it for up to 3 s
PROBE_S = 1.0


class Claim:
    """Both locks, held for the process's life."""

    __slots__ = ("runtime", "state")

    def __init__(self, runtime: lock.Lock, state: lock.Lock) -> None:
        self.runtime = runtime
        self.state = state


def claim(options: Options) -> Claim | None:
    """The locks, with a free path for the socket; None when another server lives. Raises IoError when refused."""
    for directory in dict.fromkeys((options.runtime_dir, os.path.dirname(options.socket_path))):
        if directory == options.runtime_dir:
            files.secure_directory(directory)
        elif not os.path.isdir(directory):
            raise IoError(f"the socket's directory {directory} does not exist")
    if answers(options.socket_path):
        return None
    held = lock.take(os.path.join(options.runtime_dir, "signaltty.lock"), LOCK_S, lambda: answers(options.socket_path))
    if held is None:
        return None
    held.say(str(os.getpid()))
    if not _free(options.socket_path):
        return None
    files.secure_directory(options.state_dir)
    path = os.path.join(options.state_dir, "server.lock")
    state = _take_state(path)
    if state is None:
        pid, _, socket_path = lock.holder(path).partition(" ")
        if socket_path == options.socket_path:
            return None  # its socket or our lock was deleted; it binds the socket anew within seconds
        raise IoError(f"the state directory {options.state_dir} is in use by the server at {socket_path} (pid {pid})")
    state.say(f"{os.getpid()} {options.socket_path}")
    return Claim(held, state)


def answers(socket_path: str) -> bool:
    """Whether something accepts a connection there."""
    probe = Socket(AF_UNIX, SOCK_STREAM)
    probe.settimeout(PROBE_S)
    try:
        probe.connect(socket_path)
    except OSError:
        return False
    finally:
        probe.close()
    return True


def _take_state(path: str) -> lock.Lock | None:
    try:
        return lock.take(path, 0.0)
    except OSError as fault:
        raise IoError(f"cannot use the state directory: {path}: {fault.strerror}") from None


def _free(socket_path: str) -> bool:
    """Make the path free for a bind, holding the lock; False when a server answers. Raises IoError when it is not ours
    to take: only a refused connection proves a socket dead."""
    try:
        found = os.lstat(socket_path)
    except FileNotFoundError:
        return True
    except OSError as fault:
        raise IoError(f"cannot use the socket path {socket_path}: {fault.strerror}") from None
    if not stat.S_ISSOCK(found.st_mode):
        raise IoError(f"{socket_path} exists and is no socket; move it away or choose another --socket")
    probe = Socket(AF_UNIX, SOCK_STREAM)
    probe.settimeout(PROBE_S)
    try:
        probe.connect(socket_path)
    except OSError as fault:
        if fault.errno not in (errno.ECONNREFUSED, errno.ENOENT):
            raise IoError(f"cannot tell whether a server lives at {socket_path}: {fault}") from None
    else:
        return False
    finally:
        probe.close()
    if fault_free := _unlink(socket_path):
        raise IoError(f"cannot remove the stale socket {socket_path}: {fault_free}")
    return True


def _unlink(path: str) -> str | None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return None
    except OSError as fault:
        return fault.strerror or str(fault)
    return None
