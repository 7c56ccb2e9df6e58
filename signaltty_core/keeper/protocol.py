"""Version 1 of what server and keeper say to each other: frames on a Unix socket, masters beside them.

A frame is four bytes of length, big-endian, and one JSON object. Version 1 is frozen (keeper §1): later versions only
add requests and fields, unknown fields are ignored, an unknown request gets an error reply. So every server works with
every keeper. A message with `"master": true` brings one descriptor, in the order of the messages.

    first message both ways   {keeper: 1, version}; the server's also argv (starts it again), log (file for the output
                              of both), nofile (soft descriptor limit of the children); the keeper's also pid, or
                              error (a sentence) when it refuses: the connection then ends
    request                   {request, id, ...}, answered by {id, ...} or {id, error: a sentence, ...}
      spawn                   {pane_id, argv, cwd, env, cols, rows} -> {pid, start_time} + master,
                              or {error, errno, what: cwd, exec or fork}
      list                    {} -> {children: [{pane_id, pid, start_time, cols, rows, running, code?, signal?,
                              buffered, forgotten?}]}
      adopt                   {pane_id} -> {data: base64, dropped} + master
      forget                  {pane_id} -> {forgotten: whether there was one}
      signal                  {pane_id, signal, group} -> {sent: true} or {error: "gone"}
    notice, keeper            {notice: "exited", pane_id, code, signal}; one of the last two is null
    notice, server            {notice: "bye"}: the end of this connection is meant
"""

from __future__ import annotations

import _socket
import os
from collections import deque
from sys import byteorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Message = dict[str, Any]

PROTOCOL = 1
SOCKET_NAME = "keeper.sock"
LOCK_NAME = "keeper.lock"
OS_SIGNALS = ("INT", "TERM", "KILL", "HUP", "QUIT", "WINCH", "USR1", "USR2")
GONE = "gone"
FRAME_BYTES = 32 << 20  # above any request of a client (16 MiB a line), and it ends a stream that is no protocol
_READ_BYTES = 64 << 10
_READS = 64  # per call, so that a peer that never pauses cannot hold the caller
_CLOEXEC = getattr(_socket, "MSG_CMSG_CLOEXEC", 0)


class BadFrame(ValueError):
    """The other side does not speak this protocol; the connection is of no more use."""


def pack(text: str) -> bytes:
    """One JSON text as a frame."""
    body = text.encode("utf-8")
    return len(body).to_bytes(4, "big") + body


class FrameBuffer:
    """Bytes in, whole frames out, however the stream is cut."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> list[bytes]:
        """The bodies that are complete now. Raises BadFrame for a length beyond FRAME_BYTES."""
        held = self._data
        held += data
        bodies = []
        at = 0
        while len(held) - at >= 4:
            size_bytes = int.from_bytes(held[at : at + 4], "big")
            if size_bytes > FRAME_BYTES:
                raise BadFrame(f"a frame of {size_bytes} bytes")
            if len(held) - at - 4 < size_bytes:
                break
            bodies.append(bytes(held[at + 4 : at + 4 + size_bytes]))
            at += 4 + size_bytes
        del held[:at]
        return bodies


class Channel:
    """One end of the connection: messages and masters both ways, never blocking. Owns the socket.

    encode, decode: JSON text from and to a value; each side brings its own, decode raises ValueError.
    """

    __slots__ = ("_decode", "_encode", "_frames", "_masters", "_waiting", "broken", "socket")

    def __init__(
        self, socket: _socket.socket, encode: Callable[[object], str], decode: Callable[[bytes], object]
    ) -> None:
        socket.setblocking(False)
        self.socket = socket
        self.broken = False
        self._encode = encode
        self._decode = decode
        self._frames = FrameBuffer()
        self._masters: deque[int] = deque()
        self._waiting: deque[tuple[bytes, int]] = deque()

    def send(self, message: Message, master: int = -1) -> None:
        """Send now or queue. The master is duplicated, so the caller may close its own at once.

        A dead peer is no error here: its end of file comes with the next receive."""
        if self.broken:
            return
        if master >= 0:
            message = {**message, "master": True}
            master = os.dup(master)
        self._waiting.append((pack(self._encode(message)), master))
        self.flush()

    def is_waiting(self) -> bool:
        """Whether something is queued, so that flush must be called when the socket is writable."""
        return bool(self._waiting)

    def flush(self) -> None:
        while self._waiting:
            data, master = self._waiting[0]
            rights = [] if master < 0 else [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, master.to_bytes(4, byteorder))]
            try:
                sent = self.socket.sendmsg([data], rights)
            except BlockingIOError:
                return
            except OSError:
                self.broken = True
                self._drop_waiting()
                return
            if master >= 0:
                os.close(master)  # it travels with the first byte
            if sent == len(data):
                self._waiting.popleft()
            else:
                self._waiting[0] = (data[sent:], -1)

    def receive(self) -> tuple[list[tuple[Message, int]], bool]:
        """The messages that are complete, each with its master or -1, and whether the peer still holds its end.

        The caller owns the masters. A master that this process has no room for is -1. Raises BadFrame."""
        messages: list[tuple[Message, int]] = []
        for _ in range(_READS):
            try:
                data, masters = _receive(self.socket)
            except BlockingIOError:
                break
            except OSError:
                return messages, False
            if not data:
                return messages, False
            self._masters.extend(masters)
            for body in self._frames.add(data):
                messages.append(self._read(body))
        return messages, True

    def close(self) -> None:
        """Close the socket and every descriptor on its way."""
        self._drop_waiting()
        while self._masters:
            _close(self._masters.popleft())
        self.socket.close()

    def _read(self, body: bytes) -> tuple[Message, int]:
        try:
            message = self._decode(body)
        except ValueError as fault:
            raise BadFrame(str(fault)) from None
        if not isinstance(message, dict):
            raise BadFrame("a frame that is no object")
        if message.get("master") is True and self._masters:
            return message, self._masters.popleft()
        return message, -1

    def _drop_waiting(self) -> None:
        while self._waiting:
            _close(self._waiting.popleft()[1])


def started_at(pid: int) -> int | None:
    """What tells a process from a later one with the same pid: `start_time` of the messages. None: no such process.

    Linux: field 22 of /proc/<pid>/stat, clock ticks since boot. Elsewhere seconds since 1970, from `ps`."""
    fields = stat_fields(pid)
    if fields is None:
        return ask_ps(pid)[1]
    return int(fields[19]) if fields else None


def is_running(pid: int, start_time: int | None) -> bool:
    """Whether this very process runs; one that only waits to be reaped does not."""
    fields = stat_fields(pid)
    if fields is None:
        state, started = ask_ps(pid)
        return started is not None and started == start_time and state != "Z"
    return bool(fields) and int(fields[19]) == start_time and fields[0] not in (b"Z", b"X")


def stat_fields(pid: int) -> list[bytes] | None:
    """The fields of /proc/<pid>/stat from the third on; empty without such a process, None without /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return [] if os.path.exists("/proc/self/stat") else None


def ask_ps(pid: int) -> tuple[str, int | None]:
    """The first letter of a process's state and when it started, where there is no /proc; "" and None without one.

    In UTC whatever the caller's time zone: keeper and server may have been started under different ones."""
    from datetime import datetime, timezone
    from subprocess import DEVNULL, run

    env = {"LC_ALL": "C", "TZ": "UTC0", "PATH": "/bin:/usr/bin"}
    done = run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], env=env, stdin=DEVNULL, capture_output=True, check=False)
    shown = done.stdout.decode("ascii", "replace").split()
    if len(shown) != 6:
        return "", None
    state, _, month, day, clock, year = shown
    number = "JanFebMarAprMayJunJulAugSepOctNovDec".index(month) // 3 + 1
    hour, minute, second = (int(part) for part in clock.split(":"))
    started = datetime(int(year), number, int(day), hour, minute, second, tzinfo=timezone.utc)
    return state[0], int(started.timestamp())


def _receive(socket: _socket.socket) -> tuple[bytes, list[int]]:
    """One read and the descriptors that came with it; -1 for one the kernel could not give us (EMFILE)."""
    data, rights, flags, _ = socket.recvmsg(_READ_BYTES, _socket.CMSG_SPACE(16), _CLOEXEC)
    masters = []
    for level, kind, content in rights:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            for at in range(0, len(content) - len(content) % 4, 4):
                masters.append(int.from_bytes(content[at : at + 4], byteorder))
    for master in masters:
        os.set_inheritable(master, False)  # macOS has no MSG_CMSG_CLOEXEC
    if flags & _socket.MSG_CTRUNC and not masters:
        masters.append(-1)
    return data, masters


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)
