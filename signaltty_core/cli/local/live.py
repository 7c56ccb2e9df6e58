"""A view that stays on the terminal and follows the server: only what changed is written, so nothing flickers."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from time import monotonic

from ...base.errors import IoError, NoSuchServer, TimedOut
from ..session import write_output
from ..show import cells_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from ...client.conn import Connection
    from ..session import Session

    Fetch = Callable[[Connection], Any]
    Draw = Callable[[Any, int, int], list[str]]

EVENTS = ["workspace.*", "tab.*", "pane.*", "agent.*", "attention.*", "decision.*", "task.*", "git.*", "server.*"]
AGE_S = 1.0  # ages count seconds
FETCH_EVERY_S = 0.2
LOOK_S = 2.0  # progress moves without an event
DRAIN_S = 0.002
AGAIN_S = 0.5
LOST = "the server is gone; trying again"


class Told(Exception):
    """The process was told to end by an os signal."""


class Canvas:
    """The alternate screen, without echo. Use `enter` and `leave` in pairs."""

    __slots__ = ("_before", "_shown", "_size")

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._size = (0, 0)
        self._before: list[Any] | None = None

    def enter(self) -> None:
        if sys.stdin is not None and os.isatty(0):
            self._before = termios.tcgetattr(0)
            tty.setcbreak(0, termios.TCSANOW)
        write_output("\x1b[?1049h\x1b[?25l\x1b[?7l")

    def leave(self) -> None:
        try:
            write_output("\x1b[?7h\x1b[?25h\x1b[?1049l")
        finally:
            if self._before is not None:
                termios.tcsetattr(0, termios.TCSANOW, self._before)

    @property
    def has_keys(self) -> bool:
        return self._before is not None

    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        try:
            cols, rows = os.get_terminal_size(1)
        except OSError:
            return 80, 24
        return cols or 80, rows or 24

    def show(self, lines: list[str], size: tuple[int, int]) -> None:
        """Put the lines on the screen in one write, those alone that differ from what is there."""
        parts = []
        if size != self._size:
            parts.append("\x1b[2J")
            self._shown = []
            self._size = size
        for row in range(max(len(lines), len(self._shown))):
            line = lines[row] if row < len(lines) else ""
            if row < len(self._shown) and self._shown[row] == line:
                continue
            # what was there is overwritten before the rest is erased: at no moment the row is empty
            end = "" if _cells_without_colour(line) >= size[0] else "\x1b[K"
            parts.append(f"\x1b[{row + 1};1H{line}{end}")
        self._shown = lines
        if parts:
            write_output(f"\x1b[?2026h{''.join(parts)}\x1b[?2026l")

    def note(self, text: str) -> None:
        """The text in the last row; what stands above it stays."""
        self.show([*self._shown[:-1], text[: self._size[0]]], self._size)


def watch(session: Session, fetch: Fetch, draw: Draw) -> int:
    """Show what `fetch` finds as `draw` puts it, anew with every change, until somebody presses q."""
    feed = _subscribe(session)
    # a stopped process would leave the shell on our screen, without echo
    former = {signal.SIGTSTP: signal.signal(signal.SIGTSTP, signal.SIG_IGN)}
    former |= {number: signal.signal(number, _be_told) for number in (signal.SIGTERM, signal.SIGHUP)}
    canvas = Canvas()
    try:
        canvas.enter()
        while True:
            try:
                if _follow(session, feed, canvas, fetch, draw):
                    return 0
            except (IoError, NoSuchServer, TimedOut):
                found = _find_again(session, canvas)
                if found is None:
                    return 0
                feed = found
    except Told as told:
        return 128 + int(told.args[0])
    finally:
        canvas.leave()
        for number, handler in former.items():
            signal.signal(number, handler)


def _follow(session: Session, feed: Connection, canvas: Canvas, fetch: Fetch, draw: Draw) -> bool:
    """True when somebody wants to leave. Raises IoError once the server has."""
    data: Any = None
    stale = True
    fetch_at = 0.0
    sources = [feed.fileno(), 0] if canvas.has_keys else [feed.fileno()]
    while True:
        now = monotonic()
        if (stale and now >= fetch_at) or now >= fetch_at + LOOK_S:
            data = fetch(session.connection())
            stale = False
            fetch_at = now + FETCH_EVERY_S
        size = canvas.size()
        canvas.show(draw(data, *size), size)
        ready, _, _ = select.select(sources, [], [], max(fetch_at - monotonic(), 0.0) if stale else AGE_S)
        if 0 in ready and _wants_to_leave():
            return True
        if feed.fileno() in ready:
            _drain(feed)
            stale = True


def _drain(feed: Connection) -> None:
    """Take every event that is there: what they say is fetched. Raises IoError at the end of the connection."""
    while True:
        try:
            if feed.next_event(DRAIN_S) is None:
                raise IoError("the server closed the connection")
        except TimedOut:
            return


def _subscribe(session: Session) -> Connection:
    """A connection with events, beside the one for questions; a server is started when there is none."""
    session.connection()
    feed = session.dial()
    feed.call("subscribe", {"events": EVENTS})
    return feed


def _find_again(session: Session, canvas: Canvas) -> Connection | None:
    """The next server's events; None when somebody leaves meanwhile. No server is started here: the keeper does."""
    while True:
        session.hang_up()
        canvas.note(LOST)
        try:
            session.dial_running()
            return _subscribe(session)
        except (IoError, NoSuchServer, TimedOut):
            pass
        ready, _, _ = select.select([0] if canvas.has_keys else [], [], [], AGAIN_S)
        if ready and _wants_to_leave():
            return None


def _wants_to_leave() -> bool:
    """Whether a key says so; a terminal that is gone does too."""
    try:
        keys = os.read(0, 64)
    except OSError:
        return True
    return not keys or b"q" in keys


def _cells_without_colour(line: str) -> int:
    """Columns the line takes; the escape sequences in it are colours alone."""
    if "\x1b" not in line:
        return cells_of(line)
    return sum(cells_of(part.partition("m")[2] if index else part) for index, part in enumerate(line.split("\x1b")))


def _be_told(number: int, _frame: FrameType | None) -> None:
    raise Told(number)
