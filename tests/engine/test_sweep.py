"""One timer for all status sessions: never early, and none when there is nothing to wait for."""

from __future__ import annotations

from typing import Any

from signaltty_core.engine.sweep import Sweep
from signaltty_core.state.environment import pane_token
from tests.engine.stage import Engine


class Watched(Engine):
    def __init__(self) -> None:
        super().__init__()
        self.sweep = Sweep(self.world, self.ledger, self.host, self.clock)
        self.machine.on_sessions = self.sweep.arm
        self.user = self.peer()

    def send(self, pane: str, event: str, **more: Any) -> Any:
        payload = {"version": 1, "event": event, **more}
        return self.user.ask("agent-event", token=pane_token(b"", pane), payload=payload)

    def phase(self, pane: str) -> str | None:
        shown = self.world.instances[pane]["status_sessions"]["shown"]
        return None if shown is None else str(shown[1])

    def waits_s(self) -> float | None:
        return self.clock.timers.wait_s(self.clock.now())


def test_a_stop_is_committed_after_two_seconds() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.send(pane, "agent.running")
    engine.send(pane, "agent.idle", state={"stopCandidate": True})
    engine.advance(1.99)
    assert engine.phase(pane) == "running"
    engine.advance(0.02)
    assert (engine.phase(pane), engine.world.panes[pane]["lifecycle"]) == ("idle", "done")


def test_a_process_is_looked_at_every_two_seconds_however_often_its_agent_speaks() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.host.started[70] = 3
    engine.send(pane, "agent.running", session={"id": "s"}, agent={"pid": 70})
    del engine.host.started[70]
    for _ in range(3):
        engine.advance(0.6)
        engine.send(pane, "task.progress", session={"id": "s"})
        assert engine.phase(pane) == "running"
    engine.advance(0.3)
    assert (engine.phase(pane), engine.world.panes[pane]["lifecycle"]) == ("unresolved-stop", "failed")


def test_an_idle_session_is_hidden_after_two_minutes_without_a_word_about_the_pane() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.send(pane, "agent.running")
    engine.send(pane, "agent.idle")
    engine.advance(119.9)
    assert engine.phase(pane) == "idle"
    engine.advance(0.2)
    assert (engine.phase(pane), engine.world.panes[pane]["lifecycle"]) == (None, "done")


def test_looks_that_change_nothing_write_nothing() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.host.started[70] = 3
    engine.send(pane, "agent.running", session={"id": "s"}, agent={"pid": 70})
    written = len(engine.journal.lines)
    engine.advance(600.0)
    assert len(engine.journal.lines) == written


def test_nothing_is_awaited_for_a_question_or_without_sessions_or_after_the_end() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.sweep.arm()
    assert engine.waits_s() is None
    engine.send(pane, "agent.needs-input")
    assert engine.waits_s() is None
    engine.send(pane, "agent.running")
    assert engine.waits_s() is not None
    engine.sweep.stop()
    engine.advance(4000.0)
    assert engine.phase(pane) == "running"


def test_windows_that_ran_out_while_no_server_ran_fire_at_once() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.send(pane, "agent.running")
    engine.send(pane, "agent.idle", state={"stopCandidate": True})
    engine.clock.timers = type(engine.clock.timers)()
    engine.clock.passed_s += 300.0
    later = Sweep(engine.world, engine.ledger, engine.host, engine.clock)
    later.arm()
    engine.advance(0.0)
    assert engine.world.panes[pane]["lifecycle"] == "done"


def test_a_shell_prompt_ends_what_no_process_vouches_for() -> None:
    engine = Watched()
    pane = engine.pane()
    engine.send(pane, "agent.needs-input", state={"interaction": {"kind": "approval"}})
    draft = engine.draft()
    engine.sweep.on_prompt(draft, pane)
    engine.ledger.commit(draft)
    assert (engine.world.panes[pane]["lifecycle"], engine.world.panes[pane]["attention"]) == ("idle", "none")
    assert engine.world.instances[pane]["holds"] == []


def test_many_panes_are_looked_at_over_passes_and_none_is_left_out() -> None:
    """performance §4.4"""
    engine = Watched()
    panes = [engine.pane() for _ in range(5)]
    for pane in panes:
        engine.send(pane, "agent.running")
        engine.send(pane, "agent.idle", state={"stopCandidate": True})
    engine.clock.reading_s = 1.0  # a look seems to take longer than a pass may
    engine.clock.passed_s += 2.01
    seen = []
    for _ in panes:
        for timer in engine.clock.timers.take_due(engine.clock.now()):
            if timer.run is not None:
                timer.run()
        seen.append([engine.phase(pane) for pane in panes].count("idle"))
    assert seen == [1, 2, 3, 4, 5]
