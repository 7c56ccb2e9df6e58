"""The keeper's lock and listening socket in the runtime directory, and who may come in."""

from __future__ import annotations

import _socket
import fcntl
import os
import time
from sys import byteorder

from .protocol import LOCK_NAME, SOCKET_NAME

_LOCK_WAIT_S = 0.5  # a keeper that is just leaving still holds the lock for a moment


class Door:
    """Exists while this process is the keeper of the directory."""

    __slots__ = ("_identity", "_lock_path", "_path", "listener", "lock")

    def __init__(self, runtime_dir: str, lock: int) -> None:
        self._path = os.path.join(runtime_dir, SOCKET_NAME)
        self._lock_path = os.path.join(runtime_dir, LOCK_NAME)
        self.lock = lock
        self.listener, self._identity = _listen(self._path)

    def is_in_place(self) -> bool:
        """Whether servers still find our socket, and other keepers our lock."""
        return _identity_of(self._path) == self._identity and self._holds_place()

    def renew(self) -> bool:
        """Put back what was deleted; False when another keeper has taken the directory over. Raises OSError.

        A cleaner of /tmp takes the lock along with the socket, sometimes the directory too."""
        if _identity_of(self._lock_path) is None:
            os.makedirs(os.path.dirname(self._lock_path), 0o700, exist_ok=True)
            try:
                lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            except FileExistsError:
                return False
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return False
            _sign(lock)
            os.close(self.lock)
            self.lock = lock
        if not self._holds_place():
            return False
        if _identity_of(self._path) != self._identity:
            former = self.listener
            self.listener, self._identity = _listen(self._path)
            former.close()
        return True

    def accept(self) -> _socket.socket | None:
        try:
            descriptor, _ = self.listener._accept()  # type: ignore[attr-defined]
        except OSError:
            return None
        return _socket.socket(fileno=descriptor)

    def close(self) -> None:
        """Take down what is ours, the socket first: who finds no socket starts a keeper and waits for the lock."""
        if _identity_of(self._path) == self._identity:
            os.unlink(self._path)
        if self._holds_place():
            os.unlink(self._lock_path)
        self.listener.close()
        os.close(self.lock)

    def _holds_place(self) -> bool:
        return _identity_of(self._lock_path) == _identity(os.fstat(self.lock))


def open_door(runtime_dir: str) -> Door | None:
    """Become the keeper of this directory; None when another one is and stays. Raises OSError."""
    path = os.path.join(runtime_dir, LOCK_NAME)
    give_up_at = time.monotonic() + _LOCK_WAIT_S
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            if time.monotonic() > give_up_at:
                return None
            time.sleep(0.01)
            continue
        if _identity_of(path) == _identity(os.fstat(lock)):  # else its former holder has just removed it
            _sign(lock)
            return Door(runtime_dir, lock)
        os.close(lock)


def peer_uid(socket: _socket.socket) -> int | None:
    """The user at the other end, None when the system cannot tell."""
    option = getattr(_socket, "SO_PEERCRED", None)
    try:
        if option is not None:  # Linux: struct ucred {pid, uid, gid}
            return int.from_bytes(socket.getsockopt(_socket.SOL_SOCKET, option, 12)[4:8], byteorder)
        credentials = socket.getsockopt(0, 1, 76)  # macOS: SOL_LOCAL, LOCAL_PEERCRED, struct xucred {version, uid, ...}
        return int.from_bytes(credentials[4:8], byteorder)
    except OSError:
        return None


def _sign(lock: int) -> None:
    """For people who wonder whose lock it is."""
    os.ftruncate(lock, 0)
    os.write(lock, b"%d\n" % os.getpid())


def _listen(path: str) -> tuple[_socket.socket, tuple[int, int] | None]:
    try:
        os.unlink(path)  # whoever bound it is gone: the lock is ours
    except FileNotFoundError:
        pass
    listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    listener.setblocking(False)
    former = os.umask(0o177)  # never visible with another mode than 0600
    try:
        listener.bind(path)
    finally:
        os.umask(former)
    listener.listen(64)
    return listener, _identity_of(path)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _identity_of(path: str) -> tuple[int, int] | None:
    try:
        return _identity(os.lstat(path))
    except OSError:
        return None
