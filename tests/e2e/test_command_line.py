"""The command line against the real server: real processes from the first command to the last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, str(ROOT / "signaltty.py")]
LIMIT_S = 30.0

Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNALTTY_", "XDG_"))}
    for name in ("run", "home"):
        (tmp_path / name).mkdir(mode=0o700)
    return {**kept, "HOME": str(tmp_path / "home"), "XDG_RUNTIME_DIR": str(tmp_path / "run"), "SHELL": "/bin/sh"}


@pytest.fixture
def call(environ: dict[str, str], tmp_path: Path) -> Iterator[Call]:
    """Runs one command in the test's own folder and waits for it; the server is stopped at the end."""

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *argv], env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S
        )

    yield run
    run("server", "stop", "--force")


def eventually(look: Callable[[], str], wanted: str) -> str:
    until = time.monotonic() + LIMIT_S
    while wanted not in (seen := look()):
        assert time.monotonic() < until, f"{wanted!r} never came, last: {seen!r}"
        time.sleep(0.05)
    return seen


def made(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert (done.returncode, done.stderr) == (0, "")
    result: dict[str, str] = json.loads(done.stdout)
    return result


def test_from_the_first_command_to_the_last(call: Call, tmp_path: Path) -> None:
    new = made(call("new", "--json", "--name", "My Api", "--", "sh", "-c", "echo ready; read x; echo got $x; exit 3"))
    pane = new["pane_id"]
    assert new["handle"] == "my-api"
    eventually(lambda: call("pane", "read", pane).stdout, "ready\n")
    assert call("pane", "rename", pane, "boss").stdout == f"renamed {pane} to boss\n"
    assert call("ls").stdout.startswith(f"my-api  My Api  {tmp_path}  -\n  agents *\n    {pane}  boss  generic  ")
    assert call("pane", "input", "boss", "--data", "you\n").stdout == "wrote 4 bytes\n"
    waited = call("wait", "--pane", "boss", "--until", "exited,failed", "--timeout", "20")
    assert (waited.returncode, waited.stdout.startswith("satisfied: lifecycle="), waited.stderr) == (0, True, "")
    assert call("pane", "read", "boss").stdout == "ready\nyou\ngot you\n"
    assert f"{pane}  boss  generic  exited 3  " in call("pane", "list").stdout
    assert call("pane", "close", "boss").stdout == "closed boss\n"
    assert call("ls").stdout.splitlines()[-1] == "    (empty)"
    assert call("server", "stop").stdout == "stopped\n"
    stopped = call("status")
    assert (stopped.returncode, stopped.stderr) == (1, "signaltty: no server is running (NO_SUCH_SERVER)\n")


def test_twenty_first_commands_at_once_find_one_server(call: Call, environ: dict[str, str], tmp_path: Path) -> None:
    argv = [*PROGRAM, "call", "server.status", "--json"]
    callers = [subprocess.Popen(argv, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(20)]
    answers = [caller.communicate(timeout=LIMIT_S)[0] for caller in callers]
    assert [caller.returncode for caller in callers] == [0] * 20
    assert len({json.loads(answer)["pid"] for answer in answers}) == 1


def test_a_shells_substitution_returns_while_the_server_lives_on(
    call: Call, environ: dict[str, str], tmp_path: Path
) -> None:
    line = 'x=$("$@" 2>&1); echo "[$x]"'
    shell = ["sh", "-c", line, "sh", *PROGRAM, "new", "--", "sleep", "60"]
    done = subprocess.run(shell, env=environ, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.stdout.startswith("[workspace ws_")
    assert call("status").stdout.endswith("(1 live)\n")


def test_a_program_that_does_not_exist_leaves_nothing(call: Call) -> None:
    failed = call("new", "--", "no-such-program")
    assert (failed.returncode, failed.stdout, failed.stderr.endswith("(SPAWN_FAILED)\n")) == (1, "", True)
    assert call("ls").stdout == "no workspaces\n"


def test_a_waiting_command_ends_with_its_server(call: Call, environ: dict[str, str], tmp_path: Path) -> None:
    pane = made(call("new", "--json", "--", "sleep", "60"))["pane_id"]
    argv = [*PROGRAM, "events", "--filter", "pane.*"]
    watcher = subprocess.Popen(argv, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert watcher.stdout is not None
    until = time.monotonic() + LIMIT_S
    os.set_blocking(watcher.stdout.fileno(), False)
    seen = ""
    while "pane.updated" not in seen and time.monotonic() < until:  # subscribed once an event arrives
        call("pane", "rename", pane, f"n{time.monotonic_ns()}")
        seen += watcher.stdout.read() or ""
    assert "pane.updated" in seen
    assert call("server", "stop", "--force").stdout == "stopped\n"
    assert watcher.wait(LIMIT_S) == 0


def test_a_second_server_on_the_same_state_is_refused_with_its_sentence(call: Call, tmp_path: Path) -> None:
    first = call("server", "start").stdout
    refused = call("ls", "--socket", str(tmp_path / "other.sock"))
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"signaltty: the state directory {tmp_path}/home/.local/state/signaltty is in use")
    assert call("server", "start").stdout == first


def test_a_file_at_the_sockets_path_is_neither_used_nor_removed(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file.sock").write_text("mine")
    refused = call("ls", "--socket", str(tmp_path / "file.sock"))
    assert (refused.returncode, "no socket" in refused.stderr) == (1, True)
    assert (tmp_path / "file.sock").read_text() == "mine"


def test_a_restart_keeps_the_panes(call: Call) -> None:
    pane = made(call("new", "--json", "--", "sleep", "60"))["pane_id"]
    before = json.loads(call("status", "--json").stdout)["pid"]
    assert call("server", "restart").returncode == 0
    after = json.loads(call("status", "--json").stdout)
    assert (after["pid"] != before, after["live_panes"]) == (True, 1)
    assert "live=live" in call("pane", "get", pane).stdout
