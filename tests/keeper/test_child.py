from __future__ import annotations

import errno
import os
import resource
import signal
from pathlib import Path

import pytest

from signaltty_core.keeper import child
from signaltty_core.keeper.child import SpawnError, find_program, name_of, spawn
from tests.keeper.rig import read_all

LIMITS = resource.getrlimit(resource.RLIMIT_NOFILE)


def program(path: Path, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 7\n")
    path.chmod(mode)
    return str(path)


def failure(*argv: str, cwd: str = "/", env: dict[str, str] | None = None) -> tuple[str, int]:
    with pytest.raises(SpawnError) as caught:
        spawn("p", [*argv], cwd, env or {"PATH": os.environ["PATH"]}, 80, 24, LIMITS)
    return caught.value.what, caught.value.number


def test_a_bare_name_is_looked_up_in_the_given_path(tmp_path: Path) -> None:
    program(tmp_path / "a" / "tool", 0o644)
    wanted = program(tmp_path / "b" / "tool")
    assert find_program("tool", "/", f"{tmp_path}/none:{tmp_path}/a:{tmp_path}/b") == wanted


def test_a_relative_name_and_a_relative_place_start_at_the_cwd(tmp_path: Path) -> None:
    wanted = program(tmp_path / "bin" / "tool")
    assert find_program("./bin/tool", str(tmp_path), "") == f"{tmp_path}/./bin/tool"
    assert find_program("tool", str(tmp_path), "bin") == wanted
    assert find_program("tool", f"{tmp_path}/bin", "/usr/bin::") == wanted


def test_a_missing_program_is_an_exec_error() -> None:
    assert failure("no-such-program") == ("exec", errno.ENOENT)
    assert failure("/no/such/program") == ("exec", errno.ENOENT)


def test_a_file_without_the_right_to_run_and_a_directory_are_forbidden(tmp_path: Path) -> None:
    name = program(tmp_path / "tool", 0o644)
    assert failure(name) == ("exec", errno.EACCES)
    assert failure(str(tmp_path)) == ("exec", errno.EACCES)


def test_a_file_that_is_no_program_is_an_exec_error(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"neither script nor binary")
    path.chmod(0o755)
    assert failure(str(path)) == ("exec", errno.ENOEXEC)


def test_a_script_with_a_missing_interpreter_is_an_exec_error(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o755)
    assert failure(str(path)) == ("exec", errno.ENOENT)


def test_a_missing_cwd_is_told_even_when_the_program_is_missing_too(tmp_path: Path) -> None:
    assert failure("no-such-program", cwd=str(tmp_path / "none")) == ("cwd", errno.ENOENT)
    name = program(tmp_path / "file")
    assert failure("true", cwd=name) == ("cwd", errno.ENOTDIR)


def test_a_failed_start_leaves_no_descriptor_no_process_and_no_changed_limit(tmp_path: Path) -> None:
    """In a process of its own, which has no other children."""
    path = tmp_path / "empty"
    path.write_bytes(b"no program")
    path.chmod(0o755)
    failure(str(path))
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            before = sorted(os.listdir("/dev/fd"))
            for _ in range(20):
                failure(str(path))
            left = sorted(os.listdir("/dev/fd")) != before
            try:
                children = os.waitpid(-1, os.WNOHANG) is not None
            except ChildProcessError:
                children = False
            limits = resource.getrlimit(resource.RLIMIT_NOFILE)
            os.write(write_end, f"{left} {children} {limits} {signal.pthread_sigmask(signal.SIG_BLOCK, ())}".encode())
        finally:
            os._exit(0)
    os.close(write_end)
    assert os.waitpid(pid, 0)[1] == 0
    assert os.read(read_end, 1000) == f"False False {LIMITS} set()".encode()
    os.close(read_end)


def test_a_fork_that_fails_leaves_no_descriptor() -> None:
    """In a process of its own, which has no descriptor left for a PTY."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(write_end, 3)
            os.closerange(4, 4096)  # what others left open must not fill the gaps below the limit
            write_end = 3
            before = sorted(os.listdir("/dev/fd"))
            free = os.dup(0)
            os.close(free)
            resource.setrlimit(resource.RLIMIT_NOFILE, (free + 4, LIMITS[1]))
            fill = [os.dup(0)]
            shown = failure("true")
            os.close(fill[0])
            resource.setrlimit(resource.RLIMIT_NOFILE, LIMITS)
            os.write(write_end, f"{shown} {sorted(os.listdir('/dev/fd')) == before}".encode())
        finally:
            os._exit(0)
    os.close(write_end)
    assert os.waitpid(pid, 0)[1] == 0
    assert os.read(read_end, 1000) == f"{('fork', errno.EMFILE)} True".encode()
    os.close(read_end)


def test_argv_zero_stays_what_was_asked(tmp_path: Path) -> None:
    born = spawn(
        "p", ["sh", "-c", "tr '\\0' '\\n' < /proc/$$/cmdline | head -1"], "/", {"PATH": "/usr/bin:/bin"}, 80, 24, LIMITS
    )
    os.waitpid(born.pid, 0)
    assert read_all(born.master) == b"sh\r\n"
    born.close_master()


def test_an_ended_child_knows_its_code_or_its_signal() -> None:
    for status, code, name in (
        (0, 0, None),
        (3 << 8, 3, None),
        (9, None, "KILL"),
        (15, None, "TERM"),
        (11 | 128, None, "SEGV"),
    ):
        ended = child.Child("p", 2**22 - 1, 1, -1)
        ended.end(status)
        assert (ended.running, ended.code, ended.os_signal) == (False, code, name)


def test_real_time_signals_are_told_by_number() -> None:
    assert name_of(signal.SIGHUP) == "HUP"
    assert name_of(41) == "41"


def test_only_known_signals_are_sent_and_a_gone_group_gets_none() -> None:
    born = spawn("p", ["sleep", "60"], "/", {"PATH": os.environ["PATH"]}, 80, 24, LIMITS)
    assert born.signal("STOP", group=False) == "no signal is named STOP"
    assert born.signal("KILL", group=True) is None
    born.end(os.waitpid(born.pid, 0)[1])
    assert born.signal("TERM", group=False) == "gone"
    assert born.signal("TERM", group=True) == "gone"
    assert (born.os_signal, born.group_gone) == ("KILL", True)
    born.close_master()
