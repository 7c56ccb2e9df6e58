"""Silent workers are handed to a person, and nobody wakes up for it before."""

from __future__ import annotations

import pytest

from signaltty_core.engine.watchdog import Watchdog
from signaltty_core.state import tasks
from tests.engine.stage import Engine

SILENT_S = 600.0


def watched(silent_s: float = SILENT_S) -> tuple[Engine, Watchdog, str, str]:
    """An engine with one working task; its pane was heard of at the start."""
    engine = Engine()
    watchdog = Watchdog(engine.world, engine.ledger, engine.clock, silent_s)
    engine.on_change.append(watchdog.on_change)
    pane = engine.pane("claude")
    task = engine.stage.task(pane)
    watchdog.on_change()
    return engine, watchdog, pane, task


def state(engine: Engine, task: str) -> str:
    return str(engine.world.tasks[task]["state"])


def test_a_worker_without_a_sign_of_life_is_handed_over_at_the_threshold() -> None:
    engine, _, _, task = watched()
    engine.advance(SILENT_S - 1)
    assert state(engine, task) == "working"
    engine.advance(1.5)
    assert engine.world.tasks[task]["status_reason"] == {"reason": "worker_silent", "timeout_s": SILENT_S}
    assert state(engine, task) == "input_required"


def test_output_puts_the_moment_off() -> None:
    engine, _, pane, task = watched()
    engine.advance(SILENT_S - 1)
    engine.world.activity[pane] = engine.clock.wall()
    engine.advance(SILENT_S - 1)
    assert state(engine, task) == "working"
    engine.advance(2)
    assert state(engine, task) == "input_required"


def test_there_is_one_timer_for_the_earliest_moment_and_none_without_cause() -> None:
    engine, _, _, task = watched()
    wait_s = engine.clock.timers.wait_s(engine.clock.now())
    assert wait_s is not None and SILENT_S - 1 <= wait_s <= SILENT_S
    engine.advance(SILENT_S + 1)
    assert state(engine, task) == "input_required"
    assert engine.clock.timers.wait_s(engine.clock.now()) is None
    draft = engine.draft()
    tasks.move(draft, task, "working")
    engine.ledger.commit(draft)
    assert engine.clock.timers.wait_s(engine.clock.now()) == pytest.approx(SILENT_S, abs=0.01)


def test_zero_switches_it_off_and_an_ending_server_records_nothing() -> None:
    engine, _, _, task = watched(0.0)
    engine.advance(10 * SILENT_S)
    assert state(engine, task) == "working"
    engine, watchdog, _, task = watched()
    watchdog.stop()
    engine.advance(10 * SILENT_S)
    assert state(engine, task) == "working"


@pytest.mark.parametrize("step_s", [-3600.0, 3600.0, -30.0, 30.0])
def test_a_clock_that_is_set_hands_nobody_over_who_gives_signs_of_life(step_s: float) -> None:
    engine, _, pane, task = watched()
    engine.advance(SILENT_S - 10)
    engine.clock.set_by_s = step_s
    engine.advance(9)
    engine.world.activity[pane] = engine.clock.wall()
    engine.advance(SILENT_S - 9)
    assert state(engine, task) == "working"
    engine.world.activity[pane] = engine.clock.wall()
    engine.advance(SILENT_S - 1)
    assert state(engine, task) == "working"


@pytest.mark.parametrize("step_s", [-3600.0, 3600.0])
def test_a_clock_that_is_set_neither_ends_a_silence_nor_makes_one(step_s: float) -> None:
    engine, _, _, task = watched()
    engine.advance(SILENT_S / 2)
    engine.clock.set_by_s = step_s
    engine.advance(SILENT_S / 2 - 1)
    assert state(engine, task) == "working"
    engine.advance(2)
    assert state(engine, task) == "input_required"


@pytest.mark.parametrize("step_s", [-3600.0, 3600.0])
def test_a_worker_that_falls_silent_after_the_clock_was_set_is_handed_over(step_s: float) -> None:
    engine, _, pane, task = watched()
    engine.advance(SILENT_S - 1)
    engine.clock.set_by_s = step_s
    engine.world.activity[pane] = engine.clock.wall()
    engine.advance(SILENT_S)
    assert state(engine, task) == "working"
    engine.advance(2)
    assert state(engine, task) == "input_required"


def test_signs_from_the_future_are_as_good_as_new() -> None:
    """The clock was set back while no server ran."""
    engine = Engine()
    engine.clock.set_by_s = -3600.0
    watchdog = Watchdog(engine.world, engine.ledger, engine.clock, SILENT_S)
    engine.on_change.append(watchdog.on_change)
    task = engine.stage.task(engine.pane("claude"))
    watchdog.on_change()
    engine.advance(SILENT_S - 1)
    assert state(engine, task) == "working"
    engine.advance(2)
    assert state(engine, task) == "input_required"
