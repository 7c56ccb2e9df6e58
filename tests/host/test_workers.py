"""Slow calls in threads, their results on the loop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from signaltty_core.host.loop import Loop
from signaltty_core.host.workers import MOST_THREADS, Workers
from tests.server.rig import wait_until


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def turn_until(loop: Loop, seen: Any) -> None:
    wait_until(lambda: (loop.turn(0.05), seen())[1], "the results")


def test_a_result_comes_back_on_the_loops_thread(loop: Loop) -> None:
    got: list[Any] = []
    here = threading.get_ident
    Workers(loop).run(lambda a, b: (here(), a + b), (1, 2), lambda *end: got.append((end, here())))
    turn_until(loop, lambda: got)
    (((worker, total), error), ended_in) = got[0]
    assert (total, error, ended_in) == (3, None, here())
    assert worker != here()


def test_a_fault_comes_back_as_an_error(loop: Loop) -> None:
    got: list[Any] = []
    Workers(loop).run(lambda: 1 / 0, (), lambda *end: got.append(end))
    turn_until(loop, lambda: got)
    assert (got[0][0], type(got[0][1])) == (None, ZeroDivisionError)


def test_many_calls_share_a_few_threads_and_all_end(loop: Loop) -> None:
    got: list[int] = []
    threads: set[int] = set()
    workers = Workers(loop)
    for number in range(500):
        workers.run(lambda: threads.add(threading.get_ident()), (), lambda result, error, n=number: got.append(n))
    turn_until(loop, lambda: len(got) == 500)
    assert sorted(got) == list(range(500))
    assert len(threads) <= MOST_THREADS


def test_slow_calls_run_side_by_side(loop: Loop) -> None:
    together = threading.Barrier(MOST_THREADS)
    got: list[Any] = []
    workers = Workers(loop)
    for _ in range(MOST_THREADS):
        workers.run(together.wait, (10,), lambda *end: got.append(end))
    turn_until(loop, lambda: len(got) == MOST_THREADS)
    assert {error for _, error in got} == {None}


def test_a_stuck_call_holds_up_no_later_one(loop: Loop) -> None:
    release = threading.Event()
    got: list[str] = []
    workers = Workers(loop)
    workers.run(release.wait, (), lambda *end: got.append("stuck"))
    for _ in range(200):
        workers.run(lambda: None, (), lambda *end: got.append("quick"))
        loop.turn(0)
    turn_until(loop, lambda: got.count("quick") == 200)
    release.set()
    turn_until(loop, lambda: "stuck" in got)


def test_work_that_comes_when_all_threads_are_leaving_is_done(loop: Loop) -> None:
    """Each round ends with threads that have looked once more and found nothing."""
    workers = Workers(loop)
    got: list[Any] = []
    for number in range(1, 31):
        for _ in range(MOST_THREADS + 4):
            workers.run(lambda: None, (), lambda *end: got.append(end))
        turn_until(loop, lambda number=number: len(got) == number * (MOST_THREADS + 4))
