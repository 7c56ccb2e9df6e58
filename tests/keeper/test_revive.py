from __future__ import annotations

from signaltty_core.keeper.revive import Revival, Timings


def starts_of_a_server_that_dies_at_once(revival: Revival, count: int, now: float = 0.0) -> list[float]:
    at = []
    revival.lose(now, 0.0)
    for _ in range(count):
        assert revival.due is not None
        now = revival.due
        at.append(round(now, 3))
        revival.start(now)
        assert revival.due is None
        revival.plan(now)
    return at


def test_each_delay_is_twice_the_former_up_to_thirty_seconds() -> None:
    at = starts_of_a_server_that_dies_at_once(Revival(Timings()), 10)
    delays = [round(later - earlier, 3) for earlier, later in zip([0.0, *at], at, strict=False)]
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]


def test_there_are_at_most_ten_starts_in_ten_minutes() -> None:
    at = starts_of_a_server_that_dies_at_once(Revival(Timings()), 40)
    assert len(at) == 40
    for first, eleventh in zip(at, at[10:], strict=False):
        assert round(eleventh - first, 3) >= 600.0


def test_a_server_that_stayed_a_minute_sets_the_delay_back() -> None:
    revival = Revival(Timings())
    starts_of_a_server_that_dies_at_once(revival, 5)
    revival.lose(100.0, 59.9)
    assert revival.due == 100.0 + 6.4
    revival.lose(200.0, 60.0)
    assert revival.due == 200.2


def test_a_server_that_came_back_cancels_the_plan() -> None:
    revival = Revival(Timings())
    revival.lose(0.0, 1.0)
    revival.cancel()
    assert revival.due is None


def test_one_start_at_most_is_kept_to_as_well() -> None:
    at = starts_of_a_server_that_dies_at_once(Revival(Timings(most=1, window_s=100.0)), 3)
    assert at == [0.2, 100.2, 200.2]
