"""What the displayed session does to its pane: lifecycle, attention, decision, message, and only when it should."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.state import agent_status, attention, decisions, lifecycle
from signaltty_core.status.envelope import Event
from signaltty_core.status.reduce import Processes
from tests.fake import Stage

NOBODY = Processes(lambda pid: None, lambda pid, stamp: False)


class Scene(Stage):
    def __init__(self) -> None:
        super().__init__()
        self.id = self.pane("generic")

    def say(self, effect: str, session: str = "s", **more: Any) -> list[str]:
        """Names of what was published."""
        event = Event(effect, session)
        for field, value in more.items():
            setattr(event, field, value)
        before = len(self.events)
        self.change(agent_status.accept, self.id, event, self.machine.passed_s, NOBODY)
        return self.told(before)

    def wait(self, seconds: float) -> list[str]:
        self.machine.passed_s += seconds
        before = len(self.events)
        self.change(agent_status.sweep, self.machine.passed_s, NOBODY)
        return self.told(before)

    def now(self) -> tuple[str, str]:
        return self.state(self.id)

    def put_question(self) -> None:
        options = [{"id": "y", "label": "Yes"}]
        self.change(decisions.set_decision, self.id, decisions.make("d", "Go?", options, answerable=False, at=self.at))


def test_a_turn_is_told_step_by_step() -> None:
    scene = Scene()
    assert scene.say("session.start") == ["pane.updated"]
    assert scene.say("agent.running") == ["agent.working", "pane.updated"]
    asked = scene.say("agent.needs-input", kind="approval", ask_text="Go?")
    assert asked == ["agent.blocked", "attention.created", "pane.updated"]
    assert scene.say("agent.input-resolved") == ["agent.working", "attention.cleared", "pane.updated"]
    assert scene.say("agent.idle", text="Done") == ["agent.done", "attention.created", "pane.updated"]
    assert scene.world.panes[scene.id]["last_message"] == "Done"
    assert scene.say("agent.idle", text="Done") == []


@pytest.mark.parametrize(("kind", "level"), [("approval", "permission_required"), ("auth", "input_required")])
def test_a_question_comes_to_its_level_from_the_other_one_but_not_from_an_error(kind: str, level: str) -> None:
    for before, after in (("input_required", level), ("permission_required", level), ("error", "error")):
        scene = Scene()
        scene.change(attention.raise_to, scene.id, before)
        scene.say("agent.needs-input", kind=kind)
        assert scene.now() == ("blocked", after)


def test_work_after_a_question_overtakes_a_decision_but_work_beside_one_does_not() -> None:
    scene = Scene()
    scene.say("agent.needs-input", kind="approval")
    scene.put_question()
    assert scene.say("agent.running") == ["agent.working", "decision.cleared", "attention.cleared", "pane.updated"]
    scene.put_question()
    scene.change(attention.raise_to, scene.id, "permission_required")
    assert scene.say("agent.running") == []
    scene.say("agent.idle")
    assert scene.now() == ("done", "permission_required")


def test_what_a_human_has_cleared_comes_back_with_news_only() -> None:
    scene = Scene()
    scene.say("agent.needs-input", kind="question")
    scene.change(attention.mark_seen, scene.id, "mark_seen")
    assert scene.wait(900.0) == []
    scene.say("task.progress", progress={"done": 1, "total": 2})
    assert scene.now() == ("blocked", "none")
    scene.say("agent.needs-input", kind="question")
    assert scene.now() == ("blocked", "input_required")


def test_the_end_of_the_last_runner_is_the_end_of_the_turn_once() -> None:
    scene = Scene()
    scene.say("agent.running", "parent")
    scene.say("agent.running", "child", parent_id="parent")
    assert scene.say("agent.idle", "parent") == ["pane.updated"]
    assert scene.now() == ("working", "none")
    assert scene.say("session.end", "child") == ["agent.done", "attention.created", "pane.updated"]
    assert scene.say("session.end", "parent") == ["pane.updated"]
    assert scene.now() == ("done", "unread")


def test_a_stale_runner_leaves_the_pane_unknown_and_a_goodbye_idle() -> None:
    scene = Scene()
    scene.say("agent.running")
    scene.wait(1800.0)
    assert scene.now() == ("unknown", "none")
    scene.say("agent.running")
    scene.say("session.end")
    assert scene.now() == ("idle", "none")


def test_a_window_that_hides_a_session_says_nothing_but_that_it_is_hidden() -> None:
    scene = Scene()
    scene.say("agent.running")
    scene.say("agent.idle")
    assert scene.wait(120.0) == ["pane.updated"]
    assert scene.now() == ("done", "unread")
    assert scene.wait(60.0) == []


def test_the_newest_message_of_a_rank_wins() -> None:
    scene = Scene()
    scene.say("agent.running")
    scene.change(lifecycle.set_lifecycle, scene.id, "blocked")
    assert scene.say("agent.running") == ["agent.working"]


def test_a_synthetic_session_that_gets_its_id_asks_nothing_anew() -> None:
    scene = Scene()
    event = Event("agent.needs-input")
    scene.change(agent_status.accept, scene.id, event, 0.0, NOBODY)
    scene.change(attention.mark_seen, scene.id, "mark_seen")
    assert scene.say("task.progress", "real") == ["pane.updated"]
    assert scene.now() == ("blocked", "none")
