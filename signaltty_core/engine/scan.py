"""Looks up every ten seconds what runs in the panes: name, directory, and whether it is an agent we know
(behaviour §5.7). Never touches a lifecycle.
"""

from __future__ import annotations

from ..state.effects import Work
from ..state.world import Draft, is_live
from .portions import Portions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..agents.catalog import Catalog
    from ..state.world import Record, World
    from .ledger import Ledger
    from .panes import Panes
    from .ports import Clock, Host, Processes, Timer

    Found = dict[str, tuple[str, str]]
    Look = Callable[[list["tuple[str, int, int | None, str]"]], Found]

SCAN_S = 10.0
QUIET_ROUNDS = 6  # a pane that printed nothing since it was last looked up is looked up once a minute
FIRST_ROUNDS = 3  # a program that never prints may still have gone elsewhere right after its start


class _Round:
    """Of one pane: the process it is about, how often it was looked up, its activity then, rounds left out since."""

    __slots__ = ("activity", "count", "process", "skipped")

    def __init__(self, process: str) -> None:
        self.process = process
        self.count = 0
        self.activity = 0.0
        self.skipped = 0


class Scan:
    """One timer while a pane lives. look: reads the process table; may block. on_promoted: a pane is an agent's now."""

    def __init__(
        self,
        world: World,
        ledger: Ledger,
        clock: Clock,
        host: Host,
        panes: Panes,
        processes: Processes,
        catalog: Catalog,
        look: Look,
        on_promoted: Callable[[str], None],
    ) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._host = host
        self._panes = panes
        self._processes = processes
        self._catalog = catalog
        self._look = look
        self._on_promoted = on_promoted
        self._rounds: dict[str, _Round] = {}
        self._found: dict[str, tuple[str, str, str]] = {}
        self._notes = Portions(clock, self._note)
        self._timer: Timer | None = None
        self._stopped = False

    def stop(self) -> None:
        """The server ends: nothing is recorded any more."""
        self._stopped = True
        self._notes.stop()

    def arm(self) -> None:
        """A pane lives."""
        if self._timer is None and not self._stopped:
            self._timer = self._clock.after(SCAN_S, self._scan)

    def _scan(self) -> None:
        self._timer = None
        live = self._world.live_panes()
        if self._stopped or not live:
            self._rounds.clear()
            return
        self.arm()
        wanted = []
        for pane in live:
            instance = self._world.instances[pane["id"]]
            if "pid" in instance and self._is_due(pane["id"], instance):
                group = self._processes.foreground(pane["id"])
                wanted.append((pane["id"], instance["pid"], group, pane["cwd"]))
        known = {pane["id"] for pane in live}
        for pane_id in [each for each in self._rounds if each not in known]:
            del self._rounds[pane_id]
        if wanted:
            asked = {pane_id: self._rounds[pane_id].process for pane_id, *_ in wanted}
            self._host.perform(Work(self._look, wanted), lambda found, _error: self._on_found(asked, found))

    def _is_due(self, pane_id: str, instance: Record) -> bool:
        one = self._rounds.get(pane_id)
        if one is None or one.process != instance["process_instance"]:
            one = self._rounds[pane_id] = _Round(instance["process_instance"])
        activity = self._world.activity.get(pane_id, 0.0)
        if one.count >= FIRST_ROUNDS and activity == one.activity and one.skipped + 1 < QUIET_ROUNDS:
            one.skipped += 1
            return False
        one.count += 1
        one.activity, one.skipped = activity, 0
        return True

    def _on_found(self, asked: dict[str, str], found: Any) -> None:
        if self._stopped:
            return
        for pane_id, (name, directory) in (found or {}).items():
            self._found[pane_id] = (asked[pane_id], name, directory)
        self._notes.take(found or ())

    def _note(self, pane_id: str) -> None:
        process, name, directory = self._found.pop(pane_id)
        pane = self._world.panes.get(pane_id)
        instance = self._world.instances.get(pane_id)
        if pane is None or instance is None or not is_live(pane) or instance["process_instance"] != process:
            return
        runtime = self._panes.get(pane_id)
        renamed, runtime.process = runtime.process != name, name
        promoted = self._record(pane, name, directory)
        if promoted or renamed:
            self._on_promoted(pane_id)

    def _record(self, pane: Record, name: str, directory: str) -> bool:
        """Record what changed; True when the pane turned out to be an agent's."""
        kind = pane["agent"]["kind"]
        better = self._catalog.kind_of_program(name) if kind in ("generic", "none") else kind
        promoted = better != kind and better != "generic"
        moved = directory != pane["cwd"]
        if not promoted and not moved:
            return False
        draft = Draft(self._world, self._clock.wall())
        edited = draft.pane(pane["id"])
        if promoted:
            edited["agent"] = {**pane["agent"], "kind": better}
        if moved:
            edited["cwd"] = directory
        draft.emit("pane.updated", {"pane_id": pane["id"], "pane": edited})
        self._ledger.commit(draft)
        return promoted
