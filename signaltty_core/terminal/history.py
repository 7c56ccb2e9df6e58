"""The rendered ring: numbered lines that left the main screen, and the numbers of those still on it (behaviour §10.1).

A line gets its number when someone looks (`number_rows`) or when it leaves the screen, whichever is first; whatever was
overwritten in between never needed one. Numbers rise with time, not with place: a row that changes in the middle of the
screen takes the newest number and stays where it is.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from .lines import Soft, strip_line
from .rows import encode, text_of
from .styles import DIRTY, FRESH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .rows import Row
    from .styles import Style


class History:
    """head: newest number given. floor: the dropped floor. evicted: highest number of a line that is gone.

    gone: how many lines have left at the old end, ever, so that `gone + index` names a line for good.
    """

    __slots__ = ("_ordered", "evicted", "floor", "gone", "head", "limit", "lines", "newest", "numbers")

    def __init__(self, limit: int) -> None:
        self.limit = limit = max(limit, 1)
        self.head = 0
        self.floor = 0
        self.evicted = 0
        self.gone = 0
        self.newest = 0
        self.lines: deque[str] = deque(maxlen=limit)
        self.numbers: deque[int] = deque(maxlen=limit)
        self._ordered = True  # numbers rise from line to line, so the highest of the oldest is the last of them

    def push(self, row: Row, plain: Style) -> None:
        """Takes a row that scrolls off."""
        line = row.raw
        if row.width < 0 or row.wrapped or row.tail is not plain or "\x1b" in line:
            line = encode(row, plain)
        elif line[-1:] == " ":
            line = line.rstrip(" ")
        number = row.number
        if not number or (row.mark & DIRTY and strip_line(line) != row.seen):
            self.head = number = self.head + 1
        if number > self.newest:
            self.newest = number
        else:
            self._ordered = False
        numbers = self.numbers
        if len(numbers) == self.limit:
            self._count_out(1)
        self.lines.append(line)
        numbers.append(number)

    def extend(self, lines: Sequence[str], skipped: int = 0) -> None:
        """Takes lines that were never rows; `skipped` more came before them and are evicted in the same step."""
        if len(lines) > self.limit:
            skipped += len(lines) - self.limit
            lines = lines[-self.limit :]
        over = len(self.lines) + len(lines) + skipped - self.limit
        if over > 0:
            self._count_out(min(over, len(self.lines)))
            self._ordered = self._ordered or over >= len(self.lines)
        self.head += skipped
        if skipped:
            self.gone += skipped
            self.evicted = self.head
        first = self.head + 1
        self.head = self.newest = self.head + len(lines)
        self.lines.extend(lines)
        self.numbers.extend(range(first, self.head + 1))

    def pop(self) -> tuple[str, int]:
        """Gives the newest line back to the screen, with its number."""
        return self.lines.pop(), self.numbers.pop()

    def evict(self, count: int) -> None:
        """Drops the oldest lines."""
        count = min(count, len(self.lines))
        self._count_out(count)
        if count == len(self.lines):
            self.lines.clear()
            self.numbers.clear()
            self._ordered = True
        for _ in range(min(count, len(self.lines))):
            self.lines.popleft()
            self.numbers.popleft()

    def clear(self) -> None:
        self.evict(len(self.lines))

    def _count_out(self, count: int) -> None:
        """Notes that the oldest lines are about to go."""
        if count > 0:
            self.gone += count
            highest = self.numbers[count - 1] if self._ordered else max(islice(self.numbers, count))
            if highest > self.evicted:
                self.evicted = highest

    def number_rows(self, rows: Sequence[Row]) -> int:
        """Numbers the changed rows in text order; gives the number of content rows, up to the last non-blank one."""
        content = len(rows)
        while content:
            row = rows[content - 1]
            if text_of(row) if row.mark & DIRTY else row.seen:
                break
            row.number = 0  # a trailing blank row is no content; when it fills again, it is new
            row.seen = ""
            row.mark &= ~(DIRTY | FRESH)
            content -= 1
        head = self.head
        for row in rows[:content]:
            if row.mark & DIRTY:
                text = text_of(row)
                if text != row.seen or not row.number:
                    head += 1
                    row.number = head
                    row.seen = text
            elif not row.number:
                head += 1
                row.number = head
            row.mark &= ~(DIRTY | FRESH)
        self.head = head
        return content

    def load(self, lines: Sequence[str], floor: int) -> None:
        """Fills an empty ring with saved lines, numbered from just above the floor."""
        self.head = self.floor = floor
        if lines:
            self.extend(lines)
        else:
            self.head += 1  # a cursor taken now must be above the floor

    def drop(self) -> None:
        """Forgets everything before this moment: the floor becomes the head and the head moves up by one."""
        self.clear()
        self.floor = self.head
        self.head += 1

    def is_dropped(self, after: int) -> bool:
        """Whether a reader that stopped at `after` has missed lines."""
        return after != 0 and (after <= self.floor or after < self.evicted or after > self.head)


def is_soft(line: str) -> bool:
    """Whether the line goes on in the next one."""
    return type(line) is Soft
