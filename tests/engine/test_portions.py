"""A hundred panes are worked through a few a pass, in order, none twice and none never."""

from __future__ import annotations

import pytest

from signaltty_core.engine.portions import Portions
from tests.engine.stage import FakeClock


class Line:
    """Portions whose work is noted. in_passes: what each pass has done so far."""

    def __init__(self, reading_s: float) -> None:
        self.clock = FakeClock()
        self.clock.reading_s = reading_s
        self.in_passes: list[list[str]] = [[]]
        self.ends = 0
        self.portions = Portions(self.clock, self.do, self.end)

    def do(self, pane_id: str) -> None:
        self.in_passes[-1].append(pane_id)

    def end(self) -> None:
        self.ends += 1

    def turn(self) -> bool:
        """One pass of the loop; whether it had anything to do."""
        timers = self.clock.timers.take_due(self.clock.now())
        self.clock.read_s = 0.0
        self.in_passes.append([])
        for timer in timers:
            if timer.run is not None:
                timer.run()
        return bool(timers)


def test_what_is_quick_is_done_at_once() -> None:
    line = Line(reading_s=0.0)
    line.portions.take(["a", "b", "c"])
    assert (line.in_passes, line.ends, line.portions.is_busy()) == ([["a", "b", "c"]], 1, False)
    assert not line.turn()


def test_what_takes_long_is_spread_over_passes_in_order() -> None:
    line = Line(reading_s=0.001)
    line.portions.take(["a", "b", "c", "d", "e"])
    assert line.portions.is_busy() and line.ends == 0
    while line.turn():
        pass
    assert line.in_passes == [["a", "b"], ["c", "d"], ["e"], []]
    assert (line.ends, line.portions.is_busy()) == (1, False)


def test_a_pass_that_is_late_already_takes_one() -> None:
    line = Line(reading_s=1.0)
    line.portions.take(["a", "b"])
    line.turn()
    assert line.in_passes == [["a"], ["b"]]


def test_who_waits_keeps_the_place_and_who_was_served_comes_again() -> None:
    line = Line(reading_s=1.0)
    line.portions.take(["a", "b", "c"])
    assert ["a" in line.portions, "c" in line.portions] == [False, True]
    line.portions.take(["c", "a", "b"])
    while line.turn():
        pass
    assert line.in_passes == [["a"], ["b"], ["c"], ["a"], []]
    assert line.ends == 1


def test_a_fault_costs_nobody_else_the_turn() -> None:
    line = Line(reading_s=0.0)

    def fail(pane_id: str) -> None:
        line.do(pane_id)
        if pane_id == "b":
            raise ValueError(pane_id)

    portions = Portions(line.clock, fail, line.end)
    with pytest.raises(ValueError, match="b"):
        portions.take(["a", "b", "c"])
    assert line.turn()
    assert (line.in_passes, line.ends) == ([["a", "b"], ["c"]], 1)
    with pytest.raises(ValueError, match="b"):
        portions.take(["b"])
    assert (line.ends, portions.is_busy()) == (2, False)


def test_nothing_is_done_after_the_end() -> None:
    line = Line(reading_s=1.0)
    line.portions.take(["a", "b"])
    line.portions.stop()
    line.turn()
    assert (line.in_passes, line.portions.is_busy()) == ([["a"], []], False)


def test_an_end_in_the_middle_leaves_the_rest_undone() -> None:
    line = Line(reading_s=0.0)

    def end(pane_id: str) -> None:
        line.do(pane_id)
        portions.stop()

    portions = Portions(line.clock, end)
    portions.take(["a", "b"])
    assert not line.turn()
    assert line.in_passes == [["a"], []]
