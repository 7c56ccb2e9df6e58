"""What `ps` and `lsof` tell, held against /proc where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from signaltty_core.host import ps
from signaltty_core.host.peers import ancestors, ancestors_in
from signaltty_core.host.process_scan import process_name, ps_table

pytestmark = pytest.mark.skipif(not shutil.which("ps"), reason="this machine has no ps")


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program with a long command line, in a directory and a session of its own; its first line is printed."""
    code = "import sys; print('ready', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", code, "x" * 300, "the-end"]
    child = subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    yield child
    child.communicate()


def test_every_process_has_a_parent_and_a_session(sleeper: subprocess.Popen[str]) -> None:
    found = {pid: (parent, session) for pid, parent, session in ps.processes()}
    assert found[sleeper.pid] == (os.getpid(), sleeper.pid)
    assert found[os.getpid()] == (os.getppid(), os.getsid(0))


def test_a_table_of_parents_gives_the_same_ancestors_as_the_kernel(sleeper: subprocess.Popen[str]) -> None:
    assert ancestors_in(ps.parents(), sleeper.pid, 64) == ancestors(sleeper.pid, 64)
    assert ancestors_in({2: 1, 1: 2}, 2, 64) == [2, 1]
    assert ancestors_in({4: 3, 3: 2}, 4, 1) == [4]
    assert ancestors_in({4: 3}, 9, 64) == []


def test_command_lines_are_not_cut(sleeper: subprocess.Popen[str]) -> None:
    parent, line = next((parent, line) for pid, parent, line in ps.command_lines() if pid == sleeper.pid)
    assert parent == os.getpid()
    assert line.endswith("x" * 300 + " the-end")
    assert b"x" * 300 + b" the-end\n" in ps.own_command_lines()


def test_a_name_is_found_from_the_listing_too() -> None:
    script = "sleep 86.4321; true"
    child = subprocess.Popen(["sh", "-c", f"echo ready; {script}"], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        while not (table := ps_table()).children(child.pid):
            assert child.poll() is None
        name = process_name(table, child.pid)
        assert name in ("sleep", "sh")  # a shell's child that has not become `sleep` yet
    finally:
        os.killpg(child.pid, 9)
        child.communicate()


@pytest.mark.skipif(not shutil.which("lsof"), reason="this machine has no lsof")
def test_working_directories_are_told_for_one_and_for_all(sleeper: subprocess.Popen[str], tmp_path: Path) -> None:
    expected = (sleeper.pid, str(tmp_path.resolve()))
    assert list(ps.directories(sleeper.pid)) == [expected]
    assert expected in list(ps.directories())
    assert ps_table().directory(sleeper.pid) == expected[1]
