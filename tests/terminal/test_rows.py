"""Rows as cells and as text."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.lines import Soft, decode, plain_line, strip_line
from signaltty_core.terminal.rows import Row, encode, mend, text_of
from signaltty_core.terminal.styles import Styles


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


def test_text_that_is_written_on_needs_no_cells() -> None:
    styles = Styles()
    row = Row(8, styles.plain)
    red = styles.plain.after("\x1b[31m")
    row.start_anew("a\x1b[31mb", 2, red, 3)
    row.pad(4)
    row.raw += "c"
    row.width = 5
    assert (text_of(row), encode(row, styles.plain), row.width) == ("ab  c", "a\x1b[31mb\x1b[m  c", 5)
    cells = [styles.plain["a"], red["b"], *map(styles.plain.__getitem__, "  c   ")]
    assert (row.copy().cells, row.cells, row.width) == (cells, cells, -1)
    assert (text_of(row), encode(row, styles.plain)) == ("ab  c", "a\x1b[0;31mb\x1b[m  c")


def test_blanks_behind_the_text_keep_their_background() -> None:
    styles = Styles()
    row = Row(4, styles.plain.after("\x1b[44m"))
    row.start_anew("a", 1, styles.plain, 1)
    assert (text_of(row), encode(row, styles.plain)) == ("a", "a\x1b[0;44m   \x1b[m")
