from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator

import pytest

from signaltty_core.base.errors import PaneExited, ProtocolError
from signaltty_core.host.pty_writer import PtyWriter


class Terminal:
    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        os.set_blocking(self.slave, False)
        self.writer = PtyWriter(self.master)
        self.results: list[tuple[int, ProtocolError | None]] = []

    def add(self, data: bytes, due: float) -> None:
        self.writer.add(data, due, lambda count, error: self.results.append((count, error)))

    def read(self) -> bytes:
        try:
            return os.read(self.slave, 1 << 20)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def fill(terminal: Terminal, due: float = 100.0) -> None:
    """Input that the kernel takes only in part."""
    terminal.add(b"x" * 1_000_000, due)
    while terminal.writer.pump(0.0):
        pass
    assert terminal.writer.is_waiting()


def empty(terminal: Terminal, now: float = 0.0) -> bytes:
    """All input the program gets until nothing waits."""
    found = bytearray()
    while terminal.writer.is_waiting():
        terminal.writer.pump(now)
        found += terminal.read()
    while data := terminal.read():
        found += data
    return bytes(found)


def test_an_answer_that_waited_five_seconds_is_dropped(terminal: Terminal) -> None:
    fill(terminal)
    terminal.writer.answer(b"OLD", 0.0)
    terminal.writer.answer(b"NEW", 1.0)
    terminal.writer.pump(4.9)
    terminal.writer.pump(5.0)
    assert empty(terminal, 5.9) == b"x" * 1_000_000 + b"NEW"


def test_each_message_has_its_own_deadline(terminal: Terminal) -> None:
    fill(terminal, due=20.0)
    terminal.add(b"early", 10.0)
    terminal.add(b"late", 30.0)
    terminal.writer.pump(10.0)
    assert [(count, error and error.code) for count, error in terminal.results] == [(0, "TIMEOUT")]
    terminal.writer.pump(20.0)
    assert [error and error.code for _, error in terminal.results] == ["TIMEOUT", "TIMEOUT"]
    assert terminal.results[1][0] > 0
    assert terminal.writer.is_waiting()


def test_cancel_fails_everything_with_what_was_written(terminal: Terminal) -> None:
    fill(terminal)
    terminal.add(b"behind", 100.0)
    terminal.writer.answer(b"ANSWER", 0.0)
    terminal.writer.cancel(PaneExited("closed"))
    assert not terminal.writer.is_waiting()
    shown = [(count, error and error.as_wire()) for count, error in terminal.results]
    first = shown[0][0]
    assert shown == [
        (first, {"code": "PANE_EXITED", "message": "closed", "details": {"written_bytes": first}}),
        (0, {"code": "PANE_EXITED", "message": "closed", "details": {"written_bytes": 0}}),
    ]


def test_a_message_within_its_time_goes_on_where_it_stopped(terminal: Terminal) -> None:
    fill(terminal)
    assert empty(terminal) == b"x" * 1_000_000
    assert terminal.results == [(1_000_000, None)]
    assert not terminal.writer.is_waiting()
