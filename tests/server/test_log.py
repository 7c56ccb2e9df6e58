"""The server's log."""

from __future__ import annotations

import os
import re

import pytest

from signaltty_core.server.log import log, log_fault

LINE = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \[" + str(os.getpid()) + r"\] (.*)\n"


def test_a_happening_is_one_plain_line(capfd: pytest.CaptureFixture[str]) -> None:
    log("pane \x1b[31mx\ny")
    (found,) = re.findall(LINE, capfd.readouterr().err)
    assert found == "pane \\x1b[31mx\\x0ay"


def test_a_fault_shows_where_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError("what\nhappened")
    except ValueError as fault:
        log_fault(fault)
    lines = re.findall(LINE, capfd.readouterr().err)
    assert (lines[0], lines[-2:]) == ("Traceback (most recent call last):", ["ValueError: what", "happened"])


def test_a_log_on_a_full_disk_ends_nothing_and_gathers_nothing() -> None:
    """/dev/full refuses every byte as a full disk does; on other systems a closed descriptor does."""
    kept = os.dup(2)
    full = "/dev/full"
    try:
        if os.path.exists(full):
            fd = os.open(full, os.O_WRONLY)
            os.dup2(fd, 2)
            os.close(fd)
        else:
            os.close(2)
        log("nobody reads this")
        log("nor this")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
