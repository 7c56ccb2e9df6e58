"""One accepted connection: bytes in become lines, the outbox's lines go out, nothing blocks."""

from __future__ import annotations

from ..base.errors import RateLimited
from ..wire.jsonl import LineBuffer
from .loop import READ, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Callable

    from .loop import Loop

READ_BYTES = 256 << 10
PASS_BYTES = 1 << 20  # sent to one reader in one pass, so that others are served too


class Conn:
    """The callbacks are set by whoever accepted it.

    next_line pulls what may be sent now; is_idle tells whether nothing more will come. on_eof: the peer has finished
    sending, which may still leave answers to deliver. on_gone: the connection is closed; comes once, last.
    """

    def __init__(self, loop: Loop, sock: Socket) -> None:
        self._loop = loop
        self._sock = sock
        self._lines = LineBuffer()
        self._unsent = b""
        self._paused = False
        self._interest = 0
        self._closing = False
        self._eof = False
        self._woken = False
        self._open = True
        self.next_line: Callable[[], bytes | None] = lambda: None
        self.on_line: Callable[[bytes], None] = lambda line: None
        self.on_overlong: Callable[[RateLimited], None] = lambda error: None
        self.on_eof: Callable[[], None] = self.close
        self.on_gone: Callable[[], None] = lambda: None
        self.is_idle: Callable[[], bool] = lambda: True

    def start(self) -> None:
        self._watch()

    def wake(self) -> None:
        """Send what is ready at the end of this pass, so that bursts share a system call."""
        if self._open and not self._woken:
            self._woken = True
            self._loop.at_end(self._flush)

    def pause(self) -> None:
        self._paused = True
        self._watch()

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            self._watch()

    def close_when_sent(self) -> None:
        self._closing = True
        self.wake()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.forget(self._sock)
            self._sock.close()
            gone = self.on_gone
            self._let_go()
            gone()

    def _let_go(self) -> None:
        """Of bytes and of who was called: in a cycle, megabytes would wait for a collection that rarely comes."""
        self._unsent = b""
        self._lines = LineBuffer()
        self.next_line = lambda: None
        self.on_line = lambda line: None
        self.on_overlong = lambda error: None
        self.on_eof = lambda: None
        self.on_gone = lambda: None
        self.is_idle = lambda: True

    def _watch(self) -> None:
        wanted = (0 if self._paused or self._closing or self._eof else READ) | (WRITE if self._unsent else 0)
        if not self._open or wanted == self._interest:
            return
        self._interest = wanted
        if wanted:
            self._loop.watch(self._sock, wanted, self._ready)
        else:
            self._loop.forget(self._sock)

    def _ready(self, mask: int) -> None:
        if mask & WRITE:
            self._flush()
        if mask & READ and self._open:
            self._read()

    def _read(self) -> None:
        try:
            data = self._sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not data:
            self._eof = True
            self._watch()
            self.on_eof()
            return
        try:
            lines = self._lines.feed(data)
        except RateLimited as error:
            self._closing = True
            self._watch()
            self.on_overlong(error)
            return
        for line in lines:
            if not self._open or self._closing:
                return
            self.on_line(line)

    def _flush(self) -> None:
        self._woken = False
        sent = 0
        while self._open and sent < PASS_BYTES:
            if not self._unsent:
                batch = self._gather()
                if not batch:
                    break
                self._unsent = batch
            try:
                count = self._sock.send(self._unsent)
            except BlockingIOError:
                break
            except OSError:
                self.close()
                return
            sent += count
            self._unsent = self._unsent[count:]
        if self._open and not self._unsent and sent >= PASS_BYTES:
            self._unsent = self._gather()  # the selector comes back for what is left
        if self._open and self._closing and not self._unsent and self.is_idle():
            self.close()
        else:
            self._watch()

    def _gather(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while size < READ_BYTES:
            line = self.next_line()
            if line is None:
                break
            parts.append(line)
            size += len(line)
        return b"".join(parts)
