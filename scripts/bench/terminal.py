"""How fast the terminal takes output: MB/s of feed() alone on generated captures, beside pyte's Screen in the same run.

Usage: terminal.py [--size COLSxROWS] [--chunk BYTES] [--rounds N] [--no-pyte] [capture …]

Rounds are interleaved and measured in CPU time, the best of each counts; compare ratios, not figures of two machines.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from signaltty_core.terminal.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES = 1_500_000
# pyte needs seconds for a megabyte; its figure is a mean all the same.
PYTE_BYTES = 100_000
WORDS = ("the", "quick", "brown", "fox", "jumps", "INFO", "request", "served", "in", "ms", "path", "api", "users")
IDEOGRAPHS = "終端機模擬器顯示寬字元測試文字日本語漢字仮名混じり文"
ROOT = Path(__file__).resolve().parent.parent.parent


def captures(cols: int, rows: int) -> dict[str, bytes]:
    """The programs people run, as far as a terminal can tell them apart."""
    choose = random.Random(7)

    def line(length: int) -> str:
        text = ""
        while len(text) < length:
            text += choose.choice(WORDS) + " "
        return text[:length]

    def repeat(make: Callable[[int], str]) -> bytes:
        made: list[str] = []
        size = 0
        while size < BYTES:
            made.append(make(len(made)))
            size += len(made[-1])
        return "".join(made).encode()

    def color_log(n: int) -> str:
        level = choose.choice(("\x1b[32mINFO\x1b[0m", "\x1b[33mWARN\x1b[0m", "\x1b[1;31mERROR\x1b[0m"))
        text = line(choose.randint(5, cols - 50))
        return f"\x1b[2m12:00:{n % 60:02}\x1b[0m {level} \x1b[36mmod{n % 9}\x1b[0m {text} \x1b[35mkey\x1b[0m={n}\r\n"

    def listing(_: int) -> str:
        names = [f"{choose.choice(WORDS):10}" for _ in range(cols // 14)]
        return "  ".join(f"\x1b[01;34m{name}\x1b[0m" if choose.random() < 0.4 else name for name in names) + "\r\n"

    def difference(_: int) -> str:
        form = choose.choice(("\x1b[32m+%s\x1b[m", "\x1b[31m-%s\x1b[m", " %s", " %s"))
        return form % line(choose.randint(10, cols - 5)) + "\r\n"

    def mixed(_: int) -> str:
        return line(10) + choose.choice(("😀", "é", "👨\u200d👩\u200d👧", "✓ done", "naïve", "→")) + line(15) + "\r\n"

    def frame(_: int) -> str:
        painted = ""
        for y in range(1, rows + 1):
            color, sign, text = choose.randint(1, 255), choose.choice("●│❯⏺"), line(choose.randint(5, cols - 10))
            painted += f"\x1b[{y};1H\x1b[38;5;{color}m{sign}\x1b[39m {text}\x1b[K"
        return f"\x1b[?2026h\x1b[H{painted}\x1b[?2026l"

    def scattered(n: int) -> str:
        y, x = choose.randint(1, rows), choose.randint(1, cols - 20)
        return f"\x1b[{y};{x}H\x1b[3{n % 8}m{line(choose.randint(2, 12))}\x1b[0m\x1b[{n % 4 + 1}C{n % 100}"

    found = {
        "yes": repeat(lambda _: "y\r\n"),
        "seq": repeat(lambda n: f"{n}\r\n"),
        "log": repeat(lambda n: f"2026-11-30 12:00:{n % 60:02} {line(choose.randint(20, cols - 25))}\r\n"),
        "color-log": repeat(color_log),
        "ls": repeat(listing),
        "diff": repeat(difference),
        "cjk": repeat(lambda _: "".join(choose.choices(IDEOGRAPHS, k=choose.randint(10, cols // 2))) + "\r\n"),
        "mixed": repeat(mixed),
        "repaint": repeat(frame),
        "dense": repeat(lambda _: f"\x1b[38;5;{choose.randint(0, 255)}m{choose.choice('abcdef#')}"),
        "random-rgb": repeat(
            lambda _: "\x1b[{};{}H\x1b[38;2;{};{};{}m#".format(
                *(choose.randint(1, n) for n in (rows, cols, 255, 255, 255))
            )
        ),
        "scattered": repeat(scattered),
    }
    recordings = b"".join(path.read_bytes() for path in sorted((ROOT / "tests/corpus/terminal").glob("*.bin")))
    if recordings:
        found["claude"] = recordings * (BYTES // len(recordings))
    return found


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
