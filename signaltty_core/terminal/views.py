"""What readers get: the shown rows and the ring as text, live or as they were when a synchronized update began."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from .history import is_soft
from .lines import encode_cells, filled, plain_line, sgr_line, strip_line
from .rows import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from .history import History
    from .rows import Row
    from .styles import Style
    from .screen import Screen


class Tail(NamedTuple):
    """The newest lines; truncated: the ring holds more."""

    text: str
    truncated: bool


class Rendered(NamedTuple):
    """Lines numbered above a cursor. seq: lowest number in the text, next_seq: the cursor to go on from."""

    text: str
    seq: int
    next_seq: int
    dropped: bool
    truncated: bool


class LogicalLines(NamedTuple):
    """Rows as they stand, and beside each the whole line it is a part of (the same string if it was not wrapped)."""

    rows: list[str]
    joined: list[str]
    next_seq: int


class View:
    """Rows and ring at one moment.

    content: rows up to the last non-blank one. until: lines of the ring from before this moment, named by
    `history.gone + index`.
    """

    __slots__ = ("content", "head", "history", "on_alternate", "plain", "rows", "until")

    def __init__(
        self, rows: list[Row], content: int, history: History, until: int, on_alternate: bool, plain: Style
    ) -> None:
        self.rows = rows
        self.content = content
        self.history = history
        self.head = history.head
        self.until = until
        self.on_alternate = on_alternate
        self.plain = plain

    def past(self, most: int) -> list[tuple[str, int]]:
        """At most that many of the newest lines above the rows, with their numbers."""
        if self.on_alternate:
            return []
        history = self.history
        end = max(min(self.until - history.gone, len(history.lines)), 0)
        start = max(end - max(min(most, history.limit - self.content), 0), 0)
        return list(zip(islice(history.lines, start, end), islice(history.numbers, start, end), strict=True))

    def past_count(self) -> int:
        if self.on_alternate:
            return 0
        history = self.history
        end = max(min(self.until - history.gone, len(history.lines)), 0)
        return min(end, max(history.limit - self.content, 0))

    def lines(self, strip_ansi: bool) -> list[str]:
        """The content rows as text."""
        rows = self.rows[: self.content]
        if strip_ansi:
            return [row.seen for row in rows]
        return [sgr_line(_trimmed(row, self.plain), self.plain) for row in rows]


def look_at(screen: Screen) -> View:
    """The view readers get now."""
    if screen.frame is not None:
        return screen.frame
    history = screen.history
    content = history.number_rows(screen.grid)
    if not screen.on_alternate and len(history.lines) > history.limit - content:
        history.evict(len(history.lines) - max(history.limit - content, 0))
    until = history.gone + len(history.lines)
    return View(screen.grid, content, history, until, screen.on_alternate, screen.styles.plain)


def freeze(screen: Screen) -> View:
    """A view that later output does not change."""
    view = look_at(screen)
    view.rows = [row.copy() for row in view.rows]
    return view


def read_screen(view: View, strip_ansi: bool) -> str:
    return "\n".join(view.lines(strip_ansi))


def reader_of(view: View, strip_ansi: bool) -> Callable[[str], str]:
    """What makes text of a line of the ring."""
    plain = view.plain
    return strip_line if strip_ansi else lambda line: sgr_line(line, plain)


def read_tail(view: View, lines: int, strip_ansi: bool) -> Tail:
    lines = min(lines, view.history.limit)
    shown = view.lines(strip_ansi)
    if len(shown) >= lines:
        return Tail("\n".join(shown[-lines:]), len(shown) > lines or view.past_count() > 0)
    past = view.past(lines - len(shown))
    read = reader_of(view, strip_ansi)
    return Tail("\n".join([read(line) for line, _ in past] + shown), view.past_count() > len(past))


def read_rendered(view: View, after: int, lines: int, strip_ansi: bool) -> Rendered:
    dropped = view.history.is_dropped(after)
    chosen: list[tuple[str, int]] = []
    if view.history.newest > after:
        read = reader_of(view, strip_ansi)
        found = [(line, number) for line, number in view.past(view.history.limit) if number > after]
        newest = found[-lines:]
        chosen = [(read(line), number) for line, number in newest]
        chosen = [("", 0)] * (len(found) - len(newest)) + chosen
    shown = zip(view.lines(strip_ansi), view.rows, strict=False)
    chosen += [(line, row.number) for line, row in shown if row.number > after]
    kept = chosen[-lines:]
    seq = min([number for _, number in kept], default=view.head)
    return Rendered("\n".join([line for line, _ in kept]), seq, view.head, dropped, len(chosen) > len(kept))


def logical_lines(view: View, mode: str, lines: int, after: int) -> LogicalLines:
    """The rows that a read of this mode returns, each with the whole line around it (behaviour §10.3)."""
    lines = min(lines, view.history.limit)
    if mode == "screen":
        past, skip = [], 0
    elif mode == "rendered" and view.history.newest <= after:
        past = view.past(1)  # nothing new up there; one row more in case a line began in it
        skip = len(past)
    else:
        past, skip = view.past(view.history.limit if mode == "rendered" else lines), 0
    rows = [(strip_line(line), plain_line(line) if is_soft(line) else None, number) for line, number in past]
    for row in view.rows[: view.content]:
        whole = "".join([cell[0] for cell in row.cells]) if row.wrapped else None
        rows.append((row.seen, whole, row.number))
    texts = [text for text, _, _ in rows]
    joined = _join([(whole, text) for text, whole, _ in rows])
    if mode == "rendered":
        chosen = [at for at, (_, _, number) in enumerate(rows) if number > after and at >= skip]
    else:
        chosen = list(range(len(rows)))
    if mode != "screen":
        chosen = chosen[-lines:]
    return LogicalLines([texts[at] for at in chosen], [joined[at] for at in chosen], view.head)


def styled_rows(view: View) -> list[list[dict[str, object]]]:
    """The content rows as runs: {text} and, where set, fg, bg (SGR parameters) and the names of other attributes."""
    from .runs import runs_of

    return [runs_of(row, view.plain) for row in view.rows[: view.content]]


def _trimmed(row: Row, plain: Style) -> str:
    """The row with its sequences and without trailing blanks, also where it is wrapped."""
    if not row.wrapped:
        return encode(row, plain)
    return encode_cells(row.cells[: filled(row.cells, plain)], plain)


def _join(parts: list[tuple[str | None, str]]) -> list[str]:
    """For each row the line it belongs to; a part with a first element goes on in the next row."""
    joined: list[str] = []
    start = 0
    for at, (whole, text) in enumerate(parts):
        if whole is not None and at + 1 < len(parts):
            continue
        line = "".join([head or "" for head, _ in parts[start:at]]) + text
        joined += [line] * (at + 1 - start)
        start = at + 1
    return joined
