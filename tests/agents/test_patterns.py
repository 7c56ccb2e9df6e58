"""Patterns of manifests in Python's spelling."""

from __future__ import annotations

import warnings

import pytest

from signaltty_core.agents.patterns import compile_pattern


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        (r"\x{2800}", "⠀", True),
        (r"^[\x{2800}-\x{28FF}] ", "⠋ x", True),
        (r"^[\x{2800}-\x{28FF}] ", "x x", False),
        (r"\x{1F600}", "😀", True),
        (r"\x41", "A", True),
        (r"\p{L}+", "123é", True),
        (r"\p{Alphabetic}", "42_", False),
        (r"^[\p{L}0-9]+$", "é1", True),
        (r"^[\p{L}0-9]+$", "_", False),
        (r"^[^\p{L}0-9]$", "_", True),
        (r"^[^\p{L}0-9]$", "é", False),
        (r"^[^\p{L}]$", "é", False),
        (r"^[\p{L}]$", "é", True),
        (r"[]a]", "]", True),
        (r"[^]a]", "b", True),
        (r"[\]]\p{L}", "]x", True),
        (r"[[a]", "[", True),
        (r"x\z", "x\n", False),
        (r"x\z", "x", True),
        (r"\\z", r"\z", True),
        (r"(?i)ABC", "xabcx", True),
        (r"(?i:A)B", "aB", True),
    ],
)
def test_a_pattern_finds_what_it_says(source: str, text: str, found: bool) -> None:
    assert bool(compile_pattern(source).search(text)) is found


@pytest.mark.parametrize(
    "source",
    ["(", "[a", "*", r"\p{Greek}", r"\x{110000}", r"\x{}", r"\x{zz}", r"\x{12", "a(?i)b", r"\p\{", "(" * 500, "\\"],
)
def test_a_bad_pattern_is_named(source: str) -> None:
    with pytest.raises(ValueError, match="bad pattern"):
        compile_pattern(source)


def test_what_python_may_mean_one_day_is_no_warning_today() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compile_pattern("[[a]").search("[")
