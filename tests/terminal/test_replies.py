"""What programs are answered."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.terminal import Terminal


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        (b"\x1b[0c", [b"\x1b[?62;22c"]),
        (b"\x1b[>c\x1b[>0c", [b"\x1b[>1;10;0c"] * 2),
        (b"\x1b[>0q", [b"\x1bP>|signaltty 0.0.0\x1b\\"]),
        (b"\x1b[5n", [b"\x1b[0n"]),
        (b"ab\r\ncd\x1b[6n", [b"\x1b[2;3R"]),
        (b"x" * 20 + b"\x1b[6n", [b"\x1b[1;20R"]),
        (b"\x1b[2;4r\x1b[?6h\x1b[2;5H\x1b[6n", [b"\x1b[2;5R"]),
        (b"\x1b]10;?\x1b\\", [b"\x1b]10;rgb:cccc/cccc/cccc\x1b\\"]),
        (
            b"\x1b[?u\x1b[>5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[<u\x1b[?u",
            [b"\x1b[?0u", b"\x1b[?5u", b"\x1b[?7u", b"\x1b[?0u"],
        ),
        (b"\x1b[>5u\x1b[?1049h\x1b[?u\x1b[?1049l\x1b[?u", [b"\x1b[?0u", b"\x1b[?5u"]),
        (b"\x1b[>5u\x1b[!p\x1b[?u", [b"\x1b[?0u"]),
        (b"\x1b[>5u\x1bc\x1b[?u", [b"\x1b[?0u"]),
        (b"\x1b[?2026$p\x1b[?2026h\x1b[?2026$p", [b"\x1b[?2026;2$y", b"\x1b[?2026;1$y"]),
        (
            b"\x1b[?7$p\x1b[?1049$p\x1b[?1016$p\x1b[?31337$p",
            [b"\x1b[?7;1$y", b"\x1b[?1049;2$y", b"\x1b[?1016;2$y", b"\x1b[?31337;0$y"],
        ),
        (b"\x1b[18t", [b"\x1b[8;4;20t"]),
        (b"\x1b]7501; ?\t\x07", [b"\x1b]7501;?\x07"]),
        (b"\x1bP$qm\x1b\\\x1b[14t\x1b[?6n\x1b]4;1;?\x07\x1b]12;?\x07\x1b]52;c;?\x07\x1b[1c\x1b[5;5n\x1b[21t", []),
        (b"\x1b]7501;?\x18\x1b]11;?\x1b[5\x18n", []),
    ],
)
def test_a_query_has_one_answer(query: bytes, answers: list[bytes]) -> None:
    for size in (len(query), 1):
        terminal = Terminal(20, 4, version="0.0.0")
        given: list[bytes] = []
        for at in range(0, len(query), size):
            given += terminal.feed(query[at : at + size], 0.0).answers
        assert given == answers
        assert terminal.read_screen().strip("abcdxn\n") == ""


def test_a_viewers_colours_replace_the_defaults() -> None:
    terminal = Terminal(20, 4, version="1")
    terminal.set_colors("ffff/ffff/ffff", "1111/2222/3333")
    assert terminal.feed(b"\x1b]10;?\x07\x1b]11;?\x07", 0.0).answers == [
        b"\x1b]10;rgb:ffff/ffff/ffff\x07",
        b"\x1b]11;rgb:1111/2222/3333\x07",
    ]
