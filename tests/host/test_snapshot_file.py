from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from signaltty_core.host.snapshot_file import SnapshotFile
from signaltty_core.journal.snapshot import build, parse
from signaltty_core.state.world import World


def document(n: int, *, workspaces: bool = True) -> dict[str, Any]:
    world = World()
    if workspaces:
        world.tables["workspaces"]["ws_1"] = {"id": "ws_1", "n": n}
    return build(world.tables, saved_at="T", through_seq=n, history={})


def save(file: SnapshotFile, made: dict[str, Any]) -> None:
    file.install(file.stage(made), made)


def copies(directory: Path) -> list[str]:
    return sorted(os.listdir(directory / "snapshots")) if (directory / "snapshots").exists() else []


def age(directory: Path, minutes: float) -> None:
    """Rename the newest copy as if it had been made that long ago."""
    (newest,) = copies(directory)[-1:]
    name = time.strftime("snapshot-%Y%m%dT%H%M%SZ.json", time.gmtime(time.time() - 60 * minutes))
    os.rename(directory / "snapshots" / newest, directory / "snapshots" / name)


def through(path: Path) -> int:
    return parse(path.read_bytes()).through_seq


def test_the_former_snapshot_is_kept_at_most_every_15_minutes(tmp_path: Path) -> None:
    file = SnapshotFile(str(tmp_path))
    save(file, document(1))
    assert copies(tmp_path) == []

    save(file, document(2))
    (first,) = copies(tmp_path)
    assert through(tmp_path / "snapshots" / first) == 1

    age(tmp_path, 14)
    save(file, document(3))
    assert len(copies(tmp_path)) == 1

    age(tmp_path, 16)
    save(file, document(4))
    assert [through(tmp_path / "snapshots" / name) for name in copies(tmp_path)] == [1, 3]
    assert through(tmp_path / "snapshot.json") == 4


def test_a_snapshot_without_workspaces_is_never_kept(tmp_path: Path) -> None:
    file = SnapshotFile(str(tmp_path))
    save(file, document(1, workspaces=False))
    save(file, document(2, workspaces=False))
    assert copies(tmp_path) == []

    again = SnapshotFile(str(tmp_path))
    again.load()
    save(again, document(3))
    assert copies(tmp_path) == []


def test_the_one_found_at_the_start_is_kept_before_it_is_overwritten(tmp_path: Path) -> None:
    save(SnapshotFile(str(tmp_path)), document(1))
    again = SnapshotFile(str(tmp_path))
    assert again.load()[0] is not None

    save(again, document(2))

    assert [through(tmp_path / "snapshots" / name) for name in copies(tmp_path)] == [1]


def test_the_newest_48_are_kept(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    for day in range(60):
        (tmp_path / "snapshots" / f"snapshot-202501{day:02d}T000000Z.json").write_bytes(b"")
    file = SnapshotFile(str(tmp_path))
    save(file, document(1))

    save(file, document(2))

    left = copies(tmp_path)
    assert len(left) == 48
    assert left[0] == "snapshot-20250113T000000Z.json"
    assert through(tmp_path / "snapshots" / left[-1]) == 1


def test_a_missing_snapshot_is_no_error(tmp_path: Path) -> None:
    file = SnapshotFile(str(tmp_path))

    assert (file.load(), file.load_copy()) == ((None, []), None)
