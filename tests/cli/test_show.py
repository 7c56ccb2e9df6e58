"""Columns, ages and states as text."""

from __future__ import annotations

import calendar
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptyprocess import PtyProcess

from signaltty_core.cli.show import age, cells_of, cut, state_of, table, wall_seconds

ROOT = Path(__file__).parents[2]


def test_columns_stand_two_blanks_apart_where_there_is_no_terminal() -> None:
    assert table([("a", "long\x1bname"), ("bbb", "")], indent="  ") == ["  a  long\\x1bname", "  bbb"]


@pytest.mark.parametrize(
    ("text", "width", "kept"),
    [("abc", 3, "abc"), ("abcd", 3, "abc"), ("語語", 3, "語"), ("e\u0301x", 1, "e\u0301"), ("", 5, "")],
)
def test_text_is_cut_by_the_cells_it_takes(text: str, width: int, kept: str) -> None:
    assert cut(text, width) == kept
    assert cells_of(kept) <= width


@pytest.mark.parametrize(
    ("passed", "shown"),
    [(0, "0s"), (59, "59s"), (61, "1m1s"), (3600, "1h"), (3661, "1h1m"), (90000, "1d1h"), (-5, "0s")],
)
def test_an_age_has_its_two_greatest_units(passed: int, shown: str) -> None:
    began = wall_seconds("2026-10-09T12:34:56.789Z")
    assert began is not None
    assert age("2026-10-09T12:34:56.789Z", began + passed) == shown


def test_no_time_has_no_age() -> None:
    assert [age(None, 5.0), age("soon", 5.0)] == ["-", "-"]


@given(st.integers(min_value=0, max_value=4_000_000_000))
def test_times_are_read_as_the_calendar_has_them(at: int) -> None:
    text = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
    assert wall_seconds(text) == calendar.timegm(time.gmtime(at)) == at


@pytest.mark.parametrize(
    ("live", "restore_state", "shown"),
    [
        ({"state": "live"}, "LIVE", "blocked"),
        ({"state": "exited", "code": 0}, "EXITED", "exited 0"),
        ({"state": "exited", "code": None, "signal": "KILL"}, "EXITED", "exited KILL"),
        ({"state": "exited", "code": None}, "EXITED", "exited ?"),
        ({"state": "exited", "code": None}, "RESTORED", "restored"),
        ({"state": "exited", "code": None}, "RESUMABLE", "resumable"),
    ],
)
def test_a_state_is_the_lifecycle_or_the_end(live: dict[str, object], restore_state: str, shown: str) -> None:
    assert state_of({"live": live, "restore_state": restore_state, "lifecycle": "blocked"}) == shown


def on_a_terminal(columns: int, environ: dict[str, str]) -> str:
    """What a few rows look like to a person whose terminal is so wide."""
    program = (
        "from signaltty_core.cli.show import table\n"
        "rows = [('pane_1', 'working', 'x' * 50), ('p', 'done', '語語'), ('name', 'idle', 'blocked')]\n"
        "print('\\n'.join(table(rows)))"
    )
    terminal = PtyProcess.spawn(
        [sys.executable, "-c", program], cwd=str(ROOT), env={**os.environ, **environ}, dimensions=(24, columns)
    )
    seen = b""
    try:
        while True:
            seen += terminal.read()
    except EOFError:
        terminal.close()
    return seen.decode().replace("\r\n", "\n")


def test_a_terminal_gets_aligned_columns_cut_to_its_width() -> None:
    assert on_a_terminal(30, {"NO_COLOR": "1"}) == (
        "pane_1  working  xxxxxxxxxxxxx\np       done     語語\nname    idle     blocked\n"
    )


def test_a_terminal_shows_states_in_colour() -> None:
    assert on_a_terminal(40, {"NO_COLOR": ""}) == (
        "pane_1  \x1b[36mworking\x1b[0m  xxxxxxxxxxxxxxxxxxxxxxx\n"
        "p       \x1b[32mdone\x1b[0m     語語\n"
        "name    idle     \x1b[1;33mblocked\x1b[0m\n"
    )


def test_a_state_that_was_cut_has_no_colour() -> None:
    assert on_a_terminal(12, {"NO_COLOR": ""}) == "pane_1  work\np       \x1b[32mdone\x1b[0m\nname    idle\n"
