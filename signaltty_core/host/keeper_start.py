"""The way to a keeper: connect to the one that lives, start one when there is none. One step at a time, no waiting."""

from __future__ import annotations

import _socket
import fcntl
import os

from ..base.errors import SpawnFailed
from ..keeper.protocol import LOCK_NAME, SOCKET_NAME, Channel
from ..wire.codec import decode, encode

START_S = 12.0  # above the 10 s within which a keeper binds its deleted socket anew (keeper §1)
_RESTART_S = 0.1  # between two starts, when the first one met a keeper that was just leaving


class KeeperStart:
    """argv: starts a keeper, the program's path absolute."""

    __slots__ = ("_argv", "_give_up_at", "_is_ours", "_lock_path", "_path", "_pid", "_start_at")

    def __init__(self, runtime_dir: str, argv: list[str]) -> None:
        self._path = os.path.join(runtime_dir, SOCKET_NAME)
        self._lock_path = os.path.join(runtime_dir, LOCK_NAME)
        self._argv = argv
        self._pid = 0  # the keeper we started, until it is reaped
        self._is_ours = False  # started since `begin`: how a former one ended is no news
        self._start_at = 0.0
        self._give_up_at = 0.0

    def begin(self, now: float) -> None:
        """From now on `step` may start a keeper, for START_S seconds."""
        self._give_up_at = now + START_S
        self._is_ours = False

    def step(self, now: float) -> Channel | None:
        """A connection, or None: try again soon. Raises SpawnFailed when there is no hope."""
        self.check(now)
        status = self.reap()
        channel = self.reach()
        if channel is not None:
            return channel
        if status and self._is_ours:
            raise SpawnFailed(f"the keeper ended with exit status {os.waitstatus_to_exitcode(status)}")
        if not self._pid and now >= self._start_at:
            self._start_at = now + _RESTART_S
            try:
                self._pid = _start(self._argv)
                self._is_ours = True
            except OSError as fault:
                raise SpawnFailed(f"cannot start the keeper {self._argv[0]}: {fault.strerror}") from None
        return None

    def check(self, now: float) -> None:
        """Raises SpawnFailed when it has taken too long."""
        if now > self._give_up_at:
            raise SpawnFailed(f"no keeper answers at {self._path}")

    def reach(self) -> Channel | None:
        """A connection to a keeper that listens, or None. Raises SpawnFailed when the socket may not be used."""
        socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        socket.setblocking(False)
        try:
            socket.connect(self._path)
        except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
            socket.close()
            return None
        except OSError as fault:
            socket.close()
            raise SpawnFailed(f"cannot use the keeper's socket {self._path}: {fault.strerror}") from None
        return Channel(socket, encode, decode)

    def is_socket_due(self) -> bool:
        """Whether a keeper lives, so that its socket is there or comes back."""
        try:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)  # for a moment; a keeper that starts just now tries again
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def reap(self) -> int:
        """The wait status of the keeper we started, once; 0 also while it runs. It is our child until it ends."""
        if not self._pid:
            return 0
        try:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            pid, status = self._pid, 0
        if pid:
            self._pid = 0
        return status

    def is_reaped(self) -> bool:
        return not self._pid


def _start(argv: list[str]) -> int:
    """Start it with nothing but our environment; it makes a session of its own. Raises OSError."""
    nowhere = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    return os.posix_spawn(argv[0], argv, os.environ, file_actions=nowhere, setsigmask=[])
