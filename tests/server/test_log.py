"""The server's log."""

from __future__ import annotations

import os
import re

import pytest

from signaltty_core.server.log import log, log_fault

LINE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \[" + str(os.getpid()) + r"\] (.*)\n"


def test_a_happening_is_one_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    log("pane \x1b[31mx\ny")
    (found,) = re.findall(LINE, capsys.readouterr().err)
    assert found == "pane \\x1b[31mx\\x0ay"


def test_a_fault_shows_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError("what\nhappened")
    except ValueError as fault:
        log_fault(fault)
    lines = re.findall(LINE, capsys.readouterr().err)
    assert (lines[0], lines[-2:]) == ("Traceback (most recent call last):", ["ValueError: what", "happened"])


def test_a_log_that_cannot_be_written_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as closed:
        monkeypatch.setattr("sys.stderr", closed)
        log("nobody reads this")
    log("nor this")
