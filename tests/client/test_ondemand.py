"""Starts on demand against a server of a few lines: real processes, real locks, real sockets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signaltty_core.base.errors import Forbidden, IoError, NoSuchServer, TimedOut
from signaltty_core.client.ondemand import Launch, Refused, open_server

from .scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
LIMIT_S = 10.0
SERVER = """
import os, socket, sys
path, pids = sys.argv[1:]
with open(pids, "a") as file:
    file.write(f"{os.getpid()}\\n")
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(100)
print("listening", flush=True)
while True:
    peer, _ = listener.accept()
"""


class Place:
    """A directory with a socket path, a state directory and the pids of the servers started there."""

    def __init__(self, folder: Path) -> None:
        self.socket = f"{folder}/s.sock"
        self.runtime = Path(f"{folder}/s.sock.d")
        self.state = folder / "state"
        self.pids_file = folder / "pids"
        self.script = folder / "server.py"
        self.script.write_text(SERVER)

    def launch(self, *argv: str) -> Launch:
        command = list(argv) or [str(self.script), self.socket, str(self.pids_file)]
        return Launch([sys.executable, *command], str(self.state))

    def pids(self) -> list[int]:
        return [int(pid) for pid in self.pids_file.read_text().split()] if self.pids_file.exists() else []


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    for pid in made.pids():
        os.kill(pid, signal.SIGKILL)


def wait_until(seen: Callable[[], object]) -> None:
    until = time.monotonic() + LIMIT_S
    while not seen():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)


def test_a_missing_server_is_started_and_the_next_call_finds_it(place: Place) -> None:
    open_server(place.socket, os.geteuid(), place.launch()).close()
    open_server(place.socket, os.geteuid(), place.launch()).close()
    assert len(place.pids()) == 1
    assert place.runtime.stat().st_mode & 0o777 == 0o700
    assert (place.state / "server.log").stat().st_mode & 0o777 == 0o600


def test_without_a_launch_nothing_is_started_and_nothing_written(place: Place) -> None:
    with pytest.raises(NoSuchServer):
        open_server(place.socket, os.geteuid(), None)
    assert (place.pids(), place.runtime.exists(), place.state.exists()) == ([], False, False)


def test_twenty_starts_at_once_leave_one_server(place: Place) -> None:
    program = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from signaltty_core.client.ondemand import Launch, open_server
argv = [sys.executable, {str(place.script)!r}, {place.socket!r}, {str(place.pids_file)!r}]
launch = Launch(argv, {str(place.state)!r})
open_server({place.socket!r}, os.geteuid(), launch)
"""
    callers = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(20)]
    assert [caller.wait(30) for caller in callers] == [0] * 20
    assert len(place.pids()) == 1


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system has no /proc to look into")
def test_the_server_has_a_session_of_its_own_and_nothing_of_the_caller(place: Place) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    open_server(place.socket, os.geteuid(), place.launch()).close()
    os.close(writer)
    pid = place.pids()[0]
    assert os.read(reader, 1) == b""  # the end of file comes at once: nobody else holds the pipe
    os.close(reader)
    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    kept = {number: os.readlink(f"/proc/{pid}/fd/{number}") for number in ("0", "1", "2")}
    assert kept == {"0": "/dev/null", "1": f"{place.state}/server.log", "2": f"{place.state}/server.log"}
    wait_until(lambda: (place.state / "server.log").read_text() == "listening\n")


def test_a_server_that_refuses_is_quoted(place: Place) -> None:
    says = "import sys; print('noise'); sys.exit('signaltty: the state directory /x is in use')"
    with pytest.raises(Refused) as caught:
        open_server(place.socket, os.geteuid(), place.launch("-c", says))
    assert caught.value.message == "the state directory /x is in use"


def test_an_older_refusal_in_the_log_is_not_quoted(place: Place) -> None:
    place.state.mkdir()
    (place.state / "server.log").write_text("signaltty: long ago\n")
    with pytest.raises(Refused, match=r"the server ended at once, see .*/server\.log"):
        open_server(place.socket, os.geteuid(), place.launch("-c", "raise SystemExit(3)"))


def test_a_server_that_cannot_be_run_is_explained(place: Place) -> None:
    launch = Launch(["/nowhere/python"], str(place.state))
    with pytest.raises(Refused, match="cannot run /nowhere/python: No such file or directory"):
        open_server(place.socket, os.geteuid(), launch)


def test_one_that_ends_quietly_has_left_the_place_to_another(place: Place) -> None:
    other = threading.Timer(0.5, lambda: ScriptedServer(Path(place.socket)))
    other.start()
    open_server(place.socket, os.geteuid(), place.launch("-c", "")).close()
    other.join()


def test_a_server_that_never_listens_is_given_up_after_five_seconds(place: Place) -> None:
    with pytest.raises(TimedOut, match="did not answer within 5 seconds"):
        open_server(place.socket, os.geteuid(), place.launch("-c", "import time; time.sleep(8)"))


def test_while_a_keeper_lives_a_lost_server_is_waited_for(place: Place) -> None:
    place.runtime.mkdir()
    (place.runtime / "keeper.sock").touch()
    back = threading.Timer(0.3, lambda: ScriptedServer(Path(place.socket)))
    back.start()
    open_server(place.socket, os.geteuid(), None, patience_s=LIMIT_S).close()
    back.join()


def test_without_a_keeper_nobody_is_waited_for(place: Place) -> None:
    with pytest.raises(NoSuchServer):
        open_server(place.socket, os.geteuid(), None, patience_s=3600.0)


def test_a_runtime_directory_others_may_write_to_is_refused(place: Place) -> None:
    place.runtime.mkdir()
    place.runtime.chmod(0o777)
    with pytest.raises(Forbidden, match="is writable by others"):
        open_server(place.socket, os.geteuid(), place.launch())


def test_a_linked_runtime_directory_is_refused(place: Place, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    place.runtime.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Forbidden, match="is no real directory"):
        open_server(place.socket, os.geteuid(), place.launch())


def test_a_state_directory_that_cannot_be_made_is_an_error(place: Place) -> None:
    place.state.write_text("a file")
    with pytest.raises((IoError, Forbidden), match="directory"):
        open_server(place.socket, os.geteuid(), place.launch())


def test_a_log_of_four_megabytes_makes_room(place: Place) -> None:
    place.state.mkdir()
    (place.state / "server.log").write_bytes(b"x" * (4 << 20))
    open_server(place.socket, os.geteuid(), place.launch()).close()
    assert (place.state / "server.log.1").stat().st_size == 4 << 20
    wait_until(lambda: (place.state / "server.log").read_text() == "listening\n")
