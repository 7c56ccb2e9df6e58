"""Events on their way to subscribers: the ring of the newest ones, globs, replay (behaviour §12, persistence §6)."""

from __future__ import annotations

from collections import deque

from ..base.limits import EVENT_QUEUE, EVENT_RING, REPLAY_EVENTS
from ..state.effects import ReadBack
from ..wire.envelope import event_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ..journal.replay import Replayed
    from ..state.effects import Effect
    from ..state.world import Record
    from .client import Client

    Subscribing = dict[str, Any] | Coroutine[Effect, Any, dict[str, Any]]


class Filter:
    """Which events a subscriber wants. Patterns: `*`, `prefix.*`, an exact name; any other matches nothing."""

    __slots__ = ("_all", "_exact", "_prefixes", "_task_ids")

    def __init__(self, events: list[str] | None, task_ids: list[str] | None) -> None:
        patterns = ["*"] if events is None else events
        self._all = "*" in patterns
        self._exact = {one for one in patterns if "*" not in one} | {one[:-2] for one in patterns if one.endswith(".*")}
        self._prefixes = tuple(one[:-1] for one in patterns if one.endswith(".*") and "*" not in one[:-1])
        self._task_ids = None if task_ids is None else frozenset(task_ids)

    def wants(self, event: str, task_id: str | None) -> bool:
        if not (self._all or event in self._exact or event.startswith(self._prefixes)):
            return False
        return self._task_ids is None or not event.startswith("task.") or task_id in self._task_ids


class _Past:
    __slots__ = ("event", "payload_text", "seq", "task_id")

    def __init__(self, seq: int, event: str, task_id: str | None, payload_text: str) -> None:
        self.seq = seq
        self.event = event
        self.task_id = task_id
        self.payload_text = payload_text


class Hub:
    """floor: the number below the oldest event of the ring; replay is complete from there on.

    retained_after(): from which number on the journal's files hold everything, None when they prove nothing.
    """

    def __init__(self, floor: int, retained_after: Callable[[], int | None]) -> None:
        self.floor = floor
        self._retained_after = retained_after
        self.subscribers: set[Client] = set()
        self._ring: deque[_Past] = deque()

    def publish(self, first: int, events: list[tuple[str, Record]], texts: list[str]) -> None:
        """Queue numbered events for whoever wants them; they leave once they are on disk."""
        stalled: list[Client] = []
        for seq, (event, payload), text in zip(range(first, first + len(events)), events, texts, strict=True):
            task_id = payload.get("task_id")
            self._ring.append(_Past(seq, event, task_id if isinstance(task_id, str) else None, text))
            if len(self._ring) > EVENT_RING:
                self.floor = self._ring.popleft().seq
            line: bytes | None = None
            for client in self.subscribers:
                if client.filter is not None and client.filter.wants(event, task_id):
                    line = line or event_line(event, seq, text)
                    client.outbox.event(seq, line)
                    client.wake()
                    if client.outbox.events == EVENT_QUEUE + 1:
                        stalled.append(client)
        for client in stalled:
            client.drop()  # only now: whoever goes may cause a change of its own

    def subscribe(self, client: Client, wanted: Filter, from_seq: int | None, newest: int) -> Subscribing:
        """The reply, or what will give it when the disk must be read; events follow it without a gap or a repeat."""
        if from_seq is None:
            self._register(client, wanted)
            return {"subscribed": True, "seq": newest}
        asked = _Asked(from_seq, newest, self.floor)
        if from_seq > newest:
            return _refuse(client, asked.coverage("cursor_ahead", self._retained_after()))
        if from_seq < self.floor:
            return self._from_disk(client, wanted, asked)
        events = [past for past in self._ring if past.seq > from_seq and wanted.wants(past.event, past.task_id)]
        client.outbox.drop_events()
        self._register(client, wanted)
        client.behind_reply = [(past.seq, event_line(past.event, past.seq, past.payload_text)) for past in events]
        return asked.coverage("complete", self._retained_after(), len(events))

    async def _from_disk(self, client: Client, wanted: Filter, asked: _Asked) -> dict[str, Any]:
        """Registered at once; what happens while the files are read waits behind the place of the reply."""
        client.outbox.drop_events()
        client.outbox.keep_place()
        self._register(client, wanted)
        found: Replayed = await ReadBack(asked.after, asked.through, wanted.wants, REPLAY_EVENTS)
        retained_after = found.retained_after
        if retained_after is None:
            status = "unavailable"
        elif asked.after < retained_after:
            status = "history_lost"
        elif len(found.events) > REPLAY_EVENTS:
            status = "truncated"
        elif client.gone:
            return {}
        else:
            client.behind_reply = [(seq, event_line(event, seq, text)) for seq, event, text in found.events]
            return asked.coverage("complete", retained_after, len(found.events))
        return _refuse(client, asked.coverage(status, retained_after))

    def _register(self, client: Client, wanted: Filter) -> None:
        client.filter = wanted
        self.subscribers.add(client)


class _Asked:
    """A replay as it was asked for. through: the hand-over number; floor: the ring's, both of that moment."""

    __slots__ = ("after", "floor", "through")

    def __init__(self, after: int, through: int, floor: int) -> None:
        self.after = after
        self.through = through
        self.floor = floor

    def coverage(self, status: str, retained_after: int | None, returned: int = 0) -> dict[str, Any]:
        """The reply. retained_after: the disk's, None when it proves nothing; then the ring alone counts."""
        replay: dict[str, Any] = {
            "status": status,
            "requested_after": self.after,
            "retained_after": self.floor if retained_after is None else min(self.floor, retained_after),
            "through": self.through,
            "returned": returned,
        }
        if status != "complete":
            replay["recovery"] = "snapshot_then_resubscribe"
        return {"subscribed": status == "complete", "seq": self.through, "replay": replay}


def _refuse(client: Client, reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, with the connection's end behind it and no event in between."""
    client.end_streams()
    client.outbox.drop_behind_place()
    client.close_after_reply = True
    return reply
