"""What a terminal's signals do to their pane."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from signaltty_core.state import hearing, program_status, speech
from signaltty_core.terminal.scanner import Directory, Mark, Notification, Progress, Report, Reset, Signal, Title
from tests.fake import CHILD_PID, Stage

PROMPT = Mark("A", None, ())


class Pane:
    """group: the terminal's foreground. prompts: how often the shell came back. looked_up: directories."""

    def __init__(self, **fields: Any) -> None:
        self.stage = Stage()
        self.id = self.stage.pane("generic", **fields)
        self.group: int | None = 900
        self.prompts = 0
        self.looked_up: list[tuple[str, str]] = []
        numbers = count()
        self.ground = speech.Ground(
            lambda noun: f"{noun}_{next(numbers)}",
            lambda: self.group,
            lambda path, host: self.looked_up.append((path, host)),
            lambda _draft, _pane_id: setattr(self, "prompts", self.prompts + 1),
        )

    def heed(self, *signals: Signal) -> Pane:
        self.stage.change(speech.heed, self.id, list(signals), self.ground)
        return self

    @property
    def record(self) -> dict[str, Any]:
        return self.stage.world.panes[self.id]

    def records(self) -> list[str]:
        return [record["id"] for record in program_status.views(self.stage.world, self.id)]


def test_a_prompt_of_the_shell_ends_what_ran() -> None:
    pane = Pane().heed(Report(b"state=working"), Report(b"state=done:id=a"), Progress(4, "normal"))
    pane.group = CHILD_PID
    pane.heed(PROMPT)
    assert (pane.records(), pane.prompts, "progress" in pane.record) == (["a"], 1, False)
    assert pane.stage.state(pane.id) == ("done", "unread")


@pytest.mark.parametrize(
    ("mark", "group"),
    [
        (PROMPT, 900),
        (PROMPT, None),
        (Mark("A", None, ("k=s",)), CHILD_PID),
        (Mark("A", None, ("aid=1", "k=c")), CHILD_PID),
        (Mark("A", None, ("k=r",)), CHILD_PID),
        (Mark("B", None, ()), CHILD_PID),
        (Mark("C", None, ()), CHILD_PID),
        (Mark("D", 0, ()), CHILD_PID),
    ],
)
def test_any_other_mark_is_only_noted(mark: Mark, group: int | None) -> None:
    pane = Pane().heed(Report(b"state=working"))
    pane.group = group
    pane.heed(mark)
    assert (pane.stage.state(pane.id), pane.prompts) == (("working", "none"), 0)
    shell = hearing.of(pane.stage.world, pane.id).shell
    code = {"exit_code": 0} if mark.letter == "D" else {}
    assert shell == {"mark": mark.letter, "at": "2027-01-15T08:00:00.000Z", **code}


def test_a_child_that_reports_itself_is_no_shell() -> None:
    pane = Pane()
    pane.group = CHILD_PID
    pane.heed(Report(b"state=working"), PROMPT)
    assert (pane.stage.state(pane.id), pane.prompts) == (("working", "none"), 0)


def test_a_reset_drops_records_and_progress() -> None:
    pane = Pane().heed(Report(b"state=done"), Report(b"state=blocked:id=a"), Progress(4, "normal"), Reset())
    assert (pane.records(), "progress" in pane.record, pane.stage.state(pane.id)) == ([], False, ("idle", "none"))


def test_progress_keeps_its_value_through_an_error_and_is_no_event() -> None:
    pane = Pane().heed(Progress(40, "normal"), Progress(None, "error"))
    assert pane.record["progress"] == {"kind": "percent", "value": 40, "state": "error", "source": "osc9_4"}
    assert pane.stage.world.instances[pane.id]["sources"]["osc9_4"]["value"] == "error"
    pane.heed(Progress(None, "normal"))
    assert pane.record["progress"]["value"] is None
    pane.heed(Progress(None, None), Progress(None, None))
    assert ("progress" in pane.record, pane.stage.events) == (False, [])
    assert pane.stage.state(pane.id) == ("unknown", "none")


def test_a_notification_without_a_title_or_a_body_has_the_other_one() -> None:
    pane = Pane().heed(Notification("osc9", None, "built"), Notification("osc777", "Tests", None))
    notes = [(note["title"], note["body"], note["source"]) for note in pane.stage.world.notifications.values()]
    assert notes == [("signaltty", "built", "osc9"), ("Tests", "", "osc777")]
    assert (pane.stage.state(pane.id), pane.record["last_message"]) == (("unknown", "unread"), "built")


def test_a_directory_is_looked_up_before_it_is_believed() -> None:
    pane = Pane().heed(Directory("/x", "box"))
    assert (pane.looked_up, pane.record["cwd"]) == ([("/x", "box")], "/work")
    pane.stage.change(speech.enter, pane.id, "/x")
    pane.stage.change(speech.enter, pane.id, "/x")
    assert (pane.record["cwd"], pane.stage.told().count("pane.updated")) == ("/x", 1)


def test_the_same_title_is_no_news() -> None:
    pane = Pane().heed(Title("a"), Title("a"))
    assert (pane.record["title"], pane.stage.told().count("pane.updated")) == ("a", 1)


def test_after_the_end_of_the_child_nothing_is_believed() -> None:
    pane = Pane()
    pane.stage.change(speech.end_child, pane.id, 0, None)
    pane.heed(Report(b"state=blocked"), Progress(4, "normal"), PROMPT)
    assert (pane.stage.state(pane.id), "progress" in pane.record, pane.records()) == (("done", "unread"), False, [])
    assert hearing.of(pane.stage.world, pane.id).shell is None
