"""Throw streams at the terminal until the time is up.

Usage: fuzz_terminal.py [--seconds N] [--bytes N] [--seed N] [recording …]

Each stream mixes text, control functions, garbage and pieces of recordings. It must give the same terminal however it
is cut, a snapshot that draws itself again, and no exception; a resize must lose no character. The seed of a failure is
printed; every stream is made from its seed alone and the recordings. A stream may take two seconds and the whole run
may grow by 200 MB, far above what any needs. Streams that failed once are kept, shortened,
in tests/corpus/streams.jsonl.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from signaltty_core.terminal.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = ((1, 1), (2, 3), (5, 2), (10, 5), (20, 24), (80, 24))
STREAM_S = 2.0
GROWTH_BYTES = 200 << 20
NUMBERS = (0, 1, 2, 3, 5, 8, 31, 44, 99)
NUMBERED = [b"\x1b[%%d%c" % final for final in b"mJK@PXLMSTABCDEFGbdZg"] + [b"\x1b[%d;%dH", b"\x1b[%d;%dr"]
PIECES = [
    *(
        b"hello world",
        b"\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b"\b",
        b"\t",
        b"\x0b",
        b"\x18",
        b"\x07",
        b"\x0e",
        b"\x0f",
        b"x" * 100,
    ),
    *(
        text.encode()
        for text in ("あいう", "é", "é\u0301", "👨\u200d👩\u200d👧", "🇧🇷🇩", "⚠\ufe0f", "👍🏽", "─│❯", "한\u1160")
    ),
    *(
        b"\xff\xe3\x81",
        b"\x1b7",
        b"\x1b8",
        b"\x1bM",
        b"\x1bD",
        b"\x1bE",
        b"\x1bH",
        b"\x1b(0",
        b"\x1b(B",
        b"\x1b)0",
        b"\x1bc",
    ),
    *(b"\x1b[?%d%c" % (mode, on) for mode in (6, 7, 25, 47, 1000, 1047, 1048, 1049, 2026) for on in b"hl"),
    *(b"\x1b[4h", b"\x1b[4l", b"\x1b[20h", b"\x1b[20l", b"\x1b[!p", b"\x1b]0;ti", b"\x1b\\", b"\x1b[3\n1m", b"\x1b[6n"),
    *(
        b"\x1b#8",
        b"\x1b]7501;state=idle\x07",
        b"\x1b[38;2;1;2;3m",
        b"\x1b[48;5;9m",
        b"\x1b[0m",
        b"\x1b[7m",
        b"\x1b",
        b"\x1b[",
    ),
    *(b"lqqk", b"\x1b[1;31mred\x1b[0m\r\n", b"a\r\nb\r\n" * 30, b"\x1b[44mz\x1b[0m\r\n" * 60, b"\x1bP+q544e\x1b\\"),
    *(
        b"a long line that goes past the right margin of a small screen " * 3,
        b"\x1b[2 q",
        b"\x1b=",
        b"\x1b]2;",
        b"\x1bPq",
        *("é文字 wide and narrow\r\n".encode() * 55, "👨\u200d👩 → ✓\r\n".encode() * 55),
        "\x1b[32m日本語\x1b[m 한\u1160 \x1b[7m \r\n".encode() * 55,
    ),
]


def make_stream(choose: random.Random, recordings: Sequence[bytes]) -> bytes:
    """Up to 80 pieces."""
    made: list[bytes] = []
    for _ in range(choose.randint(1, 80)):
        kind = choose.random()
        if kind < 0.45:
            made.append(choose.choice(PIECES))
        elif kind < 0.85:
            form = choose.choice(NUMBERED)
            made.append(form % tuple([choose.choice(NUMBERS) for _ in range(form.count(b"%d"))]))
        elif kind < 0.93 or not recordings:
            made.append(choose.randbytes(choose.randint(1, 8)))
        else:
            recording = choose.choice(recordings)
            start = choose.randrange(len(recording))
            made.append(recording[start : start + choose.randint(1, 400)])
    return b"".join(made)


def state_of(terminal: Terminal) -> tuple[object, ...]:
    """All that a reader, a viewer or the program can learn."""
    return (
        terminal.cursor,
        terminal.read_screen(strip_ansi=False),
        terminal.history_lines(),
        terminal.title,
        sorted(terminal.modes),
        terminal.on_alternate,
        terminal.snapshot(),
    )


def check_stream(seed: int, recordings: Sequence[bytes]) -> str | None:
    """What is wrong with the stream of this seed, None if nothing is."""
    choose = random.Random(seed)
    data = make_stream(choose, recordings)
    return check_data(data, choose.choice(SIZES), choose, recordings)


def check_data(data: bytes, size: tuple[int, int], choose: random.Random, recordings: Sequence[bytes]) -> str | None:
    """What is wrong with these bytes on a screen of that size (columns, rows)."""
    cols, rows = size
    whole = Terminal(cols, rows, version="1")
    fed = whole.feed(data, 0.0)
    cut = Terminal(cols, rows, version="1")
    answers, signals, at = [], [], 0
    while at < len(data):
        length = choose.choice((1, 2, 3, 7, 50, 400))
        part = cut.feed(data[at : at + length], 0.0)
        answers += part.answers
        signals += part.signals
        at += length
    # A hold shows the former frame, and which one that is depends on the chunks: compare what comes after it.
    whole.tick(2.0)
    cut.tick(2.0)
    if state_of(whole) != state_of(cut):
        return "cut differs"
    if (answers, signals) != (fed.answers, fed.signals):
        return "answers or signals differ"
    snapshot = whole.snapshot()
    again = Terminal(cols, rows, version="1")
    again.feed(snapshot, 0.0)
    if again.snapshot() != snapshot:
        return "the snapshot's snapshot differs"
    # Half of an erased wide character is read as nothing and drawn as a blank.
    if again.read_screen().replace(" ", "") != whole.read_screen().replace(" ", ""):
        return "the snapshot shows another screen"
    for _ in range(3):
        alternate = whole.on_alternate
        before = characters_of(whole)
        cols, rows = choose.choice(SIZES[1:])
        whole.resize(cols, rows)
        if not alternate and characters_of(whole) != before:
            return "a resize lost characters"
        whole.feed(make_stream(choose, recordings)[:60], 0.0)
        whole.tick(10.0)
    whole.logical_lines("rendered", 10, 2)
    whole.styled_rows()
    return None


def characters_of(terminal: Terminal) -> str:
    """Ring and screen as one text without blanks."""
    return "".join([*terminal.history_lines(), terminal.read_screen()]).replace(" ", "").replace("\n", "")


def fault_of(seed: int, recordings: Sequence[bytes]) -> str | None:
    """As check_stream, with exceptions and slowness as faults."""
    began = time.process_time()
    try:
        fault = check_stream(seed, recordings)
    except Exception:
        return traceback.format_exc()
    spent_s = time.process_time() - began
    return f"took {spent_s:.1f} s" if fault is None and spent_s > STREAM_S else fault


def resident_bytes() -> int:
    """The most memory this process ever used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--bytes", type=int, default=0, help="go on until so many bytes were thrown, whatever the time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("recordings", nargs="*", type=Path)
    options = parser.parse_args()
    recordings = [path.read_bytes() for path in options.recordings]
    seed, end = options.seed, time.monotonic() + options.seconds
    thrown, resident = 0, resident_bytes()
    while thrown < options.bytes if options.bytes else time.monotonic() < end:
        fault = fault_of(seed, recordings)
        if fault is None and resident_bytes() - resident > GROWTH_BYTES:
            fault = "memory grows"
        if fault:
            print(f"seed {seed}: {fault}")
            return 1
        thrown += len(make_stream(random.Random(seed), recordings))
        seed += 1
    print(f"{seed - options.seed} streams, {thrown} bytes, from seed {options.seed} on: nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
