"""What comes in from panes: output bytes and the ends of children (behaviour §5.3, §5.5, §9.1)."""

from __future__ import annotations

from ..base import ids
from ..state import speech
from ..state.effects import Work
from ..state.world import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..state.world import World
    from .ledger import Ledger
    from .machine import Machine
    from .panes import Panes
    from .ports import Clock, Host, Processes
    from .vigil import Vigil


class Ingest:
    """Feeds terminals, streams to viewers, turns what a terminal says into changes. on_prompt: who follows when a
    shell is back at its prompt. on_screen: who looks at what a screen says."""

    def __init__(
        self,
        world: World,
        panes: Panes,
        machine: Machine,
        ledger: Ledger,
        host: Host,
        clock: Clock,
        processes: Processes,
        vigil: Vigil,
    ) -> None:
        self._world = world
        self._panes = panes
        self._machine = machine
        self._ledger = ledger
        self._host = host
        self._clock = clock
        self._processes = processes
        self._vigil = vigil
        self._lookups = 0
        self._newest_lookup: dict[str, int] = {}
        self.on_prompt: Callable[[Draft, str], None] = lambda _draft, _pane_id: None
        self.on_screen: Callable[[str], None] = lambda _pane_id: None

    def on_output(self, pane_id: str, data: bytes) -> int:
        """Bytes the program wrote, in order. How many are put by now: if any, `digest` is to follow in a while."""
        if pane_id not in self._world.panes:
            return 0
        runtime = self._panes.get(pane_id)
        fed = runtime.output.take(data, self._clock.now())
        self._world.activity[pane_id] = self._clock.wall()
        if fed is not None:
            for answer in fed.answers:
                self._host.answer(pane_id, answer)
        self._machine.show(pane_id, runtime, data)
        if fed is not None and fed.signals:
            self._heed(pane_id, fed.signals)
        self.on_screen(pane_id)
        return runtime.output.size_bytes

    def digest(self, pane_id: str, most_bytes: int) -> int:
        """Show the pane's terminal what was put by. What stays put by: at most so many bytes, of an update that goes
        on."""
        runtime = self._panes.known(pane_id)
        return 0 if runtime is None else runtime.output.digest(most_bytes)

    def on_drained(self, pane_id: str, data: bytes) -> None:
        """Bytes the keeper read while no server ran: shown, never answered (terminal-status §2)."""
        runtime = self._panes.get(pane_id)
        fed = runtime.terminal.feed_silently(data, self._clock.now())
        self._machine.show(pane_id, runtime, data)
        if fed.signals:
            self._heed(pane_id, fed.signals)
        self.on_screen(pane_id)

    def on_exit(self, pane_id: str, code: int | None, os_signal: str | None) -> None:
        """The child has ended and its last output has been fed."""
        if pane_id not in self._world.panes:
            self._host.forget(pane_id)
            return
        runtime = self._panes.get(pane_id)
        fed = runtime.terminal.finish()
        runtime.unsaved = True
        draft = self._draft()
        speech.heed(draft, pane_id, fed.signals, self._ground(pane_id))
        speech.end_child(draft, pane_id, code, os_signal)
        draft.then.append(lambda: self._host.forget(pane_id))
        self._ledger.note(draft)

    def _draft(self) -> Draft:
        return Draft(self._world, self._clock.wall())

    def _heed(self, pane_id: str, signals: list[Any]) -> None:
        draft = self._draft()
        speech.heed(draft, pane_id, signals, self._ground(pane_id))
        self._ledger.note(draft)
        self._vigil.follow(pane_id)

    def _ground(self, pane_id: str) -> speech.Ground:
        return speech.Ground(
            lambda noun: ids.make(noun, self._clock.random(16)),
            lambda: self._processes.foreground(pane_id),
            lambda path, host: self._look_up(pane_id, path, host),
            self.on_prompt,
        )

    def _look_up(self, pane_id: str, path: str, host: str) -> None:
        """Follow the shell to a directory of this machine; looking may block, so it is done elsewhere."""
        if not self._processes.is_own_name(host):
            return
        self._lookups += 1
        number = self._newest_lookup[pane_id] = self._lookups

        def done(fault: Any, error: Exception | None) -> None:
            if self._newest_lookup.get(pane_id) == number:
                del self._newest_lookup[pane_id]
                if fault is None and error is None and pane_id in self._world.panes:
                    draft = self._draft()
                    speech.enter(draft, pane_id, path)
                    self._ledger.note(draft)

        self._host.perform(Work(self._host.directory_fault, path), done)
