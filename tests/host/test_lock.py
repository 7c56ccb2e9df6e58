"""Locks that end with their holder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signaltty_core.host import lock

ROOT = str(Path(__file__).parents[2])
HOLD = f"""
import sys
sys.path.insert(0, {ROOT!r})
from signaltty_core.host import lock
held = lock.take(sys.argv[1], 5.0)
held.say("me and my socket")
print("held", flush=True)
sys.stdin.readline()
"""


def holder(path: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "x.lock")


def test_a_free_lock_is_taken_and_says_who_holds_it(path: str) -> None:
    held = lock.take(path, 0.0)
    assert held is not None
    held.say("a long first text")
    held.say("7 /s")
    assert (lock.holder(path), os.stat(path).st_mode & 0o777) == ("7 /s", 0o600)
    held.release()


def test_a_held_lock_is_not_to_be_had(path: str) -> None:
    child = holder(path)
    began = time.monotonic()
    assert lock.take(path, 0.2) is None
    assert time.monotonic() - began >= 0.2
    assert lock.holder(path) == "me and my socket"
    child.communicate("\n")
    assert lock.take(path, 5.0) is not None


def test_a_killed_holder_holds_nothing(path: str) -> None:
    child = holder(path)
    child.kill()
    assert lock.take(path, 5.0) is not None
    child.communicate()


def test_patience_ends_early_when_there_is_no_hope(path: str) -> None:
    child = holder(path)
    asked = []
    assert lock.take(path, 60.0, lambda: asked.append(1) or len(asked) == 2) is None  # type: ignore[func-returns-value]
    child.communicate("\n")


def test_no_descriptor_is_left_of_a_lock_not_taken(path: str) -> None:
    child = holder(path)
    before = len(os.listdir("/proc/self/fd"))
    lock.take(path, 0.0)
    assert len(os.listdir("/proc/self/fd")) == before
    child.communicate("\n")


def test_a_link_is_not_followed(path: str, tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", path)
    with pytest.raises(OSError):
        lock.take(path, 0.0)
    assert not (tmp_path / "elsewhere").exists()


def test_nobody_holds_a_lock_that_does_not_exist(path: str) -> None:
    assert lock.holder(path) == ""
