"""The JSONL socket: bound under the lock, accepting peers of this user only, bound anew when its file is lost."""

from __future__ import annotations

import errno
import os
from _socket import socket as Socket
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit

from ..base.errors import Forbidden, IoError, RateLimited
from ..base.limits import CONNECTIONS
from .conn import Conn
from .files import make_directory
from .loop import READ
from .peers import peer_of
from .reserve import is_reserved
from .socket_files import bound, identity, make_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..base.errors import ProtocolError
    from .loop import Loop

ACCEPTS_A_PASS = 64
FULL_PAUSE_S = 0.1
LOOK_S = 4.0  # the file is missed within 10 s (persistence §10); commands wait for 5 s


class RpcPort:
    """on_peer(conn, pid, uid, refusal): a connection arrived; refusal says why it may not stay, or None.

    on_shut_out(why): the file is lost and its place taken; told once, and looked after until the place is free.
    """

    def __init__(
        self,
        loop: Loop,
        path: str,
        on_peer: Callable[[Conn, int | None, int, ProtocolError | None], None],
        on_shut_out: Callable[[str], None],
    ) -> None:
        self._loop = loop
        self._path = path
        self._on_peer = on_peer
        self._on_shut_out = on_shut_out
        self._shut_out: str | None = None
        self._sock: Socket | None = None
        self._bound: tuple[int, int] = (0, 0)
        self.count = 0
        # where descriptors are few, connections leave half of them to journal and panes
        limit = getrlimit(RLIMIT_NOFILE)[0]
        self._most = CONNECTIONS if limit == RLIM_INFINITY else min(CONNECTIONS, limit // 2)
        self._bind()

    def open(self) -> None:
        """Begin to accept; what connected since the bind is served first."""
        assert self._sock is not None
        self._loop.watch(self._sock, READ, self._accept)
        self._loop.after(LOOK_S, self._look)

    def close(self) -> None:
        """Stop listening and remove the file if it is still ours."""
        if self._sock is not None:
            self._loop.forget(self._sock)
            if identity(self._path) == self._bound:
                os.unlink(self._path)
            self._sock.close()
            self._sock = None

    def _bind(self) -> None:
        try:
            self._sock = bound(self._path)
        except OSError as fault:  # without an errno: the path is too long for any socket
            raise IoError(f"cannot listen at {self._path}: {fault.strerror or fault}") from None
        self._bound = identity(self._path)

    def _look(self) -> None:
        lost = self._sock
        if lost is None:
            return
        self._loop.after(LOOK_S, self._look)
        fault = None if identity(self._path) == self._bound else self._bind_anew()
        held = self._sock
        if held is not None and held is not lost:
            self._loop.forget(lost)
            lost.close()
            self._loop.watch(held, READ, self._accept)
        if fault is not None and fault != self._shut_out:
            self._on_shut_out(fault)
        self._shut_out = fault

    def _bind_anew(self) -> str | None:
        """Gives why it cannot be done for now."""
        try:
            make_directory(os.path.dirname(self._path))
            fault = make_room(self._path)
            if fault is None:
                self._bind()
            return fault
        except IoError as refused:
            return refused.message
        except OSError as refused:
            return f"cannot listen at {self._path}: {refused.strerror or refused}"

    def _accept(self, _mask: int) -> None:
        for _ in range(ACCEPTS_A_PASS):
            if self._sock is None:
                return
            try:
                fd = accept_fd(self._sock)
            except BlockingIOError:
                return
            except OSError as fault:
                if fault.errno in (errno.EMFILE, errno.ENFILE):
                    self._pause()
                return  # else the peer has left already
            sock = Socket(fileno=fd)
            sock.setblocking(False)
            self._greet(sock)
            if is_reserved(fd):
                self._pause()
                return

    def _pause(self) -> None:
        """No descriptor is left: the backlog keeps the callers, and asking without end would eat the processor."""
        assert self._sock is not None
        self._loop.forget(self._sock)
        self._loop.after(FULL_PAUSE_S, self._resume)

    def _resume(self) -> None:
        if self._sock is not None:
            self._loop.watch(self._sock, READ, self._accept)

    def _greet(self, sock: Socket) -> None:
        try:
            pid, uid = peer_of(sock)
        except OSError:
            sock.close()
            return
        refusal: ProtocolError | None = None
        if uid != os.geteuid():
            refusal = Forbidden("this server belongs to another user")
        elif self.count >= self._most:
            refusal = RateLimited(f"too many connections: {self._most} are open")
        elif is_reserved(sock.fileno()):
            refusal = RateLimited("too many open files: no descriptor is left for another connection")
        self.count += 1
        self._on_peer(Conn(self._loop, sock), pid, uid, refusal)


def accept_fd(sock: Any) -> int:
    """The descriptor of the next connection. `socket.accept` would import the whole package for its wrapper class."""
    fd: int = sock._accept()[0]
    return fd
