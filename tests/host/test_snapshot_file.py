from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from signaltty_core.host.snapshot_file import SnapshotFile
from signaltty_core.journal.snapshot import build, encode_document, parse
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


def test_a_clock_that_was_set_back_neither_reorders_nor_multiplies_the_copies(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    for month in range(1, 11):
        (tmp_path / "snapshots" / f"snapshot-2999{month:02d}01T235959Z.json").write_bytes(b"")
    file = SnapshotFile(str(tmp_path))
    for n in range(1, 6):
        save(file, document(n))
    assert copies(tmp_path)[-2:] == ["snapshot-29991001T235959Z.json", "snapshot-29991002T000000Z.json"]
    assert len(copies(tmp_path)) == 11
    newest = SnapshotFile(str(tmp_path)).load_copy()
    assert newest is not None
    assert newest[0].through_seq == 1


def test_a_name_that_is_no_date_does_not_keep_a_snapshot_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "snapshot-29990231T000000Z.json").write_bytes(b"")
    file = SnapshotFile(str(tmp_path))
    for n in (1, 2):
        save(file, document(n))
    assert (copies(tmp_path), through(tmp_path / "snapshot.json")) == (["snapshot-29990231T000000Z.json"], 2)


def test_other_files_among_the_copies_are_left_alone(tmp_path: Path) -> None:
    others = ["snapshot-20250101T000000Z.json.new", "snapshot-mine.json", "snapshot-99999999T99999.json"]
    (tmp_path / "snapshots").mkdir()
    for name in others:
        (tmp_path / "snapshots" / name).write_bytes(encode_document(document(9)))
    file = SnapshotFile(str(tmp_path))
    assert file.load_copy() is None
    save(file, document(1))
    save(file, document(2))
    assert set(others) < set(copies(tmp_path))
    assert len(copies(tmp_path)) == 4


def test_a_missing_snapshot_is_no_error(tmp_path: Path) -> None:
    file = SnapshotFile(str(tmp_path))

    assert (file.load(), file.load_copy()) == ((None, []), None)
