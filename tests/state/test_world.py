"""The World and its drafts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.errors import NoSuchPane, NoSuchTab, NoSuchTask, NoSuchWorkspace
from signaltty_core.state.world import TABLES, Draft, World
from tests.fake import START, Stage

IDS = st.sampled_from(["a", "b", "c"])
CHANGES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["panes", "tasks"]), st.lists(st.tuples(IDS, st.integers()), max_size=3)),
        st.lists(IDS, max_size=2),
    ),
    max_size=8,
)


@given(CHANGES)
def test_applying_a_change_twice_gives_the_same_world(changes: Any) -> None:
    once, twice = World(), World()
    for tables, removed in changes:
        records = {table: [{"id": id, "value": value} for id, value in rows] for table, rows in tables.items()}
        once.apply(records, removed)
        twice.apply(records, removed)
        twice.apply(records, removed)
    assert once.tables == twice.tables


def test_a_draft_changes_nothing_before_it_is_applied() -> None:
    stage = Stage()
    pane = stage.pane()
    before = stage.world.panes[pane]
    draft = stage.draft()
    draft.pane(pane)["title"] = "new"
    assert (draft.see_pane(pane)["title"], stage.world.panes[pane]["title"]) == ("new", "claude")
    stage.commit(draft)
    assert (before["title"], stage.world.panes[pane]["title"]) == ("claude", "new")


def test_a_draft_sees_what_it_has_put_and_removed() -> None:
    stage = Stage()
    kept, gone = stage.pane(), stage.pane()
    draft = stage.draft()
    draft.put("panes", {**stage.world.panes[kept], "id": "pane_new"})
    draft.remove(gone, "pane_new")
    draft.edit("panes", kept)["title"] = "x"
    assert [(row["id"], row["title"]) for row in draft.rows("panes")] == [(kept, "x")]
    assert draft.get("panes", gone) is None
    with pytest.raises(NoSuchPane):
        draft.see_pane(gone)


def test_removing_a_pane_takes_its_process_facts_and_activity_along() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.world.activity[pane] = START
    draft = stage.draft()
    draft.remove(pane)
    stage.commit(draft)
    assert all(pane not in stage.world.tables[table] for table in TABLES)
    assert pane not in stage.world.activity


def test_events_are_numbered_in_order_and_marks_take_their_number() -> None:
    stage = Stage()
    pane = stage.pane()
    draft = stage.draft()
    for state in ("working", "done"):
        draft.emit(f"agent.{state}", {})
        draft.mark(pane, "lifecycle", state)
    draft.emit("other", {})
    assert draft.number(40) == 3
    instance = draft.see_instance(pane)
    assert (instance["lifecycle_seq"], instance["transitions"]) == (41, {"working": 40, "done": 41})


def test_a_change_without_events_still_takes_a_number() -> None:
    stage = Stage()
    draft = stage.draft()
    assert draft.is_empty()
    draft.pane(stage.pane())["title"] = "x"
    assert (draft.is_empty(), draft.number(7)) == (False, 1)


def test_a_sign_of_life_reaches_the_record_with_its_next_change() -> None:
    stage = Stage()
    pane = stage.pane()
    draft = Draft(stage.world, START + 5)
    draft.touch(pane)
    assert draft.is_empty()
    assert stage.world.panes[pane]["last_activity_at"] == "2027-01-15T08:00:00.000Z"
    draft.pane(pane)
    assert draft.see_pane(pane)["last_activity_at"] == "2027-01-15T08:00:05.000Z"


def test_things_are_found_by_id_before_name_or_handle() -> None:
    stage = Stage()
    first = stage.pane(id="pane_a", name="b")
    second = stage.pane(id="b", name="pane_a")
    assert [stage.world.pane(ref)["id"] for ref in ("pane_a", "b")] == [first, second]
    assert stage.world.workspace("work") is stage.world.workspace("ws_0")
    assert stage.world.tab("tab_0")["id"] == "tab_0"


@pytest.mark.parametrize(
    ("find", "failure"),
    [("pane", NoSuchPane), ("tab", NoSuchTab), ("task", NoSuchTask), ("workspace", NoSuchWorkspace)],
)
def test_what_is_unknown_has_its_own_failure(find: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        getattr(World(), find)("x" * 1000)


def test_panes_come_in_tree_order_and_those_without_a_place_last() -> None:
    stage = Stage()
    first, second, loose = stage.pane(), stage.pane(), stage.pane()
    draft = stage.draft()
    draft.edit("tabs", "tab_0")["layout"] = {
        "type": "split",
        "dir": "right",
        "ratio": 0.5,
        "first": {"type": "pane", "pane_id": second},
        "second": {"type": "pane", "pane_id": first},
    }
    stage.commit(draft)
    assert [pane["id"] for pane in stage.world.panes_in_order()] == [second, first, loose]
    assert [pane["id"] for pane in stage.world.panes_of_tab("tab_0")] == [second, first, loose]
