"""`attach`: a pane in the person's own terminal, keys to the pane, output from it (cli §6)."""

from __future__ import annotations

import os
import re
import select
import signal
from binascii import a2b_base64, b2a_base64

from ...base.errors import IoError, NoSuchPane, PaneExited, ProtocolError, TimedOut
from ...client.conn import connect
from ...terminal.scanner import OutputFilter
from ..session import Session, write_output
from ..spec import LocalError
from .own_terminal import RESET, OwnTerminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...client.conn import Connection
    from ..session import Settings

# Ctrl+]: the byte, and what it becomes once the program has asked for the kitty keyboard protocol (flags, lock keys and
# event types vary) or modifyOtherKeys; without these nobody could leave a program that uses them.
LEAVE_KEY = re.compile(rb"\x1d|\x1b\[93(?::\d*)*;(?:5|69|133|197)(?::1)?u|\x1b\[27;5;93~")
BELL = b"\x07"
INPUT_BYTES = 64 << 10  # one request
TYPED_BYTES = 1 << 20  # keys kept for a program that does not read
SHOWN_BYTES = 256 << 10  # output kept for a terminal that does not take it; the server keeps the rest
ANSWER_S = 2.0  # a server that needs longer for one of our own requests is as good as lost
SPLIT_LINE_S = 0.001  # for the rest of a line; an answer to a resize is passed over in that time
WATCHED = ["pane.exited", "pane.closed"]
ENDING = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


def run(settings: Settings, pane: str, mark_seen: bool) -> int:
    """Show the pane until it ends or the person leaves; gives the exit status."""
    terminal = OwnTerminal()
    session = Session(settings, [])
    pane_id = session.call("pane.get", {"pane_id": pane})["pane"]["id"]
    if settings.environ.get("SIGNALTTY_PANE") == pane_id:
        raise LocalError("this terminal is that pane itself")
    return Attachment(session, pane_id, mark_seen, terminal).show()


class Attachment:
    """One person looking at one pane.

    _offset: how many bytes of the pane's output are on the screen. _ended: how it was left, None while it lasts.
    """

    def __init__(self, session: Session, pane_id: str, mark_seen: bool, terminal: OwnTerminal) -> None:
        self._session = session
        self._pane_id = pane_id
        self._mark_seen = mark_seen
        self._terminal = terminal
        self._events = session.connection()
        self._keys: Connection | None = None
        self._typed = bytearray()
        self._request = ""
        self._offset = 0
        self._filter = OutputFilter()
        self._ended: str | None = None
        self._status = 0
        self._wake_read, self._wake_write = os.pipe()
        self._resized = False
        self._stopping = False
        self._continued = False

    def show(self) -> int:
        self._events.call("subscribe", {"events": WATCHED})
        first = self._attach()
        before = self._catch_signals()
        try:
            self._terminal.enter()
            self._draw(first)
            if first["live"]["state"] == "live":
                self._serve()
            else:
                self._ended = "has ended"
        finally:
            self._terminal.leave()
            self._release_signals(before)
            self._session.hang_up()
            if self._keys is not None:
                self._keys.close()
        if self._ended:
            write_output(f"[{self._pane_id} {self._ended}]\n")
        return self._status

    def _serve(self) -> None:
        terminal = self._terminal
        self._take_events()  # those that came with the answer to the attaching
        while self._ended is None:
            reads = [self._wake_read]
            if len(self._typed) < TYPED_BYTES:
                reads.append(terminal.input_fd)
            if len(terminal.pending) < SHOWN_BYTES:
                reads.append(self._events.fileno())
            if self._request and self._keys is not None:
                reads.append(self._keys.fileno())
            writes = [terminal.output_fd] if terminal.pending else []
            ready, writable, _ = select.select(reads, writes, [])
            if self._wake_read in ready:
                os.read(self._wake_read, 512)
                self._heed_signals()
            if writable:
                self._flush()
            if self._request and self._keys is not None and self._keys.fileno() in ready:
                self._take_answer(self._keys)
            if self._events.fileno() in ready:
                self._take_events()
            if terminal.input_fd in ready:
                self._take_keys()
            self._type()

    def _attach(self) -> Any:
        size = self._terminal.size()
        params: dict[str, Any] = {"pane_id": self._pane_id, "mark_seen": self._mark_seen}
        if size is not None:
            params["cols"], params["rows"] = size
        return self._events.call("pane.attach", params, ANSWER_S)

    def _redraw(self, drawn: dict[str, Any]) -> None:
        """What still waits of the older picture is pointless now."""
        self._terminal.pending.clear()
        self._draw(drawn)

    def _draw(self, drawn: dict[str, Any]) -> None:
        """A snapshot on a reset screen."""
        self._offset = drawn["output_offset"]
        self._filter = OutputFilter()
        self._terminal.write(RESET + a2b_base64(drawn["snapshot_b64"]))

    def _take_events(self) -> None:
        limit_s = SPLIT_LINE_S
        while self._ended is None:
            try:
                frame = self._events.next_event(limit_s)
            except TimedOut:
                return
            if frame is None:
                raise IoError("the server closed the connection")
            self._on_event(frame["event"], frame["payload"])
            limit_s = 0  # only those that came in the same packet

    def _on_event(self, event: str, payload: dict[str, Any]) -> None:
        if payload.get("pane_id") != self._pane_id:
            return
        if event == "pty.data":
            self._on_data(a2b_base64(payload["data_b64"]), payload["output_offset"])
        elif event == "pty.snapshot":
            self._redraw(payload)
        elif event == "pane.exited":
            how = f"by {payload['signal']}" if payload.get("signal") else f"with code {payload.get('code')}"
            self._ended = f"ended {how}"
        elif event == "pane.closed":
            self._ended = "was closed"

    def _on_data(self, data: bytes, end_offset: int) -> None:
        fresh = end_offset - self._offset
        if fresh > len(data):
            self._redraw(self._attach())  # a gap: what is missing will not come
        elif fresh > 0:  # the rest was in the snapshot
            self._offset = end_offset
            self._terminal.write(self._filter.feed(data[len(data) - fresh :]))

    def _take_keys(self) -> None:
        keys = self._terminal.read()
        if keys is None:
            self._ended = "detached"
            return
        left = LEAVE_KEY.search(keys)
        self._typed += keys[: left.start()] if left else keys
        if left:
            self._finish_typing()
            self._ended = "detached"

    def _type(self) -> None:
        """Send what was typed, one request at a time: what comes meanwhile goes together."""
        if not self._typed or self._request or self._ended:
            return
        if self._keys is None:
            self._keys = connect(self._session.settings.socket)
        data = bytes(self._typed[:INPUT_BYTES])
        del self._typed[:INPUT_BYTES]
        params = {"pane_id": self._pane_id, "data_b64": b2a_base64(data, newline=False).decode("ascii")}
        self._request = self._keys.send("pane.input", params, ANSWER_S)

    def _take_answer(self, keys: Connection) -> None:
        request, self._request = self._request, ""
        try:
            keys.receive(request, ANSWER_S, "pane.input")
        except (PaneExited, NoSuchPane):
            self._typed.clear()  # the event that says so is on its way
        except IoError:
            keys.close()
            self._keys = None  # the next key tries again; a lost server is told by the other connection
            self._terminal.write(BELL)
        except ProtocolError:
            self._terminal.write(BELL)  # the program has not read for long

    def _finish_typing(self) -> None:
        """What was typed before leaving is handed over, but a program that does not read keeps nobody here."""
        while self._typed or self._request:
            if self._request and self._keys is not None:
                if not select.select([self._keys.fileno(), self._wake_read], [], [], ANSWER_S)[0] or self._status:
                    return
                self._take_answer(self._keys)
            self._type()

    def _flush(self) -> None:
        try:
            self._terminal.flush()
        except OSError:
            self._ended = "detached"

    def _heed_signals(self) -> None:
        if self._stopping:
            self._stopping = False
            self._terminal.pending.clear()
            self._terminal.lend_back()
            os.kill(os.getpid(), signal.SIGSTOP)
            self._continued = True
        if self._continued:  # the terminal was another's meanwhile, with its modes and on its screen
            self._continued = False
            self._terminal.pending.clear()
            self._terminal.enter()
            self._draw(self._attach())
        self._resize()

    def _resize(self) -> None:
        size = self._terminal.size()
        if not self._resized or size is None:
            return
        self._resized = False
        # its answer is passed over: the new picture comes as output
        self._events.send("pane.resize", {"pane_id": self._pane_id, "cols": size[0], "rows": size[1]}, ANSWER_S)

    def _catch_signals(self) -> dict[int, Any]:
        """Signals only leave a note and wake the loop; gives the handlers there were."""
        os.set_blocking(self._wake_write, False)
        before: dict[int, Any] = {signal.SIGWINCH: signal.signal(signal.SIGWINCH, self._on_resize)}
        before[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._on_continuing)
        for os_signal, handler in ((signal.SIGTSTP, self._on_stopping), *((one, self._on_ending) for one in ENDING)):
            if signal.getsignal(os_signal) != signal.SIG_IGN:
                before[os_signal] = signal.signal(os_signal, handler)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        return before

    def _release_signals(self, before: dict[int, Any]) -> None:
        signal.set_wakeup_fd(-1)
        for os_signal, handler in before.items():
            signal.signal(os_signal, handler)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _on_resize(self, os_signal: int, frame: object) -> None:
        self._resized = True

    def _on_stopping(self, os_signal: int, frame: object) -> None:
        self._stopping = True

    def _on_continuing(self, os_signal: int, frame: object) -> None:
        self._continued = True

    def _on_ending(self, os_signal: int, frame: object) -> None:
        self._status = 128 + os_signal
        self._ended = ""
