"""What is collected from journal lines, and what of them is none of ours."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.journal.record import lines
from signaltty_core.journal.replay import Collector

Record = dict[str, Any]


def change(first: int, *events: tuple[str, Record]) -> list[bytes]:
    from signaltty_core.wire.codec import encode

    named = [(event, encode(payload)) for event, payload in events]
    return lines(first, named, [payload for _, payload in events], {}, [], "T").splitlines()


def collect(texts: list[bytes], after: int = 0, through: int = 100, most: int = 10, wanted: str = "") -> list[Any]:
    collector = Collector(after, through, lambda event, task_id: event.startswith(wanted), most)
    assert all(collector.take(text) for text in texts)
    return collector.events()


def test_events_between_two_numbers_come_in_order_and_once() -> None:
    texts = [*change(1, ("a", {})), *change(2, ("b", {"x": "é"}), ("c", {})), *change(4), *change(9, ("d", {}))]
    assert collect([*texts, *texts], after=1, through=8) == [(2, "b", '{"x":"\\u00e9"}'), (3, "c", "{}")]


def test_lines_of_an_unfinished_change_were_never_published() -> None:
    texts = [*change(1, ("a", {})), *change(2, ("b", {}), ("c", {}))[:1]]
    assert collect(texts) == [(1, "a", "{}")]


def test_filters_come_before_the_limit_and_one_more_tells_that_there_are_more() -> None:
    texts = [line for seq in range(1, 41) for line in change(seq, ("task.x" if seq % 10 == 0 else "pane.x", {}))]
    assert [seq for seq, _, _ in collect(texts, most=3, wanted="task.")] == [10, 20, 30, 40]
    assert [seq for seq, _, _ in collect(texts, most=5, wanted="task.")] == [10, 20, 30, 40]
    assert len(collect(texts, most=3)) == 4


def test_the_task_of_an_event_decides_too() -> None:
    texts = [*change(1, ("task.updated", {"task_id": "t1"})), *change(2, ("task.updated", {"task_id": 7}))]
    seen: list[str | None] = []
    collector = Collector(0, 9, lambda event, task_id: bool(seen.append(task_id)), 9)
    assert [collector.take(text) for text in texts] == [True, True]
    assert seen == ["t1", None]


@pytest.mark.parametrize("text", [b"", b"garbage", b'{"seq":1,"event":"a","payload":{}', b"\0\0", b"[]"])
def test_a_broken_line_is_told(text: bytes) -> None:
    assert not Collector(50, 60, lambda event, task_id: True, 9).take(text)
