"""Text of all kinds stands the same however its bytes arrive."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.terminal import Terminal

TEXTS = [
    "a👨\u200d👩\u200d👧b",
    "a 👨\u200d👩\u200d👧 👩\u200d👧 👩",
    "⚠\ufe0f ok → ✓ ⚠\ufe0f",
    "ae\u0301\u0302x\u0301y",
    "a\u0301",
    "e" + "\u0301" * 40 + "x",
    "w 한\u1160x 한\u1160",
    "a🇧🇷🇩🇪🇫 x🇧y🇷",
    "x\u200d👩y\u200d👩",
    "naïve → 文字 ✓",
]


def test_the_place_where_a_wide_character_did_not_fit_stays_empty() -> None:
    terminal = Terminal(2, 3, version="1")
    terminal.feed("文\x1b[Hx文\x1b[Hy".encode(), 0.0)
    assert terminal.read_screen(strip_ansi=False) == "y\n文"


@pytest.mark.parametrize("cols", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("text", TEXTS)
def test_clusters_are_the_same_in_one_piece_and_in_many(text: str, cols: int) -> None:
    data = (text + "\r\n" + text).encode()
    at_once, byte_by_byte = (Terminal(cols, 30, version="1") for _ in range(2))
    at_once.feed(data, 0.0)
    for at in range(len(data)):
        byte_by_byte.feed(data[at : at + 1], 0.0)
    assert at_once.cursor == byte_by_byte.cursor
    assert at_once.styled_rows() == byte_by_byte.styled_rows()
    assert at_once.snapshot() == byte_by_byte.snapshot()
