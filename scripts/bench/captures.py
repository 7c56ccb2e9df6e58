"""Output as programs make it, generated: the same bytes in every run, for benchmarks and comparisons."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES = 1_500_000
WORDS = ("the", "quick", "brown", "fox", "jumps", "INFO", "request", "served", "in", "ms", "path", "api", "users")
IDEOGRAPHS = "終端機模擬器顯示寬字元測試文字日本語漢字仮名混じり文"
ROOT = Path(__file__).resolve().parent.parent.parent


def captures(cols: int, rows: int, size_bytes: int = BYTES) -> dict[str, bytes]:
    """The programs people run, as far as a terminal can tell them apart; at least 60 columns."""
    choose = random.Random(7)

    def line(length: int) -> str:
        text = ""
        while len(text) < length:
            text += choose.choice(WORDS) + " "
        return text[:length]

    def repeat(make: Callable[[int], str]) -> bytes:
        made: list[str] = []
        size = 0
        while size < size_bytes:
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

    def ink(_: int) -> str:
        painted = []
        for _y in range(rows - 2):
            form = choose.choice(
                ("", "  {}", "  {}", "\x1b[38;5;{}m●\x1b[39m \x1b[1m{}\x1b[22m {}", "\x1b[2m{}\x1b[22m")
            )
            width = choose.randint(5, cols - 30)
            if "●" in form:
                painted.append(form.format(choose.randint(1, 255), line(choose.randint(5, 20)), line(width)))
            else:
                painted.append(form.format("─" * (cols - 1) if "2m" in form else line(width)))
        return "\x1b[2K\x1b[1A" * (rows - 3) + "\x1b[2K\x1b[G" + "\r\n".join(painted)

    def scattered(n: int) -> str:
        y, x = choose.randint(1, rows), choose.randint(1, cols - 20)
        return f"\x1b[{y};{x}H\x1b[3{n % 8}m{line(choose.randint(2, 12))}\x1b[0m\x1b[{n % 4 + 1}C{n % 100}"

    def meters(n: int) -> str:
        painted = ""
        for y in range(1, rows - 1):
            used, name = choose.randint(1, 30), choose.choice(WORDS)
            painted += (
                f"\x1b[{y};1H\x1b[36m{n % 999:5} \x1b[1m{name:9}\x1b[0m\x1b[32m{'|' * used}\x1b[90m{'.' * (30 - used)}"
            )
            painted += f"\x1b[39m {used / 3:4.1f}\x1b[34m%\x1b[m\x1b[K"
        return painted + f"\x1b[{rows};1H\x1b[30;46mF1Help F2Setup\x1b[m\x1b[K"

    def editor(n: int) -> str:
        last, word = rows - 1, choose.choice(WORDS)
        scrolled = f"\x1b[1;{last}r\x1b[{last};1H\r\n\x1b[1;{rows}r\x1b[{last};1H"
        moved = scrolled if n % 3 else f"\x1b[{choose.randint(1, last)};1H"
        code = f"\x1b[33m{n % 1000:4} \x1b[35mdef\x1b[m {word}(\x1b[36m{choose.choice(WORDS)}\x1b[m):\x1b[K"
        foot = f"\x1b[{rows};1H\x1b[1m-- INSERT --\x1b[m\x1b[{rows};{cols - 12}H{n % 99},1"
        return f"\x1b[?25l{moved}{code}{foot}\x1b[?25h"

    found = {
        "yes": repeat(lambda _: "y\r\n"),
        "seq": repeat(lambda n: f"{n}\r\n"),
        "log": repeat(lambda n: f"2026-11-30 12:00:{n % 60:02} {line(choose.randint(20, cols - 25))}\r\n"),
        "color-log": repeat(color_log),
        "ls": repeat(listing),
        "diff": repeat(difference),
        "cjk": repeat(lambda _: "".join(choose.choices(IDEOGRAPHS, k=choose.randint(10, cols // 2))) + "\r\n"),
        "mixed": repeat(mixed),
        "ink": repeat(ink),
        "repaint": repeat(frame),
        "htop": repeat(meters),
        "vim": repeat(editor),
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
        found["claude"] = recordings * max(size_bytes // len(recordings), 1)
    return found
