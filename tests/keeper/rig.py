"""A real keeper in a process of its own, and a server's end of its socket that waits."""

from __future__ import annotations

import _socket
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from signaltty_core.keeper.protocol import Channel

ROOT = str(Path(__file__).parents[2])
LIMIT_S = 15.0
START = """
import sys
sys.path[:0] = {paths!r}
from signaltty_core.keeper.main import run
from signaltty_core.keeper.revive import Timings
sys.exit(run({directory!r}, Timings(**{timings!r})))
"""


def wait_until(seen: Callable[[], Any], what: str = "it") -> Any:
    until = time.monotonic() + LIMIT_S
    while True:
        value = seen()
        if value:
            return value
        assert time.monotonic() < until, f"{what} was not seen within {LIMIT_S} s"
        time.sleep(0.005)


class Server:
    """One connection; `hello` is the keeper's first message."""

    def __init__(self, path: str, **hello: object) -> None:
        def connect() -> _socket.socket | None:
            socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            try:
                socket.connect(path)
            except OSError:
                socket.close()
                return None
            return socket

        self.channel = Channel(wait_until(connect, f"a listener at {path}"), json.dumps, json.loads)
        self.notices: list[dict[str, Any]] = []
        self.replies: dict[int, tuple[dict[str, Any], int]] = {}
        self.first: dict[str, Any] | None = None
        self.is_there = True
        self.sent = 0
        if hello.pop("greet", True):
            self.channel.send({"keeper": 1, "version": "0", **hello})
        self.hello = wait_until(lambda: self.turn() or self.first, "the keeper's first message")

    def turn(self, wait_s: float = 0.02) -> None:
        if not self.is_there:
            return
        if select.select([self.channel.socket], [], [], wait_s)[0]:
            messages, self.is_there = self.channel.receive()
            for message, master in messages:
                if "id" in message:
                    self.replies[message["id"]] = (message, master)
                elif "notice" in message:
                    self.notices.append(message)
                else:
                    self.first = message

    def ask(self, request: str, **fields: object) -> tuple[dict[str, Any], int]:
        self.sent += 1
        number = self.sent
        self.channel.send({"request": request, "id": number, **fields})
        wait_until(lambda: self.turn() or number in self.replies, f"the reply to {request}")
        reply, master = self.replies.pop(number)
        del reply["id"]
        return reply, master

    def spawn(self, pane_id: str, *argv: str, cwd: str = "/", env: dict[str, str] | None = None) -> tuple[int, int]:
        """pid and master."""
        environment = {"PATH": os.environ["PATH"], "TERM": "dumb", **(env or {})}
        reply, master = self.ask("spawn", pane_id=pane_id, argv=argv, cwd=cwd, env=environment, cols=80, rows=24)
        assert "error" not in reply, reply
        return reply["pid"], master

    def exit_of(self, pane_id: str) -> dict[str, Any]:
        def seen() -> dict[str, Any] | None:
            for notice in self.notices:
                if notice["pane_id"] == pane_id:
                    return notice
            return self.turn()

        return wait_until(seen, f"the exit of {pane_id}")

    def is_refused(self) -> bool:
        wait_until(lambda: self.turn() or not self.is_there, "the end of the connection")
        return True

    def bye(self) -> None:
        self.channel.send({"notice": "bye"})
        self.close()

    def close(self) -> None:
        self.is_there = False
        self.channel.close()


class Rig:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = str(directory / "keeper.sock")
        self.started: list[subprocess.Popen[bytes]] = []
        self.servers: list[Server] = []

    def keeper(self, env: dict[str, str] | None = None, **timings: float) -> subprocess.Popen[bytes]:
        paths = [ROOT, *[path for path in sys.path if path.endswith("site-packages")]]
        code = START.format(paths=paths, directory=str(self.directory), timings=timings)
        process = subprocess.Popen([sys.executable, "-SE", "-c", code], env={**os.environ, **(env or {})})
        self.started.append(process)
        return process

    def server(self, **hello: object) -> Server:
        server = Server(self.path, **hello)
        self.servers.append(server)
        return server

    def end(self) -> None:
        for server in self.servers:
            if server.is_there:
                server.close()
        for process in self.started:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(LIMIT_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def read_all(master: int) -> bytes:
    """Everything up to the end of file."""
    parts: list[bytes] = []

    def ended() -> bool:
        try:
            data = os.read(master, 65536)
        except BlockingIOError:
            return False
        except OSError:
            return True
        parts.append(data)
        return not data

    wait_until(ended, "the end of file")
    return b"".join(parts)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def kill_quietly(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
