"""Errors, exit statuses and notices common to all commands."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ..client.scripted import STATUS, ScriptedServer
from .conftest import Run

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, str(ROOT / "signaltty.py")]


def test_an_error_of_the_server_is_a_sentence_with_its_code(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.get"] = Exception("NO_SUCH_PANE", "no pane \x1b[1mx", {"pane_id": "x"})
    assert run("pane", "get", "x") == (1, "", "signaltty: no pane \\x1b[1mx (NO_SUCH_PANE)\n")
    assert run("--json", "pane", "get", "x") == (
        1,
        "",
        '{"ok":false,"error":{"code":"NO_SUCH_PANE","message":"no pane \\u001b[1mx","details":{"pane_id":"x"}}}\n',
    )


def test_no_start_means_no_server(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = (1, "", "signaltty: no server is running (NO_SUCH_SERVER)\n")
    assert run("ls") == said
    monkeypatch.delenv("SIGNALTTY_NO_START")
    assert run("ls", "--no-start") == said


def test_the_socket_option_beats_the_variable(
    run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIGNALTTY_SOCKET", str(tmp_path / "other.sock"))
    monkeypatch.chdir(tmp_path)
    assert run("status", "--socket", "s.sock")[0] == 0
    assert run("status")[0] == 1


def test_another_version_is_noticed_once_and_goes_on(run: Run, server: ScriptedServer) -> None:
    server.answers["server.status"] = {**STATUS, "version": "9.9"}
    server.answers["workspace.list"] = {"workspaces": []}
    status, out, said = run("ls")
    assert (status, out, said.count("\n"), said.startswith("signaltty: the server is version 9.9, ")) == (
        0,
        "no workspaces\n",
        1,
        True,
    )


def test_a_mistake_of_ours_is_a_sentence_and_with_debug_a_traceback(
    run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["workspace.list"] = {}
    assert run("workspace", "list") == (1, "", "signaltty: unexpected KeyError: 'workspaces' (INTERNAL)\n")
    monkeypatch.setenv("SIGNALTTY_DEBUG", "1")
    assert "Traceback" in run("workspace", "list")[2]


def test_a_closed_standard_output_ends_the_command_in_silence(server: ScriptedServer) -> None:
    server.answers["pane.read"] = {"text": "x" * 1_000_000, "truncated": False}
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, "--socket", server.path, "pane", "read", "p"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=20)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
    # without any descriptor 1 the socket itself gets that number: nothing may be written there
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [method for method, _ in server.asked] == ["pane.read", "pane.read"]


def test_an_interrupt_ends_with_130_and_no_word(tmp_path: Path) -> None:
    mute = socket.socket(socket.AF_UNIX)
    mute.bind(str(tmp_path / "m.sock"))
    mute.listen()
    waiting = subprocess.Popen([*PROGRAM, "--socket", str(tmp_path / "m.sock"), "ls"], stderr=subprocess.PIPE)
    peer, _ = mute.accept()
    peer.recv(1)
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=20)
    assert (waiting.returncode, said) == (130, b"")
    mute.close()


def test_it_works_from_a_deleted_directory(server: ScriptedServer, tmp_path: Path) -> None:
    server.answers["workspace.list"] = {"workspaces": []}
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *PROGRAM, "--socket", server.path, "ls"], capture_output=True, timeout=20
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"no workspaces\n", b"")
