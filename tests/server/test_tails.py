"""Saved tails: the newest state wins, and tidying up takes nothing that is being written."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from signaltty_core.host import files
from signaltty_core.server.tails import Tails


def saved(state: Path) -> list[str]:
    return sorted(os.listdir(state / files.HISTORY))


def test_a_state_taken_earlier_does_not_replace_a_later_one(tmp_path: Path) -> None:
    tails = Tails(str(tmp_path))
    early, late = tails.number(), tails.number()
    tails.write(late, "pane_1", b"late\n", None, 80, 24)
    tails.write(early, "pane_1", b"early\n", None, 80, 24)
    assert files.read_tail(str(tmp_path), "pane_1") == b"late\n"


def test_of_several_states_one_that_cannot_be_written_stops_no_other(tmp_path: Path) -> None:
    tails = Tails(str(tmp_path))
    (tmp_path / files.HISTORY / "pane_2.tail").mkdir(parents=True)
    with pytest.raises(OSError):
        tails.write_all([(tails.number(), f"pane_{number}", b"x", None, 80, 24) for number in (1, 2, 3)])
    assert [files.read_tail(str(tmp_path), pane_id) for pane_id in ("pane_1", "pane_3")] == [b"x", b"x"]


def test_what_panes_that_are_gone_have_left_is_deleted(tmp_path: Path) -> None:
    tails = Tails(str(tmp_path))
    for pane_id in ("pane_live", "pane_ended", "pane_gone"):
        tails.write(tails.number(), pane_id, b"x\n", b"drawn", 80, 24)
    tails.prune(tails.number(), {"pane_live", "pane_ended"}, {"pane_live"})
    assert saved(tmp_path) == ["pane_ended.tail", "pane_live.screen", "pane_live.tail"]


def test_a_pane_that_came_while_the_tidying_was_on_its_way_keeps_its_files(tmp_path: Path) -> None:
    tails = Tails(str(tmp_path))
    moment = tails.number()
    tails.write(tails.number(), "pane_new", b"x\n", b"drawn", 80, 24)
    tails.prune(moment, set(), set())
    assert saved(tmp_path) == ["pane_new.screen", "pane_new.tail"]
    tails.prune(tails.number(), set(), set())
    assert saved(tmp_path) == []


def test_writing_and_tidying_at_once_lose_nothing(tmp_path: Path) -> None:
    tails = Tails(str(tmp_path))
    faults: list[OSError] = []

    def tidy() -> None:
        for _ in range(300):
            try:
                tails.prune(tails.number(), {"pane_1"}, {"pane_1"})
            except OSError as fault:
                faults.append(fault)

    thread = Thread(target=tidy)
    thread.start()
    for count in range(300):
        tails.write(tails.number(), "pane_1", b"%d\n" % count, b"drawn", 80, 24)
    thread.join()
    assert (faults, files.read_tail(str(tmp_path), "pane_1")) == ([], b"299\n")
