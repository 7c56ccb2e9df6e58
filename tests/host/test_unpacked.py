"""Unpacked builds: what is old and unused goes, what is young, used or somebody else's stays."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signaltty_core.host.unpacked import UNUSED_S, builds, command_lines, prune, size_bytes
from tests.e2e.rig import wait_until

OWN = "signaltty_0000000000000001"
OLD = "signaltty_00000000000000aa"


def unpack(root: Path, name: str, age_s: float = 0.0) -> Path:
    """A folder as an unpacked build leaves it, last used that long ago."""
    packages = root / name / "site-packages"
    (packages / "__pycache__").mkdir(parents=True)
    (packages / "signaltty_boot.py").write_text("import time; print(1, flush=True); time.sleep(600)\n")
    used_at = time.time() - age_s
    for path in (packages / "__pycache__", packages, root / name):
        os.utime(path, (used_at, used_at))
    return packages


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def test_an_old_build_goes_and_a_young_one_stays(tmp_path: Path) -> None:
    own = unpack(tmp_path, OWN, 30 * 86400)
    unpack(tmp_path, OLD, UNUSED_S + 60)
    unpack(tmp_path, "signaltty_00000000000000bb", UNUSED_S - 60)
    assert prune(str(own), time.time()) == [OLD]
    assert left(tmp_path) == [OWN, "signaltty_00000000000000bb"]


def test_the_own_build_is_noted_as_used(tmp_path: Path) -> None:
    own = unpack(tmp_path, OWN, 30 * 86400)
    prune(str(own), time.time())
    other = unpack(tmp_path, "signaltty_0000000000000002")
    assert prune(str(other), time.time()) == []
    assert left(tmp_path) == [OWN, "signaltty_0000000000000002"]


def test_a_build_a_process_runs_from_stays_until_it_ends(tmp_path: Path) -> None:
    own, old = unpack(tmp_path, OWN), unpack(tmp_path, OLD, 30 * 86400)
    words = [sys.executable, "-SE", str(old / "signaltty_boot.py"), "/somewhere/signaltty", "server", "run"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"1\n"
        assert prune(str(own), time.time()) == []
        assert [(one.name, one.in_use) for one in builds(str(tmp_path), OWN)] == [(OWN, True), (OLD, True)]
    finally:
        process.kill()
        process.communicate()
    assert prune(str(own), time.time()) == [OLD]


def test_a_sign_of_use_inside_counts(tmp_path: Path) -> None:
    own, old = unpack(tmp_path, OWN), unpack(tmp_path, OLD, 30 * 86400)
    (old / "start.cpython-311.bin").write_bytes(b"kept")
    assert prune(str(own), time.time()) == []


def test_what_a_killed_run_left_goes_in_its_time(tmp_path: Path) -> None:
    own = unpack(tmp_path, OWN)
    for name in (f"{OLD}.half", f"{OLD}.half-17", f"{OLD}.gone-17"):
        unpack(tmp_path, name, 30 * 86400)
    unpack(tmp_path, f"{OLD}.half-18")
    assert prune(str(own), time.time()) == [f"{OLD}.gone-17", f"{OLD}.half", f"{OLD}.half-17"]
    assert left(tmp_path) == [OWN, f"{OLD}.half-18"]


def test_other_things_below_the_cache_are_left_alone(tmp_path: Path) -> None:
    own, elsewhere = unpack(tmp_path / "cache", OWN), unpack(tmp_path, "elsewhere", 30 * 86400)
    root = tmp_path / "cache"
    unpack(root, "other_program", 30 * 86400)
    (root / "signaltty_link").symlink_to(elsewhere.parent)
    (root / "signaltty_file").write_text("mine")
    os.utime(root / "signaltty_file", (0, 0))
    before = left(root)
    assert prune(str(own), time.time()) == []
    assert left(root) == before and elsewhere.is_dir()


def test_while_somebody_unpacks_nothing_is_deleted(tmp_path: Path) -> None:
    own = unpack(tmp_path, OWN)
    unpack(tmp_path, OLD, 30 * 86400)
    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert prune(str(own), time.time()) == []
    finally:
        os.close(lock)
    assert prune(str(own), time.time()) == [OLD]


def test_two_that_prune_at_once_delete_it_once(tmp_path: Path) -> None:
    own = unpack(tmp_path, OWN)
    old = [unpack(tmp_path, f"signaltty_{number:016x}", 30 * 86400).parent.name for number in range(100, 140)]
    code = "import sys, time; from signaltty_core.host.unpacked import prune; print(*prune(sys.argv[1], time.time()))"
    root = Path(__file__).resolve().parents[2]
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(own)], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[0].split() for process in both]
    deleted = sorted(said[0] + said[1])
    assert len(deleted) == len(set(deleted)) and set(deleted) <= set(old)
    prune(str(own), time.time())  # what one left to the other while that held the lock
    assert left(tmp_path) == [OWN]


@pytest.mark.parametrize("folder", ["none", OWN])
def test_without_its_own_folder_it_deletes_nothing(tmp_path: Path, folder: str) -> None:
    unpack(tmp_path, OLD, 30 * 86400)
    assert prune(f"{tmp_path}/{folder}/site-packages", time.time()) == []
    assert left(tmp_path) == [OLD]


def test_command_lines_hold_those_of_running_processes() -> None:
    process = subprocess.Popen(["sleep", "86.1234"])
    try:
        wait_until(lambda: b"86.1234" in command_lines(), "the command line of a child")
    finally:
        process.kill()
        process.wait()


def test_the_size_of_a_build_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "one").write_bytes(b"x" * 10)
    (tmp_path / "a" / "b" / "two").write_bytes(b"x" * 5)
    assert (size_bytes(f"{tmp_path}/a"), size_bytes(f"{tmp_path}/none")) == (15, 0)
