"""The journal read back: exactly what was committed before, whatever is written meanwhile, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.host import read_back
from signaltty_core.host.audit_files import ROTATE_BYTES
from signaltty_core.host.journal_file import JournalFile
from signaltty_core.host.loop import Loop
from signaltty_core.host.workers import Workers
from signaltty_core.journal.record import lines
from signaltty_core.journal.replay import Replayed
from signaltty_core.journal.snapshot import build, empty
from signaltty_core.state.effects import ReadBack


class Desk:
    """A journal to which events are written, one number each."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.loop = Loop()
        self.synced: list[int] = []
        self.snapshots: list[Exception | None] = []
        self.journal = JournalFile(
            str(directory), self.loop.post, self.synced.append, self._fail, self.snapshots.append
        )
        self.seq = self.journal.open().next_seq - 1
        self.workers = Workers(self.loop)

    def _fail(self, fault: Exception) -> None:
        raise fault

    def write(self, count: int = 1, size_bytes: int = 0) -> None:
        for _ in range(count):
            self.seq += 1
            self.journal.ensure(self.seq + 1)
            payload = {"n": self.seq, "x": "y" * size_bytes}
            self.journal.append(self.seq, lines(self.seq, [("e", json.dumps(payload))], [payload], {}, [], "T"))

    def turn_until(self, seen: Callable[[], Any]) -> None:
        for _ in range(2000):
            if seen():
                return
            self.loop.turn(0.01)
        raise AssertionError("not seen within its limit")

    def settle(self) -> None:
        self.turn_until(lambda: self.synced and self.synced[-1] == self.seq)

    def snapshot(self) -> None:
        document = build(empty().tables, saved_at="T", through_seq=self.seq, history={})
        count = len(self.snapshots)
        self.journal.save_snapshot(document, self.seq)
        self.turn_until(lambda: len(self.snapshots) > count)

    def ask(self, after: int, most: int = 100_000) -> list[Replayed]:
        """Filled when the answer is there."""
        found: list[Replayed] = []
        effect = ReadBack(after, self.seq, lambda event, task_id: True, most)
        read_back.perform(self.journal, self.workers, effect, lambda reply, fault: found.append(reply))
        return found

    def read(self, after: int, most: int = 100_000) -> tuple[int | None, list[int]]:
        found = self.ask(after, most)
        self.turn_until(lambda: found)
        return found[0].retained_after, [seq for seq, _, _ in found[0].events]

    def close(self) -> None:
        self.journal.close(None)
        self.loop.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[], Desk]]:
    made: list[Desk] = []

    def start() -> Desk:
        for desk in made:
            desk.close()
        made[:] = [Desk(tmp_path)]
        return made[0]

    yield start
    for desk in made:
        desk.close()


def retention(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((desk.directory / "audit-retention.json").read_bytes())
    return found


def test_what_was_committed_before_the_question_is_there_and_nothing_later(make: Callable[[], Desk]) -> None:
    desk = make()
    desk.write(50)
    found = desk.ask(10)
    desk.write(50)
    desk.turn_until(lambda: found)
    assert (found[0].retained_after, [seq for seq, _, _ in found[0].events]) == (0, list(range(11, 51)))
    assert json.loads(found[0].events[0][2]) == {"n": 11, "x": ""}


def test_one_event_more_than_asked_for_tells_that_there_are_more(make: Callable[[], Desk]) -> None:
    desk = make()
    desk.write(20)
    assert desk.read(0, most=7) == (0, list(range(1, 9)))


def test_nothing_written_yet_is_a_complete_history_of_nothing(make: Callable[[], Desk]) -> None:
    assert make().read(0) == (0, [])


def test_the_files_of_an_earlier_life_are_read_too(make: Callable[[], Desk]) -> None:
    desk = make()
    desk.write(5)
    desk.settle()
    desk = make()
    assert desk.read(2) == (0, [3, 4, 5])
    desk.write(1)
    assert desk.read(4) == (0, [5, desk.seq])


def test_both_generations_are_read_and_what_is_gone_is_told(make: Callable[[], Desk]) -> None:
    desk = make()
    size_bytes = ROTATE_BYTES // 8
    for generation in range(3):
        desk.write(9, size_bytes)
        desk.settle()
        desk.snapshot()
        if generation == 0:
            assert desk.read(0) == (0, list(range(1, 10)))
    desk.write(2)
    oldest = retention(desk)["retained_after"]
    assert 0 < oldest < 20  # how many lines share a sync, and so where a file ends, is the writer's business
    assert desk.read(oldest) == (oldest, list(range(oldest + 1, desk.seq + 1)))
    assert desk.read(oldest - 1) == (oldest, [])


def test_a_rotation_while_it_is_read_takes_nothing_away(make: Callable[[], Desk]) -> None:
    desk = make()
    desk.write(9, ROTATE_BYTES // 8)
    desk.settle()
    found = desk.ask(0)
    desk.snapshot()
    desk.write(9, ROTATE_BYTES // 8)
    desk.settle()
    desk.snapshot()
    desk.turn_until(lambda: found)
    assert [seq for seq, _, _ in found[0].events] == list(range(1, 10))


@pytest.mark.parametrize("damage", ["cut", "gone", "garbage", "inside"])
def test_a_doubt_is_written_down_before_anybody_is_told(make: Callable[[], Desk], damage: str) -> None:
    desk = make()
    desk.write(5)
    desk.settle()
    path = desk.directory / "audit.jsonl"
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(
            {
                "cut": data[:-1],
                "garbage": data[:30] + b"\xff" + data[31:],
                "inside": data.replace(b'"payload":{', b'"payload":[', 1),
            }[damage]
        )
    assert desk.read(0) == (None, [])
    assert (retention(desk)["known_complete"], retention(desk)["retained_after"]) == (False, 5)
    desk.write(1)
    assert desk.read(0) == (None, [])
    assert make().read(0) == (None, [])


def test_after_two_rotations_completeness_can_be_shown_again(make: Callable[[], Desk]) -> None:
    """persistence §4.4."""
    desk = make()
    desk.write(5)
    desk.settle()
    path = desk.directory / "audit.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"payload":{', b'"payload":[', 1))
    assert desk.read(0) == (None, [])
    for _ in range(3):
        desk.write(9, ROTATE_BYTES // 8)
        desk.settle()
        desk.snapshot()
    assert retention(desk)["known_complete"]
    oldest = retention(desk)["retained_after"]
    assert oldest >= 14
    assert desk.read(oldest) == (oldest, list(range(oldest + 1, desk.seq + 1)))
