"""The socket: bound for its owner, accepting, bound anew."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.base.limits import CONNECTIONS
from signaltty_core.host.conn import Conn
from signaltty_core.host.loop import Loop
from signaltty_core.host.reserve import RESERVED
from signaltty_core.host.rpc_port import LOOK_S, RpcPort


class Bench:
    def __init__(self, directory: Path) -> None:
        self.loop = Loop()
        self.path = str(directory / "s.sock")
        self.peers: list[tuple[Conn, int | None, int, Any]] = []
        self.told: list[str] = []
        self.port = RpcPort(self.loop, self.path, lambda *peer: self.peers.append(peer), self.told.append)

    def knock(self) -> socket.socket:
        caller = socket.socket(socket.AF_UNIX)
        caller.settimeout(5)
        caller.connect(self.path)
        return caller


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.port.close()
    for conn, *_ in made.peers:
        conn.close()
    made.loop.close()


def test_the_file_is_the_owners_alone_from_the_first_moment(bench: Bench) -> None:
    assert stat.S_IMODE(os.lstat(bench.path).st_mode) == 0o600


def test_the_mask_of_the_process_is_as_before(bench: Bench) -> None:
    mask = os.umask(0o022)
    os.umask(mask)
    assert mask != 0o177


def test_who_connects_before_the_door_opens_is_served_then(bench: Bench) -> None:
    callers = [bench.knock() for _ in range(3)]
    bench.loop.turn(0)
    assert bench.peers == []
    bench.port.open()
    bench.loop.turn(1)
    assert [(pid, uid, refusal) for _, pid, uid, refusal in bench.peers] == [(os.getpid(), os.geteuid(), None)] * 3
    for caller in callers:
        caller.close()


def test_the_connection_above_the_limit_is_refused_with_a_reason(bench: Bench) -> None:
    bench.port.open()
    bench.port.count = CONNECTIONS
    caller = bench.knock()
    bench.loop.turn(1)
    ((_, _, _, refusal),) = bench.peers
    assert (refusal.code, bench.port.count) == ("RATE_LIMITED", CONNECTIONS + 1)
    caller.close()


def test_a_caller_that_has_left_already_harms_nobody(bench: Bench) -> None:
    bench.knock().close()
    bench.port.open()
    bench.loop.turn(1)
    caller = bench.knock()
    bench.loop.turn(1)
    assert len(bench.peers) == 2
    caller.close()


def test_closing_removes_the_file_that_is_ours_only(bench: Bench) -> None:
    bench.port.close()
    assert not os.path.exists(bench.path)
    bench.port.close()


def test_a_file_that_somebody_else_put_there_is_left(bench: Bench) -> None:
    os.unlink(bench.path)
    other = socket.socket(socket.AF_UNIX)
    other.bind(bench.path)
    inode = os.lstat(bench.path).st_ino
    bench.port.close()
    assert os.lstat(bench.path).st_ino == inode
    other.close()


def serves(bench: Bench) -> bool:
    with bench.knock():
        bench.loop.turn(1)
    return len(bench.peers) == 1


def leave_a_dead_socket(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)


def test_what_has_taken_its_place_is_left_told_of_once_and_followed(bench: Bench) -> None:
    bench.port.open()
    os.unlink(bench.path)
    Path(bench.path).write_text("somebody's")
    for _ in range(3):
        bench.port._look()
    assert (Path(bench.path).read_text(), bench.told) == (
        "somebody's",
        [f"{bench.path} exists and is no socket of ours"],
    )
    os.unlink(bench.path)
    bench.port._look()
    assert serves(bench) and len(bench.told) == 1


def test_a_dead_socket_in_its_place_gives_way(bench: Bench) -> None:
    bench.port.open()
    os.unlink(bench.path)
    leave_a_dead_socket(bench.path)
    bench.port._look()
    assert serves(bench) and bench.told == []


def test_a_living_socket_in_its_place_stays(bench: Bench) -> None:
    bench.port.open()
    os.unlink(bench.path)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(bench.path)
        other.listen()
        bench.port._look()
        assert bench.told == [f"another server listens at {bench.path}"]
    bench.port._look()
    assert serves(bench)


def test_a_file_in_place_of_its_directory_is_told_of_once_and_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    bench = Bench(home)
    bench.port.open()
    shutil.rmtree(home)
    home.write_text("somebody's")
    for _ in range(2):
        bench.port._look()
    assert bench.told == [f"cannot listen at {bench.path}: {os.strerror(errno.ENOTDIR)}"]
    home.unlink()
    bench.port._look()
    assert serves(bench)
    bench.port.close()
    bench.peers[0][0].close()
    bench.loop.close()


def test_the_socket_is_missed_well_within_ten_seconds() -> None:
    """Persistence §10; that it is bound anew is seen with a real server."""
    assert LOOK_S <= 9


@pytest.mark.parametrize("name", ["x" * 200, "none/s.sock"])
def test_what_cannot_be_bound_is_a_sentence(tmp_path: Path, name: str) -> None:
    loop = Loop()
    with pytest.raises(IoError, match="cannot listen at"):
        RpcPort(loop, str(tmp_path / name), lambda *peer: None, print)
    loop.close()


def test_the_last_descriptors_are_not_for_callers(bench: Bench) -> None:
    bench.port.open()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir("/dev/fd"))
    callers = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + RESERVED + 6, hard))
    try:
        while not bench.peers or bench.peers[-1][3] is None:
            callers.append(bench.knock())
            bench.loop.turn(1)
        callers += [bench.knock() for _ in range(3)]
        bench.loop.turn(0)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    refusals = [None if refusal is None else refusal.code for *_, refusal in bench.peers]
    assert refusals == [None] * (len(callers) - 4) + ["RATE_LIMITED"]
    bench.loop.turn(0)
    for caller in callers:
        caller.close()
