"""A second opinion: the same streams through our terminal and through tmux, compared cell by cell.

Usage: vt_oracle.py [--size COLSxROWS] [--streams N] [--seed N] [--show N] [recording …]

Compared are the history's and the screen's text, colours and attributes of everything that is not blank, the cursor,
and which screen is shown. The generated captures, the recordings and streams of random control functions are tried.
tmux is no judge of everything: what is known to differ on purpose is not generated (see PIECES). It gates nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.bench.captures import captures  # noqa: E402
from scripts.bench.pour import END  # noqa: E402
from signaltty_core.terminal.rows import encode  # noqa: E402
from signaltty_core.terminal.sgr import PLAIN, Look, effect_of, look_after  # noqa: E402
from signaltty_core.terminal.terminal import Terminal  # noqa: E402

LIMIT_S = 30.0
HISTORY = 50_000
CAPTURE_BYTES = 60_000
LEAST_COLS = 60  # narrower ones hold no line of the generated captures
NUMBERS = (0, 1, 2, 3, 5, 8, 31, 99)
# Left out, since tmux 3.3a differs from xterm there, or from what we promise: clusters of several code points, bytes
# that are no UTF-8, BS at the start of a wrapped row, REP behind anything but ASCII or past the row's end, the column
# after IL and DL, ED 2 and ED 0 at home (they fill tmux's history), margins below the top row (the same), their default
# written as 0, erasing from within a wide character, inserting while a wrap is pending or more than a row holds.
NUMBERED = [b"\x1b[%%d%c" % final for final in b"PXSTABCDEFGdZm"]
NUMBERED += [b"\x1b[%d;%dH", b"\x1b[%d;%dH", b"\x1b[1;%dr", b"\x1b[%d;9H\x1b[J"]
NUMBERED += [b"\r\x1b[%dK", b"\r\x1b[%dL", b"\r\x1b[%dM", b"\r\nab\x1b[%d;3X\x1b[9@\x1b[2@"]
PIECES = [
    *(b"hello world", b"\x1b[1J", b"\x1b[3J", b"\rab\x1b[3b"),
    b"x" * 100,
    b"a long line that goes past the right margin " * 3,
    "あいう日本語".encode(),
    "é─│❯".encode(),
    *(b"\r\n", b"\r\n", b"\n", b"\r", b"\rx\b", b"\t", b"\x1bM", b"\x1bD", b"\x1bE", b"\x1bH", b"\x1b[g"),
    *(b"\x1b[?6h", b"\x1b[?6l", b"\x1b[?7l", b"\x1b[?7h", b"\r\x1b[4hab\x1b[4l", b"\x1b[?1049h", b"\x1b[?1049l"),
    *(b"\x1b[38;2;1;2;3m", b"\x1b[48;5;9m", b"\x1b[0m", b"\x1b[1;31m", b"\x1b[38:5:7m", b"\x1b[4:2m", b"\x1b[m"),
    *(b"\x1b7", b"\x1b8", b"\x1b(0lqqk\x1b(B", b"\x1b]0;title\x07", b"\x1bPq\x1b\\", b"\x1b_x\x1b\\"),
]
Cell = tuple[str, Look]
_PARTS = re.compile("\x1b\\[([0-9;:]*)m|([\x0e\x0f])|([^\x1b\x0e\x0f])|\x1b\\][^\x1b]*\x1b\\\\").findall
_DRAWN = dict(zip("`abcdefghijklmnopqrstuvwxyz{|}~", "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))


class Shown:
    """What one terminal makes of a stream."""

    def __init__(self, text: str, state: str) -> None:
        self.rows = _rows_of(text)
        self.state = state


def _rows_of(text: str) -> list[list[Cell]]:
    """Rows of (character, attributes) without blanks at their ends; attributes of blanks do not count."""
    rows: list[list[Cell]] = []
    look, drawing = PLAIN, False
    for line in text.split("\n"):
        row: list[Cell] = []
        for parameters, shift, character in _PARTS(line):
            if character:
                shown = _DRAWN.get(character, character) if drawing else character
                row.append((shown, PLAIN if shown == " " else look))
            elif shift:
                drawing = shift == "\x0e"
            else:
                look = look_after(look, effect_of(parameters))
        while row and row[-1][0] == " ":
            row.pop()
        rows.append(row)
    while rows and not rows[-1]:
        rows.pop()
    return rows


class Tmux:
    """A server of our own with one window per stream."""

    def __init__(self, folder: Path, cols: int, rows: int) -> None:
        self.folder = folder
        self.size = (cols, rows)
        self.count = 0
        config = folder / "tmux.conf"
        config.write_text(f"set -g status off\nset -g history-limit {HISTORY}\nset -g default-size {cols}x{rows}\n")
        self._words = ["tmux", "-u", "-L", "oracle", "-f", str(config)]
        self._env = {**os.environ, "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
        self.run("new-session", "-d", "-x", str(cols), "-y", str(rows), "sleep 100000")

    def run(self, *words: str) -> str:
        done = subprocess.run([*self._words, *words], env=self._env, check=True, capture_output=True)
        return done.stdout.decode("utf-8", "replace")

    def show(self, data: bytes) -> Shown:
        self.count += 1
        capture, result = self.folder / "capture", self.folder / f"result{self.count}"
        capture.write_bytes(data)
        command = f"exec {sys.executable} -SE {ROOT}/scripts/bench/pour.py {capture} {result}"
        window = self.run("new-window", "-d", "-P", "-F", "#{window_id}", command).strip()
        end = time.monotonic() + LIMIT_S
        while not result.exists():
            if time.monotonic() > end:
                raise SystemExit("vt_oracle.py: tmux did not answer")
            time.sleep(0.002)
        text = self.run("capture-pane", "-pe", "-S", "-", "-t", window)
        state = self.run("display", "-p", "-t", window, "#{cursor_x} #{cursor_y} #{alternate_on}").strip()
        self.run("kill-window", "-t", window)
        return Shown(text, state)


def show_ours(data: bytes, cols: int, rows: int) -> Shown:
    terminal = Terminal(cols, rows, version="0", ring_lines=HISTORY + rows)
    terminal.feed(data + END, 0.0)
    terminal.finish()
    screen = terminal._screen
    lines = [*screen.history.lines, *[encode(row, screen.styles.plain) for row in screen.grid]]
    text = "\n".join(lines).replace("\x1b(0", "\x0e").replace("\x1b(B", "\x0f")
    x, y = terminal.cursor
    return Shown(text, f"{min(x, cols)} {y} {int(terminal.on_alternate)}")


def difference(ours: Shown, theirs: Shown) -> str:
    """Where the two part, empty if they agree."""
    if ours.rows != theirs.rows:
        if len(ours.rows) != len(theirs.rows):
            return f"{len(ours.rows)} rows, tmux {len(theirs.rows)}"
        at = next(at for at, (one, other) in enumerate(zip(ours.rows, theirs.rows, strict=True)) if one != other)
        one, other = ours.rows[at], theirs.rows[at]
        if [cell[0] for cell in one] != [cell[0] for cell in other]:
            return f"row {at}: {''.join(c for c, _ in one)!r}, tmux {''.join(c for c, _ in other)!r}"
        x = next(x for x, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
        return f"row {at}, character {x}: {one[x]}, tmux {other[x]}"
    return "" if ours.state == theirs.state else f"cursor and screen {ours.state}, tmux {theirs.state}"


def make_pieces(choose: random.Random) -> list[bytes]:
    made = []
    for _ in range(choose.randint(1, 25)):
        form = choose.choice(PIECES if choose.random() < 0.6 else NUMBERED)
        numbers = NUMBERS[1:] if form.endswith(b"r") else NUMBERS  # tmux takes no 0 for a margin's default
        made.append(form % tuple([choose.choice(numbers) for _ in range(form.count(b"%d"))]))
    return made


def shorten(pieces: list[bytes], tmux: Tmux) -> bytes:
    """A shorter stream that still differs."""
    size = len(pieces) // 2
    while size:
        at = 0
        while at < len(pieces):
            shorter = pieces[:at] + pieces[at + size :]
            data = b"".join(shorter)
            if difference(show_ours(data, *tmux.size), tmux.show(data)):
                pieces = shorter
            else:
                at += size
        size //= 2
    return b"".join(pieces)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=3, help="differences that are shortened and shown")
    parser.add_argument("recordings", nargs="*", type=Path)
    options = parser.parse_args()
    if shutil.which("tmux") is None:
        print("vt_oracle.py: tmux is missing: apt install tmux")
        return 0
    cols, rows = (int(number) for number in options.size.split("x"))
    cases = captures(cols, rows, CAPTURE_BYTES) if cols >= LEAST_COLS else {}
    cases.update((path.stem, path.read_bytes()) for path in options.recordings)
    for seed in range(options.seed, options.seed + options.streams):
        cases[f"seed {seed}"] = b"".join(make_pieces(random.Random(seed)))
    folder = Path(tempfile.mkdtemp(prefix="stt-oracle-", dir="/tmp"))
    tmux = Tmux(folder, cols, rows)
    differing = 0
    try:
        for name, data in cases.items():
            found = difference(show_ours(data, cols, rows), tmux.show(data))
            if found:
                differing += 1
                print(f"{name}: {found}", flush=True)
                if name.startswith("seed") and options.show > 0:
                    options.show -= 1
                    pieces = make_pieces(random.Random(int(name.split()[1])))
                    short = shorten(pieces, tmux)
                    rest = difference(show_ours(short, cols, rows), tmux.show(short))
                    print(f"    {short!r}: {rest}", flush=True)
        print(f"{options.size}: {len(cases) - differing} of {len(cases)} streams agree")
    finally:
        tmux.run("kill-server")
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
