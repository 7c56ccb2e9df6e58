"""Settings files on a real disk: suspicious reads, changes in one step under a lock, generated files."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.host.config_files import READ_BYTES, ConfigFiles


def append(data: bytes | None) -> bytes:
    return (data or b"") + b"x"


@pytest.fixture
def files(tmp_path: Path) -> ConfigFiles:
    return ConfigFiles(str(tmp_path / "launch"))


def test_a_file_is_made_with_its_directories_for_the_user_alone(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    assert files.read(str(path)) is None
    assert files.edit(str(path), append) is True
    assert path.read_bytes() == b"x"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    lock = path.parent / ".settings.json.signaltty.lock"
    assert sorted(os.listdir(path.parent)) == [lock.name, path.name]
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_a_change_keeps_the_mode_and_a_change_of_nothing_writes_nothing(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")
    path.chmod(0o644)
    before = path.stat()
    assert files.edit(str(path), lambda data: data) is False
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert os.listdir(tmp_path) == ["settings.json"]
    assert files.edit(str(path), append) is True
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"1x", 0o644)


def test_what_was_written_meanwhile_is_not_lost(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    seen: list[bytes | None] = []

    def change(data: bytes | None) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            path.write_bytes(b"new")
        return append(data)

    files.edit(str(path), change)
    assert (path.read_bytes(), seen) == (b"newx", [b"old", b"new"])


def test_none_deletes(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    assert files.edit(str(path), lambda _: None) is True
    assert not path.exists()
    assert files.edit(str(path), lambda _: None) is False


def test_a_link_is_followed_and_stays_one(files: ConfigFiles, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "real.json"
    target.parent.mkdir()
    target.write_bytes(b"1")
    link = tmp_path / "settings.json"
    link.symlink_to("dotfiles/real.json")
    assert files.edit(str(link), append) is True
    assert (link.is_symlink(), target.read_bytes()) == (True, b"1x")


def test_what_is_no_regular_file_is_refused(files: ConfigFiles, tmp_path: Path) -> None:
    directory, fifo, nothing = tmp_path / "d", tmp_path / "f", tmp_path / "n"
    directory.mkdir()
    os.mkfifo(fifo)
    nothing.symlink_to("missing")
    for path, reason in ((directory, "regular"), (fifo, "regular"), (nothing, "link to nothing")):
        with pytest.raises(IoError, match=reason):
            files.edit(str(path), append)
    assert sorted(os.listdir(tmp_path)) == ["d", "f", "n"]


def test_a_file_of_more_than_4_mib_is_refused(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"x" * READ_BYTES)
    assert files.read(str(path)) == b"x" * READ_BYTES
    path.write_bytes(b"x" * (READ_BYTES + 1))
    with pytest.raises(IoError, match="4 MiB"):
        files.read(str(path))


def test_a_read_only_file_is_left_alone(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")
    path.chmod(0o444)
    with pytest.raises(IoError, match="read-only"):
        files.edit(str(path), append)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"1", 0o444)
    assert sorted(os.listdir(tmp_path)) == [".settings.json.signaltty.lock", "settings.json"]


def test_a_lock_that_is_held_ends_the_attempt(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")
    with open(tmp_path / ".settings.json.signaltty.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(IoError, match="another signaltty"):
            files.edit(str(path), append)
    assert path.read_bytes() == b"1"
    assert files.edit(str(path), append) is True


def test_a_lock_file_that_is_a_link_is_not_followed(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")
    (tmp_path / ".settings.json.signaltty.lock").symlink_to("elsewhere")
    with pytest.raises(IoError):
        files.edit(str(path), append)
    assert (path.read_bytes(), (tmp_path / "elsewhere").exists()) == (b"1", False)


def test_a_change_that_fails_leaves_no_trace(files: ConfigFiles, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")

    def refuse(data: bytes | None) -> bytes:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        files.edit(str(path), refuse)
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"1", ["settings.json"])


def test_generated_files_stand_once_per_content(files: ConfigFiles, tmp_path: Path) -> None:
    first = files.keep("pi", {"a": b"1", "b": b"2"})
    assert files.keep("pi", {"b": b"2", "a": b"1"}) == first
    other = files.keep("pi", {"a": b"1", "b": b"3"})
    assert sorted(os.listdir(tmp_path / "launch")) == sorted([os.path.basename(first), os.path.basename(other)])
    assert Path(first, "b").read_bytes() == b"2"
    Path(first, "b").write_bytes(b"tampered")
    files.keep("pi", {"a": b"1", "b": b"2"})
    assert Path(first, "b").read_bytes() == b"2"


def test_a_program_is_known_by_its_file(files: ConfigFiles, tmp_path: Path) -> None:
    real = tmp_path / "claude-2"
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (tmp_path / "claude").symlink_to("claude-2")
    seen = real.stat()
    expected = (str(real), seen.st_size, seen.st_mtime_ns)
    assert files.program("claude", str(tmp_path), "/") == expected
    assert files.program(str(tmp_path / "claude"), None, "/") == expected
    assert files.program("claude", "/nowhere", "/") is None
    assert (files.is_executable(str(real)), files.is_executable(str(tmp_path))) == (True, False)
