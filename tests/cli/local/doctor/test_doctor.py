"""`doctor` on a healthy, an empty and a broken machine, by real processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import time
from pathlib import Path

import pytest

from signaltty_core.base.version import PROTOCOL, VERSION
from tests.e2e.rig import COMMAND, Rig, wait_until

Report = dict[str, tuple[str, str]]
ABSENT = "codex, opencode, cursor, pi, gemini, copilot, droid, qwen, goose, amp, hermes, kimi, zerostack"


@pytest.fixture
def machine(rig: Rig) -> Rig:
    """A machine with git, one agent and nothing else."""
    programs = rig.place / "bin"
    programs.mkdir()
    git = shutil.which("git")
    assert git is not None
    (programs / "git").symlink_to(git)
    add_agent(rig, "claude", "echo '2.1.400 (Claude Code)'")
    rig.environment["PATH"] = str(programs)
    return rig


def add_agent(rig: Rig, name: str, script: str) -> Path:
    path = rig.place / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def examine(rig: Rig, status: int | None = 0, **env: str) -> Report:
    """Status and detail by name of each check."""
    said = rig.cli("--json", "doctor", status=status, env=env)
    assert said.stderr == ""
    return {one["name"]: (one["status"], one["detail"]) for one in json.loads(said.stdout)["checks"]}


def failing(report: Report) -> list[str]:
    return [name for name, (status, _) in report.items() if status == "fail"]


def warning(report: Report) -> list[str]:
    return [name for name, (status, _) in report.items() if status == "warn"]


def test_what_former_versions_left_in_the_cache_is_counted(machine: Rig) -> None:
    root = machine.place / "cache" / "signaltty"
    machine.cli("version")  # a built file unpacks itself here
    own = len(list(root.glob("*")))
    for name, used_at in (("signaltty_aa", 1.0), ("signaltty_bb", time.time())):
        (root / name / "site-packages").mkdir(parents=True)
        (root / name / "site-packages" / "a.py").write_bytes(b"x" * 150_000)
        for path in (root / name / "site-packages", root / name):
            os.utime(path, (used_at, used_at))
    status, said = examine(machine)["cache"]
    assert (status, said.split(", ")[0]) == ("ok", f"{own + 2} unpacked versions in {root}")
    assert said.endswith(" MB; 1 unused for a week: the next server deletes what is old")


def test_an_empty_machine_is_in_order_and_stays_empty(machine: Rig) -> None:
    lines = machine.cli("doctor").stdout.splitlines()
    kept = [line for line in lines if line.split("  ")[1] not in ("interpreter", "cache", "git", "descriptors")]
    assert kept == [
        f"ok  program  signaltty {VERSION} ({PROTOCOL}) at {COMMAND[-1]}",
        f"ok  runtime  {machine.run_dir}/signaltty is not there yet; the first server makes it",
        f"ok  socket  {machine.socket} is not there: no server listens",
        "ok  server  none runs; the next command starts one",
        "ok  keeper  none runs; the first pane starts one",
        "ok  start lock  free",
        f"ok  state  {machine.state}/signaltty is not there yet; the first server makes it",
        "ok  journal  none yet",
        "ok  snapshot  none yet",
        "ok  gh  not found; only `task pr` needs it",
        f"ok  agent claude  2.1.400 at {machine.place}/bin/claude; "
        "hooks not installed: one started as a pane's program is set up for that launch",
        f"ok  agents  not on PATH: {ABSENT}",
        f"ok  manifests  0 manifests in {machine.place}/config/signaltty/agents",
        f"ok  plugins  0 plugins in {machine.place}/config/signaltty/plugins",
        "ok  pane  not inside a pane",
        "ok  reports  no server to ask",
    ]
    assert [path.name for path in machine.run_dir.iterdir()] == []
    assert not machine.state.exists()


def test_a_healthy_machine_names_its_processes_and_files(machine: Rig) -> None:
    pane = machine.result("new", "--", "/bin/cat")["pane_id"]
    server = machine.result("status")["pid"]
    report = examine(machine, SIGNALTTY_PANE=pane)
    assert failing(report) == []
    assert report["server"][1].startswith(f"version {VERSION}, pid {server}, up ")
    assert report["server"][1].endswith("1 pane (1 live)")
    assert report["keeper"][1].startswith(f"version {VERSION}, pid ")
    assert report["keeper"][1].endswith(", 1 running")
    assert report["state lock"] == ("ok", f"held by the server, pid {server}")
    assert report["journal"][0] == "ok"
    assert report["event numbers"] == ("ok", "reserved up to 4096")
    assert report["reports"] == ("ok", "nothing was lost from 1 pane")
    # a variable alone makes no pane of a shell
    assert report["pane"][0] == "warn"


def test_a_keeper_without_its_server_is_told_and_keeps_its_child(machine: Rig) -> None:
    pane = machine.result("new", "--", "/bin/cat")["pane_id"]
    machine.result("call", "server.shutdown", '{"keep_panes":true}')
    wait_until(lambda: machine.cli("status", status=None).returncode == 1, "the server's end")
    report = wait_until(lambda: (seen := examine(machine))["state lock"][1].startswith("free") and seen, "no process")
    assert warning(report) == ["keeper"]
    assert report["keeper"][1].endswith(", 1 running, without a server; the next command brings one")
    assert report["state lock"][1].startswith("free; its last holder, pid ")
    assert machine.result("pane", "get", pane)["pane"]["live"]["state"] == "live"


def test_what_is_in_nobodys_hands_fails(machine: Rig) -> None:
    runtime = machine.socket.parent
    runtime.mkdir()
    runtime.chmod(0o777)
    machine.socket.write_text("no socket")
    state = machine.state / "signaltty"
    state.mkdir(parents=True)
    (state / "snapshot.json").write_text('{"version":7}')
    (state / "event-sequence.json").write_text("seven\n")
    (state / "audit.jsonl").write_text("")
    (state / "audit-retention.json").write_text("?")
    report = examine(machine, status=1)
    assert failing(report) == ["runtime", "socket", "event numbers", "snapshot"]
    assert warning(report) == ["journal"]
    assert report["runtime"][1] == (
        f"{runtime} can be written by others (mode 0777); refusing to use it; move it away or choose another --socket"
    )
    assert report["socket"][1] == f"{machine.socket} is no socket; move it away or choose another --socket"
    assert "its version is 7" in report["snapshot"][1]
    assert report["event numbers"][1].endswith("is not an integer: b'seven\\n'; no server starts with that")


def test_a_reservation_below_the_snapshot_fails(machine: Rig) -> None:
    state = machine.state / "signaltty"
    state.mkdir(parents=True)
    (state / "snapshot.json").write_text('{"version":1,"through_seq":9000}')
    (state / "event-sequence.json").write_text("4097\n")
    (state / "audit.jsonl").write_text("")
    assert failing(examine(machine, status=1)) == ["event numbers"]


def test_a_socket_of_a_killed_server_is_a_warning(machine: Rig) -> None:
    machine.socket.parent.mkdir(mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(machine.socket))
    left.close()
    report = examine(machine)
    assert warning(report) == ["socket"]
    assert report["server"] == ("ok", "none runs; the next command starts one")


def test_a_socket_path_that_is_too_long_fails(machine: Rig) -> None:
    long = f"{machine.place}/{'x' * 100}.sock"
    report = {
        one["name"]: one["status"]
        for one in json.loads(machine.cli("--json", "--socket", long, "doctor", status=1).stdout)["checks"]
    }
    assert report["socket"] == "fail"


def test_a_server_that_does_not_answer_fails(machine: Rig) -> None:
    machine.result("new", "--", "/bin/cat")
    server = machine.result("status")["pid"]
    os.kill(server, signal.SIGSTOP)
    try:
        report = examine(machine, status=1)
    finally:
        os.kill(server, signal.SIGCONT)
    assert failing(report) == ["server"]
    wait_until(lambda: machine.cli("status", status=None).returncode == 0, "the server answers again")


def test_hooks_files_manifests_and_silent_agents_are_named(machine: Rig) -> None:
    add_agent(machine, "codex", "exit 3")
    add_agent(machine, "gemini", "echo 0.9.0")
    add_agent(machine, "hermes", "echo hermes one")
    machine.cli("integration", "install", "codex")
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{")
    directory = machine.place / "config" / "signaltty" / "agents"
    directory.mkdir(parents=True)
    (directory / "bad.toml").write_text("kind = 3")
    plugin = machine.place / "config" / "signaltty" / "plugins" / "chime"
    plugin.mkdir(parents=True)
    (plugin / "plugin.toml").write_text("[plugin")
    report = examine(machine)
    assert report["plugin"][0] == "warn"
    assert report["plugin"][1].startswith("chime: ")
    assert report["agent codex"][0] == "ok"
    assert report["agent codex"][1] == (
        f"version unknown at {machine.place}/bin/codex; hooks installed in {machine.home}/.codex/hooks.json; "
        "codex asks for trust under /hooks before it runs them"
    )
    assert report["agent gemini"][0] == "warn"
    assert (
        report["agent hermes"][1]
        == f"hermes one at {machine.place}/bin/hermes; no hooks to install: its screen is read"
    )
    assert report["manifest"][0] == "warn"
    assert report["manifest"][1].startswith(f"{directory}/bad.toml: ")
    (directory / "bad.toml").unlink()
    os.mkfifo(directory / "pipe.toml")
    assert examine(machine)["manifest"] == ("warn", f"{directory}/pipe.toml: is no regular file")


def test_lines_that_nobody_could_use_are_counted(machine: Rig) -> None:
    pane = machine.result("new", "--", "/bin/sh", "-c", 'echo "at=$SIGNALTTY_STATUS_SOCKET="; exec cat')["pane_id"]
    path = wait_until(lambda: re.search("at=(.+)=", machine.cli("pane", "read", pane).stdout), "the socket's path")
    with socket.socket(socket.AF_UNIX) as plug:
        plug.connect(path[1])
        plug.sendall(b"x" * 100_000)
    report = wait_until(lambda: (found := examine(machine))["reports"][0] == "warn" and found, "the line counted")
    assert report["reports"][1] == "1 oversized; `signaltty pane explain PANE` shows where"


def test_hooks_that_run_a_program_that_is_gone_are_a_warning(machine: Rig) -> None:
    add_agent(machine, "codex", "echo codex-cli 0.171.0")
    machine.cli("integration", "install", "codex")
    assert examine(machine)["agent codex"][0] == "ok"
    file = machine.home / ".codex" / "hooks.json"
    file.write_text(file.read_text().replace(COMMAND[-1], "/gone/signaltty"))
    assert examine(machine)["agent codex"] == (
        "warn",
        f"0.171.0 at {machine.place}/bin/codex; hooks in {file} run /gone/signaltty, which cannot be run: "
        "`signaltty integration install codex` mends them",
    )
    machine.cli("integration", "install", "codex")
    assert examine(machine)["agent codex"][0] == "ok"


@pytest.mark.parametrize("name", ["audit.jsonl", "server.log", "event-sequence.json"])
def test_a_file_without_which_no_server_starts_fails(machine: Rig, name: str) -> None:
    path = machine.state / "signaltty" / name
    path.mkdir(parents=True)
    report = examine(machine, status=1)
    assert report["state file"] == ("fail", f"{path} is no file; no server starts: mend it or move it away")
    assert machine.cli("ls", status=1).stdout == ""


def test_panes_whose_keeper_was_killed_are_told(machine: Rig) -> None:
    machine.new_pane("/bin/cat")
    kill_keeper(machine)
    report = examine(machine, status=1)
    assert failing(report) == ["keeper"]
    assert report["keeper"][1].endswith("1 pane live: they end with the server; the next pane brings a keeper")
    machine.cli("new", "--", "/bin/cat")
    report = examine(machine)
    assert warning(report) == ["keeper"]
    assert report["keeper"][1].endswith("1 running; the keeper of 1 more pane was killed: they end with the server")


def kill_keeper(machine: Rig) -> None:
    said = re.search(r", pid (\d+), ", examine(machine)["keeper"][1])
    assert said is not None
    os.kill(int(said[1]), signal.SIGKILL)
    wait_until(lambda: examine(machine, status=None)["keeper"][0] != "ok", "the keeper's end")
