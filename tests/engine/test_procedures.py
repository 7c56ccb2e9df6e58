"""Handlers that wait: advanced, answered, given up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from signaltty_core.base.errors import TimedOut
from signaltty_core.engine.procedures import Runner
from signaltty_core.state.effects import Sleep, Synced

Done = Callable[[Any, Exception | None], None]


class Hall:
    """Performs nothing by itself, except what `at_once` says."""

    def __init__(self, at_once: Callable[[Any], Any] | None = None) -> None:
        self.waiting: list[tuple[Any, Done]] = []
        self.ended: list[tuple[Any, Exception | None]] = []
        self.given_up: list[Any] = []
        self._at_once = at_once
        self.runner = Runner(self.perform)

    def perform(self, effect: Any, done: Done) -> Callable[[], None]:
        if self._at_once is not None:
            done(self._at_once(effect), None)
        else:
            self.waiting.append((effect, done))
        return lambda: self.given_up.append(effect)

    def start(self, coroutine: Any) -> Any:
        return self.runner.start(coroutine, lambda result, fault: self.ended.append((result, fault)))

    def answer(self, value: Any = None, error: Exception | None = None) -> None:
        self.waiting.pop(0)[1](value, error)


async def twice() -> list[Any]:
    return [await Sleep(1.0), await Sleep(2.0)]


def test_a_handler_goes_on_with_each_reply() -> None:
    hall = Hall()
    hall.start(twice())
    assert [effect for effect, _ in hall.waiting] == [Sleep(1.0)]
    hall.answer("one")
    assert ([effect for effect, _ in hall.waiting], hall.ended) == ([Sleep(2.0)], [])
    hall.answer("two")
    assert hall.ended == [(["one", "two"], None)]
    assert hall.runner.live == set()


def test_replies_that_are_there_at_once_need_no_stack() -> None:
    async def many() -> int:
        total = 0
        for _ in range(5000):
            total += await Synced()
        return total

    hall = Hall(at_once=lambda effect: 1)
    hall.start(many())
    assert hall.ended == [(5000, None)]


def test_a_handler_that_waits_for_nothing_ends_at_once() -> None:
    async def nothing() -> str:
        return "done"

    hall = Hall()
    hall.start(nothing())
    assert hall.ended == [("done", None)]


def test_a_failure_is_raised_where_the_handler_waits() -> None:
    seen = []

    async def careful() -> str:
        try:
            await Sleep(1.0)
        except TimedOut as fault:
            seen.append(fault.message)
        return "went on"

    hall = Hall()
    hall.start(careful())
    hall.answer(error=TimedOut("too late"))
    assert (seen, hall.ended) == (["too late"], [("went on", None)])


def test_a_failure_that_nobody_catches_is_the_end() -> None:
    hall = Hall()
    hall.start(twice())
    fault = TimedOut("too late")
    hall.answer(error=fault)
    assert hall.ended == [(None, fault)]


def test_cancelling_runs_finally_blocks_and_reports_nothing() -> None:
    cleaned = []

    async def tidy() -> None:
        try:
            await Sleep(1.0)
        finally:
            cleaned.append(True)

    hall = Hall()
    procedure = hall.start(tidy())
    hall.runner.cancel(procedure)
    assert (cleaned, hall.ended, hall.given_up) == ([True], [], [Sleep(1.0)])
    hall.answer("late")
    hall.runner.cancel(procedure)
    assert (cleaned, hall.ended) == ([True], [])


def test_a_late_second_reply_changes_nothing() -> None:
    hall = Hall()
    hall.start(twice())
    done = hall.waiting[0][1]
    hall.answer("one")
    hall.answer("two")
    done("again", None)
    assert hall.ended == [(["one", "two"], None)]
