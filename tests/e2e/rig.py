"""A private place for a real server and keeper: short socket paths, a home of its own, and proof that nothing stays."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 20.0
# what is tested: the source tree, or a built file under any interpreter (scripts/release)
PROGRAM = [os.environ["SIGNALTTY_E2E_PROGRAM"]] if "SIGNALTTY_E2E_PROGRAM" in os.environ else []
PYTHON = os.environ.get("SIGNALTTY_E2E_PYTHON", sys.executable)
COMMAND = PROGRAM or [sys.executable, str(ROOT / "signaltty.py")]

Seen = TypeVar("Seen")


def wait_until(look: Callable[[], Seen], what: str, limit_s: float = LIMIT_S) -> Seen:
    """What `look` gives once that is true; fails after the limit."""
    until = time.monotonic() + limit_s
    while not (seen := look()):
        assert time.monotonic() < until, f"not seen within {limit_s:g} s: {what}"
        time.sleep(0.02)
    return seen


class Rig:
    """An environment of its own below /tmp, and the command line in it."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="stt-", dir="/tmp")).resolve()
        self.home = self.place / "home"
        self.home.mkdir()
        self.run_dir = self.place / "run"
        self.run_dir.mkdir(mode=0o700)
        self.state = self.place / "state"
        self.socket = self.run_dir / "signaltty" / "signaltty.sock"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.run_dir),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.place / "config"),
            "XDG_CACHE_HOME": str(self.place / "cache"),
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SIGNALTTY_PYTHON": PYTHON,
            "SIGNALTTY_INTEGRATION": "off",
        }

    def cli(
        self, *words: str, status: int | None = 0, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run one command to its end; status None accepts any exit status."""
        done = subprocess.run(
            [*COMMAND, *words],
            input=stdin,
            capture_output=True,
            env={**self.environment, **(env or {})},
            cwd=self.home,
            timeout=LIMIT_S,
            check=False,
        )
        said = subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
        assert status is None or said.returncode == status, said
        return said

    def result(self, *words: str) -> Any:
        """The result of a command with --json."""
        return json.loads(self.cli("--json", *words).stdout)

    def call(self, method: str, **params: Any) -> Any:
        return self.result("call", method, json.dumps(params))

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command that goes on beside the test."""
        return subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.home,
            text=True,
        )

    def new_pane(self, *command: str) -> str:
        return str(self.result("new", "--name", "e2e", "--", *command)["pane_id"])

    def processes(self) -> dict[int, str]:
        """Every process that has this place in its environment, with its command line."""
        found = {}
        for pid, text in _everything():
            if str(self.place) in text and pid != os.getpid():
                found[pid] = text.split(" HOME=")[0][:200]
        return found

    def end(self) -> None:
        """Stop server and keeper, and prove that no process is left."""
        if self.socket.exists():
            self.cli("--no-start", "server", "stop", "--force", status=None)
        try:
            wait_until(lambda: not self.processes(), "the end of every process")
        except AssertionError:
            log = self.state / "signaltty" / "server.log"
            said = log.read_text(encoding="utf-8") if log.exists() else ""
            raise AssertionError(f"left: {self.processes()}\n{said}") from None
        finally:
            for pid in self.processes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            shutil.rmtree(self.place, ignore_errors=True)


def _everything() -> list[tuple[int, str]]:
    """Every process of this user as (pid, command line and environment)."""
    if not os.path.isdir("/proc/self"):
        listed = subprocess.run(["ps", "-axwwE", "-o", "pid=,command="], capture_output=True, text=True, check=True)
        lines = [line.strip().partition(" ") for line in listed.stdout.splitlines()]
        return [(int(pid), text) for pid, _, text in lines]
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            line = Path(f"/proc/{name}/cmdline").read_bytes()
            environ = Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue
        if environ:  # a zombie has none
            found.append((int(name), (line + b" " + environ).replace(b"\0", b" ").decode(errors="replace")))
    return found
