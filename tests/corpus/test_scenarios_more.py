"""Stories of agents that report by events, of waits and of visits, and hooks that come late."""

from __future__ import annotations

from typing import Any

from signaltty_core.agents.catalog import Catalog
from signaltty_core.base.clock import seconds_of
from signaltty_core.engine.screens import Screens
from signaltty_core.engine.sweep import Sweep
from signaltty_core.state.environment import pane_token
from tests.corpus.test_scenarios import BASH, Story
from tests.engine.stage import Engine, Peer
from tests.engine.test_screens import SCENARIO
from tests.fake import START

Record = dict[str, Any]
HELPER = {"pid": 4711}


class EventStory(Story):
    """One pane whose agent reports by events; each report comes on a connection that is closed behind it."""

    def __init__(self, kind: str = "generic") -> None:
        super().__init__(kind)
        self.sweep = Sweep(self.engine.world, self.engine.ledger, self.engine.host, self.engine.clock)
        self.engine.machine.on_sessions = self.sweep.arm

    def at(self, moment: float) -> EventStory:
        super().at(moment)
        return self

    def send(self, event: str, **more: Any) -> EventStory:
        return self.send_to(self.pane_id, event, **more)

    def send_to(self, pane_id: str, event: str, **more: Any) -> EventStory:
        reporter = self.engine.peer()
        payload = {"version": 1, "event": event, **more}
        reporter.ask("agent-event", token=pane_token(b"", pane_id), payload=payload)
        reporter.channel.close()
        self.engine.settle()
        return self

    def adapt(self, adapter: str, name: str, **payload: Any) -> Record:
        reporter = self.engine.peer()
        token = pane_token(b"", self.pane_id)
        result: Record = reporter.ask("agent-event", token=token, adapter=adapter, name=name, payload=payload)
        reporter.channel.close()
        return result


def wait(story: Story, *until: str, timeout_s: float, **more: Any) -> Peer:
    """A connection that waits from now on, for the story's pane when no other is named."""
    peer = story.engine.peer()
    peer.say("wait", **{"pane_id": story.pane_id, **more}, until=list(until), timeout_s=timeout_s)
    story.engine.sync()
    return peer


def ended(story: Story, peer: Peer) -> list[str]:
    """How a wait has ended: its outcome or its fault's code; nothing while it goes on."""
    story.engine.settle()
    story.engine.sync()
    return [frame["result"]["outcome"] if frame["ok"] else frame["error"]["code"] for frame in peer.heard()]


def state(engine: Engine, pane_id: str) -> tuple[str, str]:
    pane = engine.world.panes[pane_id]
    return pane["lifecycle"], pane["attention"]


def test_late_tool_events_do_not_reopen_a_finished_turn() -> None:
    """Scenario SC-04."""
    story = Story("codex")
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.at(1).hook("PreToolUse", tool_use_id="k1", **BASH).is_("working", "none")
    story.at(9).hook("Stop").is_("done", "unread")
    before = len(story.told())
    story.at(9.4).hook("PostToolUse", tool_use_id="k1", **BASH).is_("done", "unread")
    story.at(10).seen().is_("done", "none")
    story.at(30).hook("PostToolUse", tool_use_id="k0", **BASH).is_("done", "none")
    story.at(86400).is_("done", "none")
    assert "agent.working" not in story.told()[before:]


def test_timers_and_looks_at_processes_need_nobody_attached() -> None:
    """Scenario SC-05."""
    story = EventStory()
    story.peer.channel.close()
    began_after = story.engine.world.seq
    story.engine.host.started[HELPER["pid"]] = 3
    story.at(0).send("session.start", session={"id": "s"}, agent=HELPER).send("agent.running", session={"id": "s"})
    story.at(10).send("agent.idle", session={"id": "s"}, state={"stopCandidate": True})
    story.at(20).send("agent.running", session={"id": "s"})
    story.at(30)
    del story.engine.host.started[HELPER["pid"]]
    story.at(60)
    reader = story.engine.peer()
    reader.say("subscribe", from_seq=began_after, events=["agent.*"])
    story.engine.sync()
    told = [frame for frame in reader.heard() if "event" in frame]
    assert [frame["event"] for frame in told] == ["agent.working", "agent.done", "agent.working", "agent.failed"]
    recorded_at = {line["seq"]: seconds_of(line["at"]) - START for line in story.engine.journal.lines}
    working, done, again, failed = (recorded_at[frame["seq"]] for frame in told)
    assert (working, again) == (0, 20)
    assert 12 <= done <= 12.5
    assert 30 < failed < 32.5
    story.is_("failed", "error")


def test_an_agent_that_waits_for_its_own_background_job_works() -> None:
    """Scenario SC-06."""
    story = EventStory()
    story.adapt("agy", "PreInvocation", conversationId="y1")
    story.is_("working", "none")
    story.at(20)
    told = story.adapt("agy", "Stop", conversationId="y1", fullyIdle=False)
    assert (told["applied"], told["reason"]) == (False, "ignored")
    story.is_("working", "none")
    story.at(620).is_("working", "none")
    story.at(630)
    assert story.adapt("agy", "Stop", conversationId="y1", fullyIdle=True)["applied"] is True
    story.is_("done", "unread")


def test_waits_do_not_take_an_unknown_screen_for_idle() -> None:
    """Scenario SC-07."""
    story = Story("copilot")
    engine = story.engine
    engine.stage.catalog = Catalog("/agents", lambda: [("a.toml", SCENARIO)])
    screens = Screens(engine.world, engine.ledger, engine.clock, engine.machine, engine.stage.catalog, engine.waiters)
    engine.ingest.on_screen = screens.on_output
    engine.on_change.append(screens.on_change)

    def paint(text: str) -> None:
        engine.ingest.on_output(story.pane_id, f"\x1b[2J\x1b[H{text}".encode())

    story.is_("unknown", "none")
    for half in range(1, 121):
        paint(f"new {half}")
        story.at(half / 2).is_("unknown", "none")
    told = story.peer.ask("pane.explain", pane_id=story.pane_id)
    assert (told["classifies"], "matched" in told) == (True, False)
    story.at(61)
    waiting = wait(story, "idle", "done", timeout_s=5)
    story.at(66.5).is_("unknown", "none")
    assert ended(story, waiting) == ["TIMEOUT"]
    for begins_at, text, lifecycle, attention in (
        (70, "READY", "idle", "none"),
        (80, "BUSY", "working", "none"),
        (90, "something else", "working", "none"),
        (100, "READY", "done", "unread"),
    ):
        story.at(begins_at)
        paint(text)
        story.at(begins_at + 9).is_(lifecycle, attention)
        if lifecycle == "idle":
            assert ended(story, wait(story, "idle", timeout_s=0)) == ["idle"]


def test_an_approval_is_not_shown_as_work() -> None:
    """Scenario SC-09."""
    story = Story("codex")
    described = {"tool_name": "Bash", "tool_input": {"command": "make", "description": "Build everything"}}
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.at(3).hook("PreToolUse", tool_use_id="k1", **BASH).is_("working", "none")
    story.at(3.1).hook("PermissionRequest", **described).is_("blocked", "permission_required")
    story.engine.pane("codex", lifecycle="done", attention="unread")
    pending = [pane["pane_id"] for pane in story.peer.ask("attention.pending")["panes"]]
    assert (pending[0], len(pending)) == (story.pane_id, 2)
    decision_id = story.engine.world.panes[story.pane_id]["pending_decision"]["id"]
    waiting = wait(story.at(3.2), "idle", "done", timeout_s=5)
    story.at(8.1)
    assert ended(story, waiting) == []
    story.at(8.3).is_("blocked", "permission_required")
    assert ended(story, waiting) == ["TIMEOUT"]
    story.at(20).hook("PostToolUse", tool_use_id="k1", **BASH).is_("working", "none")
    assert "pending_decision" not in story.engine.world.panes[story.pane_id]
    cleared = [line["payload"] for line in story.engine.journal.lines if line.get("event") == "decision.cleared"]
    assert cleared == [{"pane_id": story.pane_id, "decision_id": decision_id, "reason": "moved_on"}]
    story.at(25).hook("Stop").is_("done", "unread")


def test_a_visit_clears_the_badge_and_no_question_that_is_open() -> None:
    """Scenario SC-12."""
    story = EventStory()
    engine, person = story.engine, story.peer
    story.at(0).send("agent.running")
    story.send("agent.idle").is_("done", "unread")
    story.at(1)
    person.ask("pane.attach", pane_id=story.pane_id)
    story.is_("done", "none")

    asking = engine.pane("generic")
    story.at(2)
    story.send_to(asking, "agent.needs-input", state={"interaction": {"kind": "approval"}})
    assert state(engine, asking) == ("blocked", "permission_required")
    story.at(3)
    person.ask("pane.mark_seen", pane_id=asking)
    assert state(engine, asking) == ("blocked", "none")
    assert ended(story, wait(story, "blocked", timeout_s=0, pane_id=asking)) == ["blocked"]
    story.at(4)
    story.send_to(asking, "agent.input-resolved")
    assert state(engine, asking) == ("working", "none")

    hooked = engine.pane("claude")
    story.at(5)
    engine.peer().ask(
        "hook-event", agent="claude", event="UserPromptSubmit", pane_id=hooked, payload={"session_id": "s"}
    )
    hook = engine.peer()
    request = {"session_id": "s", **BASH}
    hook.say(
        "hook-event", agent="claude", event="PermissionRequest", pane_id=hooked, payload=request, wait_for_answer=True
    )
    assert state(engine, hooked) == ("blocked", "permission_required")
    decision_id = engine.world.panes[hooked]["pending_decision"]["id"]
    for tenth, visit in enumerate(("pane.mark_seen", "pane.read", "pane.attach")):
        story.at(6 + tenth / 10)
        person.ask(visit, pane_id=hooked)
        engine.settle()
        engine.sync()
        assert state(engine, hooked) == ("blocked", "permission_required")
        assert engine.world.panes[hooked]["pending_decision"]["id"] == decision_id
        assert hook.heard() == []
    story.at(7)
    person.ask("decision.answer", pane_id=hooked, decision_id=decision_id, option_id="once")
    assert state(engine, hooked) == ("working", "none")
    engine.settle()
    engine.sync()
    (frame,) = hook.heard()
    assert frame["result"]["native_verdict"]["hookSpecificOutput"]["decision"] == {"behavior": "allow"}


def test_a_message_from_nowhere_reaches_no_pane() -> None:
    """Scenario SC-13, the server's half."""
    story = EventStory("claude")
    engine = story.engine
    story.at(0).hook("UserPromptSubmit").is_("working", "none")
    story.peer.ask("pane.attach", pane_id=story.pane_id)
    idle = engine.pane("claude", lifecycle="idle")
    before = {pane_id: dict(engine.world.panes[pane_id]) for pane_id in (story.pane_id, idle)}
    sender = engine.peer()
    told = sender.ask("hook-event", agent="claude", event="Stop", client_pid=77, payload={"session_id": "s1"})
    assert (told["accepted"], told["pane_id"]) == (True, None)
    story.at(1)
    sender.say("agent-event", token="", payload={"version": 1, "event": "agent.idle"})
    (frame,) = sender.heard()
    assert (frame["ok"], frame["error"]["code"]) == (False, "FORBIDDEN")
    story.at(2).signal("stop", None)
    story.at(3)
    made = sender.ask("notify", title="hello", severity="error")["notification"]
    assert "pane_id" not in made
    assert {pane_id: engine.world.panes[pane_id] for pane_id in before} == before


def test_a_wait_for_one_of_several_ends_does_not_miss_a_turn_that_ends_in_done() -> None:
    """Scenario SC-15."""
    story = EventStory()
    story.at(0).send("session.start").send("agent.idle").is_("idle", "none")
    assert ended(story, wait(story, "idle", timeout_s=5)) == ["idle"]
    story.at(1)
    baseline = story.peer.ask("pane.get", pane_id=story.pane_id)["wait_baseline"]
    waiting = wait(story, "idle", "done", timeout_s=60, after=baseline)
    story.send("agent.running").is_("working", "none")
    assert ended(story, waiting) == []
    story.at(5)
    assert ended(story, waiting) == []
    story.send("agent.idle").is_("done", "unread")
    assert ended(story, waiting) == ["done"]
    late = wait(story.at(6), "idle", timeout_s=1)
    story.at(7.5).is_("done", "unread")
    assert ended(story, late) == ["TIMEOUT"]
    story.at(8).seen().is_("done", "none")
    assert ended(story, wait(story, "done", timeout_s=5)) == ["done"]
