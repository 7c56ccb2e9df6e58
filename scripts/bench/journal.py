"""What a synced event costs: from its commit to the report that it is on disk, beside one fdatasync of this disk.

Usage: python -m scripts.bench.journal [--seconds 3] [--directory DIR]. Prints, per rate, the added latency (p50, p99)
and how late the loop itself was for a timer (p99).
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time

from signaltty_core.host.files import sync_data
from signaltty_core.host.journal_file import JournalFile
from signaltty_core.host.loop import Loop
from signaltty_core.journal.record import lines

RATES = (100, 1000, 5000)
TICK_S = 0.002
PAYLOAD = '{"pane_id":"pane_0123456789abcdef","lifecycle":"working","prev":"idle","text":"' + "x" * 400 + '"}'


def quantile_ms(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000


def one_sync_ms(directory: str) -> float:
    """The median of an append of one line and its fdatasync."""
    spent = []
    fd = os.open(os.path.join(directory, "probe"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(200):
        began = time.perf_counter()
        os.write(fd, b"x" * 600)
        sync_data(fd)
        spent.append(time.perf_counter() - began)
    os.close(fd)
    return quantile_ms(spent, 0.5)


def measure(directory: str, rate: int, seconds: float) -> tuple[list[float], list[float]]:
    """Latency of each event, and lateness of each tick of the loop, in seconds."""
    loop = Loop()
    waiting: list[tuple[int, float]] = []
    latencies: list[float] = []
    late: list[float] = []

    def on_synced(seq: int) -> None:
        now = time.perf_counter()
        while waiting and waiting[0][0] <= seq:
            latencies.append(now - waiting.pop(0)[1])

    def fail(fault: Exception) -> None:
        raise fault

    journal = JournalFile(directory, loop.post, on_synced, fail)
    seq = journal.open().next_seq
    began = due = time.perf_counter()
    sent = 0
    ended = False

    def tick() -> None:
        nonlocal seq, due, sent
        if ended:
            return
        now = time.perf_counter()
        late.append(max(0.0, now - due))
        while sent < (now - began) * rate:
            journal.ensure(seq + 1)
            waiting.append((seq, time.perf_counter()))
            journal.append(seq, lines(seq, [("agent.working", PAYLOAD)], [{}], {}, [], "2026-10-09T12:34:56.789Z"))
            seq += 1
            sent += 1
        due = time.perf_counter() + TICK_S
        loop.after(TICK_S, tick)

    loop.after(0, tick)
    while time.perf_counter() - began < seconds:
        loop.turn(0.01)
    ended = True
    while waiting:
        loop.turn(0.01)
    journal.close(None)
    loop.close()
    return latencies, late


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--directory", default=None)
    given = parser.parse_args()
    for rate in RATES:
        place = tempfile.mkdtemp(prefix="signaltty-journal-", dir=given.directory)
        try:
            probe_ms = one_sync_ms(place)
            latencies, late = measure(place, rate, given.seconds)
            probe_ms = (probe_ms + one_sync_ms(place)) / 2  # disks that others use as well change their pace
            p50, p99 = quantile_ms(latencies, 0.5), quantile_ms(latencies, 0.99)
            print(
                f"{rate:5} events/s  synced p50 {p50:6.2f} ms  p99 {p99:6.2f} ms  one fdatasync {probe_ms:5.2f} ms "
                f"(x {p50 / probe_ms:.1f})  loop late p99 {quantile_ms(late, 0.99):5.2f} ms"
            )
        finally:
            shutil.rmtree(place)
