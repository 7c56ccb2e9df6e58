"""The person's own terminal while a pane is shown in it: raw, never waited for, and put back as it was."""

from __future__ import annotations

import os
import select
import termios
import tty
from errno import EINTR
from time import monotonic

from ..spec import LocalError

IN, OUT = 0, 1
READ_BYTES = 64 << 10
LEAVE_S = 0.5  # for the last bytes, when the terminal takes no more

# Erases nothing: a full screen of line feeds on the last line moves what was there into the terminal's own history.
_LAST_LINE = b"\x1b[999;1H"

# Modes a program may have set. RIS would do, but several terminals drop their whole history with it.
_MODES_OFF = (
    b"\x1b\\"  # ends a string that was cut in the middle
    b"\x1b[?2026l"  # synchronized update
    b"\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse
    b"\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"  # focus, paste, colour scheme and size reports
    b"\x1b[?1l\x1b>\x1b[>4m\x1b[<99u\x1b[=0;1u"  # cursor and keypad keys, modifyOtherKeys, keyboard protocol
    b"\x1b[r\x1b[?6l\x1b[?69l\x1b[?7h\x1b[?5l\x1b[4l\x1b[20l"  # margins, origin, wrap, reverse video, insert, newline
    b"\x0f\x1b(B\x1b)B\x1b[0m\x1b]8;;\x1b\\\x1b[0 q\x1b[?25h"  # character sets, colours, link, cursor
)
# The main screen's cursor is saved where it is, so that leaving an alternate screen nobody entered does not move it.
_MAIN_SCREEN = b"\x1b7\x1b[?1049l"
RESET = _MODES_OFF + _MAIN_SCREEN + _MODES_OFF + b"\x1b[H\x1b[2J"
# margins off moves the cursor home, so the last line is sought at the end
_LEAVE = _MODES_OFF + _MAIN_SCREEN + _MODES_OFF + _LAST_LINE + b"\r\n\x1b[23;0t"
_ENTER = b"\x1b[22;0t"  # the window's title goes on the terminal's stack


class OwnTerminal:
    """Standard input and output. Use `enter` and `leave` in pairs.

    pending: bytes written but not yet taken by the terminal; `flush` hands on what it takes.
    """

    __slots__ = ("_before", "_in", "_out", "_owned", "pending")

    def __init__(self) -> None:
        if not (os.isatty(IN) and os.isatty(OUT)):
            raise LocalError("attach needs a terminal as standard input and output")
        self.pending = bytearray()
        self._owned: list[int] = []
        self._in = self._own(IN, os.O_RDONLY)
        self._out = self._own(OUT, os.O_WRONLY)
        self._before = termios.tcgetattr(IN)

    @property
    def input_fd(self) -> int:
        return self._in

    @property
    def output_fd(self) -> int:
        return self._out

    def size(self) -> tuple[int, int] | None:
        """Columns and rows; None where the terminal does not know."""
        try:
            cols, rows = os.get_terminal_size(OUT)
        except OSError:
            return None
        return (cols, rows) if cols > 0 and rows > 0 else None

    def enter(self) -> None:
        """Raw keys from here on, and an empty screen; what was on it is in the terminal's history."""
        self._set_raw()
        rows = (self.size() or (80, 24))[1]
        self.write(_ENTER + _LAST_LINE + b"\n" * rows + RESET)

    def leave(self) -> None:
        """Lends it back for good."""
        self.lend_back()
        for fd in self._owned:
            os.close(fd)

    def lend_back(self) -> None:
        """Every mode as it was, the cursor on a new line. Waits LEAVE_S at most, raises nothing."""
        self.write(_LEAVE)
        until = monotonic() + LEAVE_S
        try:
            while self.pending and (left_s := until - monotonic()) > 0:
                select.select([], [self._out], [], left_s)
                self.flush()
        except OSError:
            pass  # the terminal is gone
        try:
            # not TCSADRAIN: it waits for a terminal that may never take the rest
            termios.tcsetattr(IN, termios.TCSANOW, self._before)
        except termios.error:
            pass

    def read(self) -> bytes | None:
        """Keys that are there; empty when there are none after all, None at the end of input."""
        try:
            return os.read(self._in, READ_BYTES) or None
        except BlockingIOError:
            return b""
        except OSError:
            return None

    def write(self, data: bytes) -> None:
        """Put bytes behind those pending."""
        self.pending += data

    def flush(self) -> None:
        """Hand on what the terminal takes now. Raises OSError when it is gone."""
        if self.pending:
            try:
                taken = os.write(self._out, self.pending[:READ_BYTES])
            except BlockingIOError:
                return
            del self.pending[:taken]

    def _set_raw(self) -> None:
        while True:
            try:
                tty.setraw(IN, termios.TCSANOW)
                return
            except termios.error as error:
                if error.args[0] != EINTR:  # stopped here, since another job has the terminal, and continued
                    raise

    def _own(self, fd: int, mode: int) -> int:
        """The same terminal through a description of our own, which may be non-blocking without the shell's notice.

        Where the terminal has no name that can be opened, the shared descriptor serves.
        """
        try:
            own = os.open(os.ttyname(fd), mode | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:
            return fd
        self._owned.append(own)
        return own
