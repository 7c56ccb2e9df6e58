"""The PTY masters: read fairly, written in order, and never waited for.

Reading. A master gives at most 4 KiB a call, so it is read until it is empty or the pane's allowance is used up, joined
and handed on once. The allowance follows the processor time that reading and digesting took, about 1.5 ms; all panes
together have 4 ms a pass, in turn, so that no flood holds up a request (performance §4.4).

Digesting. Output that asks for nothing is put by for at most a quarter of a second or the pane's allowance: a terminal
takes several frames, or a screenful of lines, for less than one after the other (performance §4.3). The beginning of a
frame that has not ended may wait for a quarter of a second more.

Writing. One queue per pane. Readiness of a master is no promise on every system, so stalled queues are also tried
every 20 ms (behaviour §8.6).
"""

from __future__ import annotations

import fcntl
import os
import termios
import time
from collections import deque
from sys import byteorder

from ..base.errors import IoError, PaneExited
from .loop import READ, WRITE
from .pty_writer import PtyWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .loop import Loop
    from .pty_writer import WriteDone
    from .timers import Timer

_READ_BYTES = 64 << 10
_PANE_S = 0.0015
_PASS_S = 0.004
_FIRST_BYTES = 16 << 10
_LEAST_BYTES = 4 << 10
_MOST_BYTES = 256 << 10
_DRAIN_BYTES = 1 << 20
_POLL_S = 0.02
_DIGEST_S = 0.25
_SHORT_BYTES = 2 << 10
_DIGEST_PASS_S = 0.002
# Of the allowance, so that a program that floods can write on while its former output is digested.
_PUT_BY_SHARE = 4


class _Pty:
    __slots__ = (
        "allowance_bytes",
        "at_end",
        "events",
        "fd",
        "is_behind",
        "pane_id",
        "put_by_bytes",
        "stalled",
        "writer",
    )

    def __init__(self, pane_id: str, fd: int) -> None:
        self.pane_id = pane_id
        self.fd = fd
        self.allowance_bytes = _FIRST_BYTES
        self.at_end = False
        self.events = 0  # watched for
        self.is_behind = False  # among those that will be digested
        self.put_by_bytes = 0
        self.stalled = False  # ready to write, yet nothing was taken: wait for the poll
        self.writer = PtyWriter(fd)


class Ptys:
    """on_output(pane_id, data) once per pane and pass; it gives how many bytes are only put by: if any are,
    digest(pane_id, most_bytes) follows in a while, which may leave so many put by, and gives how many it did leave.
    on_eof(pane_id) once, after all output."""

    def __init__(
        self,
        loop: Loop,
        on_output: Callable[[str, bytes], int | None],
        on_eof: Callable[[str], None],
        digest: Callable[[str, int], int] = lambda _pane_id, _most_bytes: 0,
    ) -> None:
        self._loop = loop
        self._on_output = on_output
        self._on_eof = on_eof
        self._digest = digest
        self._ptys: dict[str, _Pty] = {}
        self._turns: deque[_Pty] = deque()  # readable, in the order they will be read
        self._pass_at = 0.0
        self._spent_s = 0.0
        self._poll: Timer | None = None
        self._behind: deque[_Pty] = deque()
        self._due: deque[_Pty] = deque()
        self._digesting: Timer | None = None

    def add(self, pane_id: str, fd: int) -> None:
        """Take a non-blocking master over; it is closed by `remove`. A former one of the pane is removed."""
        self.remove(pane_id)
        pty = self._ptys[pane_id] = _Pty(pane_id, fd)
        self._watch(pty)

    def remove(self, pane_id: str) -> None:
        """Close the master; queued input fails with PANE_EXITED and never reaches a later process of the pane."""
        pty = self._ptys.pop(pane_id, None)
        if pty is not None:
            pty.at_end = True
            self._loop.forget(pty.fd)
            os.close(pty.fd)
            pty.writer.cancel(PaneExited("the pane was closed"))

    def master(self, pane_id: str) -> int | None:
        """The pane's master, to ask about its terminal; None when it is closed or at its end."""
        pty = self._ptys.get(pane_id)
        return None if pty is None or pty.at_end else pty.fd

    def close(self) -> None:
        for pane_id in [*self._ptys]:
            self.remove(pane_id)
        if self._poll is not None:
            self._poll.cancel()
            self._poll = None
        if self._digesting is not None:
            self._digesting.cancel()
            self._digesting = None

    def resize(self, pane_id: str, cols: int, rows: int) -> None:
        """Set the kernel's size; the child gets SIGWINCH when it differs. Nothing without a master."""
        pty = self._ptys.get(pane_id)
        if pty is not None:
            size = rows.to_bytes(2, byteorder) + cols.to_bytes(2, byteorder) + bytes(4)
            fcntl.ioctl(pty.fd, termios.TIOCSWINSZ, size)

    def drain(self, pane_id: str) -> None:
        """Hand on what is readable at this moment, at most 1 MiB: the last output, before an exit is told."""
        pty = self._ptys.get(pane_id)
        if pty is not None and not pty.at_end:
            self._read(pty, _DRAIN_BYTES)

    def write(self, pane_id: str, data: bytes, budget_s: float, done: WriteDone) -> None:
        """Write after what is queued; done(written, None), or done(written, error) with `written_bytes` in its details.

        Errors (behaviour §8.6): TIMEOUT, PANE_EXITED, IO_ERROR."""
        pty = self._ptys.get(pane_id)
        if pty is None or pty.at_end:
            done(0, PaneExited("the pane's terminal is closed", written_bytes=0))
            return
        pty.writer.add(data, time.monotonic() + budget_s, done)
        self._pump(pty)

    def answer(self, pane_id: str, data: bytes) -> None:
        """Answer a query of the program: before queued input, but never inside a message. May be dropped."""
        pty = self._ptys.get(pane_id)
        if pty is not None and not pty.at_end:
            pty.writer.answer(data, time.monotonic())
            self._pump(pty)

    def _watch(self, pty: _Pty) -> None:
        events = READ | (WRITE if pty.writer.is_waiting() and not pty.stalled else 0)
        if events != pty.events:
            pty.events = events
            self._loop.watch(pty.fd, events, lambda mask: self._ready(pty, mask), late=True)

    def _ready(self, pty: _Pty, mask: int) -> None:
        if mask & WRITE and pty.writer.is_waiting():
            self._pump(pty)
        if self._loop.now() != self._pass_at:
            self._pass_at = self._loop.now()
            self._spent_s = 0.0
        if mask & READ and pty not in self._turns:
            self._turns.append(pty)
        while self._turns and self._spent_s < _PASS_S:  # who is left stays readable, and first in line
            turn = self._turns.popleft()
            if not turn.at_end:
                self._read_in_turn(turn)

    def _read_in_turn(self, pty: _Pty) -> None:
        began, worked_s = time.monotonic(), time.thread_time()
        digested_bytes = self._read(pty, pty.allowance_bytes, _SHORT_BYTES)
        # Of this thread: what others do on a busy machine is no reason to read less at a time.
        worked_s = time.thread_time() - worked_s
        self._spent_s += time.monotonic() - began
        if worked_s > _PANE_S:
            pty.allowance_bytes = max(_LEAST_BYTES, pty.allowance_bytes // 2)
        elif (
            digested_bytes * _PUT_BY_SHARE >= pty.allowance_bytes
            and worked_s * pty.allowance_bytes < _PANE_S / 2 * digested_bytes
        ):
            pty.allowance_bytes = min(_MOST_BYTES, pty.allowance_bytes * 2)

    def _read(self, pty: _Pty, most_bytes: int, least_bytes: int = 0) -> int:
        """Read, hand on, and tell of the end; gives the number of bytes that were digested."""
        parts: list[bytes] = []
        size_bytes = digested_bytes = 0
        while size_bytes < most_bytes:
            try:
                data = os.read(pty.fd, _READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                data = b""  # EIO: nobody holds the other side any more
            if not data:
                pty.at_end = True
                self._loop.forget(pty.fd)
                break
            parts.append(data)
            size_bytes += len(data)
            if size_bytes < least_bytes:
                break
        try:
            if parts:
                digested_bytes = self._hand_on(pty, parts[0] if len(parts) == 1 else b"".join(parts))
        finally:
            if pty.at_end and self._ptys.get(pty.pane_id) is pty:
                pty.writer.cancel(PaneExited("the pane's program has closed its terminal"))
                self._on_eof(pty.pane_id)
        return digested_bytes

    def _hand_on(self, pty: _Pty, data: bytes) -> int:
        had_bytes = pty.put_by_bytes + len(data)
        put_by_bytes = self._on_output(pty.pane_id, data) or 0
        if put_by_bytes * _PUT_BY_SHARE >= pty.allowance_bytes:
            put_by_bytes = self._digest(pty.pane_id, pty.allowance_bytes)
        self._note_put_by(pty, put_by_bytes)
        return had_bytes - put_by_bytes

    def _note_put_by(self, pty: _Pty, put_by_bytes: int) -> None:
        pty.put_by_bytes = put_by_bytes
        if put_by_bytes and not pty.is_behind:
            pty.is_behind = True
            self._behind.append(pty)
            if self._digesting is None:
                self._digesting = self._loop.after(_DIGEST_S, self._catch_up)

    def _catch_up(self) -> None:
        """Digest what was put by, a little in each pass: of one pane where reading took the time."""
        ends_at = self._loop.now() + _DIGEST_PASS_S
        if not self._due:
            self._due, self._behind = self._behind, self._due
        while self._due:
            pty = self._due.popleft()
            pty.is_behind = False
            if pty.put_by_bytes and self._ptys.get(pty.pane_id) is pty:
                # Who has ended nothing in all that time waits no longer.
                self._note_put_by(pty, self._digest(pty.pane_id, pty.put_by_bytes - 1))
                if time.monotonic() >= ends_at:
                    break
        wait_s = 0.0 if self._due else _DIGEST_S
        self._digesting = self._loop.after(wait_s, self._catch_up) if self._due or self._behind else None

    def _pump(self, pty: _Pty) -> None:
        """Write what goes now, and arrange for the rest."""
        try:
            progressed = pty.writer.pump(time.monotonic())
        except OSError as fault:
            progressed = False
            gone = fault.errno == 5  # EIO
            pty.writer.cancel(
                PaneExited("the pane's program has closed its terminal") if gone else IoError(fault.strerror or "")
            )
        if pty.at_end or self._ptys.get(pty.pane_id) is not pty:
            return
        waiting = pty.writer.is_waiting()
        pty.stalled = waiting and not progressed
        self._watch(pty)
        if waiting and self._poll is None:
            self._poll = self._loop.after(_POLL_S, self._poll_writers)

    def _poll_writers(self) -> None:
        self._poll = None
        for pty in [*self._ptys.values()]:
            if pty.writer.is_waiting():
                self._pump(pty)
        if self._poll is None and any(pty.writer.is_waiting() for pty in self._ptys.values()):
            self._poll = self._loop.after(_POLL_S, self._poll_writers)
