"""The one place that waits, on real pipes and sockets."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from signaltty_core.host.loop import READ, WRITE, Loop


@pytest.fixture
def loop() -> Iterator[Loop]:
    faults: list[BaseException] = []
    made = Loop(faults.append)
    made.faults = faults  # type: ignore[attr-defined]
    yield made
    made.close()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    yield one, other
    one.close()
    other.close()


def test_a_file_is_served_while_it_is_ready(loop: Loop, pair: tuple[socket.socket, socket.socket]) -> None:
    seen: list[bytes] = []
    loop.watch(pair[0], READ, lambda mask: seen.append(pair[0].recv(1)))
    loop.turn(0)
    assert seen == []
    pair[1].send(b"ab")
    loop.turn(1)
    loop.turn(1)
    assert seen == [b"a", b"b"]


def test_interest_and_callback_can_be_changed(loop: Loop, pair: tuple[socket.socket, socket.socket]) -> None:
    seen: list[str] = []
    loop.watch(pair[0].fileno(), READ, lambda mask: seen.append("read"))
    loop.watch(pair[0].fileno(), WRITE, lambda mask: seen.append("write"))
    loop.turn(1)
    loop.forget(pair[0].fileno())
    loop.turn(0)
    assert seen == ["write"]


def test_forgetting_what_is_unknown_is_nothing(loop: Loop) -> None:
    loop.forget(12345)


def test_a_file_forgotten_earlier_in_the_pass_is_skipped(loop: Loop) -> None:
    pipes = [os.pipe() for _ in range(5)]
    served: list[int] = []

    def serve(fd: int) -> None:
        served.append(fd)
        for reading, _ in pipes:
            loop.forget(reading)

    for reading, writing in pipes:
        loop.watch(reading, READ, lambda mask, fd=reading: serve(fd))
        os.write(writing, b"x")
    loop.turn(1)
    assert len(served) == 1
    for ends in pipes:
        for fd in ends:
            os.close(fd)


def test_late_files_come_behind_all_others(loop: Loop) -> None:
    order: list[str] = []
    pipes = [os.pipe() for _ in range(6)]
    for index, (reading, writing) in enumerate(pipes):
        name = "late" if index % 2 == 0 else "early"
        loop.watch(reading, READ, lambda mask, name=name: order.append(name), late=name == "late")
        os.write(writing, b"x")
    loop.turn(1)
    assert order == ["early"] * 3 + ["late"] * 3
    for ends in pipes:
        loop.forget(ends[0])
        for fd in ends:
            os.close(fd)


def test_a_fault_costs_its_own_callback_only(loop: Loop, pair: tuple[socket.socket, socket.socket]) -> None:
    done: list[str] = []
    loop.watch(pair[0], WRITE, lambda mask: 1 / 0)
    loop.post(lambda: 1 / 0)
    loop.post(lambda: done.append("post"))
    loop.after(0, lambda: 1 / 0)
    loop.after(0, lambda: done.append("timer"))
    loop.after_pass.append(lambda: 1 / 0)
    loop.after_pass.append(lambda: done.append("hook"))
    loop.at_end(lambda: 1 / 0)
    loop.at_end(lambda: done.append("end"))
    loop.turn(1)
    assert done == ["post", "timer", "hook", "end"]
    assert [type(fault) for fault in loop.faults] == [ZeroDivisionError] * 5  # type: ignore[attr-defined]


def test_a_post_from_another_thread_wakes_the_loop(loop: Loop) -> None:
    seen: list[int] = []

    def done() -> None:
        seen.append(threading.get_ident())
        loop.stop()

    thread = threading.Thread(target=lambda: loop.post(done))
    loop.after(0.05, thread.start)
    loop.run()
    thread.join()
    assert seen == [threading.get_ident()]


def test_more_posts_than_the_pipe_holds_all_run(loop: Loop) -> None:
    count = 200_000
    seen = []
    for number in range(count):
        loop.post(lambda number=number: seen.append(number))
    loop.turn(1)
    assert seen == list(range(count))


def test_a_post_made_by_a_post_waits_for_the_next_pass(loop: Loop) -> None:
    order: list[str] = []
    loop.post(lambda: (order.append("first"), loop.post(lambda: order.append("second"))))
    loop.turn(0)
    assert order == ["first"]
    loop.turn(0)
    assert order == ["first", "second"]


def test_timers_run_when_they_are_due_and_cancelled_ones_never(loop: Loop) -> None:
    order: list[str] = []
    loop.after(0.02, lambda: order.append("second"))
    loop.after(0.01, lambda: order.append("first"))
    third = loop.after(0.0, lambda: order.append("never"))
    third.cancel()
    loop.after(0.03, loop.stop)
    began = time.monotonic()
    loop.run()
    assert order == ["first", "second"]
    assert time.monotonic() - began >= 0.03


def test_a_timer_cancelled_by_one_of_the_same_moment_does_not_run(loop: Loop) -> None:
    order: list[str] = []
    loop.after(0, lambda: second.cancel())
    second = loop.after(0, lambda: order.append("never"))
    time.sleep(0.001)
    loop.turn(0.1)
    assert order == []


def test_what_is_for_the_end_of_the_pass_comes_behind_the_hooks_and_may_add_to_it(loop: Loop) -> None:
    order: list[str] = []
    loop.after_pass.append(lambda: order.append("hook"))
    loop.at_end(lambda: (order.append("end"), loop.at_end(lambda: order.append("end of the end"))))
    loop.turn(0)
    assert order == ["hook", "end", "end of the end"]


def test_an_idle_loop_sleeps(loop: Loop) -> None:
    passes = 0

    def count() -> None:
        nonlocal passes
        passes += 1

    loop.after_pass.append(count)
    loop.after(0.2, loop.stop)
    loop.run()
    assert passes <= 3
