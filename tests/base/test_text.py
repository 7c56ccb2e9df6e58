"""Sanitised texts, slugs and names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.text import is_pane_name, sanitise, slug, unhidden, visible, without_controls


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("plain", "plain"),
        ("  trimmed\n", "trimmed"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07rest", "rest"),
        ("\x1b]0;title\x1b\\rest", "rest"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b(Bcharset", "charset"),
        ("\x9b31mred", "red"),
        ("\x9d0;title\x9crest", "rest"),
        ("a\x00b\x07c\x7fd\x85e", "abcde"),
        ("right\u202eleft\u2066x\u2069", "rightleftx"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("cut off \x1b[3", "cut off"),
        ("cut off \x1b]0;ti", "cut off"),
        ("\x1b", ""),
        ("lone \ud800 half", "lone ? half"),
        ("日本語 é", "日本語 é"),
    ],
)
def test_what_could_steer_a_terminal_is_taken_out(dirty: str, clean: str) -> None:
    assert sanitise(dirty, 100) == clean


def test_the_cut_counts_clean_characters() -> None:
    assert sanitise("\x1b[1m" * 50 + "abc def", 4) == "abc"


@given(st.text(), st.integers(0, 50))
def test_nothing_forbidden_is_left_whatever_comes(text: str, limit: int) -> None:
    clean = sanitise(text, limit)
    assert len(clean) <= limit
    assert clean == clean.strip()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", clean)
    clean.encode("utf-8")


@given(st.text(), st.integers(0, 50))
def test_a_clean_text_stays_as_it_is(text: str, limit: int) -> None:
    clean = sanitise(text, limit)
    assert sanitise(clean, limit) == clean


def test_control_characters_become_visible() -> None:
    assert visible("a\x1b[0m\n\x9b é") == "a\\x1b[0m\\x0a\\x9b é"


def test_what_reorders_or_hides_its_neighbours_becomes_visible() -> None:
    """Edge case 156."""
    assert visible("rm \u202eyas\u2066\u200b \ufeff日 👩\u200d🔧") == "rm \\u202eyas\\u2066\\u200b \\ufeff日 👩\u200d🔧"


def test_text_of_a_screen_loses_its_controls_alone() -> None:
    assert without_controls("a\x1b[31m\x9bb\u200f\u202ec") == "a\\x1b[31m\\x9bb\u200f\u202ec"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My API!!", "my-api"),
        ("my_api", "my-api"),
        ("  a  b  ", "a-b"),
        ("ÄÖÜ", "ws"),
        ("", "ws"),
        ("---", "ws"),
        ("x" * 40, "x" * 32),
        ("x" * 31 + " y", "x" * 31),
        ("Ünï 7", "n-7"),
    ],
)
def test_a_handle_is_made_of_letters_digits_and_dashes(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text())
def test_a_handle_never_equals_an_id(name: str) -> None:
    assert re.fullmatch("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?", slug(name))


@pytest.mark.parametrize("name", ["a", "worker", "a1", "a-b_c", "z" * 32])
def test_a_pane_name_is_a_lower_case_slug(name: str) -> None:
    assert is_pane_name(name)


@pytest.mark.parametrize("name", ["", "A", "1a", "-a", "_a", "a b", "aB", "z" * 33, "ä", "a\n", "a.b", "ſ"])
def test_anything_else_is_no_pane_name(name: str) -> None:
    assert not is_pane_name(name)


def test_what_the_sanitiser_would_drop_can_be_written_out() -> None:
    assert unhidden("ok \x9d; rm -rf ~; \x9c \x1b]x\x07 \u202e\nnext\té") == (
        "ok \\u009d; rm -rf ~; \\u009c \\u001b]x\\u0007 \\u202e\nnext\té"
    )
