"""One pane's terminal: bytes in; screen, ring, answers and signals out. Pure: no descriptor, no clock.

`now` is monotonic seconds. Reads never change what a program would see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..base.limits import READ_LINES, RESTORED_ABOVE, RING_LINES
from . import views
from .lines import strip_line
from .modes import SYNCHRONIZED
from .reflow import resize
from .rows import text_of
from .scanner import Scanner
from .screen import Screen
from .snapshot import snapshot
from .stream import Stream

if TYPE_CHECKING:
    from .scanner import Signal
    from .views import LogicalLines, Rendered, Tail, View

CLEAR_BYTES = b"\x1b[H\x1b[2J\x1b[3J"
# Readers wait no longer than this for the end of a synchronized update (behaviour §9.2).
HOLD_S = 1.0
# Numbers of a restored pane begin this far above the saved ones, so that every cursor from before reads as dropped.

_RELEASE = b"\x1b[?2026l"


class Fed(NamedTuple):
    """What a chunk asks for: answers for the program, each one write, and signals, both in order."""

    answers: list[bytes]
    signals: list[Signal]


class Terminal:
    """cols and rows are at least 1; version goes into the answer to the version query."""

    def __init__(self, cols: int, rows: int, *, version: str, ring_lines: int = RING_LINES) -> None:
        self._screen = Screen(max(cols, 1), max(rows, 1), ring_lines)
        self._scanner = Scanner()
        self._stream = Stream(self._screen, self._scanner, version)
        self._held_since: float | None = None

    @property
    def cols(self) -> int:
        return self._screen.cols

    @property
    def rows(self) -> int:
        return self._screen.rows

    @property
    def title(self) -> str | None:
        return self._scanner.title

    @property
    def notifications_dropped(self) -> int:
        return self._scanner.notifications_dropped

    @property
    def head(self) -> int:
        """The newest line number; looking gives the changed rows their numbers."""
        return self._look().head

    @property
    def floor(self) -> int:
        return self._screen.history.floor

    @property
    def cursor(self) -> tuple[int, int]:
        """(x, y) from zero; x equals cols while a wrap is pending."""
        return self._screen.x, self._screen.y

    @property
    def on_alternate(self) -> bool:
        return self._screen.on_alternate

    @property
    def modes(self) -> frozenset[int]:
        """The private modes that are set, with 7 (auto-wrap) and 25 (cursor) from the start; 66 is the keypad."""
        return frozenset(self._screen.modes)

    @property
    def cut_sequence(self) -> bytes | None:
        """The beginning of a sequence that the next bytes go on with; None in a string."""
        held = self._stream.unfinished()
        return None if held is None else held.encode("utf-8", "surrogateescape")

    def set_colors(self, foreground: str, background: str) -> None:
        """What colour queries are answered with, as "rrrr/gggg/bbbb"."""
        self._stream.colors = (foreground, background)

    # Output

    def feed(self, data: bytes, now: float) -> Fed:
        """Takes the next bytes of the program."""
        self.tick(now)
        self._scanner.now = now
        screen = self._screen
        ended = data.rfind(_RELEASE)
        if ended >= 0:
            # Nobody reads within a chunk, so only an update that begins behind the last end needs its former frame.
            end = ended + len(_RELEASE) if b"?" in data[ended + len(_RELEASE) :] else len(data)
            screen.readers_may_look = False
            self._stream.feed(data[:end])
            screen.readers_may_look = True
            self._held_since = None
            data = data[end:]
        self._stream.feed(data)
        if SYNCHRONIZED not in screen.modes:
            self._held_since = None
        elif self._held_since is None:
            self._held_since = now
        return self._take()

    def feed_silently(self, data: bytes, now: float) -> Fed:
        """Takes bytes whose program has stopped waiting for answers (terminal-status §2)."""
        return Fed([], self.feed(data, now).signals)

    def finish(self) -> Fed:
        """The program has ended: what was held back is shown, unfinished sequences and updates are given up."""
        self._stream.finish()
        self._scanner.end_instance()
        self._end_hold()
        return self._take()

    def tick(self, now: float) -> None:
        """Ends a synchronized update that has lasted too long."""
        if self._held_since is not None and now - self._held_since >= HOLD_S:
            self._end_hold()

    def due(self) -> float | None:
        """When `tick` has something to do."""
        return None if self._held_since is None else self._held_since + HOLD_S

    def resize(self, cols: int, rows: int) -> None:
        """Takes another size: the main screen is wrapped anew, the alternate one cut or padded (behaviour §8.5)."""
        self._screen.frame = None
        resize(self._screen, max(cols, 1), max(rows, 1))

    def clear(self, now: float) -> bytes:
        """Clears screen and history (behaviour §10.4); the bytes that did it, for viewers."""
        self._look()
        self.feed(CLEAR_BYTES, now)
        self._screen.history.drop()
        return CLEAR_BYTES

    # Reading

    def read_screen(self, strip_ansi: bool = True) -> str:
        return views.read_screen(self._look(), strip_ansi)

    def read_tail(self, lines: int = READ_LINES, strip_ansi: bool = True) -> Tail:
        return views.read_tail(self._look(), lines, strip_ansi)

    def read_rendered(self, after_seq: int, lines: int, strip_ansi: bool = True) -> Rendered:
        return views.read_rendered(self._look(), after_seq, lines, strip_ansi)

    def logical_lines(self, mode: str, lines: int, after_seq: int) -> LogicalLines:
        """mode: screen, tail or rendered."""
        return views.logical_lines(self._look(), mode, lines, after_seq)

    def grid_rows(self) -> list[str]:
        """The present rows up to the last one with text, also while a synchronized update holds readers back."""
        rows = [text_of(row) for row in self._screen.grid]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def styled_rows(self) -> list[list[dict[str, object]]]:
        return views.styled_rows(self._look())

    def history_lines(self) -> list[str]:
        """The lines that left the main screen, oldest first, as text."""
        return [strip_line(line) for line in self._screen.history.lines]

    # Saving

    def snapshot(self) -> bytes:
        """A VT stream that makes a reset terminal of this size look and behave the same (behaviour §11)."""
        return snapshot(self._screen)

    def tail_lines(self, limit_bytes: int) -> list[str]:
        """The newest lines, ring and shown rows, that fit when each is written with a line end."""
        view = self._look()
        lines = self.history_lines() + view.lines(True)
        size, start = 0, len(lines)
        while start and size < limit_bytes:
            size += len(lines[start - 1].encode("utf-8", "replace")) + 1
            start -= size <= limit_bytes
        return lines[start:]

    def restore(self, snapshot: bytes | None, tail: list[str], saved_head: int) -> None:
        """Makes a new terminal show what an earlier one saved; its lines are numbered above every earlier number."""
        if snapshot:
            self._stream.feed(snapshot)
            self._take()
        shown = self._look().lines(True)
        if shown and tail[-len(shown) :] == shown:
            tail = tail[: -len(shown)]  # the saved tail ended with the rows that the snapshot has just drawn
        history = self._screen.history
        history.clear()
        for row in self._screen.grid:
            row.number = 0
        history.load(tail[-history.limit :], saved_head + RESTORED_ABOVE)

    def _take(self) -> Fed:
        fed = Fed(self._stream.answers, self._scanner.signals)
        self._stream.answers, self._scanner.signals = [], []
        return fed

    def _end_hold(self) -> None:
        self._held_since = None
        self._screen.frame = None
        self._screen.modes.discard(SYNCHRONIZED)

    def _look(self) -> View:
        return views.look_at(self._screen)
