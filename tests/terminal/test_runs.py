"""Styled rows: runs of equal attributes, from rows kept as text and from rows kept as cells."""

from __future__ import annotations

import pytest

from signaltty_core.terminal.lines import split_codes
from signaltty_core.terminal.rows import Row
from signaltty_core.terminal.runs import runs_of
from signaltty_core.terminal.styles import Styles

RED = {"text": "b", "fg": "31"}


@pytest.mark.parametrize(
    ("raw", "runs"),
    [
        ("", []),
        ("a  ", [{"text": "a"}]),
        ("a\x1b[31mb\x1b[m  ", [{"text": "a"}, RED]),
        ("a\x1b[31mb\x1b[m \x1b[39m ", [{"text": "a"}, RED]),
        ("a\x1b[31m\x1b[mc\x1b[31mb", [{"text": "ac"}, RED]),
        ("\x1b[7m  ", [{"text": "  ", "inverse": True}]),
    ],
)
def test_text_and_cells_give_the_same_runs(raw: str, runs: list[dict[str, object]]) -> None:
    styles = Styles()
    parts = split_codes(raw)
    row = Row(9, styles.plain)
    row.start_anew(raw, len("".join(parts[::2])), styles.plain.over(parts[1::2]), 3)
    assert runs_of(row, styles.plain) == runs
    row.settle()
    assert runs_of(row, styles.plain) == runs
