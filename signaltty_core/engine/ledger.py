"""The one door to change: numbers a draft, applies it, hands it to the journal, publishes it.

Applying and queueing happen at once; what leaves the process waits behind the journal's sync through the gates of
every outbox, and deeds of a change (`draft.then`) run when its sync is reported.
"""

from __future__ import annotations

from collections import deque

from ..base.clock import rfc3339
from ..journal.record import is_fleeting, lines
from ..wire.codec import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.world import Draft, Record, World
    from .hub import Hub
    from .ports import Journal


class Ledger:
    """committed: the newest number handed to the journal, which replies wait for. synced: the newest one on disk.

    on_fleeting(): something changed that only the snapshot will keep. on_events(first number, events): they happened.
    """

    def __init__(self, world: World, hub: Hub, journal: Journal, on_change: Callable[[], None]) -> None:
        self._world = world
        self._hub = hub
        self._journal = journal
        self._on_change = on_change
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self.committed = self.synced = world.seq
        self.on_fleeting: Callable[[], None] = lambda: None
        self.on_events: Callable[[int, list[tuple[str, Record]]], None] = lambda first, events: None

    def note(self, draft: Draft) -> None:
        """Make a change true that no reply tells of: without an event, facts of a process wait for the snapshot."""
        self.commit(draft, replied=False)

    def commit(self, draft: Draft, *, replied: bool = True) -> None:
        """Make the change true. An empty one only runs its deeds."""
        if draft.is_empty():
            for deed in draft.then:
                self.when_synced(deed)
            return
        world = self._world
        if self._is_fleeting(draft, replied):
            world.apply({table: list(rows.values()) for table, rows in draft.records.items()}, [])
            for deed in draft.then:
                self.when_synced(deed)
            self.on_fleeting()
            self._on_change()
            return
        first = world.seq + 1
        self._journal.ensure(first + len(draft.events))
        world.seq = self.committed = first + draft.number(first) - 1
        texts = [encode(payload) for _, payload in draft.events]
        written = lines(
            first,
            [(event, text) for (event, _), text in zip(draft.events, texts, strict=True)],
            [payload for _, payload in draft.events],
            draft.records,
            draft.removed,
            rfc3339(draft.at),
        )
        world.apply({table: list(rows.values()) for table, rows in draft.records.items()}, draft.removed)
        self._journal.append(world.seq, written)
        self._hub.publish(first, draft.events, texts)
        for deed in draft.then:
            self.when_synced(deed)
        self._on_change()
        if draft.events:
            self.on_events(first, draft.events)

    def _is_fleeting(self, draft: Draft, replied: bool) -> bool:
        """Whether nothing changes but what is not journaled (persistence §4.2)."""
        if draft.events or draft.removed:
            return False
        tables = self._world.tables
        return all(
            is_fleeting(table, tables[table].get(id), row, replied=replied)
            for table, rows in draft.records.items()
            for id, row in rows.items()
        )

    def issue(self) -> int:
        """A number for an event that is not journaled (`pty.data`, `pty.snapshot`)."""
        self._journal.ensure(self._world.seq + 1)
        self._world.seq += 1
        return self._world.seq

    def when_synced(self, run: Callable[[], None]) -> None:
        """run() once all that is committed now is on disk; at once if it is."""
        if self.synced >= self.committed:
            run()
        else:
            self._waiting.append((self.committed, run))

    def on_synced(self, seq: int) -> None:
        """The journal's writer reports that everything up to `seq` is on disk."""
        self.synced = max(self.synced, seq)
        try:
            while self._waiting and self._waiting[0][0] <= self.synced:
                self._waiting.popleft()[1]()
        except BaseException:
            self.on_synced(seq)  # one deed's fault is no reason to leave the others undone
            raise
