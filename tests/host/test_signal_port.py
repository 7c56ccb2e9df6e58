"""The status sockets: bound safely, accepted at once, read to their end, and found again."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.host import signal_port
from signaltty_core.host.loop import Loop
from signaltty_core.host.signal_port import SignalPort

PANE = "pane_0123456789abcdef0123456789abcdef"


class Heard:
    """What the engine would get. open: numbers of connections that are not over; last: how each ended."""

    def __init__(self) -> None:
        self.panes: dict[int, str | None] = {}
        self.senders: dict[int, Any] = {}
        self.data: dict[int, bytes] = {}
        self.last: dict[int, str] = {}

    def on_open(self, pane_id: str | None, number: int, sender: Any) -> None:
        self.panes[number] = pane_id
        self.senders[number] = sender
        self.data[number] = b""

    def on_bytes(self, number: int, data: bytes) -> None:
        self.data[number] += data

    def on_end(self, number: int, how: str) -> None:
        assert number not in self.last
        self.last[number] = how


class Bench:
    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self.loop = Loop()
        self.heard = Heard()
        self.located: list[int] = []
        self.home: str | None = None
        self.port = self.make()

    def make(self) -> SignalPort:
        return SignalPort(self.loop, str(self.runtime), self.heard, self._locate)

    def _locate(self, pid: int) -> str | None:
        self.located.append(pid)
        return self.home

    def listen(self, pane_id: str = PANE) -> str:
        path, fault = self.port.listen(pane_id)
        assert path is not None, fault
        return path

    def turn_until(self, seen: Callable[[], Any]) -> None:
        until = time.monotonic() + 10
        while not seen():
            assert time.monotonic() < until
            self.loop.turn(0.05)


def send(path: str, data: bytes, *, close: bool = True) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.sendall(data)
    if close:
        peer.close()
    return peer


@pytest.fixture
def bench() -> Iterator[Bench]:
    runtime = Path(tempfile.mkdtemp(prefix="stt-", dir="/tmp"))
    made = Bench(runtime)
    yield made
    made.port.close()
    made.loop.close()
    shutil.rmtree(runtime)


def test_the_socket_has_a_short_name_and_is_the_owners_alone(bench: Bench) -> None:
    path = bench.listen()
    assert path == f"{bench.runtime}/s/0123456789ab.sock"
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.lstat(bench.runtime / "s").st_mode) == 0o700


def test_what_was_sent_before_the_loop_looked_is_heard(bench: Bench) -> None:
    path = bench.listen()
    send(path, b"start\n")
    send(path, b"stop\n")
    bench.turn_until(lambda: len(bench.heard.last) == 2)
    assert bench.heard.data == {1: b"start\n", 2: b"stop\n"}
    assert bench.heard.last == {1: "eof", 2: "eof"}
    assert bench.heard.panes == {1: PANE, 2: PANE}
    assert bench.heard.senders[1]["pid"] == os.getpid()


def test_a_silent_peer_is_closed_at_its_deadline_and_holds_up_nobody(bench: Bench) -> None:
    path = bench.listen()
    silent = send(path, b"sta", close=False)
    send(path, b"start\n")
    bench.turn_until(lambda: 2 in bench.heard.last)
    assert 1 not in bench.heard.last
    bench.turn_until(lambda: 1 in bench.heard.last)
    assert (bench.heard.last[1], silent.recv(1)) == ("deadline", b"")
    silent.close()


def test_more_than_the_limit_is_cut_off(bench: Bench) -> None:
    peer = send(bench.listen(), b"x" * 4096, close=False)
    bench.turn_until(lambda: len(bench.heard.data.get(1, b"")) == 4096)
    assert 1 not in bench.heard.last
    peer.sendall(b"y")
    bench.turn_until(lambda: 1 in bench.heard.last)
    assert bench.heard.last[1] == "oversized"
    peer.close()


def test_two_panes_whose_short_names_clash_both_listen(bench: Bench) -> None:
    paths = [bench.listen("pane_" + "0" * 12 + tail) for tail in ("1" * 20, "2" * 20)]
    assert [os.path.basename(path) for path in paths] == ["0" * 12 + ".sock", "0" * 12 + "2.sock"]


def test_a_dead_socket_is_replaced_and_a_living_or_foreign_thing_is_left(bench: Bench) -> None:
    os.mkdir(bench.runtime / "s", 0o700)
    places = [f"{bench.runtime}/s/{PANE[5 : 5 + count]}.sock" for count in range(12, 17)]
    living = socket.socket(socket.AF_UNIX)
    living.bind(places[0])
    living.listen()
    Path(places[1]).write_text("mine")
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(places[2])
    dead.close()
    assert bench.listen() == places[2]
    assert Path(places[1]).read_text() == "mine"
    living.close()


def test_a_pane_without_a_free_name_has_none_and_says_why(bench: Bench) -> None:
    os.mkdir(bench.runtime / "s", 0o700)
    for count in range(12, 17):
        Path(f"{bench.runtime}/s/{PANE[5 : 5 + count]}.sock").write_text("")
    path, fault = bench.port.listen(PANE)
    assert (path, fault) == (None, f"{bench.runtime}/s/{PANE[5:21]}.sock exists and is no socket of ours")


def test_an_unsafe_directory_is_not_used(bench: Bench) -> None:
    os.symlink(bench.runtime, bench.runtime / "s")
    path, fault = bench.port.listen(PANE)
    assert path is None
    assert fault == f"{bench.runtime}/s is a symbolic link; refusing to use it"


def test_a_new_server_removes_dead_sockets_and_takes_a_path_over(bench: Bench) -> None:
    path = bench.listen()
    for door in bench.port._doors.values():
        bench.loop.forget(door.sock)
        door.sock.close()  # as when a server is killed: the file stays
    bench.port._doors.clear()
    bench.port = bench.make()
    stale = f"{bench.runtime}/s/ffffffffffff.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(stale)
    dead.close()
    assert bench.port.open() is None
    assert (os.path.exists(stale), os.path.exists(path)) == (False, False)
    assert bench.port.listen_again(PANE, path) is None
    send(path, b"start\n")
    bench.turn_until(lambda: bench.heard.last)
    assert bench.heard.data == {1: b"start\n"}


def test_the_general_socket_asks_where_its_sender_runs_before_reading(bench: Bench) -> None:
    assert bench.port.open() is None
    path = f"{bench.runtime}/status.sock"
    peer = send(path, b"", close=False)
    bench.turn_until(lambda: bench.located)
    assert bench.located == [os.getpid()]
    bench.home = PANE
    send(path, b"stop\n")
    bench.turn_until(lambda: 2 in bench.heard.last)
    assert bench.heard.panes == {1: None, 2: PANE}
    peer.close()


def test_closing_a_pane_removes_its_socket_and_only_its_own(bench: Bench) -> None:
    path = bench.listen()
    other = bench.listen("pane_" + "f" * 32)
    os.unlink(other)
    Path(other).write_text("somebody's")
    bench.port.mute(PANE)
    bench.port.mute("pane_" + "f" * 32)
    bench.port.mute("pane_" + "f" * 32)
    assert (os.path.exists(path), Path(other).read_text()) == (False, "somebody's")


def test_a_socket_that_a_cleaner_took_away_comes_back_under_the_same_path(bench: Bench) -> None:
    path = bench.listen()
    bench.port.open()
    shutil.rmtree(bench.runtime / "s")
    bench.port._look()
    send(path, b"start\n")
    bench.turn_until(lambda: bench.heard.last)
    assert (bench.heard.panes, bench.heard.data) == ({1: PANE}, {1: b"start\n"})


def test_a_foreign_thing_in_its_place_is_left_until_it_goes(bench: Bench) -> None:
    path = bench.listen()
    os.unlink(path)
    Path(path).write_text("somebody's")
    bench.port._look()
    assert Path(path).read_text() == "somebody's"
    os.unlink(path)
    bench.port._look()
    send(path, b"start\n")
    bench.turn_until(lambda: bench.heard.last)


def test_a_listener_that_ends_leaves_no_file_and_no_descriptor(bench: Bench) -> None:
    gc.collect()  # what earlier tests left open would be closed in the middle of this one
    before = len(os.listdir("/dev/fd"))
    port = bench.make()
    port.open()
    path, _ = port.listen(PANE)
    assert path is not None
    peer = send(path, b"sta", close=False)
    bench.turn_until(lambda: bench.heard.data)
    port.close()
    peer.close()
    assert (os.path.exists(path), os.path.exists(f"{bench.runtime}/status.sock")) == (False, False)
    assert len(os.listdir("/dev/fd")) == before


def test_a_thousand_silent_peers_are_all_let_go(bench: Bench) -> None:
    path = bench.listen()
    peers: list[socket.socket] = []
    for _ in range(1000):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        peers.append(peer)
        if len(peers) % 100 == 0:
            bench.loop.turn(0)
    bench.turn_until(lambda: len(bench.heard.last) == 1000)
    assert set(bench.heard.last.values()) == {"deadline"}
    for peer in peers:
        peer.close()


def test_the_figures_are_those_of_the_protocol() -> None:
    assert (signal_port.BYTES, signal_port.DEADLINE_S, signal_port.LOOK_S) == (4096, 0.5, 60.0)
