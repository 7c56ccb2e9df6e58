"""Styles: one object for each set of attributes, however many sequences led there."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.lines import split_codes
from signaltty_core.terminal.rows import Row, encode
from signaltty_core.terminal.styles import INTERNED, Styles, draw_parts


def test_what_is_remembered_is_bounded_and_looks_the_same_afterwards() -> None:
    styles = Styles()
    before = styles.of(("31", "", 1, False))
    for number in range(INTERNED + 10):
        styles.of((f"38;2;{number & 255};{number >> 8};1", "", 0, False))["x"]
    after = styles.of(("31", "", 1, False))
    assert after is not before
    assert (after.code, after.look) == (before.code, before.look)
    assert encode(Row.of([before["a"], after["b"]], styles.plain, 7), styles.plain) == "\x1b[0;1;31mab\x1b[m"


@pytest.mark.parametrize(
    "codes",
    [
        ["\x1b[31m"],
        ["\x1b[31m", "\x1b[1m", "\x1b[m"],
        ["\x1b[1m", "\x1b[38;5;9m", "\x1b[44m", "\x1b[39m"],
        ["\x1b[31m", "\x1b[32m"] * 8,
        ["\x1b[31m", "\x1b[0;7m"] * 8,
    ],
)
def test_sequences_lead_to_one_style_in_one_step_or_in_many(codes: list[str]) -> None:
    styles = Styles()
    step = styles.plain
    for code in codes:
        step = step.after(code)
    assert styles.plain.along("".join(codes), codes) is step
    assert styles.plain.along("".join(codes), codes) is step
    assert styles.plain.over(codes) is step


def test_wide_characters_take_two_cells() -> None:
    styles = Styles()
    styles.wide.add("文")
    red = styles.plain.after("\x1b[31m")
    cells = draw_parts(split_codes("a\x1b[31m文b"), styles.plain)
    assert cells == [styles.plain["a"], red["文"], red[""], red["b"]]
