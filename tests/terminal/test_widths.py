"""Widths and clusters."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.widths import clusters, is_pictograph, width_of


@pytest.mark.parametrize(
    ("character", "width"),
    [
        ("a", 1),
        ("é", 1),
        ("\u0301", 0),
        ("文", 2),
        ("👍", 2),
        ("🏽", 2),
        ("🇧", 2),
        ("─", 1),
        ("\u200d", 0),
        ("\x9b", -1),
    ],
)
def test_a_character_takes_so_many_cells(character: str, width: int) -> None:
    assert width_of(character) == width


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ae\u0301", [("a", 1), ("e\u0301", 1)]),
        ("👨\u200d👩\u200d👧|", [("👨\u200d👩\u200d👧", 2), ("|", 1)]),
        ("🇧🇷🇩x", [("🇧🇷", 2), ("🇩", 2), ("x", 1)]),
        ("⚠\ufe0f|", [("⚠\ufe0f", 1), ("|", 1)]),
        ("क\u094d\u200dष", [("क\u094d\u200d", 1), ("ष", 1)]),
        ("\u0301a\x9b", [("a", 1)]),
    ],
)
def test_text_is_cut_into_clusters(text: str, found: list[tuple[str, int]]) -> None:
    assert clusters(text) == found


def test_pictographs_are_told_from_text_and_box_drawing() -> None:
    assert [is_pictograph(character) for character in "♂✓→⏺👧"] == [True] * 5
    assert [is_pictograph(character) for character in "a文─█❰\u200d"[:4]] == [False] * 4
