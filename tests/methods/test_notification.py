"""notify and notification.list."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane
from signaltty_core.state.attention import mark_seen
from tests.fake import Stage


def test_a_notification_of_a_pane_raises_its_attention_and_is_its_line() -> None:
    stage = Stage()
    pane = stage.pane()
    made = stage.ask("notify", pane_id=pane, title="Build", body="broken", severity="warning")["notification"]
    assert made == {
        "id": "notif_" + f"{1:032x}",
        "pane_id": pane,
        "workspace_id": "ws_0",
        "title": "Build",
        "body": "broken",
        "severity": "warning",
        "source": "cli",
        "created_at": "2027-01-15T08:00:00.000Z",
    }
    assert stage.told() == ["notification.created", "attention.created"]
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("unknown", "warning", "Build: broken")


@pytest.mark.parametrize(("severity", "level"), [("info", "unread"), ("warning", "warning"), ("error", "error")])
def test_each_severity_raises_its_level(severity: str, level: str) -> None:
    stage = Stage()
    pane = stage.pane()
    stage.ask("notify", pane_id=pane, title="x", severity=severity)
    assert stage.state(pane)[1] == level


def test_a_title_alone_is_the_line_only_where_there_is_none() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.ask("notify", pane_id=pane, title="first")
    stage.ask("notify", pane_id=pane, title="second")
    assert stage.world.panes[pane]["last_message"] == "first"


def test_a_body_with_a_blank_title_is_the_line_by_itself() -> None:
    stage = Stage()
    pane = stage.pane()
    made = stage.ask("notify", pane_id=pane, title=" ", body="y" * 400)["notification"]
    assert (made["title"], len(made["body"])) == ("signaltty", 400)
    assert stage.world.panes[pane]["last_message"] == "y" * 300


def test_texts_are_cleaned_and_cut() -> None:
    stage = Stage()
    made = stage.ask("notify", title="\x1b[1m" + "t" * 300, body="b\x07" * 2500)["notification"]
    assert (made["title"], made["body"]) == ("t" * 200, "b" * 2000)


def test_a_notification_without_pane_belongs_to_none_and_raises_nothing() -> None:
    stage = Stage()
    stage.pane()
    made = stage.ask("notify", title="hello")["notification"]
    assert "pane_id" not in made and "workspace_id" not in made
    assert stage.told() == ["notification.created"]


def test_the_newest_200_are_kept() -> None:
    stage = Stage()
    for number in range(203):
        stage.ask("notify", title=str(number))
    assert [one["title"] for one in stage.world.notifications.values()] == [str(number) for number in range(3, 203)]


def test_the_list_is_newest_first_and_takes_50() -> None:
    stage = Stage()
    for number in range(60):
        stage.ask("notify", title=str(number))
    titles = [one["title"] for one in stage.ask("notification.list")["notifications"]]
    assert titles == [str(number) for number in range(59, 9, -1)]
    assert len(stage.ask("notification.list", limit=201)["notifications"]) == 60


def test_the_list_filters_by_pane_and_by_what_was_read() -> None:
    stage = Stage()
    read, other = stage.pane(name="reader"), stage.pane()
    for pane in (read, other):
        stage.ask("notify", pane_id=pane, title=pane)
    stage.change(mark_seen, read, "mark_seen")
    stage.ask("notify", title="loose")

    def titles(**chosen: Any) -> list[str]:
        return [one["title"] for one in stage.ask("notification.list", **chosen)["notifications"]]

    assert titles(unread=True) == ["loose", other]
    assert titles(pane_id="reader") == [read]
    assert titles(pane_id=read, unread=True) == []


@pytest.mark.parametrize("limit", [0, True, "9", 1.5])
def test_a_limit_below_1_is_refused(limit: Any) -> None:
    with pytest.raises(BadParams, match=r"^limit"):
        Stage().ask("notification.list", limit=limit)


def test_an_unknown_pane_is_refused_by_both() -> None:
    for method, more in (("notify", {"title": "x"}), ("notification.list", {})):
        with pytest.raises(NoSuchPane):
            Stage().ask(method, pane_id="pane_none", **more)


@pytest.mark.parametrize("wrong", [{"title": 1}, {"body": 1}, {"severity": "fatal"}, {"pane_id": 1}])
def test_wrong_types_name_the_faulty_field(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParams, match=f"^{next(iter(wrong))}"):
        Stage().ask("notify", **{"title": "x", **wrong})
