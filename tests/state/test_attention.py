"""Attention primitives."""

from __future__ import annotations

import pytest

from signaltty_core.state.attention import LEVELS, clear, is_required, lower_required, mark_seen, raise_to
from signaltty_core.state.decisions import set_decision
from tests.fake import START, Stage

DECISION = {"id": "d", "prompt": "?", "options": [], "answerable": True, "received_at": ""}
NOW = "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize("before", LEVELS)
@pytest.mark.parametrize("level", LEVELS)
def test_raising_takes_the_greater_and_tells_only_a_change(before: str, level: str) -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(raise_to, pane, before)
    since = len(stage.events)
    higher = LEVELS.index(level) > LEVELS.index(before)
    assert stage.change(raise_to, pane, level) is higher
    assert stage.world.panes[pane]["attention"] == (level if higher else before)
    event = "attention.created" if before == "none" else "attention.updated"
    expected = [(event, {"pane_id": pane, "attention": level, "prev": before})] if higher else []
    assert [(name, payload) for _, name, payload in stage.events[since:]] == expected


def test_raising_is_the_last_transition_of_its_axis_alone() -> None:
    stage = Stage()
    pane = stage.pane()
    before = stage.world.instances[pane]["lifecycle_seq"]
    stage.change(raise_to, pane, "warning")
    number, instance = stage.events[-1][0], stage.world.instances[pane]
    assert (instance["attention_seq"], instance["transitions"]) == (number, {"warning": number})
    assert instance["lifecycle_seq"] == before
    assert stage.world.panes[pane]["attention_since"] == NOW


def test_clearing_goes_to_none_and_counts_as_seen() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(raise_to, pane, "error")
    assert stage.change(clear, pane, "hook") is True
    found = stage.world.panes[pane]
    assert (found["attention"], found["last_seen_at"], "attention_since" in found) == ("none", NOW, False)
    assert stage.events[-1][1:] == ("attention.cleared", {"pane_id": pane, "reason": "hook"})
    assert stage.world.instances[pane]["transitions"]["none"] == stage.events[-1][0]
    assert stage.change(clear, pane, "hook") is False


def test_a_required_level_without_decision_drops_to_unread() -> None:
    for level in LEVELS:
        stage = Stage()
        pane = stage.pane()
        stage.change(raise_to, pane, level)
        lowered = is_required(level)
        assert stage.change(lower_required, pane) is lowered
        assert stage.world.panes[pane]["attention"] == ("unread" if lowered else level)
        if lowered:
            assert stage.events[-1][1:] == (
                "attention.updated",
                {"pane_id": pane, "attention": "unread", "prev": level},
            )


def test_a_required_level_with_a_decision_stays() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(raise_to, pane, "permission_required")
    stage.change(set_decision, pane, DECISION)
    assert stage.change(lower_required, pane) is False


def test_seen_with_a_decision_pending_keeps_both() -> None:
    """Edge case 38."""
    stage = Stage()
    pane = stage.pane()
    stage.change(raise_to, pane, "permission_required")
    stage.change(set_decision, pane, DECISION)
    stage.at = START + 5
    since = len(stage.events)
    stage.change(mark_seen, pane, "mark_seen")
    found = stage.world.panes[pane]
    assert (found["attention"], found["pending_decision"]) == ("permission_required", DECISION)
    assert (found["last_seen_at"], stage.told(since)) == ("2027-01-15T08:00:05.000Z", [])


def test_seen_reads_the_pane_s_notifications_once() -> None:
    stage = Stage()
    pane, other = stage.pane(), stage.pane()
    for each in (pane, other):
        stage.ask("notify", pane_id=each, title=each)
    stage.change(mark_seen, pane, "attach")
    stage.at += 9
    stage.change(mark_seen, pane, "attach")
    assert {one["title"]: one.get("read_at") for one in stage.world.notifications.values()} == {pane: NOW, other: None}
    assert [payload for _, event, payload in stage.events if event == "attention.cleared"] == [
        {"pane_id": pane, "reason": "attach"}
    ]
