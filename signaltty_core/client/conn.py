"""One connection to a server: requests with a time limit, and the stream of events.

Built on `_socket` and the C codec alone: importing `socket` and `json` costs more than starting the interpreter
(performance §1.2), and most commands are one request.
"""

from __future__ import annotations

import errno
import os
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as RawSocket
from time import monotonic, sleep

from ..base.errors import BadProtocol, Forbidden, IoError, NoSuchServer, ProtocolError, TimedOut, from_wire
from ..base.limits import LINE_BYTES, SOCKET_PATH_BYTES
from ..base.version import PROTOCOL, VERSION
from ..wire.codec import NotJson, decode
from ..wire.envelope import NO_ID, request_line
from ..wire.jsonl import LineBuffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNECT_S = 2.0
REPLY_S = 30.0
FULL_QUEUE_PAUSE_S = 0.02
CHUNK_BYTES = 256 << 10
# a read of 8 MiB grows by at most 3 when its characters are escaped, and requests of 16 MiB may be echoed
REPLY_LINE_BYTES = 2 * LINE_BYTES

ABSENT = (errno.ECONNREFUSED, errno.ENOENT)  # the only two that mean "no server" (cli §3)
FULL = (errno.EAGAIN, errno.EINPROGRESS)
GREETING_ID = "hello"


class Connection:
    """A connected client. The first call also asks for the server's version, in the same packet.

    is_lost: the server ended while an answer was awaited.
    """

    __slots__ = ("_events", "_greeted", "_lines", "_number", "_ready", "_socket", "is_lost", "server_version")

    def __init__(self, connected: RawSocket) -> None:
        self._socket = connected
        self._lines = LineBuffer(REPLY_LINE_BYTES)
        self._ready: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._number = 0
        self._greeted = False
        self.is_lost = False
        self.server_version: str | None = None

    def call(self, method: str, params: dict[str, Any], limit_s: float = REPLY_S) -> Any:
        """The result of one request. Raises the server's error, TimedOut, IoError or BadProtocol."""
        return self.receive(self.send(method, params, limit_s), limit_s, method)

    def send(self, method: str, params: dict[str, Any], limit_s: float = REPLY_S) -> str:
        """Put a request on its way; several may be sent before the first answer is read. Gives its id."""
        self._number += 1
        id = f"c{self._number}"
        line = request_line(id, method, params)
        if not self._greeted:
            self._greeted = True
            line = request_line(GREETING_ID, "server.status", {}) + line
        self._socket.settimeout(limit_s)
        try:
            self._socket.sendall(line)
        except TimeoutError:
            raise TimedOut(f"the server took no request within {limit_s:g} seconds") from None
        except OSError as fault:
            # a server that turns a client away writes one line first: let that be read
            if fault.errno not in (errno.EPIPE, errno.ECONNRESET):
                raise IoError(f"cannot send to the server: {fault.strerror}") from None
        return id

    def receive(self, id: str, limit_s: float, method: str) -> Any:
        """The result of the request `id`; requests are answered in the order they were sent."""
        until = monotonic() + limit_s
        while True:
            try:
                frame = self._frame(until)
            except TimedOut:
                raise TimedOut(f"no answer to {method} within {limit_s:.3g} seconds", method=method) from None
            if frame is None:
                self.is_lost = True
                raise IoError("the server ended before it answered; see `signaltty server logs`", method=method)
            if frame.get("type") == "event":
                self._events.append(frame)
            elif frame.get("id") == GREETING_ID:
                self._note_version(frame)
            elif frame.get("id") in (id, NO_ID):
                return _result_of(frame)

    def next_event(self, limit_s: float | None = None) -> dict[str, Any] | None:
        """The next event frame; None once the server has closed. Raises TimedOut after `limit_s`."""
        if self._events:
            return self._events.pop(0)
        until = None if limit_s is None else monotonic() + limit_s
        while (frame := self._frame(until)) is not None:
            if frame.get("type") == "event":
                return frame
        return None

    @property
    def has_more(self) -> bool:
        """Whether frames are waiting that have left the socket already."""
        return bool(self._events or self._ready)

    def fileno(self) -> int:
        return int(self._socket.fileno())

    def close(self) -> None:
        self._socket.close()

    def _frame(self, until: float | None) -> dict[str, Any] | None:
        while not self._ready:
            if until is None:
                self._socket.settimeout(None)
            elif (left_s := until - monotonic()) > 0:
                self._socket.settimeout(left_s)
            else:
                raise TimedOut("the server did not answer in time")
            try:
                data = self._socket.recv(CHUNK_BYTES)
            except TimeoutError:
                continue
            except ConnectionResetError:
                return None
            except OSError as fault:
                raise IoError(f"cannot read from the server: {fault.strerror}") from None
            if not data:
                return None
            self._ready = [_checked(line) for line in self._lines.feed(data)]
        return self._ready.pop(0)

    def _note_version(self, frame: dict[str, Any]) -> None:
        result = frame.get("result")
        if isinstance(result, dict) and isinstance(result.get("version"), str):
            self.server_version = result["version"]


def connect(socket_path: str, limit_s: float = CONNECT_S) -> Connection:
    """A connection within `limit_s`, also where the listen queue is full.

    Raises NoSuchServer when nobody listens, TimedOut when nobody accepts, Forbidden or IoError for anything else.
    """
    until = monotonic() + limit_s
    while True:
        plug = RawSocket(AF_UNIX, SOCK_STREAM)
        plug.settimeout(max(until - monotonic(), 0.001))
        try:
            plug.connect(socket_path)
            return Connection(plug)
        except (OSError, ValueError) as fault:
            plug.close()
            failure = _connect_failure(fault, socket_path)
        if failure is not None:
            raise failure
        if monotonic() >= until:
            raise TimedOut(f"nobody accepts connections at {socket_path}", socket=socket_path)
        sleep(FULL_QUEUE_PAUSE_S)


def _connect_failure(fault: OSError | ValueError, socket_path: str) -> ProtocolError | None:
    """What to tell the caller; None when the queue is full and trying again may help."""
    code = fault.errno if isinstance(fault, OSError) else None
    if isinstance(fault, TimeoutError) or code in FULL:
        return None
    if code in ABSENT:
        return NoSuchServer("no server is running", socket=socket_path)
    # without an errno the path was refused before any system call: too long, or a NUL in it
    reason = fault.strerror if code and isinstance(fault, OSError) else str(fault)
    size_bytes = len(os.fsencode(socket_path))
    if code is None and size_bytes > SOCKET_PATH_BYTES:
        reason = f"a socket's path has {SOCKET_PATH_BYTES} bytes at most, this one {size_bytes}; use another --socket"
    sentence = f"cannot connect to {socket_path}: {reason}"
    kind = Forbidden if code in (errno.EACCES, errno.EPERM) else IoError
    return kind(sentence, socket=socket_path)


def _checked(line: bytes) -> dict[str, Any]:
    try:
        frame = decode(line)
    except NotJson as fault:
        raise IoError(f"the server's answer is not JSON: {fault}") from None
    if not isinstance(frame, dict):
        raise IoError("the server's answer is no JSON object")
    if frame.get("protocol") != PROTOCOL:
        raise BadProtocol(_skew(frame.get("protocol")), expected=PROTOCOL)
    return frame


def _result_of(frame: dict[str, Any]) -> Any:
    if frame.get("ok") is True:
        return frame.get("result")
    error = frame.get("error")
    if not isinstance(error, dict):
        raise IoError("the server's answer holds neither a result nor an error")
    if error.get("code") == "BAD_PROTOCOL":
        details = error.get("details")
        raise BadProtocol(_skew(details.get("expected") if isinstance(details, dict) else None), expected=PROTOCOL)
    raise from_wire(error)


def _skew(theirs: object) -> str:
    return f"this is signaltty {VERSION} and speaks {PROTOCOL}; the server speaks {theirs or 'another protocol'}"
