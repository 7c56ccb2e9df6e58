"""Becoming the server of a socket, or being refused: real processes."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from tests.server.rig import Server, running, wait_until


def run_refused(server: Server, *options: str, status: int = 1) -> str:
    """What a server that may not start says."""
    said = subprocess.run(
        server.argv(*options), env=server.environ, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL
    )
    assert (said.returncode, said.stdout) == (status, ""), said
    assert "Traceback" not in said.stderr
    (line,) = said.stderr.splitlines()
    assert line.startswith("signaltty: ")
    return line


def test_the_socket_and_its_directories_are_the_owners_alone() -> None:
    with running() as server:
        assert stat.S_IMODE(os.lstat(server.path).st_mode) == 0o600
        assert stat.S_ISSOCK(os.lstat(server.path).st_mode)
        for directory in (server.runtime, server.state):
            assert stat.S_IMODE(os.lstat(directory).st_mode) == 0o700
        assert Path(server.runtime, "signaltty.lock").read_text().split() == [str(server.pid)]
        assert Path(server.state, "server.lock").read_text().split() == [str(server.pid), server.path]


@pytest.mark.parametrize("kind", ["file", "directory", "link", "dangling link", "fifo"])
def test_a_path_that_is_no_dead_socket_is_refused_and_left_alone(kind: str) -> None:
    """Edge case 136."""
    with running(started=False) as server:
        path = Path(server.path)
        if kind == "file":
            path.write_text("mine")
        elif kind == "directory":
            path.mkdir()
        elif kind == "link":
            Path(server.directory, "target").write_text("mine")
            path.symlink_to(Path(server.directory, "target"))
        elif kind == "dangling link":
            path.symlink_to("nowhere")
        else:
            os.mkfifo(path)
        before = os.lstat(path)
        assert server.path in run_refused(server)
        after = os.lstat(path)
        assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)


def test_a_dead_socket_is_replaced() -> None:
    with running(started=False) as server:
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(server.path)
        dead.close()
        server.start()
        assert server.client().call("server.status")["pid"] == server.pid


def test_a_second_server_on_the_same_socket_leaves_the_first_undisturbed() -> None:
    """Edge case 135; a detached one says nothing, for its starter will reach the first."""
    with running() as server:
        inode = os.lstat(server.path).st_ino
        assert "already answers" in run_refused(server)
        second = server.launch()
        assert second.wait(20) == 0
        assert os.lstat(server.path).st_ino == inode
        assert server.client().call("server.status")["pid"] == server.pid


def test_a_global_option_before_the_words_is_understood() -> None:
    """Cli §1.1: anywhere on the line; an option that comes after the words reaches the server all the same."""
    with running() as server:
        program, words = server.argv()[:2], server.argv()[2:]
        assert words[:3] == ["server", "run", "--socket"] and words[3] == server.path
        said = subprocess.run(
            [*program, "--socket", server.path, "server", "run", *words[4:]],
            env=server.environ,
            capture_output=True,
            text=True,
            timeout=20,
            stdin=subprocess.DEVNULL,
        )
        assert (said.returncode, said.stderr) == (1, f"signaltty: a server already answers at {server.path}\n")


def test_of_many_servers_started_at_once_one_remains() -> None:
    """Edge case 135."""
    with running(started=False) as server:
        racers = [server.launch() for _ in range(6)]
        try:
            wait_until(server.answers, "a server")
            wait_until(lambda: len([one for one in racers if one.poll() is None]) == 1, "all others to leave")
            (winner,) = [one for one in racers if one.poll() is None]
            assert [one.returncode for one in racers if one is not winner] == [0] * 5
            assert server.client().call("server.status")["pid"] == winner.pid
        finally:
            for one in racers:
                one.kill()
                one.wait()


def test_a_state_directory_in_use_is_refused_by_naming_its_owner() -> None:
    """Edge case 160."""
    with running() as server:
        other = Server.__new__(Server)
        other.__dict__.update(server.__dict__, path=f"{server.directory}/o.sock")
        line = run_refused(other)
        assert server.path in line
        assert f"(pid {server.pid})" in line
        assert server.client().call("server.status")["pid"] == server.pid
        assert not os.path.exists(other.path)


def test_a_server_whose_runtime_directory_was_deleted_is_left_to_mend_it() -> None:
    """It holds the state directory; another one on the same socket gives way, and the first binds its socket anew."""
    with running() as server:
        shutil.rmtree(server.runtime)
        said = subprocess.run(server.argv(), env=server.environ, capture_output=True, text=True, timeout=20)
        assert (said.returncode, said.stderr) == (1, f"signaltty: a server already answers at {server.path}\n")
        wait_until(server.answers, "the socket bound anew", 10)
        assert server.client().call("server.status")["pid"] == server.pid


def test_a_runtime_directory_that_others_can_write_is_refused() -> None:
    """Edge case 136."""
    with running(started=False) as server:
        os.mkdir(server.runtime)
        os.chmod(server.runtime, 0o777)
        assert "can be written by others" in run_refused(server)
        os.rmdir(server.runtime)
        os.symlink(server.work, server.runtime)
        assert "is a symbolic link" in run_refused(server)
        os.unlink(server.runtime)
        Path(server.runtime).write_text("")
        assert "is not a directory" in run_refused(server)


def test_a_state_directory_that_is_none_is_refused() -> None:
    with running(started=False) as server:
        Path(server.state).write_text("")
        assert server.state in run_refused(server)


def test_a_socket_path_longer_than_a_socket_may_have_is_refused() -> None:
    with running(started=False) as server:
        long = Path(server.directory, "d" * 100)
        long.mkdir()
        server.path = str(long / "s.sock")
        assert server.path in run_refused(server)


def test_a_directory_that_does_not_exist_is_made_for_the_owner_alone() -> None:
    with running(started=False) as server:
        server.path = f"{server.directory}/new/s.sock"
        server.runtime = f"{server.path}.d"
        server.start()
        assert stat.S_IMODE(os.lstat(f"{server.directory}/new").st_mode) == 0o700


@pytest.mark.parametrize(
    "options",
    [["--bogus"], ["--idle-exit"], ["--idle-exit", "soon"], ["--idle-exit", "-1"], ["--idle-exit=nan"], ["extra"]],
)
def test_faulty_options_are_refused(options: list[str]) -> None:
    with running(started=False) as server:
        assert "server run --help" in run_refused(server, *options, status=2)


def test_a_listener_that_never_answers_is_not_removed() -> None:
    with running(started=False) as server:
        silent = socket.socket(socket.AF_UNIX)
        silent.bind(server.path)
        silent.listen(5)
        assert "already answers" in run_refused(server)
        assert stat.S_ISSOCK(os.lstat(server.path).st_mode)
        silent.close()


def test_a_lost_socket_file_is_bound_anew_and_open_connections_live_on() -> None:
    with running() as server:
        client = server.client()
        client.call("server.status")
        os.unlink(server.path)
        wait_until(server.answers, "the socket", 12)
        assert client.call("server.status")["pid"] == server.pid
        assert server.client().call("server.status")["pid"] == server.pid
