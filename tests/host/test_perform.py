"""What the engine asks of the machine, done with a real loop and recorded where a keeper or PTY would be."""

from __future__ import annotations

import os
import pty
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import SpawnFailed
from signaltty_core.base.limits import CLOSE_ESCALATION_S
from signaltty_core.host import files
from signaltty_core.host.clock import Clock
from signaltty_core.host.keeper_reply import Spawned
from signaltty_core.host.loop import Loop
from signaltty_core.host.perform import Performer
from signaltty_core.host.workers import Workers
from signaltty_core.state.effects import Run, SendSignal, Sleep, Spawn, Together, Work, WriteInput
from tests.server.rig import as_nobody, wait_until


class FakeLink:
    """A keeper that says what the test wants."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.spawned: Callable[..., None] = lambda *end: None

    def spawn(self, *words: Any) -> None:
        self.asked.append(("spawn", *words[:-1]))
        self.spawned = words[-1]

    def signal(self, pane_id: str, name: str, group: bool, done: Callable[[bool], None]) -> None:
        self.asked.append(("signal", pane_id, name, group))
        done(True)

    def forget(self, pane_id: str) -> None:
        self.asked.append(("forget", pane_id))


class FakePtys:
    def __init__(self) -> None:
        self.deeds: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: self.deeds.append((name, *args))


class Bench:
    def __init__(self, directory: Path) -> None:
        self.loop = Loop()
        self.link = FakeLink()
        self.ptys = FakePtys()
        self.state_dir = str(directory)
        self.stopped: list[bool] = []
        self.host = Performer(
            self.loop,
            self.link,  # type: ignore[arg-type]
            self.ptys,  # type: ignore[arg-type]
            Workers(self.loop),
            self.state_dir,
            self.stopped.append,
        )
        self.ended: list[tuple[Any, Any]] = []

    def perform(self, effect: Any) -> None:
        self.host.perform(effect, lambda *end: self.ended.append(end))

    def turn_until_ended(self) -> tuple[Any, Any]:
        wait_until(lambda: (self.loop.turn(0.05), self.ended)[1], "the end")
        return self.ended.pop()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.loop.close()


SPAWN = Spawn("pane_1", ["sh"], "/", {"A": "b"}, 80, 24)


def test_a_born_child_waits_with_its_terminal_until_it_is_wanted(bench: Bench) -> None:
    bench.perform(SPAWN)
    assert bench.link.asked == [("spawn", "pane_1", ["sh"], "/", {"A": "b"}, 80, 24)]
    bench.link.spawned(Spawned(7, 9, 55), None)
    assert (bench.ended, bench.ptys.deeds) == ([({"pid": 7, "start_time": 9}, None)], [])
    bench.host.open_pty("pane_1")
    bench.host.open_pty("pane_1")
    assert bench.ptys.deeds == [("add", "pane_1", 55)]


def test_a_child_that_is_not_wanted_any_more_leaves_no_descriptor(bench: Bench) -> None:
    master, slave = pty.openpty()
    bench.perform(SPAWN)
    bench.link.spawned(Spawned(7, 9, master), None)
    bench.host.forget("pane_1")
    with pytest.raises(OSError):
        os.fstat(master)
    assert bench.link.asked[-1] == ("forget", "pane_1")
    os.close(slave)


def test_a_failed_spawn_is_the_error(bench: Bench) -> None:
    bench.perform(SPAWN)
    fault = SpawnFailed("no")
    bench.link.spawned(None, fault)
    assert bench.ended == [(None, fault)]


def test_orders_reach_those_who_carry_them_out(bench: Bench) -> None:
    bench.perform(SendSignal("pane_1", "INT", True))
    assert (bench.ended, bench.link.asked) == ([(True, None)], [("signal", "pane_1", "INT", True)])
    bench.perform(WriteInput("pane_1", b"x", 5.0))
    assert bench.ptys.deeds[0][:4] == ("write", "pane_1", b"x", 5.0)


def test_work_and_programs_end_on_the_loop(bench: Bench) -> None:
    bench.perform(Work(lambda a: a + 1, 1))
    assert bench.turn_until_ended() == (2, None)
    bench.perform(Run(["sh", "-c", "echo hi"], "/", dict(os.environ), 10.0))
    assert bench.turn_until_ended() == ((0, b"hi\n", b""), None)


def test_an_order_that_is_not_for_the_machine_is_a_fault_of_ours(bench: Bench) -> None:
    with pytest.raises(Exception, match="Sleep"):
        bench.perform(Sleep(1.0))


def test_the_end_of_a_pane_is_a_signal_a_hang_up_and_later_a_kill(bench: Bench) -> None:
    began = time.monotonic()
    bench.host.end("pane_1", "TERM")
    assert bench.link.asked == [("signal", "pane_1", "TERM", True), ("forget", "pane_1")]
    assert bench.ptys.deeds == [("remove", "pane_1")]
    wait_until(lambda: (bench.loop.turn(0.1), len(bench.link.asked) == 3)[1], "the kill")
    assert bench.link.asked[2] == ("signal", "pane_1", "KILL", True)
    assert time.monotonic() - began >= CLOSE_ESCALATION_S


def test_a_repaint_is_a_row_less_and_back(bench: Bench) -> None:
    bench.host.repaint("pane_1", 80, 24)
    wait_until(lambda: (bench.loop.turn(0.1), len(bench.ptys.deeds) == 2)[1], "the second size")
    assert bench.ptys.deeds == [("resize", "pane_1", 80, 23), ("resize", "pane_1", 80, 24)]


def test_directories_are_judged(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.symlink("nowhere", tmp_path / "dangling")
    os.symlink(tmp_path, tmp_path / "good")
    assert [bench.host.directory_fault(str(path)) for path in (tmp_path, tmp_path / "good")] == [None, None]
    assert bench.host.directory_fault(str(tmp_path / "file")) == "is not a directory"
    assert bench.host.directory_fault(str(tmp_path / "dangling")) == "is not a directory"
    for path in ("/nowhere", "/" + "x" * 5000, "/\ud800", "/a\0b"):
        assert bench.host.directory_fault(path) is not None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_directory_that_may_not_be_entered_is_told(bench: Bench, tmp_path: Path) -> None:
    assert as_nobody(lambda: bench.host.directory_fault("/root")) == "may not be entered"
    assert as_nobody(lambda: bench.host.directory_fault("/tmp")) is None


def test_history_comes_back_as_it_was_saved(bench: Bench) -> None:
    assert bench.host.load_history("pane_1") == ([], None, None)
    files.write_tail(bench.state_dir, "pane_1", "one\nzw\u00f6lf".encode())
    assert bench.host.load_history("pane_1") == (["one", "zwölf"], None, None)
    files.write_screen(bench.state_dir, "pane_1", 90, 30, b"\x1b[Hdrawn", "one\nzw\u00f6lf".encode())
    assert bench.host.load_history("pane_1") == (["one", "zwölf"], b"\x1b[Hdrawn", (90, 30))


def test_the_clock_is_the_loops(bench: Bench) -> None:
    clock = Clock(bench.loop)
    assert abs(clock.wall() - time.time()) < 5
    assert (clock.now(), len(clock.random(16))) == (bench.loop.now(), 16)
    ran: list[bool] = []
    clock.after(0, lambda: ran.append(True))
    bench.loop.turn(0.1)
    assert ran == [True]


def test_orders_given_together_end_together_with_all_replies_or_the_first_failure(bench: Bench) -> None:
    told: list[tuple[int, int | None]] = []

    def note(pid: int, start_time: int | None) -> None:
        told.append((pid, start_time))

    say = Run(["sh", "-c", "echo $$; sleep 0.2"], "/", {"PATH": os.environ["PATH"]}, 10, None, note)
    bench.perform(Together(say, Work(str.upper, "a"), Work(str.upper, "b")))
    replies, error = bench.turn_until_ended()
    assert (replies[1:], error, told[0][0]) == (["A", "B"], None, int(replies[0][1]))
    assert isinstance(told[0][1], int)
    bench.perform(Together(Work(int, "x"), Work(int, "1")))
    _, error = bench.turn_until_ended()
    assert isinstance(error, ValueError)
