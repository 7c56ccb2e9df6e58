"""The file of a listening socket."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import closing
from pathlib import Path

import pytest

from signaltty_core.host.socket_files import BACKLOG, bound, identity, make_room


def test_a_bound_file_is_the_owners_alone_and_known_again(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with closing(bound(path)):
        found = os.lstat(path)
        assert (stat.S_IMODE(found.st_mode), identity(path)) == (0o600, (found.st_dev, found.st_ino))
    assert identity(str(tmp_path / "none")) == (0, 0)


def test_callers_queue_up_in_hundreds() -> None:
    assert BACKLOG >= 128


def test_a_dead_socket_goes_and_a_missing_one_is_no_fault(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    bound(path).close()
    assert (make_room(path), os.path.lexists(path), make_room(path)) == (None, False, None)


@pytest.mark.parametrize("kind", ["file", "directory", "link", "link to a dead socket"])
def test_anything_but_a_socket_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "s"
    target = str(tmp_path / "t")
    if kind == "file":
        path.write_text("somebody's")
    elif kind == "directory":
        path.mkdir()
    else:
        if kind == "link to a dead socket":
            bound(target).close()
        path.symlink_to(target)
    inode = os.lstat(path).st_ino
    assert make_room(str(path)) == f"{path} exists and is no socket of ours"
    assert os.lstat(path).st_ino == inode


def test_a_living_socket_stays(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with closing(bound(path)):
        assert make_room(path) == f"another server listens at {path}"
        assert os.path.lexists(path)


def test_a_socket_whose_queue_is_full_stays(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(path)
        busy.listen(0)
        waiting.connect(path)
        assert (make_room(path) or "").startswith(f"cannot tell whether somebody listens at {path}: ")
        assert os.path.lexists(path)
