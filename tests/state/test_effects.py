"""Orders are values."""

from __future__ import annotations

from signaltty_core.state.effects import Run, SendSignal, Sleep, Spawn, Synced, WriteInput


def test_equal_orders_are_equal_and_others_are_not() -> None:
    assert WriteInput("p", b"x", 5.0) == WriteInput("p", b"x", 5.0)
    assert WriteInput("p", b"x", 5.0) != WriteInput("p", b"y", 5.0)
    assert Sleep(1.0) != Synced()
    assert SendSignal("p", "INT", False) != SendSignal("p", "INT", True)
    assert len({hash(Sleep(1.0)), hash(Sleep(2.0))}) == 1  # unhashable fields must not matter


def test_an_order_says_what_it_wants() -> None:
    assert (
        repr(Run(["git"], "/", {}, 5.0))
        == "Run(argv=['git'], cwd='/', env={}, most_bytes=None, on_start=None, timeout_s=5.0)"
    )
    assert repr(Synced()) == "Synced()"


def test_awaiting_an_order_hands_out_the_order_itself_and_takes_its_reply() -> None:
    order = Spawn("p", ["sh"], "/", {}, 80, 24)

    async def handler() -> object:
        return await order

    running = handler()
    assert running.send(None) is order
    try:
        running.send("reply")
    except StopIteration as stop:
        assert stop.value == "reply"
