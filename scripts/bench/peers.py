"""The whole program and tmux as owners of panes, driven alike: start a program in a pane, end it, look at the cost."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0
HISTORY = 5000


def cpu_s(pid: int) -> float:
    """Processor seconds of a process's main thread so far, to the nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def resident_bytes(pid: int) -> int:
    lines = dict(line.partition(":")[::2] for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) * 1024


def wait_for(path: Path) -> str:
    """The text of a file once it is there."""
    end = time.monotonic() + LIMIT_S
    while not path.exists():
        if time.monotonic() > end:
            raise SystemExit(f"{path.name} never came")
        time.sleep(0.002)
    return path.read_text()


class Ours:
    """A server of our own, run from the sources."""

    name = "signaltty"

    def __init__(self, folder: Path, cols: int, rows: int) -> None:
        self.size = {"cols": cols, "rows": rows}
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        self._env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(folder / "state")}
        self._program = [sys.executable, str(ROOT / "signaltty.py")]
        self.run("server", "start")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(runtime / "signaltty" / "signaltty.sock"))
        self._file = self._socket.makefile("rb")
        self.pid = int(self.ask("server.status")["pid"])
        self._workspace = self.ask("workspace.create", cwd=str(folder))["workspace"]["id"]

    def run(self, *words: str) -> None:
        subprocess.run([*self._program, *words], env=self._env, check=True, stdout=subprocess.DEVNULL)

    def ask(self, method: str, **params: object) -> Any:
        request = {"protocol": "signaltty/1", "id": "b", "method": method, "params": params}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self._file.readline())
            if answer.get("id") == "b":
                if "result" not in answer:
                    raise SystemExit(f"{method}: {answer}")
                return answer["result"]

    def spawn(self, argv: list[str], **more: object) -> str:
        pane = self.ask("pane.spawn", workspace_id=self._workspace, argv=argv, **{**self.size, **more})["pane"]
        return str(pane["id"])

    def close(self, pane: str) -> None:
        self.ask("pane.close", pane_id=pane)

    def stop(self) -> None:
        self._socket.close()
        self.run("server", "stop", "--force")


class Tmux:
    """A server of its own; a window per program."""

    name = "tmux"

    def __init__(self, folder: Path, cols: int, rows: int) -> None:
        config = folder / "tmux.conf"
        config.write_text(f"set -g status off\nset -g history-limit {HISTORY}\nset -g default-size {cols}x{rows}\n")
        self._words = ["tmux", "-u", "-L", "bench", "-f", str(config)]
        self._env = {**os.environ, "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
        self.run("new-session", "-d", "-x", str(cols), "-y", str(rows), "sleep 100000")
        self.pid = int(self.run("display", "-p", "#{pid}"))

    def run(self, *words: str) -> str:
        done = subprocess.run([*self._words, *words], env=self._env, check=True, capture_output=True)
        return done.stdout.decode("utf-8", "replace").strip()

    def spawn(self, argv: list[str]) -> str:
        return self.run("new-window", "-d", "-P", "-F", "#{window_id}", *argv)

    def close(self, pane: str) -> None:
        self.run("kill-window", "-t", pane)

    def stop(self) -> None:
        self.run("kill-server")


def start_all(folder: Path, cols: int, rows: int) -> list[Ours | Tmux]:
    """Both, or ours alone where tmux is missing."""
    started: list[Ours | Tmux] = [Ours(folder, cols, rows)]
    if shutil.which("tmux"):
        started.append(Tmux(folder, cols, rows))
    else:
        print("tmux is missing, no comparison: apt install tmux", file=sys.stderr)
    return started
