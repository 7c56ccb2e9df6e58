"""Looks at the screens of agents whose hooks are silent, at most twice a second and only after something changed
(agents §11.2, terminal-status §9.4).
"""

from __future__ import annotations

from ..agents.regions import View
from ..agents.screen_rules import FALLBACK, judge
from ..base.clock import passed_s
from ..state import records, release, screen_effects, sources
from ..state.world import Draft, is_live
from .portions import Portions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..agents.catalog import Catalog
    from ..agents.screen_rules import Rule, Verdict
    from ..state.world import Record, World
    from .ledger import Ledger
    from .machine import Machine
    from .ports import Clock, Timer
    from .waiters import Waiters

LOOK_S = 0.5
STILL_S = 1.0  # a screen that was just drawn may not be the whole of it
_RELEASED = ("working", "blocked")  # what a release rule may end


class _Seen:
    """What the last look at a pane found. record: the pane's record as it was then. winner, won_at: the release rule
    that has won at every look since."""

    __slots__ = ("process", "record", "winner", "won_at")

    def __init__(self, process: str) -> None:
        self.process = process
        self.record: Record | None = None
        self.winner: Rule | None = None
        self.won_at = 0.0


class Screens:
    """One timer for all panes; none while no pane is to be looked at."""

    def __init__(
        self, world: World, ledger: Ledger, clock: Clock, machine: Machine, catalog: Catalog, waiters: Waiters
    ) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._machine = machine
        self._catalog = catalog
        self._waiters = waiters
        self._changed: dict[str, None] = {}
        self._looks = Portions(clock, self.look_now)
        self._output_at: dict[str, float] = {}
        self._seen: dict[str, _Seen] = {}
        self._looking: str | None = None
        self._timer: Timer | None = None
        self._stopped = False

    def stop(self) -> None:
        """The server ends: nothing is recorded any more."""
        self._stopped = True
        self._looks.stop()

    def on_output(self, pane_id: str) -> None:
        self._output_at[pane_id] = self._clock.now()
        self.look_at(pane_id)

    def on_change(self) -> None:
        """A change was committed: panes with rules whose records it replaced are looked at again."""
        panes = self._world.panes
        for pane_id, seen in self._seen.items():
            if panes.get(pane_id) is not seen.record and pane_id != self._looking:
                self.look_at(pane_id)

    def look_at(self, pane_id: str) -> None:
        """Look at the pane with the next tick, unless a look that is still to come will see what there is now."""
        if pane_id in self._looks:
            return
        self._changed[pane_id] = None
        if self._timer is None and not self._stopped:
            self._timer = self._clock.after(LOOK_S, self._tick)

    def look_at_all(self) -> None:
        """The rules have changed."""
        for pane in self._world.live_panes():
            self.look_at(pane["id"])

    def _tick(self) -> None:
        self._timer = None
        if not self._stopped:
            changed, self._changed = self._changed, {}
            self._looks.take(changed)

    def look_now(self, pane_id: str) -> None:
        """Look at the pane at once, for somebody who is about to act on its state."""
        if self._stopped:
            return
        self._looking = pane_id
        try:
            again = self._look(pane_id)
        finally:
            self._looking = None
        if again:
            self.look_at(pane_id)

    def _look(self, pane_id: str) -> bool:
        """Look once; True when the passing of time alone may make the next look find something else."""
        pane = self._world.panes.get(pane_id)
        if pane is None or not is_live(pane):
            self._seen.pop(pane_id, None)
            self._output_at.pop(pane_id, None)
            return False
        runtime = self._machine.runtime(pane_id)
        rules = self._catalog.rules_for(pane["agent"]["kind"], runtime.process or records.program_name(pane["argv"]))
        instance = self._world.instances[pane_id]
        if not rules.rules:
            self._seen.pop(pane_id, None)
            return False
        seen = self._seen.get(pane_id)
        if seen is None or seen.process != instance["process_instance"]:
            seen = self._seen[pane_id] = _Seen(instance["process_instance"])
        hooked = sources.is_hooked(instance)
        if hooked and not (rules.releases and pane["lifecycle"] in _RELEASED):
            seen.record, seen.winner = pane, None
            return False
        terminal = runtime.terminal
        view = View(terminal.read_screen().split("\n"), terminal.title)
        verdict = judge(rules, view, self._machine.guard, self._catalog.note_runaway)
        again = self._release(pane, instance, verdict, seen) if hooked else self._apply(pane, verdict)
        seen.record = self._world.panes[pane_id]
        return again or terminal.due() is not None

    def _apply(self, pane: Record, verdict: Verdict) -> bool:
        rule = verdict.rule
        if rule is None:
            return False
        if rule.id == FALLBACK and pane["lifecycle"] == "unknown":
            quiet_s = self._clock.now() - self._output_at.get(pane["id"], 0.0)
            if quiet_s < STILL_S:
                return True
        draft = Draft(self._world, self._clock.wall())
        screen_effects.apply(draft, pane["id"], rule.id, rule.state)
        self._ledger.note(draft)
        return False

    def _release(self, pane: Record, instance: Record, verdict: Verdict, seen: _Seen) -> bool:
        rule, now, at = verdict.rule, self._clock.now(), self._clock.wall()
        waited_for = self._is_waited_for(pane)
        if rule is None or not rule.release or waited_for:
            seen.winner = None  # what a waiter held back is no proof once it has gone: the dialog is about to be drawn
            return False
        if rule is not seen.winner:
            seen.winner, seen.won_at = rule, now
        shown_s = now - seen.won_at
        if release.may_release(
            pane,
            instance,
            says=rule.state,
            beside=verdict.beside(),
            shown_s=shown_s,
            at=at,
            waited_for=waited_for,
        ):
            draft = Draft(self._world, at)
            sources.speak(draft, pane["id"], "screen", rule.id)
            release.release(draft, pane["id"], rule.state)
            self._ledger.note(draft)
            return False
        return shown_s < release.SHOWN_S or passed_s(instance.get("heard_at", 0.0), at) < release.QUIET_S

    def _is_waited_for(self, pane: Record) -> bool:
        decision = pane.get("pending_decision")
        return decision is not None and self._waiters.holds(pane["id"], decision["id"])
