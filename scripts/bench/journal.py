"""What the disk adds to an event: its way through loop, writer and sync, less the same way without a disk.

Usage: python -m scripts.bench.journal [--seconds 5] [--directory DIR]. A process of its own offers events at each rate,
one at a time. Slices with and without the journal take turns with slices of plain appends, each followed by one
fdatasync, at the same pace: a disk that is used rarely answers later than one that is never left alone. Prints the
medians, what the journal adds in units of that fdatasync, the p99 of both ways, and how late the loop was for a timer.
"""

from __future__ import annotations

import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque

from signaltty_core.host.files import sync_data
from signaltty_core.host.journal_file import JournalFile
from signaltty_core.host.loop import READ, Loop
from signaltty_core.journal.record import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RATES = (100, 1000, 5000)
SLICES = 5
TICK_S = 0.002
AT = "2026-10-09T12:34:56.789Z"
PAYLOAD = '{"pane_id":"pane_0123456789abcdef","lifecycle":"working","prev":"idle","text":"' + "x" * 400 + '"}'
STAMP = struct.Struct("d")
FEEDER = """
import os, struct, sys, time
every_s, ends_at = float(sys.argv[1]), time.perf_counter() + float(sys.argv[2])
due = time.perf_counter()
while due < ends_at:
    time.sleep(max(0.0, due - time.perf_counter()))
    os.write(1, struct.pack("d", time.perf_counter()))
    due += every_s
"""


class Way:
    """Events from a pipe until it ends: each one is put into words and handed on; `told` says which are done."""

    def __init__(self, rate: int, seconds: float) -> None:
        self.loop = Loop()
        self.latencies: list[float] = []
        self.late: list[float] = []
        self._waiting: deque[tuple[int, float]] = deque()
        self._open = True
        self._words = [sys.executable, "-S", "-E", "-c", FEEDER, str(1 / rate), str(seconds)]

    def told(self, seq: int) -> None:
        now = time.perf_counter()
        while self._waiting and self._waiting[0][0] <= seq:
            self.latencies.append(now - self._waiting.popleft()[1])

    def run(self, first_seq: int, hand_on: Callable[[int, bytes], None]) -> int:
        """The next free number."""
        seq = first_seq
        # the first one creates files and reserves numbers, which happens once in a server's life
        self._waiting.append((seq, 0.0))
        hand_on(seq, lines(seq, [("agent.working", PAYLOAD)], [{}], {}, [], AT))
        self._drain()
        self.latencies.clear()
        seq += 1
        feeder = subprocess.Popen(self._words, stdout=subprocess.PIPE)
        assert feeder.stdout is not None
        pipe = feeder.stdout.fileno()

        def take(_mask: int) -> None:
            nonlocal seq
            data = os.read(pipe, STAMP.size * 64)
            self._open = bool(data)
            for (at,) in STAMP.iter_unpack(data):
                self._waiting.append((seq, at))
                hand_on(seq, lines(seq, [("agent.working", PAYLOAD)], [{}], {}, [], AT))
                seq += 1

        self.loop.watch(pipe, READ, take)
        self._tick(time.perf_counter())
        while self._open:
            self.loop.turn(0.01)
        self.loop.forget(pipe)
        self._drain()
        feeder.communicate()
        return seq

    def _drain(self) -> None:
        while self._waiting:
            self.loop.turn(0.01)

    def _tick(self, due: float) -> None:
        self.late.append(max(0.0, time.perf_counter() - due))
        again = time.perf_counter() + TICK_S
        self.loop.after(TICK_S, lambda: self._tick(again))


def with_journal(directory: str, rate: int, seconds: float) -> Way:
    way = Way(rate, seconds)

    def fail(fault: Exception) -> None:
        raise fault

    journal = JournalFile(directory, way.loop.post, way.told, fail)
    first_seq = journal.open().next_seq

    def hand_on(seq: int, line: bytes) -> None:
        journal.ensure(seq + 1)
        journal.append(seq, line)

    way.run(first_seq, hand_on)
    journal.close(None)
    way.loop.close()
    return way


def without(rate: int, seconds: float) -> Way:
    """What is handed on is done at the end of the loop's pass."""
    way = Way(rate, seconds)
    way.run(1, lambda seq, _line: way.loop.at_end(lambda: way.told(seq)))
    way.loop.close()
    return way


def plain_syncs(directory: str, rate: int, seconds: float) -> list[float]:
    """An append of one line and its fdatasync, again and again at this rate, or as fast as the disk allows."""
    line = lines(1, [("agent.working", PAYLOAD)], [{}], {}, [], AT)
    spent = []
    fd = os.open(os.path.join(directory, "plain"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    due = time.perf_counter()
    ends_at = due + seconds
    while due < ends_at:
        time.sleep(max(0.0, due - time.perf_counter()))
        began = time.perf_counter()
        os.write(fd, line)
        sync_data(fd)
        spent.append(time.perf_counter() - began)
        due = max(due + 1 / rate, time.perf_counter())
    os.close(fd)
    return spent


def quantile_ms(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


def main(seconds: float, parent: str | None) -> None:
    for rate in RATES:
        directory = tempfile.mkdtemp(prefix="signaltty-journal-", dir=parent)
        synced: list[float] = []
        unsynced: list[float] = []
        plain: list[float] = []
        late: list[float] = []
        try:
            for _ in range(SLICES):
                way = with_journal(directory, rate, seconds / SLICES)
                synced += way.latencies
                late += way.late
                plain += plain_syncs(directory, rate, seconds / SLICES)
                unsynced += without(rate, seconds / SLICES).latencies
        finally:
            shutil.rmtree(directory)
        p50, bare, sync = (quantile_ms(values, 0.5) for values in (synced, unsynced, plain))
        p99, bare_p99, sync_p99, late_p99 = (quantile_ms(values, 0.99) for values in (synced, unsynced, plain, late))
        print(
            f"{rate:5} events/s  synced p50 {p50:.2f} ms, unsynced {bare:.2f}, one fdatasync {sync:.2f}: "
            f"added {p50 - bare:.2f} = {(p50 - bare) / sync:.2f} x"
            f"  p99 {p99:.2f}, {bare_p99:.2f}, {sync_p99:.2f}  loop late p99 {late_p99:.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--directory", default=None)
    given = parser.parse_args()
    main(given.seconds, given.directory)
