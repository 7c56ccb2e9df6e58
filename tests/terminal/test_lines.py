"""Lines have one form for readers, however a program wrote them."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.lines import Soft, sgr_line, strip_line
from signaltty_core.terminal.styles import Styles


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "\x1b[0;31mred\x1b[m"),
        ("\x1b[31m\x1b[1mboth\x1b[39mbold", "\x1b[0;1;31mboth\x1b[0;1mbold\x1b[m"),
        ("\x1b[31m\x1b[mno colour", "no colour"),
        ("a\x1b[31m\x1b[39mb", "ab"),
        ("\x1b[7mx\x1b[m   ", "\x1b[0;7mx\x1b[m"),
        ("\x1b[7mx  ", "\x1b[0;7mx  \x1b[m"),
        ("\x1b[0;1m\x1b(0lqk\x1b(B\x1b[m", "\x1b[0;1mlqk\x1b[m"),
    ],
)
def test_a_line_is_shown_in_its_shortest_form(line: str, shown: str) -> None:
    plain = Styles().plain
    assert sgr_line(line, plain) == shown
    assert sgr_line(shown, plain) == shown
    assert strip_line(line) == strip_line(shown)


def test_a_line_that_goes_on_keeps_its_blanks() -> None:
    assert sgr_line(Soft("\x1b[1mx\x1b[m  "), Styles().plain) == "\x1b[0;1mx\x1b[m  "
