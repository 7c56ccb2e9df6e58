"""Attributes."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.sgr import PLAIN, effect_of, look_after, parameters_of


@pytest.mark.parametrize(
    ("parameters", "again"),
    [
        ("", ""),
        ("1;3;4;31;42", "0;1;3;4;31;42"),
        ("1;2;22;9;29;53;55", ""),
        ("38;5;9;48;5;010", "0;38;5;9;48;5;10"),
        ("38;2;1;2;3", "0;38;2;1;2;3"),
        ("48;2;255;0;0;1", "0;1;48;2;255;0;0"),
        ("38:2::255:0:0", "0;38;2;255;0;0"),
        ("38:2:255:0:0;1", "0;1;38;2;255;0;0"),
        ("48:5:7", "0;48;5;7"),
        ("4:3", "0;4"),
        ("4:2;4:0", ""),
        ("21", "0;21"),
        ("38;5", ""),
        ("38;5;256;1", "0;1"),
        ("38;2;1;2", ""),
        ("58;2;1;2;3;7", "0;7"),
        ("58:2::1:2:3;7", "0;7"),
        ("31;39;41;49;99", ""),
        ("6", "0;5"),
        ("1;;3", "0;3"),
        ("97;107", "0;97;107"),
    ],
)
def test_parameters_make_a_look_that_is_written_back(parameters: str, again: str) -> None:
    assert parameters_of(look_after(PLAIN, effect_of(parameters))) == again


def test_a_look_changes_only_where_the_parameters_say() -> None:
    look = ("31", "42", 1 | 8, True)
    assert look_after(look, effect_of("22;7")) == ("31", "42", 8 | 32, True)
    assert look_after(look, effect_of("0")) == ("", "", 0, True)
    assert look_after(look, effect_of("38;2;9;9;9")) == ("38;2;9;9;9", "42", 1 | 8, True)
