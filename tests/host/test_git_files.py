"""Files of a checkout as they are opened for Git's readers."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.host.git_files import READ_BYTES, GitFiles
from signaltty_core.keeper.protocol import started_at
from tests.server.rig import as_nobody, is_running, wait_until


class Place:
    def __init__(self, directory: Path) -> None:
        self.root = directory / "root"
        self.root.mkdir()
        self.private = directory / "private"
        self.files = GitFiles(str(self.private))

    def read(self, name: str) -> tuple[str, bytes]:
        return self.files.read(str(self.root), name)

    def look(self, name: str) -> tuple[str, int]:
        return self.files.look(str(self.root), name)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def odd(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """One of each kind of thing a checkout may hold."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("secret")
    (place.root / "folder").mkdir()
    (place.root / "folder/x").write_text("abc")
    os.symlink(tmp_path / "outside/x", place.root / "link")
    os.symlink(tmp_path / "outside", place.root / "linked")
    os.symlink("/nowhere", place.root / "dangling")
    os.mkfifo(place.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(place.root)  # the name of a socket is short
        listening.bind("socket")
        yield place


KINDS = {
    "folder/x": "file",
    "folder": "folder",
    "link": "link",
    "dangling": "link",
    "linked": "link",
    "linked/x": "unsafe",
    "link/x": "unsafe",
    "folder/x/y": "unsafe",
    "pipe": "special",
    "socket": "special",
    "missing": "missing",
    "missing/x": "missing",
}


def test_every_kind_is_told_and_only_regular_files_inside_are_read(odd: Place) -> None:
    assert {name: odd.look(name)[0] for name in KINDS} == KINDS
    assert {name: odd.read(name)[0] for name in KINDS} == KINDS
    assert [odd.read(name)[1] for name in KINDS] == [b"abc", *[b""] * (len(KINDS) - 1)]
    assert odd.look("folder/x") == ("file", 3)


def test_of_a_large_file_one_byte_more_than_the_limit_is_read(place: Place) -> None:
    with open(place.root / "big", "wb") as file:
        file.truncate(1 << 40)
    assert place.look("big") == ("file", 1 << 40)
    assert [(kind, len(data)) for kind, data in [place.read("big")]] == [("file", READ_BYTES + 1)]


def test_lines_are_counted_where_text_is(odd: Place) -> None:
    contents = {"empty": b"", "one": b"1\n", "two": b"1\n2", "nul": b"1\n\0", "odd": b"\xff\n"}
    contents.update(most=b"x" * READ_BYTES, more=b"x" * (READ_BYTES + 1))
    for name, data in contents.items():
        (odd.root / name).write_bytes(data)
    names = [*contents, "link", "pipe", "linked/x", "missing"]
    assert odd.files.count(str(odd.root), names) == [
        ("empty", 0, False),
        ("one", 1, False),
        ("two", 2, False),
        ("nul", 0, True),
        ("odd", 1, False),
        ("most", 1, False),
        ("more", 0, True),
        *((name, 0, True) for name in ("link", "pipe", "linked/x", "missing")),
    ]


def test_a_file_that_may_not_be_read_is_an_error() -> None:
    """Edge case 63. The superuser reads everything, so another user asks."""
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        os.chmod(directory, 0o755)
        Path(directory, "x").write_text("secret")
        os.chmod(f"{directory}/x", 0)

        def ask() -> list[Any]:
            said = []
            for question in (GitFiles("/none").read, GitFiles("/none").look):
                try:
                    said.append(question(directory, "x"))
                except IoError as fault:
                    said.append(fault.message)
            return [*said, GitFiles("/none").count(directory, ["x"])]

        message = "cannot read x: Permission denied"
        assert (as_nobody(ask) if os.getuid() == 0 else ask()) == [message, message, [["x", 0, True]]]


def test_a_copied_index_is_private_and_as_old_as_the_index(place: Place) -> None:
    index = place.root / "index"
    index.write_bytes(b"DIRC")
    os.utime(index, ns=(5, 1_234_567_890_123_456_789))
    copy = place.files.copy_index(str(index))
    assert (Path(copy).read_bytes(), os.stat(copy).st_mtime_ns) == (b"DIRC", 1_234_567_890_123_456_789)
    assert stat.S_IMODE(os.stat(os.path.dirname(copy)).st_mode) == 0o700
    assert os.path.dirname(os.path.dirname(copy)) == str(place.private)
    place.files.remove_place(copy)
    assert os.listdir(place.private) == []


def test_without_an_index_the_copy_is_none(place: Place) -> None:
    copy = place.files.copy_index(str(place.root / "missing"))
    assert (os.path.exists(copy), os.path.isdir(os.path.dirname(copy))) == (False, True)


def test_nothing_but_a_place_of_its_own_is_removed(place: Place, tmp_path: Path) -> None:
    made = place.files.make_place()
    for path in (str(tmp_path), str(place.root), "/git-x", f"{place.root}/git-x", str(place.private)):
        place.files.remove_place(path)
    assert (place.root.is_dir(), os.listdir(place.private)) == (True, [os.path.basename(made)])


def test_places_of_a_server_that_was_killed_go_with_the_next_one(place: Place) -> None:
    place.files.make_place()
    (place.private / "other").write_text("")
    GitFiles(str(place.private))
    assert os.listdir(place.private) == ["other"]


def test_a_place_for_a_worktree_is_vacant_or_not(odd: Place) -> None:
    (odd.root / "empty").mkdir()
    vacant = {
        name: odd.files.is_vacant(str(odd.root / name)) for name in ("empty", "missing", "folder", "dangling", "pipe")
    }
    assert vacant == {"empty": True, "missing": True, "folder": False, "dangling": False, "pipe": False}
    assert [odd.files.exists(str(odd.root / name)) for name in ("empty", "missing", "dangling")] == [True, False, True]


def test_a_process_left_over_ends_even_when_it_does_not_want_to(place: Place) -> None:
    script = f"trap '' TERM; touch {place.root}/ready; while :; do sleep 0.1; done"
    child = subprocess.Popen(["sh", "-c", script], start_new_session=True)
    try:
        wait_until((place.root / "ready").exists, "the process")
        place.files.end_left_over(child.pid, (started_at(child.pid) or 0) + 1)
        assert is_running(child.pid)  # another process under that number is none of ours
        place.files.end_left_over(child.pid, started_at(child.pid))
        wait_until(lambda: not is_running(child.pid), "the end")
    finally:
        child.kill()
        child.wait()


def test_processes_that_bear_a_mark_end_wherever_they_have_gone(place: Place) -> None:
    script = f"trap '' TERM; touch {place.root}/$1; while :; do sleep 0.1; done"
    started = [
        subprocess.Popen(["sh", "-c", script, "sh", name], start_new_session=True, env={**os.environ, "MARK": name})
        for name in ("ours", "other")
    ]
    try:
        wait_until(lambda: all((place.root / name).exists() for name in ("ours", "other")), "both")
        place.files.end_marked("MARK", "our")
        place.files.end_marked("MARK", "ours")
        wait_until(lambda: not is_running(started[0].pid), "the end")
        assert is_running(started[1].pid)
    finally:
        for child in started:
            child.kill()
            child.wait()
