"""What comes in from panes: output bytes and the ends of children (behaviour §5.3, §5.5, §9.1)."""

from __future__ import annotations

from ..base import ids
from ..base.text import sanitise
from ..state import attention, lifecycle, notifications
from ..state.world import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..state.world import World
    from .ledger import Ledger
    from .machine import Machine
    from .panes import Panes
    from .ports import Clock, Host


class Ingest:
    """Feeds terminals, streams to viewers, turns what a terminal says into changes."""

    def __init__(self, world: World, panes: Panes, machine: Machine, ledger: Ledger, host: Host, clock: Clock) -> None:
        self._world = world
        self._panes = panes
        self._machine = machine
        self._ledger = ledger
        self._host = host
        self._clock = clock

    def on_output(self, pane_id: str, data: bytes) -> None:
        """Bytes the program wrote, in order."""
        if pane_id not in self._world.panes:
            return
        runtime = self._panes.get(pane_id)
        fed = runtime.terminal.feed(data, self._clock.now())
        self._world.activity[pane_id] = self._clock.wall()
        for answer in fed.answers:
            self._host.answer(pane_id, answer)
        self._machine.show(pane_id, runtime, data)
        if fed.signals:
            self._heed(pane_id, fed.signals)

    def on_drained(self, pane_id: str, data: bytes) -> None:
        """Bytes the keeper read while no server ran: shown, never answered (terminal-status §2)."""
        runtime = self._panes.get(pane_id)
        fed = runtime.terminal.feed_silently(data, self._clock.now())
        self._machine.show(pane_id, runtime, data)
        if fed.signals:
            self._heed(pane_id, fed.signals)

    def on_exit(self, pane_id: str, code: int | None, os_signal: str | None) -> None:
        """The child has ended and its last output has been fed."""
        if pane_id not in self._world.panes:
            self._host.forget(pane_id)
            return
        runtime = self._panes.get(pane_id)
        fed = runtime.terminal.finish()
        runtime.unsaved = True
        draft = self._draft()
        self._speak(draft, pane_id, fed.signals)
        lifecycle.end_child(draft, pane_id, code, os_signal)
        draft.then.append(lambda: self._host.forget(pane_id))
        self._ledger.commit(draft)

    def _draft(self) -> Draft:
        return Draft(self._world, self._clock.wall())

    def _heed(self, pane_id: str, signals: list[Any]) -> None:
        draft = self._draft()
        self._speak(draft, pane_id, signals)
        self._ledger.commit(draft)

    def _speak(self, draft: Draft, pane_id: str, signals: list[Any]) -> None:
        """The changes these signals ask for. Kinds nobody acts on yet are passed over."""
        for signal in signals:
            kind = type(signal).__name__
            if kind == "Title":
                self._retitle(draft, pane_id, signal.text)
            elif kind == "Bell":
                attention.raise_to(draft, pane_id, "unread")
            elif kind == "Notification":
                self._notify(draft, pane_id, signal)
            elif kind == "Progress":
                self._progress(draft, pane_id, signal.value, signal.state)

    def _notify(self, draft: Draft, pane_id: str, signal: Any) -> None:
        """A program's notification raises `unread`, whatever its words say (terminal-status §5)."""
        notifications.post(
            draft,
            ids.make("notification", self._clock.random(16)),
            pane_id=pane_id,
            title=signal.title,
            body=signal.body,
            severity="info",
            source=signal.source,
            raises=True,
        )
        notifications.say(draft, pane_id, signal.title, signal.body)

    def _retitle(self, draft: Draft, pane_id: str, text: str) -> None:
        title = sanitise(text.replace("\n", " "), 200)
        if title and title != draft.see_pane(pane_id)["title"]:
            pane = draft.pane(pane_id)
            pane["title"] = title
            draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane, "title": title})

    def _progress(self, draft: Draft, pane_id: str, value: int | None, state: str | None) -> None:
        before = draft.see_pane(pane_id).get("progress")
        after = None if state is None else {"kind": "percent", "value": value, "state": state, "source": "osc9_4"}
        if after != before and (before is None or before["source"] == "osc9_4"):
            pane = draft.pane(pane_id)
            pane.pop("progress", None)
            if after is not None:
                pane["progress"] = after
            draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane})
