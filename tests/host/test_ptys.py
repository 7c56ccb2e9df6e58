from __future__ import annotations

import fcntl
import os
import pty
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from signaltty_core.base.errors import ProtocolError
from signaltty_core.host.loop import Loop
from signaltty_core.host.ptys import Ptys

LIMIT_S = 15.0


class Rig:
    """Raw terminals whose programs are this test."""

    def __init__(self) -> None:
        self.faults: list[BaseException] = []
        self.loop = Loop(self.faults.append)
        self.output: dict[str, bytes] = {}
        self.calls: list[tuple[str, int]] = []
        self.puts_by = False
        self.put_by: dict[str, int] = {}
        self.stays_bytes: list[int] = []  # what the next digests leave put by
        self.digested: list[tuple[str, int, int]] = []
        self.ended: list[str] = []
        self.results: list[tuple[str, int, ProtocolError | None]] = []
        self.ptys = Ptys(self.loop, self.hear, self.ended.append, self.digest)
        self.slaves: dict[str, int] = {}

    def hear(self, pane_id: str, data: bytes) -> int:
        self.calls.append((pane_id, len(data)))
        self.output[pane_id] = self.output.get(pane_id, b"") + data
        self.put_by[pane_id] = self.put_by.get(pane_id, 0) + len(data) if self.puts_by else 0
        return self.put_by[pane_id]

    def digest(self, pane_id: str, most_bytes: int) -> int:
        """Notes what was put by and how much of it may stay."""
        self.digested.append((pane_id, self.put_by[pane_id], most_bytes))
        self.put_by[pane_id] = self.stays_bytes.pop(0) if self.stays_bytes else 0
        return self.put_by[pane_id]

    def open(self, pane_id: str) -> int:
        """Add a pane; gives its master. The program's end is non-blocking and in `slaves`."""
        master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        os.set_blocking(slave, False)
        self.slaves[pane_id] = slave
        self.ptys.add(pane_id, master)
        return master

    def write(self, name: str, data: bytes, pane_id: str = "p", budget_s: float = LIMIT_S) -> None:
        self.ptys.write(pane_id, data, budget_s, lambda count, error: self.results.append((name, count, error)))

    def turn_until(self, seen: Callable[[], object], what: str) -> None:
        until = time.monotonic() + LIMIT_S
        while not seen():
            assert time.monotonic() < until, f"{what} was not seen within {LIMIT_S} s"
            self.loop.turn(0.01)

    def read(self, pane_id: str = "p") -> bytes:
        """What the program finds in its input now."""
        try:
            return os.read(self.slaves[pane_id], 1 << 16)
        except BlockingIOError:
            return b""

    def read_until(self, size_bytes: int, pane_id: str = "p") -> bytes:
        found = bytearray()

        def enough() -> bool:
            found.extend(self.read(pane_id))
            return len(found) >= size_bytes

        self.turn_until(enough, f"{size_bytes} bytes of input")
        return bytes(found)

    def wait_for_output(self, master: int, size_bytes: int) -> None:
        """Until the kernel has carried so much from the slave to the master, which it does behind the writer's back."""
        until = time.monotonic() + LIMIT_S
        while int.from_bytes(fcntl.ioctl(master, termios.FIONREAD, bytes(4)), sys.byteorder) < size_bytes:
            assert time.monotonic() < until, f"{size_bytes} bytes did not arrive within {LIMIT_S} s"
            time.sleep(0.001)

    def close_slave(self, pane_id: str = "p") -> None:
        os.close(self.slaves.pop(pane_id))

    def codes(self) -> list[tuple[str, int, str | None, object]]:
        return [
            (name, count, error and error.code, error and error.details.get("written_bytes"))
            for name, count, error in self.results
        ]


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    try:
        yield rig
        assert rig.faults == []
    finally:
        rig.ptys.close()
        for pane_id in [*rig.slaves]:
            rig.close_slave(pane_id)
        rig.loop.close()


def test_output_arrives_joined_and_in_order(rig: Rig) -> None:
    master = rig.open("p")
    for number in range(5):
        os.write(rig.slaves["p"], b"part %d " % number)
    rig.wait_for_output(master, 35)
    rig.turn_until(lambda: rig.output, "output")
    assert rig.calls == [("p", 35)]
    assert rig.output == {"p": b"part 0 part 1 part 2 part 3 part 4 "}


def test_the_end_of_file_comes_once_and_after_the_last_output(rig: Rig) -> None:
    rig.open("p")
    os.write(rig.slaves["p"], b"last words")
    rig.close_slave()
    rig.turn_until(lambda: rig.ended, "the end")
    rig.loop.turn(0)
    assert (rig.output, rig.ended) == ({"p": b"last words"}, ["p"])


def test_after_the_end_of_file_nothing_wakes_the_loop(rig: Rig) -> None:
    rig.open("p")
    rig.close_slave()
    rig.turn_until(lambda: rig.ended, "the end")
    woken: list[bool] = []
    rig.loop.after(0.0, lambda: woken.append(True))
    rig.loop.turn(None)
    assert woken == [True]


def test_writing_after_the_end_of_file_is_refused(rig: Rig) -> None:
    rig.open("p")
    rig.close_slave()
    rig.turn_until(lambda: rig.ended, "the end")
    rig.write("late", b"x")
    rig.write("nowhere", b"x", pane_id="unknown")
    assert rig.codes() == [("late", 0, "PANE_EXITED", 0), ("nowhere", 0, "PANE_EXITED", 0)]


def test_drain_hands_on_what_is_there_without_a_pass(rig: Rig) -> None:
    rig.open("p")
    os.write(rig.slaves["p"], b"x" * 3000)
    rig.close_slave()
    rig.ptys.drain("p")
    rig.ptys.drain("unknown")
    assert (rig.calls, rig.ended) == ([("p", 3000)], ["p"])


def test_resize_sets_the_kernels_size(rig: Rig) -> None:
    rig.open("p")
    rig.ptys.resize("p", 120, 40)
    rig.ptys.resize("unknown", 1, 1)
    assert os.get_terminal_size(rig.slaves["p"]) == os.terminal_size((120, 40))


def test_remove_closes_the_master_and_forgets_the_pane(rig: Rig) -> None:
    master = rig.open("p")
    rig.ptys.remove("p")
    rig.ptys.remove("p")
    with pytest.raises(OSError):
        os.fstat(master)
    rig.loop.turn(0)
    assert (rig.output, rig.ended) == ({}, [])


def test_three_hundred_panes_leave_no_descriptor() -> None:
    rig = Rig()
    before = len(os.listdir("/dev/fd"))
    for number in range(300):
        rig.open(f"p{number}")
    for number in range(300):
        rig.ptys.remove(f"p{number}")
        rig.close_slave(f"p{number}")
    assert len(os.listdir("/dev/fd")) == before
    rig.loop.close()


def flood(rig: Rig, names: list[str]) -> None:
    """Fill every terminal as far as it goes."""
    for name in names:
        try:
            while os.write(rig.slaves[name], b"y" * 4096):
                pass
        except BlockingIOError:
            pass


def reads_of(rig: Rig, names: list[str]) -> list[int]:
    return [sum(1 for pane_id, _ in rig.calls if pane_id == name) for name in names]


def test_no_flood_starves_another_pane_or_a_socket(rig: Rig) -> None:
    """Ten panes are kept full all the time; a pipe is served in every pass, and each pane again and again."""
    names = [f"p{number}" for number in range(10)]
    for name in names:
        rig.open(name)
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    served: list[bytes] = []
    rig.loop.watch(read_end, 1, lambda _mask: served.append(os.read(read_end, 1)))
    written = 0

    def is_fair() -> bool:
        nonlocal written
        assert len(served) == written
        flood(rig, names)
        os.write(write_end, b"!")
        written += 1
        return min(reads_of(rig, names)) >= 20

    rig.turn_until(is_fair, "twenty reads of each pane")
    rig.loop.forget(read_end)
    os.close(read_end)
    os.close(write_end)


def test_panes_whose_output_takes_long_to_digest_take_turns(rig: Rig) -> None:
    """Each piece takes longer than a pass may: without turns the last panes would never be read."""

    def digest_slowly(pane_id: str, data: bytes) -> None:
        until = time.monotonic() + 0.005
        while time.monotonic() < until:
            pass
        rig.hear(pane_id, data)

    rig.ptys = Ptys(rig.loop, digest_slowly, rig.ended.append)
    names = [f"p{number}" for number in range(6)]
    for name in names:
        rig.open(name)
    passes = 0

    def is_fair() -> bool:
        nonlocal passes
        passes += 1
        flood(rig, names)
        return min(reads_of(rig, names)) >= 10

    rig.turn_until(is_fair, "ten reads of each pane")
    assert len(rig.calls) <= passes  # one piece fills a pass


def test_input_of_all_byte_values_arrives_in_order(rig: Rig) -> None:
    rig.open("p")
    rig.write("first", bytes(range(256)))
    rig.write("empty", b"")
    rig.write("second", b"second")
    assert rig.read_until(262) == bytes(range(256)) + b"second"
    assert rig.codes() == [("first", 256, None, None), ("empty", 0, None, None), ("second", 6, None, None)]


def test_a_mebibyte_of_input_arrives_whole_while_the_program_reads(rig: Rig) -> None:
    rig.open("p")
    data = bytes(range(251)) * 4178
    rig.write("big", data)
    rig.write("next", b"end")
    assert rig.read_until(len(data) + 3) == data + b"end"
    rig.turn_until(lambda: len(rig.results) == 2, "both results")
    assert rig.codes() == [("big", len(data), None, None), ("next", 3, None, None)]


def test_a_program_that_does_not_read_costs_its_writers_their_time_alone(rig: Rig) -> None:
    rig.open("p")
    rig.open("other")
    rig.write("stuck", b"x" * 1_000_000, budget_s=0.2)
    rig.write("behind", b"y" * 10, budget_s=0.2)
    rig.write("other", b"quick", pane_id="other")
    assert rig.read_until(5, "other") == b"quick"
    os.write(rig.slaves["p"], b"still heard")
    rig.turn_until(lambda: rig.output, "output of the stuck pane")
    rig.ptys.resize("p", 99, 33)
    rig.turn_until(lambda: len(rig.results) == 3, "the time-outs")
    (_, taken, code, shown) = rig.codes()[1]
    assert (code, taken) == ("TIMEOUT", shown)
    assert 0 < taken < 1_000_000
    assert rig.codes()[2] == ("behind", 0, "TIMEOUT", 0)
    assert rig.read_until(taken) == b"x" * taken
    rig.write("after", b"fresh")
    assert rig.read_until(5) == b"fresh"


def test_the_loop_sleeps_while_a_writer_is_stuck(rig: Rig) -> None:
    rig.open("p")
    rig.write("stuck", b"x" * 1_000_000, budget_s=0.5)
    passes = 0
    while not rig.results:
        rig.loop.turn(None)
        passes += 1
    assert passes < 120  # 25 polls of 20 ms, each with a chance to be ready


def test_remove_cancels_what_is_queued(rig: Rig) -> None:
    rig.open("p")
    rig.write("stuck", b"x" * 1_000_000)
    rig.write("behind", b"y")
    rig.loop.turn(0)
    rig.ptys.remove("p")
    (_, taken, code, shown), behind = rig.codes()
    assert (code, taken) == ("PANE_EXITED", shown)
    assert 0 < taken < 1_000_000
    assert behind == ("behind", 0, "PANE_EXITED", 0)


def test_queued_input_never_reaches_a_later_process_of_the_pane(rig: Rig) -> None:
    rig.open("p")
    rig.write("old", b"x" * 1_000_000)
    rig.close_slave()
    rig.open("p")
    rig.write("new", b"new")
    assert rig.read_until(3) == b"new"
    assert [code for _, _, code, _ in rig.codes()] == ["PANE_EXITED", None]


def test_a_program_that_closes_its_terminal_fails_the_writer(rig: Rig) -> None:
    rig.open("p")
    rig.write("stuck", b"x" * 1_000_000)
    rig.loop.turn(0)
    rig.close_slave()
    rig.turn_until(lambda: rig.results, "the failure")
    assert rig.codes()[0][2] == "PANE_EXITED"
    assert rig.ended == ["p"]


def test_a_result_may_remove_the_pane(rig: Rig) -> None:
    rig.open("p")
    rig.ptys.write("p", b"a", LIMIT_S, lambda _count, _error: rig.ptys.remove("p"))
    rig.write("next", b"b")
    assert rig.codes() == [("next", 0, "PANE_EXITED", 0)]


def test_an_answer_goes_before_queued_input_but_not_into_a_message(rig: Rig) -> None:
    rig.open("p")
    data = b"x" * 300_000
    rig.write("begun", data)
    rig.write("queued", b"QUEUED")
    rig.ptys.answer("p", b"ANSWER")
    assert rig.read_until(len(data) + 12) == data + b"ANSWERQUEUED"


def test_answers_that_wait_are_bounded(rig: Rig) -> None:
    rig.open("p")
    data = b"x" * 300_000
    rig.write("begun", data)
    for number in range(100):
        rig.ptys.answer("p", b"%010d" % number)
    expected = b"".join(b"%010d" % number for number in range(51))
    assert rig.read_until(len(data) + 510)[len(data) :] == expected
    rig.ptys.answer("p", b"again")
    assert rig.read_until(5) == b"again"


def test_an_answer_without_a_pane_is_nothing(rig: Rig) -> None:
    rig.ptys.answer("unknown", b"x")
    assert rig.results == []


def test_the_echo_of_a_cooked_terminal_comes_back_as_output(rig: Rig) -> None:
    master = rig.open("p")
    modes = termios.tcgetattr(master)
    modes[3] |= termios.ECHO
    termios.tcsetattr(master, termios.TCSANOW, modes)
    rig.write("typed", b"abc")
    rig.turn_until(lambda: rig.output, "the echo")
    assert rig.output == {"p": b"abc"}
    assert fcntl.fcntl(master, fcntl.F_GETFL) & os.O_NONBLOCK


def test_output_that_was_put_by_is_digested_once_a_little_later(rig: Rig) -> None:
    rig.puts_by = True
    rig.open("p")
    for number in range(3):
        os.write(rig.slaves["p"], b"%d" % number)
        rig.turn_until(lambda number=number: len(rig.calls) > number, "output")  # type: ignore[misc]
    assert rig.digested == []
    rig.turn_until(lambda: rig.digested, "the digest")
    assert rig.digested == [("p", 3, 2)]
    rig.loop.turn(0.3)
    assert rig.digested == [("p", 3, 2)]


def test_what_a_digest_leaves_put_by_is_digested_with_the_next_one(rig: Rig) -> None:
    rig.puts_by = True
    rig.stays_bytes = [2]
    rig.open("p")
    os.write(rig.slaves["p"], b"frame and")
    rig.turn_until(lambda: rig.digested, "the digest")
    assert rig.digested == [("p", 9, 8)]
    rig.turn_until(lambda: len(rig.digested) == 2, "another digest")
    assert rig.digested == [("p", 9, 8), ("p", 2, 1)]
    rig.loop.turn(0.3)
    assert len(rig.digested) == 2


def test_what_stays_put_by_is_counted_with_what_follows(rig: Rig) -> None:
    rig.puts_by = True
    rig.stays_bytes = [1000]
    rig.open("p")
    os.write(rig.slaves["p"], b"x" * 2000)
    rig.turn_until(lambda: rig.digested, "the digest")
    os.write(rig.slaves["p"], b"x" * 500)
    rig.turn_until(lambda: len(rig.digested) == 2, "another digest")
    assert rig.digested == [("p", 2000, 1999), ("p", 1500, 1499)]


def test_much_output_that_was_put_by_is_digested_at_once(rig: Rig) -> None:
    rig.puts_by = True
    rig.open("p")
    while not rig.digested:
        with suppress(BlockingIOError):  # the kernel has not carried the former ones on yet
            os.write(rig.slaves["p"], b"x" * 1000)
        rig.loop.turn(0)
        assert sum(size for _, size in rig.calls) < 100_000
    ((pane_id, size_bytes, most_bytes),) = rig.digested
    assert (pane_id, size_bytes) == ("p", sum(size for _, size in rig.calls))
    assert 0 < most_bytes < 100_000  # so much of the beginning of a frame may wait for more


def test_output_that_was_taken_leaves_nothing_to_digest(rig: Rig) -> None:
    rig.puts_by = True
    rig.open("p")
    os.write(rig.slaves["p"], b"first")
    rig.turn_until(lambda: rig.calls, "output")
    rig.puts_by = False
    os.write(rig.slaves["p"], b"second")
    rig.turn_until(lambda: len(rig.calls) == 2, "more output")
    rig.loop.after(0.4, lambda: rig.ended.append("later"))
    rig.turn_until(lambda: rig.ended, "a later moment")
    assert rig.digested == []


def test_what_a_removed_pane_had_put_by_is_not_digested(rig: Rig) -> None:
    rig.puts_by = True
    rig.open("p")
    rig.open("q")
    for name in ("p", "q"):
        os.write(rig.slaves[name], b"last words")
    rig.turn_until(lambda: len(rig.calls) == 2, "both outputs")
    rig.ptys.remove("p")
    rig.turn_until(lambda: rig.digested, "the digest")
    assert rig.digested == [("q", 10, 9)]
