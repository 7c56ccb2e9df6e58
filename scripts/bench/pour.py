"""Run in a pane: pour a file into the terminal, wait until the terminal has taken it, note the seconds, stay.

Usage: pour.py CAPTURE RESULT. A status request goes out behind the last byte; its answer proves that everything before
it was taken. A cancel in front of it ends whatever the file left unfinished.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty

END = b"\x18\x1b[5n"
ANSWER = b"\x1b[0n"
LIMIT_S = 120.0


def pour(data: bytes) -> float:
    """Seconds until the terminal answered behind the data; negative if it never did."""
    expected = data.count(b"\x1b[5n") + 1
    rest, answers = memoryview(data + END), b""
    began = time.perf_counter()
    while answers.count(ANSWER) < expected:
        readable, writable, _ = select.select([0], [1] if rest else [], [], LIMIT_S)
        if not readable and not writable:
            return -1.0
        if readable:
            answers += os.read(0, 65_536)
        if writable:
            rest = rest[os.write(1, rest[:65_536]) :]
    return time.perf_counter() - began


def main() -> None:
    capture, result = sys.argv[1:]
    with open(capture, "rb") as file:
        data = file.read()
    tty.setraw(0, termios.TCSANOW)
    os.set_blocking(1, False)
    spent_s = pour(data)
    with open(result + ".new", "w") as file:
        file.write(str(spent_s))
    os.rename(result + ".new", result)
    while True:
        time.sleep(1000)


if __name__ == "__main__":
    main()
