"""Deadlines in order, with the clock as an argument."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.host.timers import Timers


def nothing() -> None:
    return None


def test_the_next_deadline_says_how_long_to_wait() -> None:
    timers = Timers()
    assert timers.wait_s(0.0) is None
    timers.at(5.0, nothing)
    timers.at(3.0, nothing)
    assert (timers.wait_s(1.0), timers.wait_s(3.0), timers.wait_s(9.0)) == (2.0, 0.0, 0.0)


@given(st.lists(st.floats(0, 100)), st.floats(0, 100))
def test_what_is_due_comes_in_order_and_once(dues: list[float], now: float) -> None:
    timers = Timers()
    made = [timers.at(due, nothing) for due in dues]
    taken = timers.take_due(now)
    due = [timer for timer in made if timer.due <= now]
    assert taken == sorted(due, key=lambda timer: timer.due)
    assert timers.take_due(now) == []
    assert len(timers.take_due(100)) == len(made) - len(taken)


def test_equal_deadlines_keep_the_order_they_were_set_in() -> None:
    timers = Timers()
    made = [timers.at(1.0, nothing) for _ in range(20)]
    assert timers.take_due(1.0) == made


def test_a_cancelled_timer_does_not_wake_anybody() -> None:
    timers = Timers()
    first = timers.at(1.0, nothing)
    timers.at(2.0, nothing)
    first.cancel()
    first.cancel()
    assert timers.wait_s(0.0) == 2.0
    timers.at(0.5, nothing).cancel()
    assert [timer.run for timer in timers.take_due(1.0)] in ([], [None], [None, None])
