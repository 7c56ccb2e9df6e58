"""What a connection still has to be sent, in order, and not before it is on disk.

Every item carries a gate: the number that must be synced first. Because a reply waits behind the changes it may show,
and events wait behind their own journal line, one queue keeps both promises of persistence §4.2: order, and nothing
said that a crash could take back.
"""

from __future__ import annotations

from collections import deque

from ..base.limits import VIEWER_BACKLOG_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

REPLY, EVENT, OUTPUT, SNAPSHOT, REPLAYED, PLACE = range(6)
QUEUED, OVERFLOWED, SKIPPED = range(3)


class _Item:
    __slots__ = ("data", "gate", "kind", "make", "pane_id")

    def __init__(
        self, kind: int, gate: int, data: bytes, pane_id: str = "", make: Callable[[], bytes] | None = None
    ) -> None:
        self.kind = kind
        self.gate = gate
        self.data = data
        self.pane_id = pane_id
        self.make = make


class Outbox:
    """A queue of lines. backlog: bytes of terminal output waiting, per pane.

    events, replies: how many of them wait; replayed events are not counted, for a replay may be as long as the queue.
    unread_bytes: length of the replies and of what was replayed.
    """

    __slots__ = ("_items", "_place", "backlog", "events", "lagging", "replies", "unread_bytes")

    def __init__(self) -> None:
        self._items: deque[_Item] = deque()
        self._place: _Item | None = None
        self.events = 0
        self.replies = 0
        self.unread_bytes = 0
        self.backlog: dict[str, int] = {}
        self.lagging: set[str] = set()

    def __len__(self) -> int:
        return len(self._items)

    def reply(self, gate: int, line: bytes, replay: Sequence[tuple[int, bytes]] = ()) -> None:
        """Queue a reply and what must follow it at once, in the place that was kept for it if one was."""
        self.replies += 1
        made = [_Item(REPLY, gate, line), *(_Item(REPLAYED, seq, data) for seq, data in replay)]
        self.unread_bytes += sum(len(item.data) for item in made)
        if self._place is None:
            self._items.extend(made)
            return
        items = list(self._items)
        at = items.index(self._place)
        self._items = deque([*items[:at], *made, *items[at + 1 :]])
        self._place = None

    def clear(self) -> None:
        """Forget everything: nobody will read it."""
        while self._items:
            self._account(self._items.pop())
        self._place = None

    def keep_place(self) -> None:
        """The next reply goes here: what is queued from now on leaves after it."""
        self._place = _Item(PLACE, 0, b"")
        self._items.append(self._place)

    def drop_events(self) -> None:
        """Forget the events that wait: a replay is about to bring them."""
        if self.events:
            self._items = deque(item for item in self._items if item.kind != EVENT)
            self.events = 0

    def drop_behind_place(self) -> None:
        """Forget what was queued since a place was kept, if one was."""
        while self._place is not None and self._items[-1] is not self._place:
            self._account(self._items.pop())

    def event(self, seq: int, line: bytes) -> None:
        self.events += 1
        self._items.append(_Item(EVENT, seq, line))

    def output(self, pane_id: str, line: bytes) -> int:
        """Queue terminal output. OVERFLOWED: the backlog was dropped and a snapshot must follow; SKIPPED until then."""
        if pane_id in self.lagging:
            return SKIPPED
        waiting = self.backlog.get(pane_id, 0) + len(line)
        if waiting > VIEWER_BACKLOG_BYTES:
            self.drop_output(pane_id)
            self.lagging.add(pane_id)
            return OVERFLOWED
        self.backlog[pane_id] = waiting
        self._items.append(_Item(OUTPUT, 0, line, pane_id))
        return QUEUED

    def snapshot(self, pane_id: str, make: Callable[[], bytes]) -> None:
        """Queue a snapshot that is made when its turn to be sent comes; output before that is part of it."""
        self._items.append(_Item(SNAPSHOT, 0, b"", pane_id, make))

    def drop_output(self, pane_id: str) -> None:
        """Forget what waits of that pane's terminal."""
        if pane_id in self.backlog or pane_id in self.lagging:
            self._items = deque(
                item for item in self._items if item.pane_id != pane_id or item.kind not in (OUTPUT, SNAPSHOT)
            )
            self.backlog.pop(pane_id, None)
            self.lagging.discard(pane_id)

    def take(self, synced: int) -> bytes | None:
        """The next line that may be sent now, or None."""
        if not self._items or self._items[0].gate > synced or self._items[0] is self._place:
            return None
        item = self._items.popleft()
        self._account(item)
        return item.data if item.make is None else item.make()

    def _account(self, item: _Item) -> None:
        """It waits no longer."""
        if item.kind == OUTPUT:
            left = self.backlog[item.pane_id] - len(item.data)
            if left:
                self.backlog[item.pane_id] = left
            else:
                del self.backlog[item.pane_id]
        elif item.kind == EVENT:
            self.events -= 1
        elif item.kind in (REPLY, REPLAYED):
            self.replies -= item.kind == REPLY
            self.unread_bytes -= len(item.data)
        elif item.kind == SNAPSHOT:
            self.lagging.discard(item.pane_id)
