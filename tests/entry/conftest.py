"""A real Unix socket server with scripted replies, and the three roads by which a hot word can be reached."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "dist" / "signaltty"
LIMIT_S = 30.0

Reply = Callable[[dict[str, Any]], Any]


class Listener:
    """Accepts, notes every request and answers with `reply(request)`: None means silence, False hangs up."""

    def __init__(self, path: Path, reply: Reply) -> None:
        self.path = path
        self.lines: list[bytes] = []
        self.connections = 0
        self._reply = reply
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def requests(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
        self._thread.join(LIMIT_S)

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            with peer, peer.makefile("rwb") as stream:
                for line in stream:
                    self.lines.append(line)
                    answer = self._reply(json.loads(line))
                    if answer is False:
                        break
                    if answer is not None:
                        stream.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode() + b"\n")
                        stream.flush()


def result(value: Any) -> Reply:
    """Replies that say yes."""
    return lambda request: {"protocol": "signaltty/1", "id": request["id"], "ok": True, "result": value}


def error(code: str, message: str, **details: Any) -> Reply:
    """Replies that refuse."""
    fault = {"code": code, "message": message, "details": details}
    return lambda request: {"protocol": "signaltty/1", "id": request["id"], "ok": False, "error": fault}


class Program:
    """Runs the program one way, in an environment of its own."""

    def __init__(self, command: list[str], home: Path, socket_path: Path) -> None:
        self.command = command
        self.socket_path = socket_path
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "SIGNALTTY_PYTHON": sys.executable,
            "SIGNALTTY_SOCKET": str(socket_path),
        }

    def __call__(
        self, *words: str, stdin: bytes | None = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.command, *words],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env={**self.environment, **(env or {})},
            timeout=LIMIT_S,
            check=False,
        )


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of dist/signaltty, not older than its sources; the next build does not replace it under a test."""
    subprocess.run([ROOT / "scripts" / "refresh"], check=True, timeout=300)
    return Path(shutil.copy(FILE, tmp_path_factory.mktemp("built")))


@pytest.fixture(scope="session")
def warm_home(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home below which the archive is unpacked."""
    home = tmp_path_factory.mktemp("warm")
    command = [sys.executable, "-SE", str(file), "hook-event", "--agent", "claude", "--event", "Stop"]
    subprocess.run(command, env={"HOME": str(home), "SIGNALTTY_SOCKET": "/nonexistent/s"}, check=True, timeout=LIMIT_S)
    return home


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path is short enough for a socket."""
    folder = tempfile.mkdtemp(prefix="stt-", dir="/tmp")
    yield Path(folder)
    shutil.rmtree(folder)


@pytest.fixture
def listen(place: Path) -> Iterator[Callable[[Reply], Listener]]:
    """Starts a listener on the socket the program knows."""
    made: list[Listener] = []

    def start(reply: Reply) -> Listener:
        made.append(Listener(place / "s.sock", reply))
        return made[-1]

    yield start
    for listener in made:
        listener.close()


@pytest.fixture(params=["source", "cold", "warm"])
def program(request: pytest.FixtureRequest, place: Path, file: Path, warm_home: Path) -> Program:
    """The program from its source tree, from the header alone, from the unpacked archive."""
    if request.param == "source":
        return Program([sys.executable, "-SE", str(ROOT / "signaltty.py")], place, place / "s.sock")
    return Program([str(file)], warm_home if request.param == "warm" else place / "home", place / "s.sock")
