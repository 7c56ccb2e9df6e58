"""Events on their way to subscribers: the ring of the newest ones, globs, replay (behaviour §12, persistence §6)."""

from __future__ import annotations

from collections import deque

from ..base.limits import EVENT_QUEUE, EVENT_RING, REPLAY_EVENTS
from ..wire.envelope import event_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.world import Record
    from .client import Client


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
    """floor: the number below the oldest event of the ring; replay is complete from there on."""

    def __init__(self, floor: int) -> None:
        self.floor = floor
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

    def subscribe(self, client: Client, wanted: Filter, from_seq: int | None, newest: int) -> dict[str, Any]:
        """The reply; on success the client is registered and its replay waits behind the reply."""
        if from_seq is None:
            self._register(client, wanted)
            return {"subscribed": True, "seq": newest}
        status, events = self._replay(wanted, from_seq, newest)
        coverage: dict[str, Any] = {
            "status": status,
            "requested_after": from_seq,
            "retained_after": self.floor,
            "through": newest,
            "returned": len(events),
        }
        if status != "complete":
            coverage["recovery"] = "snapshot_then_resubscribe"
            client.close_after_reply = True
            return {"subscribed": False, "seq": newest, "replay": coverage}
        self._register(client, wanted)
        client.behind_reply.extend((past.seq, event_line(past.event, past.seq, past.payload_text)) for past in events)
        return {"subscribed": True, "seq": newest, "replay": coverage}

    def _register(self, client: Client, wanted: Filter) -> None:
        client.filter = wanted
        self.subscribers.add(client)

    def _replay(self, wanted: Filter, from_seq: int, newest: int) -> tuple[str, list[_Past]]:
        if from_seq > newest:
            return "cursor_ahead", []
        if from_seq < self.floor:
            return "unavailable", []
        events = [past for past in self._ring if past.seq > from_seq and wanted.wants(past.event, past.task_id)]
        if len(events) > REPLAY_EVENTS:
            return "truncated", []
        return "complete", events
