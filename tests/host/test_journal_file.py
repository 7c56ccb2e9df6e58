from __future__ import annotations

import fcntl
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.host.audit_files import ROTATE_BYTES
from signaltty_core.host.journal_file import JournalFile
from signaltty_core.host.journal_open import Loaded
from signaltty_core.host.loop import Loop
from signaltty_core.journal.snapshot import build
from signaltty_core.state.world import World

ROOT = Path(__file__).parents[2]
APPENDER = Path(__file__).with_name("appender.py")


def _load_appender() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("appender", APPENDER)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


appender = _load_appender()


class Bench:
    """A journal with a loop and everything it reported."""

    def __init__(self, directory: Path) -> None:
        self.loop = Loop()
        self.now = 1.0
        self.synced: list[int] = []
        self.failures: list[str] = []
        self.snapshots: list[Exception | None] = []
        self.lost: list[str] = []
        self.journal = JournalFile(
            str(directory),
            self.loop.post,
            self.synced.append,
            lambda fault: self.failures.append(str(fault)),
            self.snapshots.append,
            self.lost.append,
            lambda: self.now,
        )
        self.loaded: Loaded = self.journal.open()
        self.world = World()
        self.world.tables = self.loaded.tables
        self.world.seq = self.loaded.next_seq - 1

    def commit(self, n: int) -> None:
        first = self.world.seq + 1
        self.journal.ensure(first + 2)
        self.world.seq += 2
        appender.apply(self.world, n)
        self.journal.append(self.world.seq, appender.written(n, first))

    def document(self) -> dict[str, Any]:
        return build(self.world.tables, saved_at="T", through_seq=self.world.seq, history={"p": {"head": 3}})

    def until(self, seen: Callable[[], bool]) -> None:
        for _ in range(2000):
            if seen():
                return
            self.loop.turn(0.01)
        raise AssertionError("not seen within its limit")

    def settle(self) -> None:
        self.until(lambda: bool(self.synced) and self.synced[-1] == self.world.seq)

    def snapshot(self) -> None:
        count = len(self.snapshots)
        self.journal.save_snapshot(self.document(), self.world.seq)
        self.until(lambda: len(self.snapshots) > count)

    def close(self, document: dict[str, Any] | None = None) -> None:
        self.journal.close(document)
        self.loop.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[[], Bench]]:
    made: list[Bench] = []

    def make() -> Bench:
        made.append(Bench(tmp_path))
        return made[-1]

    yield make
    for one in made:
        one.journal.close(None)


def numbers(path: Path) -> list[int]:
    """Of the whole lines; the writer may be in the middle of one."""
    return [json.loads(line)["seq"] for line in path.read_bytes().split(b"\n")[:-1]]


def written_bytes(path: Path) -> int:
    """The length of a file without the room that it may have ahead."""
    return len(path.read_bytes().rstrip(b"\0"))


def retention(directory: Path) -> dict[str, Any]:
    data = (directory / "audit-retention.json").read_bytes()
    assert len(data) == 512
    found: dict[str, Any] = json.loads(data)
    return found


def test_a_first_start_writes_nothing_and_starts_no_thread(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    threads = set(threading.enumerate())

    started = bench()

    assert (started.loaded.next_seq, started.loaded.warnings, started.loaded.tables) == (1, [], World().tables)
    assert os.listdir(tmp_path) == []
    assert set(threading.enumerate()) <= threads


def test_changes_are_reported_in_order_and_come_back(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    first = bench()
    for n in range(1, 101):
        first.commit(n)
    first.settle()
    assert first.synced == sorted(set(first.synced))
    assert retention(tmp_path)["current_bytes"] == (tmp_path / "audit.jsonl").stat().st_size
    first.close()

    second = bench()

    assert second.loaded.tables == appender.after(100)
    assert (second.loaded.next_seq, second.loaded.last_seq, second.loaded.rolled) == (4097, 200, 100)
    assert second.loaded.warnings == []
    assert retention(tmp_path)["known_complete"] is True


@pytest.mark.parametrize("changes", [0, 3])
def test_what_is_appended_after_the_close_is_written_nowhere(
    tmp_path: Path, bench: Callable[[], Bench], changes: int
) -> None:
    started = bench()
    for n in range(1, changes + 1):
        started.commit(n)
    started.journal.close(None)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "event-sequence.json"}

    started.commit(changes + 1)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name in before} == before
    assert changes or not (tmp_path / "audit.jsonl").exists()
    assert "journal" not in [thread.name for thread in threading.enumerate()]


def test_what_arrives_together_shares_a_sync(bench: Callable[[], Bench]) -> None:
    started = bench()
    for n in range(1, 2001):
        started.commit(n)
    started.settle()

    assert len(started.synced) < 2000


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each append is followed by a sync of its own")
def test_an_append_is_on_disk_when_its_one_call_returns(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    started = bench()
    started.commit(1)
    started.settle()
    opened = {os.path.realpath(f"/proc/self/fd/{fd}"): int(fd) for fd in os.listdir("/proc/self/fd")}
    flags = fcntl.fcntl(opened[str(tmp_path.resolve() / "audit.jsonl")], fcntl.F_GETFL)
    assert flags & os.O_DSYNC == os.O_DSYNC


def test_files_and_directories_are_private(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    started = bench()
    started.commit(1)
    started.snapshot()
    started.close()

    modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in os.listdir(tmp_path)}
    assert modes == {
        name: 0o600 for name in ("audit.jsonl", "audit-retention.json", "event-sequence.json", "snapshot.json")
    }


def test_numbers_are_reserved_before_they_are_used_and_ahead_of_need(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    started = bench()
    assert started.journal.limit == 1

    started.journal.ensure(1)
    assert (started.journal.limit, (tmp_path / "event-sequence.json").read_bytes()) == (4097, b"4097\n")

    started.journal.ensure(4097 - 1024)
    assert started.journal.limit == 4097
    started.journal.ensure(4097 - 1023)
    started.until(lambda: started.journal.limit == 8193)
    assert (tmp_path / "event-sequence.json").read_bytes() == b"8193\n"

    started.journal.ensure(20_000)
    assert started.journal.limit == 20_481


def test_numbers_never_repeat_across_starts_without_a_change(bench: Callable[[], Bench]) -> None:
    seen = []
    for _ in range(3):
        started = bench()
        started.journal.ensure(started.loaded.next_seq)
        seen.append(started.loaded.next_seq)
        started.close()

    assert seen == [1, 4097, 8193]


def test_a_reservation_that_cannot_be_written_fails_the_caller_and_is_reported_once(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    started = bench()
    (tmp_path / "event-sequence.json.new").mkdir()

    for _ in range(2):
        with pytest.raises(IoError, match=r"cannot write .*event-sequence\.json: Is a directory"):
            started.journal.ensure(1)

    started.until(lambda: bool(started.failures))
    started.journal.append(1, b'{"seq":1}\n')
    started.close()
    assert len(started.failures) == 1
    assert not (tmp_path / "audit.jsonl").exists()


def test_a_snapshot_covers_what_the_journal_holds(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    first = bench()
    for n in range(1, 31):
        first.commit(n)
    assert first.journal.bytes_since_snapshot() == sum(len(appender.written(n, 2 * n - 1)) for n in range(1, 31))
    first.snapshot()
    assert (first.snapshots, first.journal.bytes_since_snapshot()) == ([None], 0)
    assert first.synced[-1] == 60
    for n in range(31, 41):
        first.commit(n)
    first.settle()
    first.close()

    second = bench()

    assert (second.loaded.tables, second.loaded.rolled) == (appender.after(40), 10)
    assert second.loaded.history == {"p": {"head": 3}}


def test_a_snapshot_is_never_ahead_of_the_journal(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    started = bench()
    n = 0

    def twenty_are_written() -> bool:
        nonlocal n
        n += 1
        started.commit(n)
        started.journal.save_snapshot(started.document(), started.world.seq)
        if (tmp_path / "snapshot.json").exists():
            through = json.loads((tmp_path / "snapshot.json").read_bytes())["through_seq"]
            assert through in numbers(tmp_path / "audit.jsonl")
        return len(started.snapshots) >= 20

    started.until(twenty_are_written)
    assert set(started.snapshots) == {None}


def test_the_last_snapshot_is_written_on_close(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    threads = set(threading.enumerate())
    first = bench()
    for n in range(1, 11):
        first.commit(n)
    first.close(first.document())

    second = bench()

    assert (second.loaded.tables, second.loaded.rolled) == (appender.after(10), 0)
    assert set(threading.enumerate()) <= threads


def test_a_snapshot_that_cannot_be_written_is_reported_and_the_old_file_stays(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    started = bench()
    started.commit(1)
    started.snapshot()
    former = (tmp_path / "snapshot.json").read_bytes()
    (tmp_path / "snapshot.json.new").mkdir()
    started.commit(2)

    started.snapshot()
    assert [type(fault) for fault in started.snapshots[1:]] == [IsADirectoryError]
    assert (tmp_path / "snapshot.json").read_bytes() == former

    (tmp_path / "snapshot.json.new").rmdir()
    started.snapshot()
    assert started.snapshots[2] is None
    assert started.failures == []


def grow(started: Bench, until: Callable[[], bool]) -> None:
    """Append large changes until something is seen."""
    line = b'{"seq":%d,"event":"a","payload":{"x":"' + b"x" * 1000 + b'"},"at":"T","records":{}}\n'
    for _ in range(400):
        if until():
            return
        first = started.world.seq + 1
        started.world.seq += 100
        started.journal.ensure(started.world.seq + 1)
        started.journal.append(started.world.seq, b"".join(line % seq for seq in range(first, first + 100)))
        started.settle()
    raise AssertionError("not seen within its limit")


def test_the_journal_rotates_at_8_mib_and_only_with_a_covering_snapshot(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    current, older = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.1"
    started = bench()
    grow(started, older.exists)
    first_end = numbers(older)[-1]
    assert ROTATE_BYTES <= older.stat().st_size < ROTATE_BYTES + 200_000
    assert b"\0" not in older.read_bytes()
    assert retention(tmp_path) == {
        "retained_after": 0,
        "predecessor": True,
        "current_bytes": written_bytes(current),
        "predecessor_bytes": older.stat().st_size,
        "known_complete": True,
    }

    grow(started, lambda: written_bytes(current) > ROTATE_BYTES + 300_000)
    assert numbers(older)[-1] == first_end

    started.snapshot()
    started.until(lambda: numbers(older)[-1] > first_end)
    started.commit(1)
    started.settle()
    assert numbers(older)[0] == first_end + 1
    assert retention(tmp_path) == {
        "retained_after": first_end,
        "predecessor": True,
        "current_bytes": written_bytes(current),
        "predecessor_bytes": older.stat().st_size,
        "known_complete": True,
    }
    started.close()

    again = bench()
    assert again.loaded.warnings == []
    assert again.loaded.tables == appender.after(1)
    assert retention(tmp_path)["known_complete"] is True


def test_the_journal_is_not_rotated_while_snapshots_fail(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    current, older = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.1"
    started = bench()
    started.commit(1)
    started.settle()
    (tmp_path / "snapshot.json.new").mkdir()
    started.snapshot()
    assert type(started.snapshots[-1]) is IsADirectoryError

    grow(started, lambda: written_bytes(current) > ROTATE_BYTES + 300_000)
    assert not older.exists()

    (tmp_path / "snapshot.json.new").rmdir()
    started.snapshot()
    started.until(older.exists)


def test_a_retention_record_that_cannot_be_stored_puts_the_rotation_off(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    current, older = tmp_path / "audit.jsonl", tmp_path / "audit.jsonl.1"
    started = bench()
    started.commit(1)
    started.settle()
    obstacle = tmp_path / "audit-retention.json.new"
    obstacle.mkdir()

    grow(started, lambda: written_bytes(current) > ROTATE_BYTES + 300_000)
    obstacle.rmdir()
    started.commit(2)
    started.settle()
    assert not older.exists() and started.failures == []
    assert retention(tmp_path)["current_bytes"] == written_bytes(current)

    started.snapshot()
    started.until(older.exists)
    started.commit(3)
    started.settle()
    assert retention(tmp_path)["known_complete"] is True
    assert started.failures == []


def test_the_retention_record_is_overwritten_in_place(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    seen = set()
    for n in range(1, 4):
        started = bench()
        started.commit(n)
        started.settle()
        assert retention(tmp_path)["current_bytes"] == (tmp_path / "audit.jsonl").stat().st_size
        seen.add((tmp_path / "audit-retention.json").stat().st_ino)
        started.close()

    assert len(seen) == 1


def test_a_retention_record_of_another_length_is_replaced(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    first = bench()
    first.commit(1)
    first.settle()
    first.close()
    path = tmp_path / "audit-retention.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=80) + "\n" * 500)

    second = bench()
    second.commit(2)
    second.settle()

    assert retention(tmp_path)["known_complete"] is True


def test_a_journal_shortened_while_running_is_noticed_before_the_rotation(
    tmp_path: Path, bench: Callable[[], Bench]
) -> None:
    started = bench()
    started.commit(1)
    started.settle()
    with open(tmp_path / "audit.jsonl", "r+b") as file:
        file.truncate(10)

    grow(started, (tmp_path / "audit.jsonl.1").exists)

    assert retention(tmp_path)["known_complete"] is False


def flood(started: Bench, file: Path) -> None:
    """Append in no time, until the file has room ahead."""
    for n in range(1, 1000):
        started.commit(n)
        started.settle()
        if file.stat().st_size > written_bytes(file):
            return
    raise AssertionError("no room was made")


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system gives no room ahead")
def test_a_flooded_journal_has_room_ahead_until_it_is_calm(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    current = tmp_path / "audit.jsonl"
    started = bench()
    flood(started, current)
    assert retention(tmp_path)["current_bytes"] == written_bytes(current)

    started.until(lambda: current.stat().st_size == written_bytes(current))
    started.now += 10.0
    started.commit(1)
    started.settle()

    assert retention(tmp_path)["current_bytes"] == current.stat().st_size
    assert numbers(current)[-1] == started.world.seq


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system gives no room ahead")
def test_a_server_that_dies_with_room_ahead_has_lost_nothing(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    current = tmp_path / "audit.jsonl"
    started = bench()
    flood(started, current)
    left = tmp_path / "left"
    left.mkdir()
    for name in ("audit.jsonl", "audit-retention.json", "event-sequence.json"):
        shutil.copy(tmp_path / name, left)
    assert (left / "audit.jsonl").read_bytes().endswith(b"\0" * 1000)

    found = Bench(left)
    found.close()

    assert (found.loaded.last_seq, found.loaded.warnings) == (started.world.seq, [])
    assert found.loaded.tables == appender.after(started.world.seq // 2)
    assert (left / "audit.jsonl").stat().st_size == written_bytes(current) == retention(left)["current_bytes"]
    assert retention(left)["known_complete"] is True


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system gives no room ahead")
def test_a_journal_shortened_with_room_ahead_is_noticed(tmp_path: Path, bench: Callable[[], Bench]) -> None:
    current = tmp_path / "audit.jsonl"
    started = bench()
    flood(started, current)
    os.truncate(current, written_bytes(current) - 1)

    started.commit(1)
    started.settle()

    started.until(lambda: retention(tmp_path)["known_complete"] is False)


@pytest.mark.parametrize("taken", ["deleted", "renamed", "replaced"])
def test_a_journal_that_is_taken_away_is_begun_anew_and_nobody_believes_it_whole(
    tmp_path: Path, bench: Callable[[], Bench], taken: str
) -> None:
    current = tmp_path / "audit.jsonl"
    started = bench()
    started.commit(1)
    started.settle()
    if taken == "deleted":
        current.unlink()
    else:
        current.rename(tmp_path / "elsewhere")
    if taken == "replaced":
        current.write_text("somebody else's")
    started.now += 1.0

    started.commit(2)
    started.settle()

    assert started.lost == [str(current)]
    assert numbers(current) == [started.world.seq - 1, started.world.seq]
    assert started.journal.retained_after() is None
    foreign = tmp_path / "audit.jsonl.foreign"
    assert (foreign.read_text() if foreign.exists() else "") == ("somebody else's" if taken == "replaced" else "")
    started.snapshot()
    started.commit(3)
    started.settle()
    assert (len(started.lost), started.failures) == (1, [])
    started.close()

    again = bench()
    assert again.loaded.tables == appender.after(3)
    assert again.journal.retained_after() is None


def run_appender(directory: Path, most_bytes: int, kind: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, str(APPENDER), str(directory), str(most_bytes), kind]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment)


def test_what_was_reported_survives_kill_9_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(7501)
    told, told_seq = 0, 0
    for _ in range(30):
        child = run_appender(tmp_path, 0, "snapshots")
        assert child.stdout is not None
        rest = b""
        before = told
        wanted = told + chance.randrange(1, 400)
        while told < wanted:
            data = os.read(child.stdout.fileno(), 4096)
            assert data, "the appender ended by itself"
            *rows, rest = (rest + data).split(b"\n")
            for row in rows:
                n, seq = map(int, row.split())
                assert n > told and seq > told_seq
                told, told_seq = n, seq
        child.kill()
        late = (rest + child.stdout.read()).split(b"\n")[:-1]
        if late:
            told, told_seq = map(int, late[-1].split())
        child.stdout.close()
        child.wait()

        found = Bench(tmp_path)
        n = found.loaded.tables["tasks"]["counter"]["n"]
        assert n >= told > before
        assert found.loaded.tables == appender.after(n)
        assert found.loaded.next_seq > found.loaded.last_seq >= told_seq
        told = n
        found.close()


@pytest.mark.parametrize("most_bytes", [100_000, 600_000])
def test_a_disk_that_fills_cuts_the_journal_back_and_reports_nothing_more(tmp_path: Path, most_bytes: int) -> None:
    child = run_appender(tmp_path, most_bytes, "plain")
    output, _ = child.communicate(timeout=30)

    *told, failure = output.decode().splitlines()
    assert failure == f"failed cannot write {tmp_path}/audit.jsonl: File too large"
    assert child.returncode == 0
    data = (tmp_path / "audit.jsonl").read_bytes()
    assert data.endswith(b"}\n") and len(data) == retention(tmp_path)["current_bytes"]
    last, last_seq = map(int, told[-1].split())
    assert numbers(tmp_path / "audit.jsonl")[-1] == last_seq
    found = Bench(tmp_path)
    assert found.loaded.tables == appender.after(last)
    assert found.loaded.warnings == []
    found.close()
