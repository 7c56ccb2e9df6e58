"""session.list: order and what is left out."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import NoSuchPane
from tests.fake import Stage

from .test_agent_event import send


def test_sessions_come_in_pane_order_the_shown_first_and_hidden_ones_last() -> None:
    stage = Stage()
    first, second = stage.pane("generic"), stage.pane("generic")
    send(stage, second, "agent.running", session={"id": "z"})
    send(stage, first, "agent.idle", session={"id": "old"})
    stage.machine.passed_s += 121
    send(stage, first, "session.start", session={"id": "new"})
    send(stage, first, "agent.needs-input", session={"id": "child", "parentId": "new"})
    listed = [(each["pane_id"], each["id"], each["shown"]) for each in stage.ask("session.list")["sessions"]]
    assert listed == [(first, "child", True), (first, "new", False), (first, "old", False), (second, "z", True)]
    assert [each["id"] for each in stage.ask("session.list", pane_id=second)["sessions"]] == ["z"]
    assert stage.ask("session.list", pane_id=first)["sessions"][0]["parent_id"] == "new"


def test_a_pane_that_says_nothing_has_no_sessions_and_an_unknown_one_is_an_error() -> None:
    stage = Stage()
    assert stage.ask("session.list", pane_id=stage.pane("generic")) == {"sessions": []}
    with pytest.raises(NoSuchPane):
        stage.ask("session.list", pane_id="nope")
