"""attention.pending and focus.next_unread."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.state.attention import mark_seen, raise_to
from tests.fake import Stage


def test_what_waits_for_permission_comes_before_what_is_unread() -> None:
    """Edge case 47."""
    stage = Stage()
    quiet, unread, asks = stage.pane(), stage.pane(label="docs"), stage.pane()
    task = stage.task(asks)
    stage.change(raise_to, unread, "unread")
    stage.at += 1
    stage.ask("hook-event", agent="claude", event="PermissionRequest", pane_id=asks, payload={"message": "May I?"})
    assert stage.ask("attention.pending") == {
        "panes": [
            {
                "pane_id": asks,
                "workspace_id": "ws_0",
                "tab_id": "tab_0",
                "task_id": task,
                "lifecycle": "blocked",
                "attention": "permission_required",
                "last_message": "May I?",
                "attention_since": "2027-01-15T08:00:01.000Z",
            },
            {
                "pane_id": unread,
                "workspace_id": "ws_0",
                "tab_id": "tab_0",
                "label": "docs",
                "lifecycle": "unknown",
                "attention": "unread",
                "attention_since": "2027-01-15T08:00:00.000Z",
            },
        ]
    }
    assert quiet not in str(stage.ask("attention.pending"))


def test_the_next_unread_pane_is_named_until_it_was_seen() -> None:
    """Edge case 48."""
    stage = Stage()
    pane = stage.pane()
    assert stage.ask("focus.next_unread") == {"pane_id": None}
    stage.change(raise_to, pane, "unread")
    assert stage.ask("focus.next_unread") == {"pane_id": pane}
    stage.change(mark_seen, pane, "mark_seen")
    assert stage.ask("focus.next_unread") == {"pane_id": None}


def test_equal_levels_go_by_the_newest_attention_then_activity_then_id() -> None:
    stage = Stage()
    panes = [stage.pane() for _ in range(4)]
    for pane in panes[:3]:
        stage.change(raise_to, pane, "unread")
    stage.at += 1
    stage.change(raise_to, panes[3], "unread")
    stage.world.activity[panes[2]] = stage.at + 5
    listed = [one["pane_id"] for one in stage.ask("attention.pending")["panes"]]
    assert listed == [panes[3], panes[2], panes[0], panes[1]]


def test_the_list_takes_as_many_as_asked_for() -> None:
    stage = Stage()
    for _ in range(55):
        stage.change(raise_to, stage.pane(), "unread")
    assert len(stage.ask("attention.pending")["panes"]) == 50
    assert len(stage.ask("attention.pending", limit=501)["panes"]) == 55
    assert len(stage.ask("attention.pending", limit=1)["panes"]) == 1


@pytest.mark.parametrize("limit", [0, -1, "x", True])
def test_a_limit_below_1_is_refused(limit: Any) -> None:
    with pytest.raises(BadParams, match=r"^limit"):
        Stage().ask("attention.pending", limit=limit)


@pytest.mark.parametrize(("limit", "count"), [({}, 50), ({"limit": 500}, 500), ({"limit": 9999}, 500)])
def test_at_most_500_panes_are_listed(limit: dict[str, int], count: int) -> None:
    stage = Stage()
    first = stage.pane(attention="unread")
    draft = stage.draft()
    for number in range(500):
        for table in ("panes", "instances"):
            draft.put(table, {**stage.world.tables[table][first], "id": f"pane_more_{number}"})
    stage.commit(draft)
    assert len(stage.ask("attention.pending", **limit)["panes"]) == count
