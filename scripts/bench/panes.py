"""Panes under load, beside tmux: throughput, memory, CPU of many busy panes, and how long requests wait meanwhile.

Usage: panes.py [--size COLSxROWS] [--rounds N] [--seconds N] [--panes N] [--requests] [capture …]. Linux (reads /proc).

The whole program is measured through real PTYs: bytes go from a program in the pane to the owner of its terminal, until
that one answers behind the last of them. Rounds are interleaved, medians compared with the targets. It gates nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.captures import captures
from scripts.bench.peers import HISTORY, ROOT, Ours, cpu_s, resident_bytes, start_all, wait_for
from scripts.bench.terminal import read_times

if TYPE_CHECKING:
    from scripts.bench.peers import Tmux

POUR = Path(__file__).parent / "pour.py"
FRAMES_PER_S = 10
REQUEST_PAUSE_S = 0.002  # who asks without a pause sees a long pass once, and short ones a thousand times
AGENT_WORKS = (2115, 2820)  # offsets of tests/corpus/agents/screen.jsonl: a screen at work, and one a few frames later
# capture: the least ratio to tmux at 80 columns, and at 200
TARGETS = {
    "yes": (1.0, 1.0),
    "seq": (0.9, 0.9),
    "log": (1.0, 1.0),
    "color-log": (0.2, 0.2),
    "ls": (0.4, 0.4),
    "diff": (0.2, 0.2),
    "cjk": (0.75, 0.75),
    "ink": (0.4, 0.7),
    "repaint": (0.4, 0.7),
    "htop": (0.25, 0.25),
    "vim": (0.25, 0.25),
    "dense": (0.65, 0.65),
}


class Bench:
    """A folder, and the owners of panes that are compared."""

    def __init__(self, folder: Path, cols: int, rows: int) -> None:
        self.folder = folder
        self.cols = cols
        self.owners = start_all(folder, cols, rows)
        self._count = 0

    def pour(self, owner: Ours | Tmux, data: bytes) -> tuple[str, float]:
        """The pane that took the data, and the seconds it needed."""
        self._count += 1
        capture, result = self.folder / "capture", self.folder / f"result{self._count}"
        capture.write_bytes(data)
        pane = owner.spawn([sys.executable, "-SE", str(POUR), str(capture), str(result)])
        return pane, float(wait_for(result))


def show_throughput(bench: Bench, made: dict[str, bytes], rounds: int) -> None:
    """Bytes per second of time, and per second of the owner's CPU, which other load disturbs less."""
    for name, data in made.items():
        found: dict[str, list[float]] = {owner.name: [] for owner in bench.owners}
        worked: dict[str, list[float]] = {owner.name: [] for owner in bench.owners}
        for _ in range(rounds):
            for owner in bench.owners:
                before = cpu_s(owner.pid)
                pane, spent_s = bench.pour(owner, data)
                worked[owner.name].append(len(data) / (cpu_s(owner.pid) - before) / 1e6)
                owner.close(pane)
                found[owner.name].append(len(data) / spent_s / 1e6)
        target = TARGETS[name][bench.cols >= 200] if name in TARGETS else None
        show(f"{name}, MB/s", found, "≥", target)
        show(f"{name}, MB per CPU second", worked, "≥", target)


def show_memory(bench: Bench, made: dict[str, bytes], panes: int) -> None:
    """Memory that a pane with a full ring adds. Panes stay until all are measured: freed memory would be used again."""
    opened: list[tuple[Ours | Tmux, str]] = []
    for owner in bench.owners:
        opened.append((owner, bench.pour(owner, made["log"])[0]))
    for name in ("log", "color-log"):
        found: dict[str, list[float]] = {}
        for owner in bench.owners:
            before = resident_bytes(owner.pid)
            opened += [(owner, bench.pour(owner, made[name])[0]) for _ in range(panes)]
            found[owner.name] = [(resident_bytes(owner.pid) - before) / panes / 1e6]
        show(f"memory of a pane with {HISTORY} lines of {name}, MB", found, "≤", 2.0)
    for owner, pane in opened:
        owner.close(pane)


def show_busy_panes(bench: Bench, frame: bytes, panes: int, seconds: float) -> None:
    """CPU while every pane repaints ten times a second."""
    found: dict[str, list[float]] = {}
    for owner in bench.owners:
        files, opened = [], []
        for number in range(panes):
            path = bench.folder / f"fifo-{owner.name}-{number}"
            os.mkfifo(path)
            opened.append(owner.spawn(["cat", str(path)]))
            files.append(open(path, "wb", buffering=0))
        time.sleep(1.0)
        before, began, written = cpu_s(owner.pid), time.monotonic(), 0
        while time.monotonic() - began < seconds:
            files[written % panes].write(frame)
            written += 1
            time.sleep(max(began + written / panes / FRAMES_PER_S - time.monotonic(), 0))
        spent_s = time.monotonic() - began
        found[owner.name] = [(cpu_s(owner.pid) - before) / spent_s * 100]
        for pane in opened:  # before their files, whose end would end them
            owner.close(pane)
        for file in files:
            file.close()
    show(f"CPU of {panes} panes × {FRAMES_PER_S} frames/s, %", found, "≤", 1.1)


def agent_frames() -> tuple[bytes, list[bytes]]:
    """A screen of Claude at work, and what it repaints while it thinks. What it says of itself is left out, so that
    its rules must look for its state."""
    text = (ROOT / "tests/corpus/agents/claude-turn.bin").read_bytes()
    end = b"\x1b[?2026l"
    first, last = AGENT_WORKS
    screen = re.sub(rb"\x1b\]7501;[^\x07\x1b]*(?:\x07|\x1b\\\\)", b"", text[:first])
    return screen, [frame + end for frame in text[first:last].split(end)[:-1]]


def show_agents(bench: Bench, panes: int, seconds: float) -> None:
    """How long requests wait while as many agents without hooks repaint: all their screens are looked at."""
    ours = next(owner for owner in bench.owners if isinstance(owner, Ours))
    screen, frames = agent_frames()
    files, opened = [], []
    for number in range(panes):
        path = bench.folder / f"agent-{number}"
        os.mkfifo(path)
        opened.append(ours.spawn(["cat", str(path)], agent_hint="claude", cols=100, rows=30))
        files.append(open(path, "wb", buffering=0))
        files[-1].write(screen)
    time.sleep(2.0)
    taken: list[float] = []
    done = threading.Event()

    def repaint() -> None:
        began, written = time.monotonic(), 0
        while not done.is_set():
            files[written % panes].write(frames[written // panes % len(frames)])
            written += 1
            time.sleep(max(began + written / panes / FRAMES_PER_S - time.monotonic(), 0))

    painter = threading.Thread(target=repaint)
    before = cpu_s(ours.pid)
    painter.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        ours.ask("server.status")
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(REQUEST_PAUSE_S)
    cpu = (cpu_s(ours.pid) - before) / seconds * 100
    done.set()
    painter.join()
    states = {ours.ask("pane.get", pane_id=pane)["pane"]["lifecycle"] for pane in opened}
    for pane in opened:
        ours.close(pane)
    for file in files:
        file.close()
    if states != {"working"}:
        raise SystemExit(f"agents at work are shown as {states}")
    cuts = statistics.quantiles(taken, n=100)
    shown = f"{cuts[49]:.2f} / {cuts[98]:.2f} / {max(taken):.2f}"
    print_row(f"request p50 / p99 / longest, {panes} agents without hooks, ms", shown, "", "", "", cuts[98] <= 5)
    print_row(f"CPU of {panes} agents without hooks × {FRAMES_PER_S} frames/s, %", f"{cpu:.1f}", "", "", "", True)


def show_latency(bench: Bench, name: str, data: bytes, seconds: float) -> None:
    """How long `server.status` takes while one pane floods; without data, while nothing happens."""
    ours = next(owner for owner in bench.owners if isinstance(owner, Ours))
    capture = bench.folder / f"flood-{name}"
    capture.write_bytes(data)
    pane = ours.spawn(["sh", "-c", f"while :; do cat {capture}; done" if data else "sleep 1000"])
    time.sleep(0.5)
    taken: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        ours.ask("server.status")
        taken.append((time.perf_counter() - began) * 1000)
    ours.close(pane)
    cuts = statistics.quantiles(taken, n=100)
    shown = f"{cuts[49]:.2f} / {cuts[98]:.2f}"
    print_row(f"request p50 / p99, {name}, ms", shown, "", "", "≤ 5" if data else "", not data or cuts[98] <= 5)


def show(name: str, found: dict[str, list[float]], sense: str, target: float | None) -> None:
    """One row: ours, tmux, the ratio of the medians, and what it should be."""
    ours, *theirs = [statistics.median(each) for each in found.values()]
    if not theirs:
        print_row(name, f"{ours:.1f}", "-", "", "", True)
        return
    ratio = ours / theirs[0]
    good = target is None or (ratio >= target if sense == "≥" else ratio <= target)
    print_row(name, f"{ours:.1f}", f"{theirs[0]:.1f}", f"{ratio:.2f}", f"{sense} {target}" if target else "", good)


def print_row(name: str, ours: str, theirs: str, ratio: str, target: str, good: bool) -> None:
    print(f"| {name} | {ours} | {theirs} | {ratio} | {target} | {'' if good else 'missed'} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--panes", type=int, default=100)
    parser.add_argument("--requests", action="store_true", help="only how long requests wait")
    parser.add_argument("captures", nargs="*")
    options = parser.parse_args()
    cols, rows = (int(number) for number in options.size.split("x"))
    made = captures(cols, rows)
    chosen = {name: data for name, data in made.items() if not options.captures or name in options.captures}
    end = b"\x1b[?2026l"
    frame = made["repaint"].partition(end)[0] + end
    folder = Path(tempfile.mkdtemp(prefix="stt-panes-", dir="/tmp"))
    bench = Bench(folder, cols, rows)
    print(f"| {options.size} | signaltty | tmux | ratio | target | |\n|---|---|---|---|---|---|")
    try:
        if not options.captures and not options.requests:
            show_memory(bench, made, 10)
            show_busy_panes(bench, frame, options.panes, options.seconds)
        if not options.captures:
            show_agents(bench, options.panes, options.seconds)
            show_latency(bench, "nothing else", b"", options.seconds)
            for name in ("log", "color-log"):
                show_latency(bench, f"{name} floods", made[name], options.seconds)
        if options.requests:
            return 0
        show_throughput(bench, chosen, options.rounds)
        if not options.captures:
            for name, median_ms, target_ms in read_times(cols, rows, made["repaint"]):
                good = not target_ms or median_ms <= target_ms
                print_row(f"{name}, ms", f"{median_ms:.3f}", "", "", f"≤ {target_ms}" if target_ms else "", good)
    finally:
        for owner in bench.owners:
            owner.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
