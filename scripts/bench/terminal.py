"""How fast the terminal takes output: MB/s of feed() alone on generated captures, beside pyte's Screen in the same run.

Usage: terminal.py [--size COLSxROWS] [--chunk BYTES] [--rounds N] [--no-pyte] [capture …]

Rounds are interleaved and measured in CPU time, the best of each counts; compare ratios, not figures of two machines.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.captures import captures
from signaltty_core.terminal.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

# pyte needs seconds for a megabyte; its figure is a mean all the same.
PYTE_BYTES = 100_000


def megabytes_per_s(feed: Callable[[bytes], object], data: bytes, chunk: int) -> float:
    started = time.process_time()
    for at in range(0, len(data), chunk):
        feed(data[at : at + chunk])
    return len(data) / max(time.process_time() - started, 1e-9) / 1e6


def ours(cols: int, rows: int) -> Callable[[bytes], object]:
    terminal = Terminal(cols, rows, version="0")
    return lambda data: terminal.feed(data, 0.0)


def pytes(cols: int, rows: int) -> Callable[[bytes], object]:
    import pyte

    stream = pyte.ByteStream(pyte.Screen(cols, rows))

    def feed(data: bytes) -> None:
        nonlocal stream
        try:
            stream.feed(data)
        except Exception:  # it raises on ordinary sequences and loses the rest of the chunk
            stream = pyte.ByteStream(stream.listener)

    return feed


def read_times(cols: int, rows: int, repaints: bytes) -> list[tuple[str, float, float]]:
    """What readers wait for after each frame of a program that repaints: (name, median in ms, target or 0)."""
    end = b"\x1b[?2026l"
    terminal = Terminal(cols, rows, version="0")
    reads: list[tuple[str, Callable[[], object], float]] = [
        ("screen as text, first read after a change", terminal.read_screen, 0.1),
        ("screen as text, read again", terminal.read_screen, 0.1),
        ("styled rows", terminal.styled_rows, 0.5),
        ("snapshot for a viewer", terminal.snapshot, 0.0),
    ]
    taken: dict[str, list[float]] = {name: [] for name, _, _ in reads}
    for frame in repaints.split(end)[:200]:
        terminal.feed(frame + end, 0.0)
        for name, read, _ in reads:
            began = time.perf_counter()
            read()
            taken[name].append((time.perf_counter() - began) * 1000)
    small = cols * rows <= 80 * 24  # the targets are for that size
    return [(name, statistics.median(taken[name]), target if small else 0.0) for name, _, target in reads]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--chunk", type=int, default=65_536)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-pyte", action="store_true")
    parser.add_argument("captures", nargs="*")
    options = parser.parse_args()
    cols, rows = (int(number) for number in options.size.split("x"))
    print(f"{options.size}, chunks of {options.chunk} bytes, MB/s")
    for name, data in captures(cols, rows).items():
        if options.captures and name not in options.captures:
            continue
        best, peer = 0.0, 0.0
        for _ in range(options.rounds):
            best = max(best, megabytes_per_s(ours(cols, rows), data, options.chunk))
            if not options.no_pyte:
                peer = max(peer, megabytes_per_s(pytes(cols, rows), data[:PYTE_BYTES], options.chunk))
        print(f"{name:12}{best:8.1f}" + (f"{peer:8.2f}{best / peer:8.1f} x pyte" if peer else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
