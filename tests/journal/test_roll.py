from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.journal.record import lines
from signaltty_core.journal.roll import roll_forward, skim
from signaltty_core.state.world import PAYLOAD_TABLES, TABLES, World
from signaltty_core.wire.codec import encode

AT = "2026-10-09T12:34:56.789Z"
# a busy machine is no fault of the journal
KEY_OF = {table: key for key, table in PAYLOAD_TABLES.items()}
IDS = st.sampled_from(["a1", "b2", "c3", "d4"])
TEXTS = st.text(max_size=8)


class Change:
    """What a draft holds when it is committed."""

    def __init__(self, events: list[tuple[str, Any]], records: dict[str, dict[str, Any]], removed: list[str]) -> None:
        self.events = events
        self.records = records
        self.removed = removed

    def written(self, first_seq: int) -> bytes:
        events = [(name, encode(payload)) for name, payload in self.events]
        return lines(first_seq, events, [payload for _, payload in self.events], self.records, self.removed, AT)

    def size(self) -> int:
        return max(1, len(self.events))

    def apply(self, world: World) -> None:
        world.apply({table: list(rows.values()) for table, rows in self.records.items()}, self.removed)


@st.composite
def changes(draw: st.DrawFn) -> Change:
    """Some records of some tables; some carried by a payload as the very object, some stale copies beside them."""
    records: dict[str, dict[str, Any]] = {}
    events: list[tuple[str, Any]] = []
    for table in draw(st.lists(st.sampled_from(TABLES), unique=True, max_size=3)):
        rows = records[table] = {}
        for id in draw(st.lists(IDS, unique=True, max_size=3)):
            # an id belongs to one table, as ids with prefixes do
            row: dict[str, Any] = {"id": f"{table}_{id}", "text": draw(TEXTS), "n": draw(st.integers(-9, 9))}
            rows[row["id"]] = row
            if table in KEY_OF and draw(st.booleans()):
                events.append((f"{KEY_OF[table]}.updated", {KEY_OF[table]: row}))
            if table in KEY_OF and draw(st.booleans()):
                events.append((f"{KEY_OF[table]}.seen", {KEY_OF[table]: {**row, "text": "stale"}}))
    events += [("other", {"text": draw(TEXTS)}) for _ in range(draw(st.integers(0, 2)))]
    events = draw(st.permutations(events))
    gone = st.tuples(st.sampled_from(TABLES), IDS).map("_".join)
    kept = {id for rows in records.values() for id in rows}
    removed = [id for id in draw(st.lists(gone, max_size=2)) if id not in kept]
    return Change(events, records, removed)


def fold(made: list[Change]) -> tuple[World, bytes, int]:
    """The World after all of them, their lines, and the last number."""
    world, text, seq = World(), b"", 0
    for change in made:
        text += change.written(seq + 1)
        seq += change.size()
        change.apply(world)
    return world, text, seq


def cut(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


@given(st.lists(changes(), max_size=8))
def test_replaying_the_lines_gives_the_world_the_changes_gave(made: list[Change]) -> None:
    world, text, seq = fold(made)
    replayed = World()

    rolled = roll_forward(replayed.tables, 0, cut(text))

    assert replayed.tables == world.tables
    assert (rolled.last_seq, rolled.corrupt, rolled.open_lines, rolled.applied) == (seq, 0, 0, len(made))


@given(st.lists(changes(), max_size=6))
def test_replaying_twice_gives_the_same(made: list[Change]) -> None:
    world, text, _ = fold(made)
    replayed = World()

    roll_forward(replayed.tables, 0, cut(text))
    roll_forward(replayed.tables, 0, cut(text))

    assert replayed.tables == world.tables


@given(st.lists(changes(), min_size=1, max_size=8), st.data())
def test_a_snapshot_in_the_middle_changes_nothing(made: list[Change], data: st.DataObject) -> None:
    world, text, _ = fold(made)
    until = data.draw(st.integers(0, len(made)))
    base, _, through = fold(made[:until])
    tables = deepcopy(base.tables)

    skimmed, start = skim(text, through)
    rolled = roll_forward(tables, through, cut(text[start:]), skimmed=skimmed)

    assert tables == world.tables
    assert rolled.applied == len(made) - until
    assert (rolled.lines, rolled.first_seq, rolled.last_seq) == (text.count(b"\n"), 1, fold(made)[2])


@given(st.lists(changes(), min_size=1, max_size=6), st.data())
def test_skimming_finds_the_first_line_above(made: list[Change], data: st.DataObject) -> None:
    _, text, seq = fold(made)
    through = data.draw(st.integers(0, seq + 2))

    skimmed, start = skim(text, through)

    assert text[:start].count(b"\n") == min(through, seq) == skimmed.lines == skimmed.last_seq


def test_skimming_gives_up_on_a_broken_line_among_those_it_would_pass_over() -> None:
    good = b"".join(lines(n, [("a", "{}")], [{}], {}, [], AT) for n in range(1, 40))
    for bad in (b"broken\n", b'{"seq":5\n', b"\n", b'"seq":5}\n', b"\0\0{}\n"):
        spoilt = good[: good.index(b'{"seq":20,')] + bad + good[good.index(b'{"seq":20,') :]

        assert skim(spoilt, 39)[1] == 0, bad

        rolled = roll_forward(World().tables, 39, cut(spoilt), "audit.jsonl")
        assert (rolled.corrupt, rolled.warnings) == (1, ["audit.jsonl: line 20 is not a journal line; skipped"])


def test_whole_lines_before_a_corrupt_one_are_left_out_when_their_change_is_unfinished() -> None:
    row = {"id": "ws_1", "name": "x"}
    change = lines(1, [("workspace.created", '{"workspace":{"id":"ws_1","name":"x"}}'), ("b", "{}")], [], {}, [], AT)
    first, second = cut(change)
    tables = World().tables

    rolled = roll_forward(tables, 0, [first, second[:-4], *cut(lines(3, [], [], {"tabs": {"t": {"id": "t"}}}, [], AT))])

    assert tables["workspaces"] == {} and tables["tabs"] == {"t": {"id": "t"}}
    assert (rolled.corrupt, rolled.open_lines, rolled.last_seq) == (1, 0, 3)

    roll_forward(tables, 0, [first, second])
    assert tables["workspaces"] == {"ws_1": row}


def test_lines_at_the_end_whose_change_is_unfinished_are_counted_and_not_applied() -> None:
    change = lines(4, [("a", '{"tab":{"id":"t"}}'), ("b", '{"tab":{"id":"u"}}'), ("c", "{}")], [], {}, [], AT)
    tables = World().tables

    rolled = roll_forward(tables, 0, cut(change)[:2])

    assert tables == World().tables
    assert (rolled.open_lines, rolled.applied) == (2, 0)


def test_a_file_full_of_garbage_gives_few_warnings() -> None:
    rolled = roll_forward(World().tables, 0, [b"x"] * 1000)

    assert rolled.corrupt == 1000
    assert len(rolled.warnings) == 9


def test_fields_that_are_never_stored_do_not_come_back() -> None:
    pane = {"id": "p", "agent_status": {"a": 1}, "status_signals": {}, "program_status": [], "title": "x"}
    tables = World().tables

    roll_forward(tables, 0, cut(lines(1, [], [], {"panes": {"p": pane}}, [], AT)))

    assert tables["panes"] == {"p": {"id": "p", "title": "x"}}


def test_what_lines_leave_out_of_an_instance_stays_as_the_snapshot_has_it() -> None:
    """persistence §4.2: as long as the process is the same."""

    def rolled(process: str) -> Any:
        world = World()
        world.tables["instances"]["p"] = {"id": "p", "process_instance": "one", "sources": {"hook": 1}, "spoken": []}
        change = {"instances": {"p": {"id": "p", "process_instance": process, "sources": {"x": 2}, "spoken": ["x"]}}}
        roll_forward(world.tables, 0, lines(1, [], [], change, [], AT).splitlines())
        return world.tables["instances"]["p"]

    assert rolled("one") == {"id": "p", "process_instance": "one", "sources": {"hook": 1}, "spoken": ["x"]}
    assert rolled("two") == {"id": "p", "process_instance": "two", "spoken": ["x"]}


def test_percentages_stay_as_the_snapshot_has_them_and_counters_are_as_journaled() -> None:
    """persistence §4.2: a payload may carry a percentage that was shown at that moment."""
    percent, count = ({"kind": kind, "source": kind} for kind in ("percent", "count"))
    world = World()
    world.tables["instances"]["p"] = {"id": "p", "progress": {"osc9_4": percent, "agent-event": count}}
    pane = {"id": "p", "title": "x", "progress": percent}
    payload = {"pane_id": "p", "pane": pane}
    change = {"panes": {"p": pane}, "instances": {"p": {"id": "p", "progress": {"osc7501": percent}}}}
    written = lines(1, [("pane.updated", encode(payload))], [payload], change, [], AT)
    assert json.loads(written)["payload"] == payload
    roll_forward(world.tables, 0, written.splitlines())
    assert world.tables["panes"] == {"p": {"id": "p", "title": "x"}}
    assert world.tables["instances"] == {"p": {"id": "p", "progress": {"osc9_4": percent}}}
    change["instances"]["p"] = {"id": "p", "progress": {"agent-event": {**count, "done": 2}}}
    roll_forward(world.tables, 1, lines(2, [], [], change, [], AT).splitlines())
    assert world.tables["instances"]["p"]["progress"] == {"osc9_4": percent, "agent-event": {**count, "done": 2}}


def numbered(*numbers: int) -> bytes:
    return b"".join(lines(n, [], [], {"tasks": {"t": {"id": "t", "n": n}}}, [], AT) for n in numbers)


def test_what_does_not_ascend_never_comes_last() -> None:
    """A copy of the file before, two files in the wrong order: an older state must not win in silence."""
    tables = World().tables
    rolled = roll_forward(tables, 0, cut(numbered(7, 8, 3, 8, 9)), "audit.jsonl", after_seq=6)
    assert (tables["tasks"]["t"]["n"], rolled.applied, rolled.corrupt, rolled.last_seq) == (9, 3, 2, 9)
    assert rolled.warnings == [
        "audit.jsonl: line 3 has the number 3 behind 8; skipped",
        "audit.jsonl: line 4 has the number 8 behind 8; skipped",
    ]
    again = roll_forward(tables, 0, cut(numbered(1, 2)), "audit.jsonl", after_seq=9)
    assert (tables["tasks"]["t"]["n"], again.corrupt, again.last_seq) == (9, 2, 0)


def test_skimming_gives_up_on_numbers_that_do_not_ascend() -> None:
    older, newer = range(1, 40), range(51, 90)
    assert skim(numbered(*newer, *older), 50)[1] == 0
    assert skim(numbered(*older, *older), 45)[1] == 0
    assert skim(numbered(*older), 39, after_seq=39)[1] == 0
    assert skim(numbered(*newer), 89, after_seq=50)[0].lines == 39
