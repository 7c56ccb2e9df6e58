"""Native permission waiters."""

from __future__ import annotations

from signaltty_core.engine.waiters import Waiters


def test_an_open_waiter_takes_one_answer() -> None:
    waiters = Waiters()
    assert waiters.answer("p", "d", "once") is False
    waiters.open("p", "d")
    assert (waiters.holds("p", "d"), waiters.outcome("p", "d")) == (True, None)
    assert waiters.answer("p", "x", "once") is False
    assert waiters.answer("p", "d", "once") is True
    assert waiters.answer("p", "d", "deny") is False
    assert (waiters.holds("p", "d"), waiters.outcome("p", "d")) == (False, {"option_id": "once"})


def test_a_release_comes_too_late_for_an_answer() -> None:
    waiters = Waiters()
    waiters.open("p", "d")
    waiters.answer("p", "d", "deny")
    waiters.release("p", "timeout")
    assert waiters.outcome("p", "d") == {"option_id": "deny"}


def test_a_newer_waiter_of_the_pane_releases_the_older() -> None:
    waiters = Waiters()
    waiters.open("p", "d1")
    waiters.open("p", "d2")
    assert waiters.outcome("p", "d1") == {"cancelled": "moved_on"}
    assert (waiters.holds("p", "d1"), waiters.holds("p", "d2")) == (False, True)
    waiters.close("p", "d1")
    assert waiters.holds("p", "d2")


def test_all_are_released_at_once() -> None:
    waiters = Waiters()
    for pane in ("p", "q"):
        waiters.open(pane, "d")
    waiters.answer("q", "d", "once")
    waiters.release_all("shutdown")
    assert [waiters.outcome(pane, "d") for pane in ("p", "q")] == [{"cancelled": "shutdown"}, {"option_id": "once"}]


def test_nothing_is_left_of_a_closed_waiter() -> None:
    waiters = Waiters()
    waiters.open("p", "d")
    waiters.answer("p", "d", "once")
    waiters.close("p", "d")
    assert (waiters.holds("p", "d"), waiters.outcome("p", "d")) == (False, None)
    waiters.release("p", "timeout")
    assert waiters.outcome("p", "d") is None
