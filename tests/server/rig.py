"""A real server, and its keeper, in a directory of their own; clients on its socket that keep every frame."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# what is tested: the source tree, or a built file under any interpreter (scripts/release)
PROGRAM = os.environ.get("SIGNALTTY_E2E_PROGRAM", str(ROOT / "signaltty.py"))
PYTHON = os.environ.get("SIGNALTTY_E2E_PYTHON", sys.executable)
PROTOCOL = "signaltty/1"
LIMIT_S = 20.0

Record = dict[str, Any]


def wait_until(seen: Callable[[], Any], what: str = "it", limit_s: float = LIMIT_S) -> Any:
    """The first true value; fails when the limit has passed."""
    until = time.monotonic() + limit_s
    while not (value := seen()):
        assert time.monotonic() < until, f"{what} was not seen within {limit_s} s"
        time.sleep(0.01)
    return value


def is_readable(file: Any, wait_s: float) -> bool:
    """`select` knows descriptors below 1,024 only."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(wait_s * 1000))


def as_nobody(run: Callable[[], Any]) -> Any:
    """What run() gives in a process of another user, forked here because that user may not read our interpreter."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.write(writing, json.dumps(run()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return json.loads(said)


class Refused(AssertionError):
    """An error reply where a result was wanted."""

    def __init__(self, error: Record) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.error = error


class Client:
    """frames: all that came and was not asked for yet, in order."""

    def __init__(self, path: str) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)
        self.frames: list[Record] = []
        self.is_open = True
        self._data = bytearray()
        self._sent = 0

    def write(self, data: bytes) -> None:
        self.sock.settimeout(LIMIT_S)
        self.sock.sendall(data)

    def line(self, method: str, id: str, **params: Any) -> bytes:
        return json.dumps({"protocol": PROTOCOL, "id": id, "method": method, "params": params}).encode() + b"\n"

    def send(self, method: str, **params: Any) -> str:
        self._sent += 1
        id = f"c{self._sent}"
        self.write(self.line(method, id, **params))
        return id

    def call(self, method: str, **params: Any) -> Any:
        """The result; raises Refused."""
        frame = self.reply(self.send(method, **params))
        if not frame["ok"]:
            raise Refused(frame["error"])
        return frame["result"]

    def refusal(self, method: str, **params: Any) -> Record:
        """The error of a call that must fail."""
        frame = self.reply(self.send(method, **params))
        assert not frame["ok"], f"{method} was expected to fail: {frame['result']}"
        error: Record = frame["error"]
        return error

    def reply(self, id: str, limit_s: float = LIMIT_S) -> Record:
        return self.take(lambda frame: frame.get("id") == id, f"the reply to {id}", limit_s)

    def event(self, name: str, limit_s: float = LIMIT_S, **payload: Any) -> Record:
        """The next event of that name whose payload holds these values."""

        def matches(frame: Record) -> bool:
            held = frame.get("payload", {})
            return frame.get("event") == name and all(held.get(key) == value for key, value in payload.items())

        return self.take(matches, f"the event {name} {payload}", limit_s)

    def take(self, matches: Callable[[Record], bool], what: str, limit_s: float = LIMIT_S) -> Record:
        until = time.monotonic() + limit_s
        while True:
            for index, frame in enumerate(self.frames):
                if matches(frame):
                    return self.frames.pop(index)
            left_s = until - time.monotonic()
            assert left_s > 0, f"{what} did not come within {limit_s} s"
            assert self.is_open, f"the connection ended before {what}"
            self.pump(min(left_s, 0.5))

    def pump(self, wait_s: float = 0.0) -> bool:
        """Read what is there; False when nothing came."""
        if not self.is_open or not is_readable(self.sock, wait_s):
            return False
        try:
            data = self.sock.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_open = False
            return False
        self._data += data
        *lines, rest = self._data.split(b"\n")
        self._data = bytearray(rest)
        self.frames += [json.loads(line) for line in lines]
        return True

    def settle(self) -> list[Record]:
        """Everything that precedes the answer to one more request, then nothing is left here."""
        self.call("server.status")
        frames, self.frames = self.frames, []
        return frames

    def until_closed(self, limit_s: float = LIMIT_S) -> list[Record]:
        """All frames up to the end of the connection."""
        until = time.monotonic() + limit_s
        while self.is_open:
            assert time.monotonic() < until, "the connection was not closed"
            self.pump(0.2)
        return self.frames

    def half_close(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.is_open = False
        self.sock.close()


class Server:
    """directory: short, so that socket paths fit. process: the server that `start` started last."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.path = f"{directory}/s.sock"
        self.runtime = f"{self.path}.d"
        self.state = f"{directory}/state"
        self.work = f"{directory}/work"
        os.mkdir(self.work)
        self.process: subprocess.Popen[bytes] | None = None
        self.clients: list[Client] = []
        self.environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SIGNALTTY", "ZENTTY", "XDG_")) and name not in ("PYTHONPATH", "TERM")
        }
        self.environ.update(HOME=directory, XDG_RUNTIME_DIR=f"{directory}/xdg", SHELL="/bin/sh")

    def argv(self, *options: str) -> list[str]:
        named = ["--socket", self.path, "--state-dir", self.state]
        return [PYTHON, PROGRAM, "server", "run", *named, *options]

    def start(self, *options: str) -> Server:
        self.process = self.launch(*options)
        wait_until(self.answers, "the server")
        return self

    def launch(self, *options: str) -> subprocess.Popen[bytes]:
        with open(f"{self.directory}/log", "ab") as log:
            return subprocess.Popen(
                self.argv(*options),
                cwd=self.directory,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def answers(self) -> bool:
        probe = socket.socket(socket.AF_UNIX)
        try:
            probe.connect(self.path)
        except OSError:
            return False
        finally:
            probe.close()
        return True

    def client(self) -> Client:
        made = Client(self.path)
        self.clients.append(made)
        return made

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def kill(self) -> None:
        """kill -9, and the body taken away."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def wait_end(self, limit_s: float = LIMIT_S) -> int:
        assert self.process is not None
        return self.process.wait(limit_s)

    def log(self) -> str:
        texts = []
        for path in (f"{self.directory}/log", f"{self.state}/server.log"):
            if os.path.exists(path):
                texts.append(Path(path).read_text(errors="replace"))
        return "".join(texts)

    def keepers(self) -> list[int]:
        return [pid for pid, words in processes() if "keeper" in words and self.runtime in words]

    def servers(self) -> list[int]:
        return [pid for pid, words in processes() if "server" in words and self.path in words]

    def children(self) -> list[int]:
        """Whatever runs in a pane of this server, or ran there and was left."""
        mark = f"SIGNALTTY_SOCKET={self.path}".encode()
        return [pid for pid in pids() if pid != os.getpid() and mark in environment(pid)]

    def stop(self) -> None:
        """End everything that was started here."""
        for client in self.clients:
            client.close()
        for pid in self.keepers():
            end(pid)
        for pid in self.servers():
            end(pid)
        for pid in self.children():
            end(pid)
        if self.process is not None:
            self.process.wait(LIMIT_S)


def pids() -> list[int]:
    """Every process. Linux: the tests' way to find those whose parent is gone."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def processes() -> Iterator[tuple[int, list[str]]]:
    """Every process that runs, and its words."""
    for pid in pids():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if is_running(pid):
            yield pid, words


def environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") if is_running(pid) else []
    except OSError:
        return []


def session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def end(pid: int) -> None:
    """KILL, and gone; a keeper's children hang up with it."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    wait_until(lambda: not is_running(pid), f"the end of {pid}")


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 : stat.rindex(b")") + 3] != b"Z"


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory_kib(pid: int) -> int:
    """Resident size."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError(f"{pid} has no resident size")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def unb64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


@contextmanager
def running(*options: str, started: bool = True) -> Iterator[Server]:
    """A server with everything private; at the end nothing of it is left, and its log holds no fault of ours."""
    directory = tempfile.mkdtemp(prefix="sq", dir="/tmp")
    server = Server(directory)
    try:
        if started:
            server.start(*options)
        yield server
        assert "Traceback" not in server.log(), server.log()
        assert "cannot be used; dropped" not in server.log(), server.log()
    finally:
        server.stop()
        shutil.rmtree(directory, ignore_errors=True)


class Shop:
    """A client with a workspace, and short words for what most tests do."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = server.client()
        self.workspace: str = self.client.call("workspace.create", cwd=server.work)["workspace"]["id"]

    def spawn(self, *argv: str, **params: Any) -> Record:
        pane: Record = self.client.call("pane.spawn", workspace_id=self.workspace, argv=list(argv), **params)["pane"]
        return pane

    def run(self, script: str, **params: Any) -> Record:
        return self.spawn("sh", "-c", script, **params)

    def get(self, pane_id: str) -> Record:
        pane: Record = self.client.call("pane.get", pane_id=pane_id)["pane"]
        return pane

    def text(self, pane_id: str) -> str:
        return str(self.client.call("pane.read", pane_id=pane_id, lines=5000)["text"])

    def shows(self, pane_id: str, text: str) -> None:
        self.client.call("pane.wait_for_output", pane_id=pane_id, match=text, timeout_s=LIMIT_S)

    def exited(self, pane_id: str) -> Record:
        seen: Record = wait_until(
            lambda: (pane := self.get(pane_id))["live"]["state"] == "exited" and pane, f"the exit of {pane_id}"
        )
        return seen

    def pid(self, pane_id: str) -> int:
        """The child's pid, as its environment tells."""
        mark = f"SIGNALTTY_PANE={pane_id}".encode()

        def find() -> int | None:
            return next((pid for pid in pids() if mark in environment(pid) and session_of(pid) == pid), None)

        found: int = wait_until(find, f"the child of {pane_id}")
        return found
