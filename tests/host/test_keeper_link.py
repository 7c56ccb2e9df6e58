from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import ProtocolError
from signaltty_core.host.keeper_link import KeeperLink, Spawned
from signaltty_core.host.loop import Loop
from signaltty_core.host.ptys import Ptys
from signaltty_core.keeper.protocol import is_running

LIMIT_S = 15.0
ROOT = str(Path(__file__).parents[2])
PATHS = [ROOT, *[path for path in sys.path if path.endswith("site-packages")]]
KEEPER = f"import sys; sys.path[:0] = {PATHS!r}; from signaltty_core.keeper.main import run; sys.exit(run(sys.argv[1]))"
ENV = {"PATH": os.environ["PATH"], "TERM": "dumb"}
STUBBORN = "trap '' HUP TERM; echo ready; while :; do sleep 0.1; done"


class Rig:
    """A server's loop with a link and its PTYs; `server` makes another one on the same directory."""

    def __init__(self, directory: Path, keeper: list[str] | None = None) -> None:
        self.directory = directory
        self.faults: list[BaseException] = []
        self.loop = Loop(self.faults.append)
        self.exits: list[tuple[str, int | None, str | None]] = []
        self.losses = 0
        self.children: list[Spawned] = []
        self.output: dict[str, bytes] = {}
        self.ended: list[str] = []
        self.ptys = Ptys(self.loop, self.hear, self.ended.append)
        self.link = KeeperLink(
            self.loop,
            str(directory),
            keeper_argv=keeper or [sys.executable, "-SE", "-c", KEEPER, str(directory)],
            server_argv=["/bin/true"],
            log_path=str(directory / "server.log"),
            on_exited=lambda *exit: self.exits.append(exit),
            on_lost=self.lose,
        )

    def lose(self) -> None:
        self.losses += 1

    def hear(self, pane_id: str, data: bytes) -> None:
        self.output[pane_id] = self.output.get(pane_id, b"") + data

    def turn_until(self, seen: Callable[[], Any], what: str) -> Any:
        until = time.monotonic() + LIMIT_S
        while True:
            value = seen()
            if value:
                return value
            assert time.monotonic() < until, f"{what} was not seen within {LIMIT_S} s"
            self.loop.turn(0.01)

    def start(self, pane_id: str, *argv: str, cwd: str = "/") -> tuple[Spawned | None, ProtocolError | None]:
        results: list[tuple[Spawned | None, ProtocolError | None]] = []
        self.link.spawn(pane_id, [*argv], cwd, ENV, 80, 24, lambda child, error: results.append((child, error)))
        return self.turn_until(lambda: results, f"the reply for {pane_id}")[0]

    def spawn(self, pane_id: str, *argv: str) -> Spawned:
        child, error = self.start(pane_id, *argv)
        assert error is None
        assert child is not None
        self.ptys.add(pane_id, child.master_fd)
        self.children.append(child)
        return child

    def signal(self, pane_id: str, name: str, group: bool = True) -> bool:
        results: list[bool] = []
        self.link.signal(pane_id, name, group, results.append)
        self.turn_until(lambda: results, "the reply to signal")
        return results[0]

    def list(self) -> tuple[list[dict[str, Any]], ProtocolError | None]:
        results: list[tuple[list[dict[str, Any]], ProtocolError | None]] = []
        self.link.list(lambda children, error: results.append((children, error)))
        self.turn_until(lambda: results, "the list")
        return results[0]

    def adopt(self, pane_id: str) -> tuple[int, bytes, int, ProtocolError | None]:
        results: list[tuple[int, bytes, int, ProtocolError | None]] = []
        self.link.adopt(pane_id, lambda *result: results.append(result))
        self.turn_until(lambda: results, "the adoption")
        return results[0]

    def say_ready(self, pane_id: str) -> None:
        self.turn_until(lambda: b"ready" in self.output.get(pane_id, b""), "ready")

    def keeper_pid(self) -> int:
        return int((self.directory / "keeper.lock").read_text())

    def close(self) -> None:
        self.ptys.close()
        self.link.close()
        self.loop.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Rig]]:
    rigs: list[Rig] = []

    def build(**options: Any) -> Rig:
        rigs.append(Rig(tmp_path, **options))
        return rigs[-1]

    yield build
    lock = tmp_path / "keeper.lock"
    for rig in rigs:
        for child in rig.children:
            if is_running(child.pid, child.start_time):  # a test that failed half-way leaves nothing behind
                os.killpg(child.pid, signal.SIGKILL)
        rig.close()
        assert rig.faults == []
    try:
        keeper = int(lock.read_text())
        os.kill(keeper, signal.SIGTERM)
    except (FileNotFoundError, ProcessLookupError):
        return
    wait_until(lambda: not is_alive(keeper), "the end of the keeper")


def wait_until(seen: Callable[[], Any], what: str) -> None:
    until = time.monotonic() + LIMIT_S
    while not seen():
        assert time.monotonic() < until, f"{what} was not seen within {LIMIT_S} s"
        time.sleep(0.005)


def is_alive(pid: int) -> bool:
    """Whether it runs; one that waits to be reaped by a careless init does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_first_spawn_starts_a_keeper_and_gives_a_master(make: Callable[..., Rig]) -> None:
    rig = make()
    child = rig.spawn("p", "sh", "-c", "echo hello $(tty >/dev/null && echo terminal); exit 3")
    assert not os.get_blocking(child.master_fd)
    assert not os.get_inheritable(child.master_fd)
    assert child.pid != rig.keeper_pid()
    rig.turn_until(lambda: rig.exits, "the exit")
    rig.ptys.drain("p")
    assert (rig.exits, rig.output, rig.ended) == ([("p", 3, None)], {"p": b"hello terminal\r\n"}, ["p"])


def test_spawns_before_the_keeper_is_there_all_get_their_child(make: Callable[..., Rig]) -> None:
    rig = make()
    results: list[tuple[str, bool]] = []
    for number in range(5):
        name = f"p{number}"

        def done(child: Spawned | None, _error: ProtocolError | None, name: str = name) -> None:
            assert child is not None
            rig.ptys.add(name, child.master_fd)
            results.append((name, True))

        rig.link.spawn(name, ["cat"], "/", ENV, 80, 24, done)
    assert results == []
    rig.turn_until(lambda: len(results) == 5, "five children")
    assert [name for name, _ in results] == ["p0", "p1", "p2", "p3", "p4"]
    assert sorted(child["pane_id"] for child in rig.list()[0]) == ["p0", "p1", "p2", "p3", "p4"]


def test_failures_to_start_name_the_program_or_the_directory(make: Callable[..., Rig]) -> None:
    rig = make()
    errors = [rig.start("p", "no-such-program")[1], rig.start("p", "true", cwd="/no/where")[1]]
    assert [error and error.as_wire() for error in errors] == [
        {
            "code": "SPAWN_FAILED",
            "message": "cannot start no-such-program: No such file or directory",
            "details": {"errno": 2, "what": "exec"},
        },
        {
            "code": "BAD_PARAMS",
            "message": "cwd /no/where: No such file or directory",
            "details": {"errno": 2, "what": "cwd"},
        },
    ]
    assert rig.list() == ([], None)


def test_a_keeper_that_cannot_be_started_fails_the_spawn(make: Callable[..., Rig]) -> None:
    child, error = make(keeper=["/no/such/keeper"]).start("p", "true")
    assert child is None
    assert error is not None
    assert (error.code, error.details["what"]) == ("SPAWN_FAILED", "keeper")
    assert "cannot start the keeper /no/such/keeper: No such file or directory" in error.message


def test_a_keeper_that_ends_at_once_fails_the_spawn(make: Callable[..., Rig]) -> None:
    rig = make(keeper=["/bin/sh", "-c", "exit 7"])
    for _ in range(2):
        error = rig.start("p", "true")[1]
        assert error is not None
        assert "the keeper ended with exit status 7" in error.message


def test_without_a_keeper_only_spawn_waits_for_one(make: Callable[..., Rig]) -> None:
    rig = make()
    assert not rig.link.connect_existing()
    children, error = rig.list()
    assert (children, error and error.code) == ([], "IO_ERROR")
    master, data, dropped, error = rig.adopt("p")
    assert (master, data, dropped, error and error.code) == (-1, b"", 0, "IO_ERROR")
    assert not rig.signal("p", "TERM")
    rig.link.forget("p")
    assert os.listdir(rig.directory) == []


def test_signals_reach_the_child_and_are_refused_once_it_is_gone(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.spawn("p", "cat")
    assert rig.signal("p", "TERM")
    rig.turn_until(lambda: rig.exits, "the exit")
    assert rig.exits == [("p", None, "TERM")]
    assert not rig.signal("p", "TERM")


def test_closing_a_pane_ends_its_child_without_a_notice(make: Callable[..., Rig]) -> None:
    rig = make()
    child = rig.spawn("p", "cat")
    assert rig.signal("p", "TERM")
    rig.ptys.remove("p")
    rig.link.forget("p")
    rig.turn_until(lambda: rig.list() == ([], None), "its end")
    assert not is_alive(child.pid)


def test_three_hundred_panes_leave_no_descriptor(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.spawn("first", "cat")
    rig.list()  # the keeper is done with the spawn
    gc.collect()  # what earlier tests left open would be closed in the middle of this one
    before = len(os.listdir("/dev/fd")), len(os.listdir(f"/proc/{rig.keeper_pid()}/fd"))
    for number in range(300):
        rig.spawn(f"p{number}", "cat")
    for number in range(300):
        rig.ptys.remove(f"p{number}")
        rig.link.forget(f"p{number}")
    rig.turn_until(lambda: len(rig.list()[0]) == 1, "the end of all but one")
    assert (len(os.listdir("/dev/fd")), len(os.listdir(f"/proc/{rig.keeper_pid()}/fd"))) == before


def test_a_successor_takes_children_output_and_exits_over(make: Callable[..., Rig]) -> None:
    first = make()
    lives = first.spawn("lives", "sh", "-c", "echo ready; read word; echo got $word; cat")
    first.spawn("ends", "sh", "-c", "echo ready; read word; echo last; exit 5")
    first.say_ready("lives")
    first.say_ready("ends")
    first.ptys.write("lives", b"tea\n", LIMIT_S, lambda *_: None)
    first.ptys.write("ends", b"\n", LIMIT_S, lambda *_: None)
    first.link.bye()
    first.close()
    first.loop = Loop()
    second = make()
    assert second.link.connect_existing()

    def both() -> dict[str, dict[str, Any]] | None:
        children = {child["pane_id"]: child for child in second.list()[0]}
        return children if not children["ends"]["running"] else None

    children = second.turn_until(both, "the end of one")
    assert (children["lives"]["pid"], children["lives"]["running"]) == (lives.pid, True)
    assert (children["ends"]["code"], children["ends"]["signal"]) == (5, None)
    for pane_id in ("lives", "ends"):
        master, data, dropped, error = second.adopt(pane_id)
        assert (dropped, error) == (0, None)
        second.hear(pane_id, data)
        second.ptys.add(pane_id, master)
    second.turn_until(lambda: b"got tea" in second.output["lives"] and "ends" in second.ended, "all output")
    assert second.output["ends"].endswith(b"last\r\n")
    assert second.signal("lives", "KILL")
    second.turn_until(lambda: ("lives", None, "KILL") in second.exits, "the exit")
    assert second.adopt("unknown")[3].code == "NO_SUCH_PANE"  # type: ignore[union-attr]


def test_a_successor_waits_for_the_end_of_its_predecessors_connection(make: Callable[..., Rig]) -> None:
    first = make()
    first.spawn("p", "cat")
    second = make()
    assert not second.link.connect_existing(0.1)
    first.link.bye()
    first.close()
    first.loop = Loop()
    assert second.link.connect_existing()
    assert [child["pane_id"] for child in second.list()[0]] == ["p"]


def test_when_the_keeper_is_killed_its_children_live_on_and_are_signalled_from_here(make: Callable[..., Rig]) -> None:
    rig = make()
    child = rig.spawn("old", "sh", "-c", "echo ready; read word; echo got $word; cat")
    stubborn = rig.spawn("stubborn", "sh", "-c", STUBBORN)
    rig.say_ready("old")
    rig.say_ready("stubborn")
    keeper = rig.keeper_pid()
    os.kill(keeper, signal.SIGKILL)
    rig.turn_until(lambda: rig.losses, "the loss")
    rig.ptys.write("old", b"on\n", LIMIT_S, lambda *_: None)
    rig.turn_until(lambda: b"got on" in rig.output["old"], "an answer")
    rig.spawn("new", "cat")
    assert rig.keeper_pid() != keeper
    assert [listed["pane_id"] for listed in rig.list()[0]] == ["new"]
    assert rig.signal("old", "TERM")
    rig.turn_until(lambda: ("old", None, None) in rig.exits, "the vanished pid")
    assert not is_alive(child.pid)
    assert not rig.signal("old", "TERM")
    rig.link.forget("stubborn")
    rig.ptys.remove("stubborn")
    assert is_alive(stubborn.pid)
    assert rig.signal("stubborn", "KILL")
    rig.turn_until(lambda: not is_alive(stubborn.pid), "its end")
    assert (rig.exits, rig.losses) == ([("old", None, None)], 1)
    with pytest.raises(ChildProcessError):
        os.waitpid(keeper, os.WNOHANG)  # reaped by the link


def test_a_child_told_to_end_just_before_the_keeper_is_lost_can_still_be_killed(make: Callable[..., Rig]) -> None:
    rig = make()
    child = rig.spawn("p", "sh", "-c", STUBBORN)
    rig.say_ready("p")
    assert rig.signal("p", "TERM")
    rig.ptys.remove("p")
    rig.link.forget("p")
    rig.list()
    os.kill(rig.keeper_pid(), signal.SIGKILL)
    rig.turn_until(lambda: rig.losses, "the loss")
    assert rig.signal("p", "KILL")
    rig.turn_until(lambda: not is_alive(child.pid), "its end")
    assert rig.exits == []


def test_requests_that_wait_when_the_keeper_is_killed_get_an_error(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.spawn("p", "cat")
    os.kill(rig.keeper_pid(), signal.SIGSTOP)
    answers: list[object] = []
    rig.link.spawn("q", ["cat"], "/", ENV, 80, 24, lambda child, error: answers.append((child, error and error.code)))
    rig.link.list(lambda children, error: answers.append((children, error and error.code)))
    rig.link.signal("p", "TERM", True, answers.append)
    os.kill(rig.keeper_pid(), signal.SIGKILL)
    rig.turn_until(lambda: len(answers) == 3, "the answers")
    assert answers == [(None, "SPAWN_FAILED"), ([], "IO_ERROR"), False]
    rig.turn_until(lambda: rig.losses, "the loss")


def test_a_farewell_is_no_loss(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.spawn("p", "cat")
    rig.link.bye()
    os.kill(rig.keeper_pid(), signal.SIGTERM)
    rig.turn_until(lambda: ("p", None, "HUP") in rig.exits, "the hang-up")
    rig.turn_until(lambda: not (rig.directory / "keeper.lock").exists(), "the end of the keeper")
    rig.loop.turn(0.05)
    assert rig.losses == 0


def test_a_failing_callback_costs_no_other_its_message(make: Callable[..., Rig]) -> None:
    rig = make()
    rig.spawn("p", "cat")
    seen: list[int] = []

    def fail(_children: object, _error: object) -> None:
        raise LookupError("of this test")

    rig.link.list(fail)
    rig.link.list(lambda children, _error: seen.append(len(children)))
    rig.turn_until(lambda: seen, "the second reply")
    assert seen == [1]
    assert [str(fault) for fault in rig.faults] == ["of this test"]
    rig.faults.clear()
