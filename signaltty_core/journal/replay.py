"""What a subscriber missed, collected from journal lines (persistence §6)."""

from __future__ import annotations

from ..wire.codec import encode
from .record import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .record import Line

    Wants = Callable[[str, str | None], bool]
    Event = tuple[int, str, str]


class Replayed:
    """What the files gave. retained_after: from which number on they hold everything, None when they prove nothing.

    events: number, name and payload text, ascending; one more than asked for at most, which tells that there are more.
    """

    __slots__ = ("events", "retained_after")

    def __init__(self, retained_after: int | None, events: list[Event]) -> None:
        self.retained_after = retained_after
        self.events = events


class Collector:
    """Takes the lines of all files in order, keeps the wanted events in (after, through].

    Lines count once their change is whole: the last line of a change tells, and what lacks it was never published.
    """

    __slots__ = ("_after", "_change", "_found", "_most", "_through", "_wants")

    def __init__(self, after: int, through: int, wants: Wants, most: int) -> None:
        self._after = after
        self._through = through
        self._wants = wants
        self._most = most
        self._change: list[Line] = []
        self._found: dict[int, Event] = {}

    def take(self, text: bytes) -> bool:
        """A line without its newline; False when it is none of ours."""
        line = parse(text)
        if line is None:
            return False
        if self._after < line.seq <= self._through:
            self._change.append(line)
            if line.closes:
                self._keep()
        return True

    def events(self) -> list[Event]:
        """Ascending, each number once."""
        return [self._found[seq] for seq in sorted(self._found)]

    def _keep(self) -> None:
        for line in self._change:
            task_id = line.payload.get("task_id")
            if line.event is None or len(self._found) > self._most or line.seq in self._found:
                continue
            if self._wants(line.event, task_id if isinstance(task_id, str) else None):
                self._found[line.seq] = (line.seq, line.event, encode(line.payload))
        self._change = []
