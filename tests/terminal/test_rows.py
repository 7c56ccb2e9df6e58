"""Styles, cells and lines."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.lines import Soft, decode, plain_line, strip_line
from signaltty_core.terminal.rows import Row, encode, mend
from signaltty_core.terminal.styles import INTERNED, Styles


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain",
        "a \x1b[0;31mred\x1b[m b",
        "\x1b[0;1m\x1b(0lqk\x1b(B\x1b[m",
        "文e\u0301👨\u200d👩",
        "\x1b[0;44m  \x1b[m",
    ],
)
def test_a_line_becomes_cells_and_the_same_line_again(line: str) -> None:
    styles = Styles()
    row = Row.of(decode(line, styles) + [styles.plain.blank] * 3, styles.plain, 7)
    assert encode(row, styles.plain) == line


def test_a_wrapped_row_keeps_its_blanks() -> None:
    styles = Styles()
    row = Row.of(decode("ab", styles) + [styles.plain.blank] * 2, styles.plain)
    row.wrapped = True
    line = encode(row, styles.plain)
    assert (line, type(line), strip_line(line), plain_line(line)) == ("ab  ", Soft, "ab", "ab  ")


def test_half_of_a_wide_character_is_never_left_behind() -> None:
    styles = Styles()
    cells = decode("文字x", styles)
    mend(cells, 1, 3)
    assert "".join(cell[0] or "~" for cell in cells) == " ~字 x"[:2] + "字 x"


def test_what_is_remembered_is_bounded_and_looks_the_same_afterwards() -> None:
    styles = Styles()
    before = styles.of(("31", "", 1, False))
    for number in range(INTERNED + 10):
        styles.of((f"38;2;{number & 255};{number >> 8};1", "", 0, False))["x"]
    after = styles.of(("31", "", 1, False))
    assert after is not before
    assert (after.code, after.look) == (before.code, before.look)
    assert encode(Row.of([before["a"], after["b"]], styles.plain, 7), styles.plain) == "\x1b[0;1;31mab\x1b[m"
