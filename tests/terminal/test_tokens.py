"""Tokens that take several things at once do what each of them does alone."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.terminal import Terminal

OLD = b"\x1b[H" + b"\r\n".join([b"0123456789"] * 4) + b"\x1b[2;4H"
STREAMS = {
    "a row painted over text": b"\x1b[2;1H\x1b[32mabc\x1b[m\x1b[K",
    "a row painted with a background behind it": b"\x1b[2;1H\x1b[44mabc\x1b[K\x1b[m",
    "a row painted and its end taken off": b"\x1b[2;1H\x1b[32mabc\x1b[K\r\nx",
    "a row painted to its end": b"\x1b[2;1H\x1b[32m9876543210\x1b[K",
    "codes and nothing else, then the rest erased": b"\x1b[2;1H\x1b[45m\x1b[K",
    "a longer text over a shorter one": b"\x1b[2K\rab\r\x1b[31mabcd",
    "a shorter text over a longer one": b"\x1b[2K\rabcd\r\x1b[31mab",
    "text far behind other text": b"\x1b[2K\r\x1b[41mab\x1b[K\x1b[m\x1b[2;8Hz",
    "text in the middle": b"\x1b[2K\rabcdef\x1b[2;3H\x1b[1mX\x1b[mY",
    "one character over cells": b"\x1b[@\x1b[2;5Hx\x1b[31my",
    "colours over the end of the row": b"\x1b[31mabc\x1b[32mdefgh\x1b[mijk",
    "a background where a row begins": b"\x1b[4;8Habc\x1b[44md",
    "a background where a row ends": b"\x1b[4;8H\x1b[44mabc\x1b[md",
    "several rows at once": b"\x1b[31m" + b"ab\x1b[32mc" * 12,
    "several rows of several codes at a place": b"\x1b[31m\x1b[1m\x1b[42mx\x1b[m\x1b[7my" * 12,
    "more codes than one token takes": b"\x1b[31m\x1b[1mx" * 450,
    "long parameters": b"\x1b[" + b"0;" * 40 + b"31mx",
    "parameters too long to be any": b"\x1b[" + b"0;" * 600 + b"31mx",
    "a position too long to be one": b"\x1b[" + b"0" * 1030 + b"2;3Hx",
    "moves that end at the margin": b"\x1b[4;9Hab\x1b[90Cx\r\x1b[2C\x1b[9By\x1b[99Gz",
    "a row below a place": b"\x1b[2;3H\r\x1b[4C\x1b[1Bx\x1b[H\r\x1b[9By\x1b[H\r\x1b[2Bz\x1b[H\r\x1b[2Bw",
    "rows below a margin": b"\x1b[H\r\x1b[3Ba\x1b[1;2r\x1b[H\r\x1b[3Bb\x1b[3H\r\x1b[3Bc\x1b[r\x1b[H\r\x1b[3Bd",
    "moves without text": b"\x1b[2;3H\x1b[K\x1b[4G\r\n\x1b[3;9H\x1b[2A\x1b[1D\r\x1b[2C\x1b[1B\x1b[4;4H",
    "known moves in origin mode": b"\x1b[H\r\x1b[1Bv\x1b[2;3r\x1b[?6h\x1b[H\r\x1b[1Bw\x1b[?6l\x1b[H\r\x1b[1Bx",
    "moves within margins": b"\x1b[2;3r\x1b[3;1H\r\x1b[2C\x1b[1Bx\x1b[9Ay",
    "moves in origin mode": b"\x1b[2;3r\x1b[?6h\x1b[1;2Hx\x1b[9;9Hy\x1b[?6l\x1b[1;2Hz",
    "two carriage returns": b"ab\r\r\ncd\r",
    "a wrap that is pending": b"\x1b[2;6Habcde\x1b[Kx\x1b[3;6Habcde\x1b[31m\x1b[K\r\ny",
    "wide characters": "\x1b[2;1H文字\x1b[31m文\x1b[K\x1b[2;2Hx".encode(),
    "wide characters at the margin": "\x1b[2;1H12345678\x1b[31m字\x1b[m字文\x1b[K".encode(),
    "wide characters over wide ones": "\x1b[2;1H文字文字\x1b[@\x1b[2;2H\x1b[31m漢\x1b[2;7Hx".encode(),
    "a cluster behind wide text": "\x1b[2K\r\x1b[1m文👩\x1b[m\u200d👧x".encode(),
    "a cluster that changes what joins": "\x1b[2K\r😀👩 \x1b[3;1H👩\u200d👧\x1b[2;9Hx\x1b[2;3H\x1b[P".encode(),
    "line drawing": b"\x1b(0lq\x1b[31mk\x1b(Bx\x1b[K",
    "insert mode": b"\x1b[4h\x1b[2;3Hxy\x1b[31mz\x1b[4l",
    "no wrapping": b"\x1b[?7l\x1b[2;8H\x1b[31mabc\x1b[32mdef\x1b[K\x1b[?7h",
    "bytes that are no text": b"\x1b[2;1H\x1b[31m\xffab\xe6\x96\x1b[K",
}


def state_of(terminal: Terminal) -> tuple[object, ...]:
    return terminal.cursor, terminal.read_screen(strip_ansi=False), terminal.history_lines(), terminal.snapshot()


@pytest.mark.parametrize("ground", [b"", OLD, b"\x1b[?1049h", b"\x1b[45m\x1b[2J\x1b[m"])
@pytest.mark.parametrize("data", STREAMS.values(), ids=STREAMS.keys())
def test_a_token_is_the_sum_of_its_bytes(data: bytes, ground: bytes) -> None:
    at_once, byte_by_byte = (Terminal(10, 4, version="1") for _ in range(2))
    at_once.feed(ground + data, 0.0)
    for at in range(len(ground + data)):
        byte_by_byte.feed((ground + data)[at : at + 1], 0.0)
    assert state_of(at_once) == state_of(byte_by_byte)


@pytest.mark.parametrize("data", STREAMS.values(), ids=STREAMS.keys())
def test_rows_kept_as_text_and_rows_kept_as_cells_are_the_same(data: bytes) -> None:
    texts, cells = (Terminal(10, 4, version="1") for _ in range(2))
    for at in range(0, len(data), 9):
        texts.feed(data[at : at + 9], 0.0)
        cells.feed(data[at : at + 9], 0.0)
        for row in cells._screen.grid:
            row.settle()
    assert state_of(texts) == state_of(cells)
    assert texts.styled_rows() == cells.styled_rows()
    for terminal in (texts, cells):
        terminal.resize(7, 5)
        terminal.resize(12, 3)
    assert state_of(texts) == state_of(cells)


@pytest.mark.parametrize(
    ("data", "rows", "cursor"),
    [
        (b"\x1b[2;3Hab\x1b[K\r\ncd", ["", "  ab", "cd"], (2, 2)),
        (b"\x1b[31mabcdefgh\x1b[mijklm\x1b[K", ["\x1b[0;31mabcdefgh\x1b[mij", "klm"], (3, 1)),
        (b"ab\x1b[3Gcd\x1b[6Ge\r\x1b[2C\x1b[1Bf", ["abcd e", "  f"], (3, 1)),
        (b"\x1b[1;9H\x1b[44mabc", ["        \x1b[0;44mab\x1b[m", "\x1b[0;44mc\x1b[m"], (1, 1)),
    ],
)
def test_runs_stand_where_they_belong(data: bytes, rows: list[str], cursor: tuple[int, int]) -> None:
    terminal = Terminal(10, 4, version="1")
    terminal.feed(data, 0.0)
    assert (terminal.read_screen(strip_ansi=False).split("\n"), terminal.cursor) == (rows, cursor)
