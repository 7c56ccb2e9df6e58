"""Notifications on the World; their methods: tests/methods/test_notification.py."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.state import notifications
from tests.fake import Stage


def post(stage: Stage, **given: Any) -> Any:
    plain = {"pane_id": None, "title": "t", "body": "", "severity": "info", "source": "osc9", "raises": True}
    return stage.change(notifications.post, stage.call().new_id("notification"), **{**plain, **given})


def test_one_that_does_not_raise_leaves_attention_alone() -> None:
    stage = Stage()
    pane = stage.pane()
    post(stage, pane_id=pane, severity="error", raises=False)
    assert (stage.state(pane)[1], stage.told()) == ("none", ["notification.created"])


def test_the_oldest_goes_when_the_two_hundred_and_first_comes() -> None:
    stage = Stage()
    made = [post(stage)["id"] for _ in range(201)]
    assert list(stage.world.notifications) == made[1:]


@pytest.mark.parametrize(
    ("title", "body", "before", "line"),
    [
        ("t", "b", "old", "t: b"),
        ("", "b", "old", "b"),
        ("t", "", "old", "old"),
        ("t", "", None, "t"),
        ("", "", None, None),
        ("t", "b" * 400, "old", "t: " + "b" * 300),
    ],
)
def test_title_and_body_leave_a_line(title: str, body: str, before: str | None, line: str | None) -> None:
    stage = Stage()
    pane = stage.pane(**({} if before is None else {"last_message": before}))
    stage.change(notifications.say, pane, title, body)
    assert stage.world.panes[pane].get("last_message") == line
