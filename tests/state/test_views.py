"""What clients see beyond what is stored."""

from __future__ import annotations

from signaltty_core.state.views import pane_view, pending_view
from tests.fake import START, Stage


def test_a_pane_shows_its_newest_sign_of_life() -> None:
    stage = Stage()
    pane_id = stage.pane()
    assert pane_view(stage.world, pane_id) is stage.world.panes[pane_id]
    stage.world.activity[pane_id] = START + 61.5
    assert pane_view(stage.world, pane_id) == {
        **stage.world.panes[pane_id],
        "last_activity_at": "2027-01-15T08:01:01.500Z",
    }
    assert stage.world.panes[pane_id]["last_activity_at"] == "2027-01-15T08:00:00.000Z"


def test_an_older_sign_of_life_does_not_turn_the_clock_back() -> None:
    stage = Stage()
    pane_id = stage.pane()
    stage.world.activity[pane_id] = START - 10
    assert pane_view(stage.world, pane_id)["last_activity_at"] == "2027-01-15T08:00:00.000Z"


def test_a_pending_line_holds_what_a_person_needs_and_omits_what_is_absent() -> None:
    stage = Stage()
    pane_id = stage.pane(attention="unread", label="build", last_message="done")
    assert pending_view(stage.world.panes[pane_id]) == {
        "pane_id": pane_id,
        "workspace_id": "ws_0",
        "tab_id": "tab_0",
        "label": "build",
        "lifecycle": "unknown",
        "attention": "unread",
        "last_message": "done",
    }
