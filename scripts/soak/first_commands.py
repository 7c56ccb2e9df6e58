"""Twenty first commands at once on an empty machine: one unpacking, one server, one keeper, twenty answers.

Usage: first_commands.py [FILE] [--rounds N] [--commands N] [--python PATH]. Each round has a fresh HOME, cache, state
and runtime directory. Prints a line a round and ends with 1 at the first thing that is not as it must be.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0
GONE_S = 10.0


class Wrong(Exception):
    """What a round found that must not be."""


class Unpackings:
    """Counts what is made in the cache's root; every run that unpacks makes a folder there (Linux alone: inotify)."""

    def __init__(self, root: Path) -> None:
        root.mkdir(mode=0o700, parents=True)
        self.fd = -1
        if sys.platform == "linux":
            libc = ctypes.CDLL(None, use_errno=True)
            self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(root), 0x100) < 0:  # IN_CREATE
                raise OSError(ctypes.get_errno(), "no inotify")

    def count(self) -> int:
        """Folders made since the start, those renamed or removed meanwhile included."""
        if self.fd < 0:
            return 1
        try:
            return os.read(self.fd, 65536).count(b".half")
        except BlockingIOError:
            return 0

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)


class Machine:
    """A user's directories in which signaltty has never run."""

    def __init__(self, file: Path, python: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sgf-", dir="/tmp"))  # short: a socket's path holds 107 bytes
        self.file = self.folder / "bin" / "signaltty"
        self.file.parent.mkdir()
        shutil.copy(file, self.file)
        self.runtime = self.folder / "run"
        self.runtime.mkdir(mode=0o700)
        self.unpackings = Unpackings(self.folder / ".cache" / "signaltty")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "SIGNALTTY_PYTHON": python,
            "SIGNALTTY_INTEGRATION": "off",
            "SHELL": "/bin/sh",
        }

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self.file), "--json", *words],
            env=self.env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def processes(self, role: str) -> list[int]:
        """Server or keeper processes of this machine: the paths in their arguments are ours alone."""
        listing = subprocess.run(["ps", "-A", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
        lines = (line.strip().partition(" ") for line in listing.splitlines())
        return [int(pid) for pid, _, args in lines if str(self.folder) in args and f" {role} run " in args]

    def unpacked(self) -> list[str]:
        return sorted(os.listdir(self.folder / ".cache" / "signaltty"))

    def clear(self) -> None:
        self.unpackings.close()
        for role in ("server", "keeper"):
            for pid in self.processes(role):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def finish(command: subprocess.Popen[bytes], until: float) -> dict[str, object]:
    """The answer of a command that has to succeed, without a word on standard error."""
    try:
        out, err = command.communicate(timeout=max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        command.kill()
        command.communicate()
        raise Wrong(f"{command.args!r} has not ended") from None
    if command.returncode != 0 or err:
        raise Wrong(f"{command.args!r} ended with {command.returncode}: {err.decode(errors='replace').strip()}")
    answer = json.loads(out)
    if not isinstance(answer, dict):
        raise Wrong(f"{command.args!r} answered {answer!r}")
    return answer


def require(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise Wrong(f"{what}: {found!r}, not {expected!r}")


def count_starts(machine: Machine) -> int:
    """How many servers have ever served: each announces its end in the log, the last one when it is stopped."""
    log = machine.folder / ".local" / "state" / "signaltty" / "server.log"
    return log.read_text().count("server ended")


def play(machine: Machine, commands: int) -> tuple[float, int]:
    """One round; seconds until the last answer, and how many commands made a pane."""
    kinds = (("call", "server.status"), ("ls",), ("new", "--", "cat"), ("pane", "list"))
    begun = time.monotonic()
    running = [(kinds[n % len(kinds)], machine.begin(*kinds[n % len(kinds)])) for n in range(commands)]
    try:
        answers = [(words, finish(command, begun + LIMIT_S)) for words, command in running]
    finally:
        for _, command in running:
            if command.poll() is None:
                command.kill()
                command.communicate()
    spent_s = time.monotonic() - begun
    made = sorted(str(answer["pane_id"]) for words, answer in answers if words[0] == "new")
    servers = machine.processes("server")
    require(len(servers), 1, "servers")
    require(len(machine.processes("keeper")), 1, "keepers")
    require({answer["pid"] for words, answer in answers if words[0] == "call"}, {servers[0]}, "pids answered")
    panes = finish(machine.begin("pane", "list"), time.monotonic() + LIMIT_S)["panes"]
    assert isinstance(panes, list)
    require(sorted(pane["id"] for pane in panes), made, "panes")
    require({pane["live"]["state"] for pane in panes}, {"live"}, "states of the panes")
    unpacked = machine.unpacked()
    require(len(unpacked), 1, f"folders in the cache ({', '.join(unpacked)})")
    require(machine.unpackings.count(), 1, "unpackings")
    finish(machine.begin("server", "stop", "--force"), time.monotonic() + LIMIT_S)
    limit = time.monotonic() + GONE_S
    while left := machine.processes("server") + machine.processes("keeper"):
        if time.monotonic() > limit:
            raise Wrong(f"left after the stop: {left}")
        time.sleep(0.02)
    require(count_starts(machine), 1, "servers that ended")
    return spent_s, len(made)


def run(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Many first commands at once on an empty machine.")
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "dist" / "signaltty")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--commands", type=int, default=20)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args(words)
    spent: list[float] = []
    for n in range(1, options.rounds + 1):
        machine = Machine(options.file, options.python)
        try:
            spent_s, panes = play(machine, options.commands)
        except Wrong as wrong:
            print(f"round {n}: {wrong}", file=sys.stderr)
            return 1
        finally:
            machine.clear()
        spent.append(spent_s)
        print(
            f"round {n}: {options.commands} answers, {panes} panes, 1 server, 1 unpacking, {spent_s:.2f} s", flush=True
        )
    if spent:
        median_s = statistics.median(spent)
        print(f"all {len(spent)} rounds as they must be; median {median_s:.2f} s, worst {max(spent):.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
