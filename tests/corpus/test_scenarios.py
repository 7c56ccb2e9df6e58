"""Stories over several sources, told row by row: what happens, and the pane's state right after it."""

from __future__ import annotations

from typing import Any

from tests.engine.stage import Engine, Peer
from tests.engine.test_listener import hear

Record = dict[str, Any]
BASH = {"tool_name": "Bash", "tool_input": {"command": "make"}}


class Story:
    """One pane of an agent with hooks. Times are seconds from the start."""

    def __init__(self, kind: str = "claude") -> None:
        self.engine = Engine()
        self.kind = kind
        self.pane_id = self.engine.pane(kind)
        self.engine.processes.groups[self.pane_id] = 900
        self.peer: Peer = self.engine.peer()
        self._connections = 0

    def at(self, moment: float) -> Story:
        self.engine.advance(moment - self.engine.clock.passed_s)
        return self

    def hook(self, event: str, **payload: Any) -> Story:
        given = {"session_id": "s1", **payload}
        reporter = self.engine.peer()
        reporter.ask("hook-event", agent=self.kind, event=event, pane_id=self.pane_id, payload=given)
        return self

    def says(self, state: str) -> Story:
        self.engine.ingest.on_output(self.pane_id, b"\x1b]7501;state=%s\x1b\\" % state.encode())
        return self

    def title(self, text: str) -> Story:
        self.engine.ingest.on_output(self.pane_id, b"\x1b]2;%s\x07" % text.encode())
        return self

    def signal(self, word: str, pane_id: str | None) -> Story:
        self._connections += 1
        hear(self.engine, pane_id, self._connections, word.encode() + b"\n")
        return self

    def seen(self) -> Story:
        self.peer.ask("pane.mark_seen", pane_id=self.pane_id)
        return self

    def is_(self, lifecycle: str, attention: str) -> None:
        pane = self.engine.world.panes[self.pane_id]
        assert (pane["lifecycle"], pane["attention"]) == (lifecycle, attention), self.engine.clock.passed_s

    def source(self, name: str) -> Record:
        found: Record = next(
            one for one in self.peer.ask("pane.explain", pane_id=self.pane_id)["sources"] if one["source"] == name
        )
        return found

    def told(self) -> list[str]:
        return [line["event"] for line in self.engine.journal.lines if "event" in line]


def test_sc_01_a_lost_end_of_turn() -> None:
    """Scenario SC-01."""
    story = Story()
    story.at(0).hook("SessionStart").says("idle").is_("idle", "none")
    story.at(5).hook("UserPromptSubmit").is_("working", "none")
    story.at(5.1).says("working").is_("working", "none")
    story.at(30).says("done").is_("working", "none")
    assert (story.source("osc7501")["value"], story.source("osc7501")["applied"]) == ("done", False)
    story.at(31.9).is_("working", "none")
    story.at(32).is_("done", "unread")
    assert story.source("osc7501")["decides"] is True
    story.at(40).hook("UserPromptSubmit").is_("working", "none")
    before = story.told().count("agent.done")
    story.at(50).hook("Stop").says("done").is_("done", "unread")
    story.at(60).is_("done", "unread")
    assert story.told().count("agent.done") == before + 1


def test_sc_02_a_turn_that_ends_in_failure() -> None:
    """Scenario SC-02."""
    story = Story()
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.at(20).hook("StopFailure", error="rate_limit").is_("failed", "error")
    assert story.engine.world.panes[story.pane_id]["last_message"] == "rate_limit"
    story.engine.pane("claude", lifecycle="done", attention="unread")
    pending = [pane["pane_id"] for pane in story.peer.ask("attention.pending")["panes"]]
    assert (pending[0], len(pending)) == (story.pane_id, 2)
    story.at(25).seen().is_("failed", "none")
    story.at(30).hook("UserPromptSubmit").is_("working", "none")
    story.at(40).hook("Stop").is_("done", "unread")


def test_sc_03_escape_without_a_hook() -> None:
    """Scenario SC-03."""
    story = Story()
    story.at(0).hook("UserPromptSubmit").says("working").is_("working", "none")
    before = len(story.told())
    story.at(10).says("idle").is_("idle", "none")
    assert {"attention.created", "notification.created"}.isdisjoint(story.told()[before:])
    story.at(70).is_("idle", "none")
    story.at(71).hook("Notification", notification_type="idle_prompt").is_("idle", "none")
    story.at(80).hook("UserPromptSubmit").says("working").is_("working", "none")
    story.at(90).hook("Stop").says("done").is_("done", "unread")


def test_sc_08_a_misleading_sign_in_the_title() -> None:
    """Scenario SC-08."""
    story = Story()
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.peer.say("wait", pane_id=story.pane_id, until=["idle", "done"], timeout_s=60)
    before = len(story.told())
    for second in range(1, 29):
        story.at(second).title(("✳" if second % 2 else "⠂") + " Fix tests").is_("working", "none")
    assert set(story.told()[before:]) == {"pane.updated"}
    story.engine.sync()
    assert story.peer.heard() == []
    story.at(29).hook("Stop").is_("done", "unread")
    story.engine.settle()
    story.engine.sync()
    (frame,) = story.peer.heard()
    assert frame["result"]["outcome"] == "done"
    story.at(30).title("⠂ Fix tests").is_("done", "unread")


def test_sc_10_approved_in_the_terminal_with_other_tools_in_parallel() -> None:
    """Scenario SC-10."""
    for end in ("PostToolUse", "PostToolUseFailure"):
        story = Story()
        story.at(0).hook("UserPromptSubmit").is_("working", "none")
        read = {"tool_name": "Read", "tool_input": {"file_path": "/x"}}
        story.at(1).hook("PreToolUse", tool_use_id="t1", **read).hook("PreToolUse", tool_use_id="t2", **BASH)
        story.at(1.1).hook("PermissionRequest", **BASH).is_("blocked", "permission_required")
        story.at(2).hook("PostToolUse", tool_use_id="t1", **read).is_("blocked", "permission_required")
        story.at(2.1).hook("PreToolUse", tool_use_id="t3", **read).is_("blocked", "permission_required")
        story.at(8).hook(end, tool_use_id="t2", **BASH).is_("working", "none")
        story.at(9).hook("PostToolUse", tool_use_id="t3", **read).is_("working", "none")
        story.at(20).hook("Stop").is_("done", "unread")


def test_sc_11_the_reminder_after_a_minute() -> None:
    """Scenario SC-11."""
    story = Story()
    reminder = {"notification_type": "idle_prompt", "message": "Claude is waiting for your input"}
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.at(10).hook("Stop").is_("done", "unread")
    story.at(15).seen().is_("done", "none")
    story.at(70).hook("Notification", **reminder).is_("done", "none")
    story.at(80).hook("UserPromptSubmit").is_("working", "none")
    story.at(140).hook("Notification", **reminder).is_("done", "unread")


def test_sc_13_a_signal_from_nowhere() -> None:
    """Scenario SC-13, the status line's part."""
    story = Story("zerostack")
    idle = story.engine.pane("zerostack", lifecycle="idle")
    story.at(0).signal("start", story.pane_id).is_("working", "none")
    story.at(2).signal("stop", None).is_("working", "none")
    assert story.engine.world.panes[idle]["lifecycle"] == "idle"


def test_sc_14_sub_agents() -> None:
    """Scenario SC-14."""
    story = Story()
    sub = {"agent_id": "a1"}
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.at(1).hook("SubagentStart").is_("working", "none")
    story.at(2).hook("PreToolUse", tool_use_id="t1", **BASH, **sub).is_("working", "none")
    story.at(5).hook("Stop", **sub).is_("working", "none")
    story.at(6).hook("SubagentStop").is_("working", "none")
    story.at(7).hook("PermissionRequest", **BASH, **sub).is_("blocked", "permission_required")
    story.at(9).hook("PostToolUse", tool_use_id="t1", **BASH, **sub).is_("working", "none")
    story.at(20).hook("Stop").is_("done", "unread")
    story.at(20.5).hook("SubagentStop").is_("done", "unread")
