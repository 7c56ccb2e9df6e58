"""How long it takes to start, as ratios: each kind of command against the bare interpreter and tmux.

Usage: start.py [--rounds N] [--python PATH]. Cases are interleaved and medians compared, since milliseconds differ from
hour to hour. The targets stand beside the cases. It gates nothing. tmux is optional: apt install tmux.
"""

from __future__ import annotations

import argparse
import contextlib
import hmac
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "dist" / "signaltty"
LIMIT_S = 20.0

Case = Callable[[], float]


class Bench:
    """A home, a server in it, and ways to run the program there."""

    def __init__(self, python: str, home: Path) -> None:
        self.python = python
        self.home = home
        self.socket = home / "run" / "signaltty" / "signaltty.sock"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "SIGNALTTY_PYTHON": python,
            "SIGNALTTY_INTEGRATION": "off",
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
        }

    def file(self, *words: str, **env: str) -> Case:
        return self.command([str(FILE), *words], **env)

    def command(self, argv: list[str], **env: str) -> Case:
        """Seconds from the spawn to the end of a command; its output goes nowhere."""
        environment = {**self.env, **env}
        nowhere = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2)]

        def run() -> float:
            begun = time.perf_counter()
            child = os.posix_spawnp(argv[0], argv, environment, file_actions=actions)
            _, status = os.waitpid(child, 0)
            spent = time.perf_counter() - begun
            if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
                raise SystemExit(f"start.py: {' '.join(argv)} ended with {os.waitstatus_to_exitcode(status)}")
            return spent

        return run

    def text(self, *words: str) -> str:
        done = subprocess.run([str(FILE), *words], env=self.env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"start.py: signaltty {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def pane_variables(self, pane: str) -> dict[str, str]:
        """What a program in the pane would find in its environment to report by (agent-status 2)."""
        secret = (self.home / ".local" / "state" / "signaltty" / "token-secret").read_bytes()
        return {
            "ZENTTY_INSTANCE_SOCKET": str(self.socket),
            "ZENTTY_PANE_TOKEN": hmac.digest(secret, pane.encode(), "sha256").hex(),
            "ZENTTY_WORKLANE_ID": "w",
            "ZENTTY_PANE_ID": pane,
        }

    def first_run(self) -> float:
        """A command in a home where nothing is unpacked yet."""
        with folder_for("first") as home:
            return self.file("--version", HOME=home)()

    def server_alone(self) -> float:
        """From the spawn of `server run`, as a client spawns it, to its first accepted connection and answer."""
        with folder_for("alone") as folder:
            path = f"{folder}/s.sock"
            (boot,) = self.home.glob(".cache/signaltty/signaltty_*/site-packages/signaltty_boot.py")
            program = [self.python, "-SE", str(boot), str(FILE)]
            words = [*program, "server", "run", "--socket", path, "--state-dir", f"{folder}/state"]
            begun = time.perf_counter()
            server = subprocess.Popen(
                words, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            answer(path, begun)
            spent = time.perf_counter() - begun
            server.send_signal(signal.SIGTERM)
            server.wait(LIMIT_S)
            return spent

    def server_by_client(self) -> float:
        """`server start` on an empty machine: client, lock, server and first answer."""
        with folder_for("start") as folder:
            env = {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": f"{folder}/state"}
            spent = self.file("server", "start", **env)()
            self.file("server", "stop", "--force", **env)()
            return spent

    def tmux_start(self) -> float:
        with folder_for("tmux") as folder:
            env = {"TMUX_TMPDIR": folder}
            spent = self.command(["tmux", "-L", "x", "-f", "/dev/null", "new-session", "-d"], **env)()
            self.command(["tmux", "-L", "x", "kill-server"], **env)()
            return spent


@contextlib.contextmanager
def folder_for(purpose: str) -> Iterator[str]:
    """A folder below /tmp, short enough for sockets. A server that has just been stopped may still write there."""
    folder = tempfile.mkdtemp(prefix=f"stt-{purpose}-", dir="/tmp")
    yield folder
    end = time.monotonic() + LIMIT_S
    while os.path.exists(folder) and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.02)


def answer(path: str, begun: float) -> None:
    """Returns once a server answers on the socket."""
    request = b'{"protocol":"signaltty/1","id":"b","method":"server.status","params":{}}\n'
    while True:
        with socket.socket(socket.AF_UNIX) as peer:
            try:
                peer.connect(path)
                peer.sendall(request)
                if peer.recv(1 << 16):
                    return
            except (ConnectionError, FileNotFoundError):
                pass
        if time.perf_counter() - begun > LIMIT_S:
            raise SystemExit("start.py: the server did not answer")
        time.sleep(0.0005)


# name, which case it is compared with, and the target of that ratio
TARGETS: list[tuple[str, str, float | None]] = [
    ("hook-event, server up", "floor", 1.25),
    ("hook-event, no server", "floor", 1.2),
    ("hook-event, nothing unpacked, no server", "floor", None),
    ("notify, server up", "floor", None),
    ("ipc agent-event, server up", "floor", 1.25),
    ("ls", "floor", 2.8),
    ("pane input", "floor", 2.8),
    ("pane read", "floor", 2.8),
    ("wait", "floor", 2.8),
    ("workspace list", "floor", 2.8),
    ("--help", "floor", 6),
    ("workspace list --help", "floor", 6),
    ("a mistake, worded by click", "floor", None),
    ("first run ever", "floor", 22),
    ("hook-event, server up", "tmux set-option", 4.5),
    ("server start, the server alone", "tmux new-session", 2.3),
    ("server start, client and lock included", "tmux new-session", 5),
]
SLOW = ("first run ever", "server start", "tmux new-session")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=40)
    arguments.add_argument("--python", default=os.path.realpath(sys.executable))
    given = arguments.parse_args()
    subprocess.run([ROOT / "scripts" / "refresh"], check=True)
    with folder_for("bench") as home:
        bench = Bench(given.python, Path(home))
        (bench.home / "run").mkdir(mode=0o700)
        try:
            times = measure(cases(bench), given.rounds)
        finally:
            bench.file("server", "stop", "--force")()
            if shutil.which("tmux"):
                bench.command(["tmux", "-L", "b", "kill-server"], TMUX_TMPDIR=str(bench.home))()
    show(times)
    return 0


def cases(bench: Bench) -> dict[str, Case]:
    """Everything that is measured, with a server up and one pane in it."""
    pane = bench.text("new", "--", "cat").split()[-1]
    hook = ("hook-event", "--agent", "claude", "--event", "PreToolUse", "--pane", pane)
    payload = '{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/a"}}'
    made: dict[str, Case] = {
        "floor": bench.command([bench.python, "-SE", "-c", "pass"]),
        "hook-event, server up": bench.file(*hook, "--payload", payload),
        "hook-event, no server": bench.file(*hook, "--payload", payload, SIGNALTTY_SOCKET=f"{bench.home}/none"),
        "hook-event, nothing unpacked, no server": bench.file(
            *hook, "--payload", payload, HOME=f"{bench.home}/other", SIGNALTTY_SOCKET=f"{bench.home}/none"
        ),
        "notify, server up": bench.file("notify", "--title", "t"),
        "ipc agent-event, server up": bench.file(
            "ipc", "agent-event", "--adapter=claude", "PreToolUse", **bench.pane_variables(pane)
        ),
        "ls": bench.file("ls"),
        "pane input": bench.file("pane", "input", pane, "--data", "x"),
        "pane read": bench.file("pane", "read", pane),
        "wait": bench.file("wait", "--pane", pane, "--until", "working,idle,unknown,done", "--timeout", "5"),
        "workspace list": bench.file("workspace", "list"),
        "--help": bench.file("--help"),
        "workspace list --help": bench.file("workspace", "list", "--help"),
        "a mistake, worded by click": bench.file("workspace", "lsit"),
        "first run ever": bench.first_run,
        "server start, the server alone": bench.server_alone,
        "server start, client and lock included": bench.server_by_client,
    }
    if shutil.which("tmux"):
        env = {"TMUX_TMPDIR": str(bench.home)}
        subprocess.run(
            ["tmux", "-L", "b", "-f", "/dev/null", "new-session", "-d"], env={**bench.env, **env}, check=True
        )
        made["tmux set-option"] = bench.command(["tmux", "-L", "b", "set-option", "-g", "@x", "1"], **env)
        made["tmux new-session"] = bench.tmux_start
    else:
        print("start.py: tmux is missing, its rows are left out: apt install tmux", file=sys.stderr)
    return made


def measure(made: dict[str, Case], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in made}
    for case in made.values():
        case()
    for number in range(rounds):
        for name, case in made.items():
            if number % 4 == 0 or not name.startswith(SLOW):
                times[name].append(case())
    return times


def show(times: dict[str, list[float]]) -> None:
    medians = {name: statistics.median(each) for name, each in times.items()}
    print(f"{'ms':>8}  case")
    for name, median in medians.items():
        print(f"{median * 1000:8.2f}  {name}")
    print(f"\n{'ratio':>8}  {'target':>6}")
    for name, base, target in TARGETS:
        if base in medians and name in medians:
            ratio = medians[name] / medians[base]
            verdict = "" if target is None or ratio <= target else "  over"
            print(f"{ratio:8.2f}  {target or '-':>6}  {name} ÷ {base}{verdict}")


if __name__ == "__main__":
    sys.exit(main())
