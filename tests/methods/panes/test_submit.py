"""What may be pasted into an agent's prompt box (tasks-and-git §3)."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.methods.panes.submit import check_text

MOST = "é" * 16_384  # 32,768 bytes


@pytest.mark.parametrize("text", ["x", "one\n\ttwo\r\nthree", " ", MOST])
def test_text_with_tabs_and_line_breaks_is_pasted_as_it_is(text: str) -> None:
    assert check_text(text) == text


@pytest.mark.parametrize("end", ["\n", "\r\n\r\n"])
def test_line_breaks_at_the_end_are_left_out(end: str) -> None:
    assert check_text(f"do it\nwell{end}") == "do it\nwell"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must not be empty"),
        ("\n\r\n", "must not be empty"),
        (MOST + "x", "32769 bytes; at most 32768"),
        ("a\x1b[200~b", "holds a marker of bracketed paste"),
        ("a\x1b[201~b", "holds a marker of bracketed paste"),
        ("a\x1bb", "holds a control character other than tab and line breaks"),
        ("a\x7fb", "holds a control character other than tab and line breaks"),
        ("a\x9bb", "holds a control character other than tab and line breaks"),
        ("\ud800", "holds half a character"),
    ],
)
def test_what_would_not_arrive_as_it_is_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadParams) as caught:
        check_text(text)
    assert (caught.value.message, caught.value.details) == (f"text: {reason}", {"path": "text"})
