"""Floods of lines give what the same lines give one by one."""

from __future__ import annotations

import random

import pytest

from signaltty_core.terminal.terminal import Terminal

LINES = {
    "plain": ["line one", "", "two  ", "a longer line that does not fit the row and wraps"],
    "blanks": [" " * 50, "x" + " " * 30, "y"],
    "coloured": ["\x1b[32mgreen\x1b[0m plain", "\x1b[1;31mred", "still red ", "\x1b[m", "\x1b[7m inverse \x1b[27m  "],
    "background inside": ["\x1b[44mblue\x1b[49m none", "plain", "\x1b[44m" + "wrapped " * 5 + "\x1b[49m"],
    "background over the end": ["\x1b[44mblue", "\x1b[0mplain"],
    "wide": ["日本語テキスト", "mixed 文字 and text that wraps around 文字文字文字", "é ─│"],
    "clusters": ["👨\u200d👩\u200d👧 family", "e\u0301\u0301 🇧🇷 ⚠\ufe0f", "\u0301mark first", "e" + "\u0301" * 40],
    "all": ["plain", "\x1b[31m文字\x1b[0m", "🇧🇷\x1b[1m👍🏽 bold and long enough to wrap", "x" * 40, "\x1b[0m"],
}


@pytest.mark.parametrize("ring_lines", [7, 100, 5000])
@pytest.mark.parametrize("lines", LINES.values(), ids=LINES.keys())
def test_a_flood_ends_like_its_lines_one_by_one(lines: list[str], ring_lines: int) -> None:
    choose = random.Random(3)
    data = "\r\n".join(choose.choices(lines, k=300)).encode() + b"\r\nend"
    at_once, in_steps = (Terminal(20, 5, version="1", ring_lines=ring_lines) for _ in range(2))
    at_once.feed(b"\x1b[2;3Hbefore", 0.0)
    in_steps.feed(b"\x1b[2;3Hbefore", 0.0)
    at_once.feed(data, 0.0)
    for at in range(0, len(data), 150):
        in_steps.feed(data[at : at + 150], 0.0)
    assert at_once.read_tail(5000, strip_ansi=False) == in_steps.read_tail(5000, strip_ansi=False)
    assert at_once.read_rendered(0, 5000) == in_steps.read_rendered(0, 5000)
    assert at_once.snapshot() == in_steps.snapshot()
    at_once.resize(33, 9)
    in_steps.resize(33, 9)
    assert at_once.read_tail(5000, strip_ansi=False) == in_steps.read_tail(5000, strip_ansi=False)
