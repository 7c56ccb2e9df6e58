"""One accepted connection, on a real socket pair."""

from __future__ import annotations

import _socket
import gc
import select
import socket
import threading
import weakref
from collections import deque
from collections.abc import Iterator

import pytest

from signaltty_core.base.limits import LINE_BYTES
from signaltty_core.host.conn import PASS_BYTES, Conn
from signaltty_core.host.loop import Loop


class Desk:
    """A connection whose lines come from `outgoing` and go to `said`."""

    def __init__(self) -> None:
        self.faults: list[BaseException] = []
        self.loop = Loop(self.faults.append)
        self.peer, mine = socket.socketpair()
        self.peer.settimeout(5)
        mine.setblocking(False)
        self.conn = Conn(self.loop, _socket.socket(fileno=mine.detach()))
        self.outgoing: deque[bytes] = deque()
        self.said: list[str] = []
        self.conn.next_line = lambda: self.outgoing.popleft() if self.outgoing else None
        self.conn.is_idle = lambda: not self.outgoing
        self.conn.on_line = lambda line: self.said.append(line.decode())
        self.conn.on_overlong = lambda error: self.said.append(error.code)
        self.conn.on_eof = lambda: self.said.append("EOF")
        self.conn.on_gone = lambda: self.said.append("GONE")
        self.conn.start()

    def turn(self, times: int = 3) -> None:
        for _ in range(times):
            self.loop.turn(0.01)

    def say(self, *lines: bytes) -> None:
        self.outgoing.extend(lines)
        self.conn.wake()

    def read_all(self) -> bytes:
        """Everything until the connection is closed, while the loop turns."""
        data = b""
        while True:
            self.loop.turn(0)
            if select.select([self.peer], [], [], 0)[0]:
                part = self.peer.recv(1 << 20)
                if not part:
                    return data
                data += part


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.conn.close()
    made.peer.close()
    made.loop.close()
    assert made.faults == []


def test_lines_come_in_order_however_they_are_cut(desk: Desk) -> None:
    for byte in b"one\ntwo\nthr":
        desk.peer.send(bytes([byte]))
        desk.turn(1)
    desk.peer.send(b"ee\nfour\n")
    desk.turn()
    assert desk.said == ["one", "two", "three", "four"]


def test_what_may_be_sent_goes_out_together_at_the_end_of_the_pass(desk: Desk) -> None:
    desk.say(b"a\n")
    desk.say(b"b\n")
    assert not select.select([desk.peer], [], [], 0)[0]
    desk.turn(1)
    assert desk.peer.recv(100) == b"a\nb\n"


def test_a_reader_that_is_slow_gets_everything_in_the_end(desk: Desk) -> None:
    lines = [b"%07d" % number * 1000 + b"\n" for number in range(2000)]
    desk.say(*lines)
    desk.turn()
    assert desk.outgoing
    desk.conn.close_when_sent()
    assert desk.read_all() == b"".join(lines)
    assert desk.said == ["GONE"]


def test_a_reader_that_does_not_read_is_asked_for_no_more_than_a_batch(desk: Desk) -> None:
    desk.say(*[b"x" * 1000 + b"\n"] * 20_000)
    desk.turn(20)
    assert len(desk.outgoing) > 18_000


def test_one_reader_gets_a_bounded_part_of_a_pass() -> None:
    assert PASS_BYTES <= 1 << 20


def test_a_paused_connection_is_not_read_and_loses_nothing(desk: Desk) -> None:
    desk.conn.pause()
    desk.peer.send(b"waits\n")
    desk.turn()
    assert desk.said == []
    desk.conn.resume()
    desk.turn()
    assert desk.said == ["waits"]


def test_the_end_of_file_is_told_once_and_answers_still_go_out(desk: Desk) -> None:
    desk.peer.send(b"question\n")
    desk.peer.shutdown(socket.SHUT_WR)
    desk.turn(5)
    assert desk.said == ["question", "EOF"]
    desk.say(b"answer\n")
    desk.conn.close_when_sent()
    assert desk.read_all() == b"answer\n"
    assert desk.said == ["question", "EOF", "GONE"]


def test_half_a_line_before_the_end_is_no_line(desk: Desk) -> None:
    desk.peer.send(b"half")
    desk.peer.shutdown(socket.SHUT_WR)
    desk.turn()
    assert desk.said == ["EOF"]


def test_a_connection_that_closes_when_sent_takes_no_further_line(desk: Desk) -> None:
    desk.conn.close_when_sent()
    desk.peer.send(b"too late\n")
    desk.turn()
    assert desk.said == ["GONE"]


def test_a_connection_waits_with_closing_for_answers_that_are_still_made(desk: Desk) -> None:
    busy = True
    desk.conn.is_idle = lambda: not busy and not desk.outgoing
    desk.conn.close_when_sent()
    desk.turn()
    assert desk.said == []
    busy = False
    desk.say(b"made\n")
    assert desk.read_all() == b"made\n"


def test_lines_behind_the_one_that_closes_are_dropped(desk: Desk) -> None:
    desk.conn.on_line = lambda line: (desk.said.append(line.decode()), desk.conn.close())
    desk.peer.send(b"last\nnever\n")
    desk.turn()
    assert desk.said == ["last", "GONE"]


def test_a_line_too_long_is_told_once_and_nothing_more_is_read(desk: Desk) -> None:
    desk.peer.setblocking(False)
    sent = 0
    while "RATE_LIMITED" not in desk.said:
        try:
            sent += desk.peer.send(b"x" * (1 << 20))
        except BlockingIOError:
            pass
        desk.loop.turn(0)
        assert sent < LINE_BYTES + (2 << 20)
    try:
        desk.peer.send(b"\nmore\n" * 1000)
    except BlockingIOError:
        pass
    desk.turn()
    assert desk.said == ["RATE_LIMITED"]


def test_a_peer_that_vanishes_is_noticed_when_there_is_something_to_send(desk: Desk) -> None:
    desk.peer.close()
    desk.conn.on_eof = lambda: None
    desk.say(b"nobody hears\n")
    desk.turn()
    assert desk.said == ["GONE"]


def test_closing_twice_is_told_once(desk: Desk) -> None:
    desk.conn.close()
    desk.conn.close()
    desk.conn.wake()
    desk.turn()
    assert desk.said == ["GONE"]


def test_a_closed_connection_lets_go_of_those_it_called(desk: Desk) -> None:
    """Without waiting for the collector: a server that makes few new objects runs it rarely."""

    class Owner:
        def __init__(self, conn: Conn) -> None:
            self.conn = conn
            self.gone = 0
            conn.next_line = lambda: None if self.gone else b"x" * (1 << 20)
            conn.is_idle = lambda: bool(self.gone)
            conn.on_line = lambda line: self.leave()
            conn.on_overlong = lambda error: self.leave()
            conn.on_eof = self.leave
            conn.on_gone = self.leave

        def leave(self) -> None:
            self.gone += 1

    owner = Owner(desk.conn)
    desk.conn.wake()
    desk.turn()
    watched = weakref.ref(owner)
    desk.conn.close()
    assert owner.gone == 1
    gc.disable()
    try:
        del owner
        assert watched() is None
    finally:
        gc.enable()


def test_a_reader_as_fast_as_we_are_gets_more_than_one_pass_sends() -> None:
    """A blocking socket takes every batch whole, so that a pass can end with nothing half sent."""
    loop = Loop()
    peer, mine = socket.socketpair()
    conn = Conn(loop, _socket.socket(fileno=mine.detach()))
    outgoing = deque([b"x" * (PASS_BYTES // 4)] * 11)
    conn.next_line = lambda: outgoing.popleft() if outgoing else None
    read = bytearray()

    def consume() -> None:
        while data := peer.recv(1 << 20):
            read.extend(data)

    reader = threading.Thread(target=consume)
    reader.start()
    conn.start()
    conn.wake()
    for _ in range(20):
        loop.turn(0.01)
    conn.close()
    reader.join()
    peer.close()
    loop.close()
    assert len(read) == 11 * (PASS_BYTES // 4)
