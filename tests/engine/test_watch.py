"""Conditions somebody waits for."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import NoSuchPane, TimedOut
from signaltty_core.engine.watch import Watches
from signaltty_core.state.effects import Until
from tests.engine.stage import FakeClock


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.watches = Watches(self.clock)
        self.state: Any = None
        self.looks = 0
        self.ended: list[tuple[Any, Exception | None]] = []

    def check(self) -> Any:
        self.looks += 1
        if isinstance(self.state, Exception):
            raise self.state
        return self.state

    def wait(self, timeout_s: float = 10.0) -> Any:
        return self.watches.add(Until(self.check, timeout_s, 0.5), lambda *end: self.ended.append(end))

    def pass_by(self, seconds: float) -> None:
        self.clock.passed_s += seconds
        for timer in self.clock.timers.take_due(self.clock.now()):
            if timer.run is not None:
                timer.run()
        self.watches.settle()


def test_what_is_true_already_ends_the_wait_at_the_end_of_the_pass() -> None:
    bench = Bench()
    bench.state = "yes"
    bench.wait()
    assert bench.ended == []
    bench.watches.settle()
    assert bench.ended == [("yes", None)]


def test_a_state_that_lasts_for_one_change_only_is_not_missed() -> None:
    bench = Bench()
    bench.wait()
    bench.state = "brief"
    bench.watches.on_change()
    bench.state = None
    bench.watches.on_change()
    bench.watches.settle()
    assert bench.ended == [("brief", None)]


def test_zero_seconds_look_once() -> None:
    bench = Bench()
    bench.wait(0)
    ((reply, error),) = bench.ended
    assert (reply, type(error), bench.looks) == (None, TimedOut, 1)
    bench.ended.clear()
    bench.state = "yes"
    bench.wait(0)
    bench.watches.settle()
    assert bench.ended == [("yes", None)]


def test_it_is_looked_at_every_half_second_without_any_change() -> None:
    bench = Bench()
    bench.wait()
    bench.pass_by(0.4)
    assert bench.looks == 1
    bench.state = "by itself"
    bench.pass_by(0.1)
    assert (bench.looks, bench.ended) == (2, [("by itself", None)])


@pytest.mark.parametrize("timeout_s", [0.2, 0.5, 1.3])
def test_time_runs_out_when_it_should(timeout_s: float) -> None:
    bench = Bench()
    bench.wait(timeout_s)
    for _ in range(30):
        bench.pass_by(0.1)
        if bench.ended:
            break
    ((_, error),) = bench.ended
    assert isinstance(error, TimedOut)
    assert error.details == {"timeout_s": timeout_s}
    assert bench.clock.passed_s == pytest.approx(timeout_s, abs=0.11)
    looks = bench.looks
    bench.pass_by(5)
    assert bench.looks == looks


def test_a_failed_look_ends_the_wait() -> None:
    bench = Bench()
    bench.wait()
    bench.state = NoSuchPane("closed")
    bench.watches.on_change()
    bench.watches.settle()
    assert bench.ended == [(None, bench.state)]


def test_giving_up_leaves_nothing() -> None:
    bench = Bench()
    give_up = bench.wait()
    give_up()
    bench.state = "yes"
    bench.watches.on_change()
    bench.pass_by(20)
    assert (bench.looks, bench.ended) == (1, [])


def test_whoever_is_resumed_may_fulfil_the_next() -> None:
    bench = Bench()
    order = []

    def first_done(reply: Any, error: Exception | None) -> None:
        order.append("first")
        bench.state = "second"
        bench.watches.on_change()

    bench.watches.add(Until(lambda: bench.looks or None, 10, 0.5), first_done)
    bench.watches.add(Until(lambda: bench.state, 10, 0.5), lambda reply, error: order.append(reply))
    bench.looks = 1
    bench.watches.on_change()
    bench.watches.settle()
    assert order == ["first", "second"]
