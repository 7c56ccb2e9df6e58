"""The sockets of status signals: one per pane, one for all; accepted at once, read to their end, never written to
(status-signals §1, §2)."""

from __future__ import annotations

import errno
import os
from _socket import socket as Socket

from ..base.errors import IoError
from ..keeper.protocol import started_at
from . import files
from .loop import READ
from .peers import peer_of
from .rpc_port import accept_fd
from .socket_files import bound, identity, make_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from .loop import Loop
    from .timers import Timer

    Sender = dict[str, Any] | None

    class Listener(Protocol):
        """engine/listener.py."""

        def on_open(self, pane_id: str | None, number: int, sender: Sender) -> None: ...
        def on_bytes(self, number: int, data: bytes) -> None: ...
        def on_end(self, number: int, how: str) -> None: ...


ACCEPTS_A_PASS = 32  # about 3 ms, so that a flood of senders holds up no request
BYTES = 4096
DEADLINE_S = 0.5
LOOK_S = 60.0
PAUSE_S = 0.05  # when descriptors have run out; the backlog keeps who waits
DIGITS = range(12, 17)


class _Door:
    """A listening socket and the file it stands behind. pane_id None: the general one."""

    __slots__ = ("identity", "pane_id", "path", "sock")

    def __init__(self, pane_id: str | None, path: str, sock: Socket) -> None:
        self.pane_id = pane_id
        self.path = path
        self.sock = sock
        self.identity = identity(path)


class SignalPort:
    """locate: the pane a process runs in, for the general socket."""

    def __init__(self, loop: Loop, runtime_dir: str, listener: Listener, locate: Callable[[int], str | None]) -> None:
        self._loop = loop
        self._directory = runtime_dir + "/s"
        self._general = runtime_dir + "/status.sock"
        self._listener = listener
        self._locate = locate
        self._doors: dict[str | None, _Door] = {}
        self._numbers = 0
        self._connections: dict[int, Socket] = {}
        self._look_timer: Timer | None = None

    def open(self) -> str | None:
        """Remove what dead servers left, bind the general socket; gives why it could not be bound, or None."""
        self._sweep()
        fault = self._bind(None, self._general)
        self._look_timer = self._loop.after(LOOK_S, self._look)
        return fault

    def listen(self, pane_id: str) -> tuple[str | None, str | None]:
        """Bind the pane's socket: its path, or why the pane has none. It stays the same from child to child."""
        known = self._doors.get(pane_id)
        if known is not None:
            return known.path, None
        fault: str | None = None
        digits = pane_id.partition("_")[2]
        for count in DIGITS:
            path = f"{self._directory}/{digits[:count]}.sock"
            fault = self._bind(pane_id, path)
            if fault is None:
                return path, None
        return None, fault

    def listen_again(self, pane_id: str, path: str) -> str | None:
        """Bind the very path that the pane's child was told; gives what is wrong, or None."""
        return self._bind(pane_id, path)

    def mute(self, pane_id: str) -> None:
        door = self._doors.pop(pane_id, None)
        if door is not None:
            self._close_door(door)

    def close(self) -> None:
        """Stop listening and remove our files."""
        if self._look_timer is not None:
            self._look_timer.cancel()
        while self._doors:
            self._close_door(self._doors.popitem()[1])
        for sock in self._connections.values():
            self._loop.forget(sock)
            sock.close()
        self._connections.clear()

    def _bind(self, pane_id: str | None, path: str) -> str | None:
        """What is wrong, or None for a socket that listens."""
        try:
            if pane_id is not None:
                files.secure_directory(self._directory)
            fault = make_room(path)
            if fault is None:
                door = self._doors[pane_id] = _Door(pane_id, path, bound(path))
                self._loop.watch(door.sock, READ, lambda _mask: self._accept(door))
            return fault
        except IoError as refused:
            return refused.message
        except OSError as refused:
            return f"cannot listen at {path}: {refused.strerror or refused}"

    def _close_door(self, door: _Door) -> None:
        self._loop.forget(door.sock)
        if identity(door.path) == door.identity:
            try:
                os.unlink(door.path)
            except OSError:
                pass  # whoever took the directory away has done it
        door.sock.close()

    def _sweep(self) -> None:
        try:
            names = os.listdir(self._directory)
        except OSError:
            return
        for name in names:
            if name.endswith(".sock"):
                make_room(f"{self._directory}/{name}")

    def _look(self) -> None:
        """Bind anew what a cleaner has removed or replaced (status-signals §1.3)."""
        for door in [*self._doors.values()]:
            if identity(door.path) != door.identity and self._bind(door.pane_id, door.path) is None:
                self._loop.forget(door.sock)
                door.sock.close()
        self._look_timer = self._loop.after(LOOK_S, self._look)

    def _accept(self, door: _Door) -> None:
        for _ in range(ACCEPTS_A_PASS):
            try:
                sock = Socket(fileno=accept_fd(door.sock))
            except BlockingIOError:
                return
            except OSError as fault:
                if fault.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS):
                    self._loop.forget(door.sock)
                    self._loop.after(PAUSE_S, lambda: self._resume(door))
                return
            sock.setblocking(False)
            self._greet(door, sock)

    def _resume(self, door: _Door) -> None:
        if self._doors.get(door.pane_id) is door:
            self._loop.watch(door.sock, READ, lambda _mask: self._accept(door))

    def _greet(self, door: _Door, sock: Socket) -> None:
        try:
            pid, uid = peer_of(sock)
        except OSError:
            pid, uid = None, -1
        if uid != os.geteuid():
            sock.close()
            return
        self._numbers += 1
        number = self._numbers
        start_time = None if not pid else started_at(pid)
        sender = None if start_time is None else {"pid": pid, "start_time": start_time}
        pane_id = door.pane_id
        if pane_id is None and pid and sender is not None:
            pane_id = self._locate(pid)
        self._listener.on_open(pane_id, number, sender)
        self._connections[number] = sock
        _Reader(self._loop, sock, number, self._listener, self._connections).start()


class _Reader:
    """One connection until its end of file, its deadline or its limit."""

    __slots__ = ("_connections", "_listener", "_loop", "_number", "_room", "_sock", "_timer")

    def __init__(
        self, loop: Loop, sock: Socket, number: int, listener: Listener, connections: dict[int, Socket]
    ) -> None:
        self._loop = loop
        self._sock = sock
        self._number = number
        self._listener = listener
        self._connections = connections
        self._room = BYTES
        self._timer: Timer | None = None

    def start(self) -> None:
        """Most senders have written and closed by now, which saves a pass of the loop."""
        self._read()
        if self._number in self._connections:
            self._loop.watch(self._sock, READ, lambda _mask: self._read())
            self._timer = self._loop.after(DEADLINE_S, lambda: self._end("deadline"))

    def _read(self) -> None:
        while self._number in self._connections:
            try:
                data = self._sock.recv(self._room + 1)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._end("eof")
                return
            self._listener.on_bytes(self._number, data)
            if len(data) > self._room:
                self._end("oversized")
                return
            self._room -= len(data)

    def _end(self, how: str) -> None:
        if self._connections.pop(self._number, None) is not None:
            if self._timer is not None:
                self._timer.cancel()
            self._loop.forget(self._sock)
            self._sock.close()
            self._listener.on_end(self._number, how)
