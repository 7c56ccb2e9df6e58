"""hook-event for agents other than Claude, and for events that users' manifests map."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.catalog import Catalog
from tests.fake import START, Stage, native
from tests.play import Play

ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
WAITERS = ("codex", "qwen", "copilot")


def wait_for_verdict(stage: Stage, pane: str, agent: str, **more: Any) -> Play:
    return stage.play(
        "hook-event",
        agent=agent,
        event="PermissionRequest",
        pane_id=pane,
        payload=native(),
        wait_for_answer=True,
        **more,
    )


def test_a_codex_turn_from_start_to_end() -> None:
    """Edge case 30."""
    stage = Stage()
    pane = stage.pane("codex")
    seen = []
    for event in ("SessionStart", "UserPromptSubmit", "PermissionRequest", "UserPromptSubmit", "Stop"):
        stage.hook(pane, event, native(), agent="codex")
        seen.append(stage.state(pane))
    assert seen == [
        ("idle", "none"),
        ("working", "none"),
        ("blocked", "permission_required"),
        ("working", "none"),
        ("done", "unread"),
    ]
    assert stage.world.panes[pane]["agent"]["resume_argv"] == ["codex", "resume", "s1"]


def test_a_request_whose_tool_never_began_ends_with_its_command() -> None:
    """Edge case 93: Codex adds a description to the request alone."""
    stage = Stage()
    pane = stage.pane("codex")
    asked = {"tool_name": "Bash", "tool_input": {"command": "touch x", "description": "why"}}
    stage.hook(pane, "PermissionRequest", asked, agent="codex")
    stage.hook(pane, "PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}, agent="codex")
    assert stage.state(pane) == ("blocked", "permission_required")
    stage.hook(pane, "PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "touch x"}}, agent="codex")
    assert stage.state(pane) == ("working", "none")
    (note,) = stage.world.notifications.values()
    assert (note["title"], note["body"], note["severity"]) == ("Codex needs approval", "Bash", "warning")


@pytest.mark.parametrize("before", ["UserPromptSubmit", "PermissionRequest"])
def test_an_interrupt_is_idle_and_a_tool_that_ends_late_stays_out_of_it(before: str) -> None:
    """Edge case 98."""
    stage = Stage()
    pane = stage.pane("codex")
    stage.hook(pane, before, native(), agent="codex")
    stage.hook(pane, "Interrupt", {}, agent="codex")
    assert stage.state(pane) == ("idle", "none")
    stage.hook(pane, "PostToolUse", native(), agent="codex")
    assert stage.state(pane) == ("idle", "none")


def test_an_internal_thread_ends_no_turn() -> None:
    """Edge case 105."""
    stage = Stage()
    pane = stage.pane("codex")
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"}, agent="codex")
    reply = stage.hook(pane, "agent-turn-complete", {"thread-id": "s2"}, agent="codex")
    assert (reply["accepted"], reply["reason"]) == (False, "other_session")
    assert stage.state(pane) == ("working", "none")
    stage.hook(pane, "agent-turn-complete", {"thread-id": "s1"}, agent="codex")
    assert stage.state(pane) == ("done", "unread")


def test_an_aborted_opencode_turn_stays_idle() -> None:
    """Edge case 106."""
    stage = Stage()
    pane = stage.pane("opencode")
    stage.hook(pane, "session.status", {"status": "busy"}, agent="opencode")
    stage.hook(pane, "session.error", {"error": {"name": "MessageAbortedError"}}, agent="opencode")
    stage.hook(pane, "session.status", {"status": "idle"}, agent="opencode")
    stage.hook(pane, "session.idle", {}, agent="opencode")
    assert stage.state(pane) == ("idle", "none")


def test_a_failed_opencode_turn_stays_failed() -> None:
    """Edge case 107."""
    stage = Stage()
    pane = stage.pane("opencode")
    stage.hook(pane, "session.status", {"status": "busy"}, agent="opencode")
    stage.hook(pane, "session.error", {"message": "no credit"}, agent="opencode")
    stage.hook(pane, "session.idle", {}, agent="opencode")
    assert stage.state(pane) == ("failed", "error")
    (note,) = stage.world.notifications.values()
    assert (note["title"], note["body"]) == ("OpenCode session error", "no credit")


def test_a_busy_opencode_does_not_answer_its_own_question() -> None:
    stage = Stage()
    pane = stage.pane("opencode")
    stage.hook(pane, "permission.asked", {"permission": "bash"}, agent="opencode")
    stage.hook(pane, "session.status", {"status": "busy"}, agent="opencode")
    assert stage.state(pane) == ("blocked", "permission_required")
    stage.hook(pane, "permission.replied", {}, agent="opencode")
    assert stage.state(pane) == ("working", "none")


def test_a_mode_of_opencode_is_no_other_harness() -> None:
    """Edge case 110, first part."""
    stage = Stage()
    pane = stage.pane("opencode")
    assert stage.hook(pane, "session.created", {"agent": "build"}, agent="opencode")["accepted"]


def test_qwen_says_only_that_it_waits_after_a_refusal() -> None:
    """Edge case 168."""
    stage = Stage()
    pane = stage.pane("qwen")
    stage.hook(pane, "PermissionRequest", native(), agent="qwen")
    stage.hook(pane, "Notification", {"notification_type": "idle_prompt", "message": "waits"}, agent="qwen")
    assert stage.state(pane) == ("idle", "none")
    assert "pending_decision" not in stage.world.panes[pane]


def test_a_question_of_qwen_stays_one_when_it_asks_for_permission_to_put_it() -> None:
    stage = Stage()
    pane = stage.pane("qwen")
    asked = {"tool_name": "ask_user_question", "tool_input": {"questions": [{"question": "Which colour?"}]}}
    stage.hook(pane, "PermissionRequest", asked, agent="qwen")
    words = "Qwen Code needs your permission to use ask_user_question"
    stage.hook(pane, "Notification", {"notification_type": "permission_prompt", "message": words}, agent="qwen")
    assert stage.state(pane) == ("blocked", "input_required")
    assert stage.world.panes[pane]["last_message"] == "Which colour?"
    assert [note["title"] for note in stage.world.notifications.values()] == ["Qwen needs input"]


def test_a_droid_that_stops_to_ask_has_not_finished() -> None:
    stage = Stage()
    pane = stage.pane("droid")
    stage.hook(pane, "PreToolUse", {"tool_name": "AskUser", "tool_input": {"question": "Red?"}}, agent="droid")
    stage.hook(pane, "Stop", {"permission_mode": "spec"}, agent="droid")
    assert stage.state(pane) == ("blocked", "input_required")
    stage.hook(pane, "UserPromptSubmit", {}, agent="droid")
    stage.hook(pane, "Stop", {"permission_mode": "spec"}, agent="droid")
    assert stage.state(pane) == ("done", "unread")


def test_a_copilot_session_that_ends_badly_says_goodbye_all_the_same() -> None:
    stage = Stage()
    pane = stage.pane("copilot")
    stage.hook(pane, "userPromptSubmitted", {"sessionId": "s1"}, agent="copilot")
    assert stage.world.instances[pane]["holds"] == ["hook"]
    stage.hook(pane, "sessionEnd", {"sessionId": "s1", "reason": "error"}, agent="copilot")
    assert stage.state(pane) == ("failed", "error")
    assert stage.world.instances[pane]["holds"] == []


def test_a_copilot_permission_is_a_question_only_while_somebody_waits_for_its_answer() -> None:
    stage = Stage()
    pane = stage.pane("copilot")
    stage.hook(pane, "userPromptSubmitted", {"sessionId": "s1"}, agent="copilot")
    reply = stage.hook(pane, "PermissionRequest", native(), agent="copilot")
    assert (reply["accepted"], stage.state(pane)) == (True, ("working", "none"))
    assert "pending_decision" not in stage.world.panes[pane]
    waiting = wait_for_verdict(stage, pane, "copilot")
    assert stage.state(pane) == ("blocked", "permission_required")
    decision = stage.world.panes[pane]["pending_decision"]
    stage.ask("decision.answer", pane_id=pane, decision_id=decision["id"], option_id="deny")
    verdict = {"behavior": "deny", "message": "Denied in signaltty"}
    assert waiting.look().ended() == {"accepted": True, "native_verdict": verdict}


@pytest.mark.parametrize("agent", WAITERS)
def test_an_agent_without_a_dialog_gives_way_to_a_person_at_the_prompt(agent: str) -> None:
    """Edge case 170: at once when somebody looks, and when somebody comes."""
    stage = Stage()
    pane = stage.pane(agent)
    stage.machine.watched.add(pane)
    released = {"accepted": True, "native_verdict": None, "cancelled": "attended"}
    assert wait_for_verdict(stage, pane, agent).look().ended() == released
    assert stage.state(pane) == ("blocked", "permission_required")
    assert "pending_decision" not in stage.world.panes[pane]
    stage.machine.watched.clear()
    waiting = wait_for_verdict(stage, pane, agent)
    assert stage.world.panes[pane]["pending_decision"]["answerable"]
    stage.machine.watched.add(pane)
    assert waiting.look().ended() == released


@pytest.mark.parametrize("agent", WAITERS)
def test_a_hook_that_was_told_to_hold_waits_for_an_answer_from_outside(agent: str) -> None:
    stage = Stage()
    pane = stage.pane(agent)
    stage.machine.watched.add(pane)
    waiting = wait_for_verdict(stage, pane, agent, hold=True)
    decision = stage.world.panes[pane]["pending_decision"]
    stage.ask("decision.answer", pane_id=pane, decision_id=decision["id"], option_id="once")
    wanted = {"behavior": "allow"} if agent == "copilot" else ALLOW
    assert waiting.look().ended() == {"accepted": True, "native_verdict": wanted}


def test_claude_goes_on_waiting_beside_its_own_dialog() -> None:
    stage = Stage()
    pane = stage.pane("claude")
    stage.machine.watched.add(pane)
    waiting = wait_for_verdict(stage, pane, "claude").look()
    assert not waiting.over
    assert stage.world.panes[pane]["pending_decision"]["answerable"]


MANIFEST = rb"""
[agent]
kind = "codex"
display_name = "My Codex"
[session]
key = "thread"
resume = ["/opt/codex", "--thread={session_id}", "{session_id}"]
[lifecycle.PingTest]
lifecycle = "working"
attention = "none"
message = "pinged"
[lifecycle.Stop]
message = "mine"
[lifecycle.UserPromptSubmit]
lifecycle = "done"
"""


def mapped() -> tuple[Stage, str]:
    stage = Stage()
    stage.catalog = Catalog("/agents", lambda: [("a.toml", MANIFEST)])
    return stage, stage.pane("codex")


def test_a_manifest_gives_an_unknown_event_a_meaning_and_leaves_the_others() -> None:
    """Edge case 46."""
    stage, pane = mapped()
    stage.hook(pane, "PermissionRequest", {}, agent="codex")
    reply = stage.hook(pane, "PingTest", {}, agent="codex")
    assert (reply["accepted"], stage.state(pane)) == (True, ("working", "none"))
    assert stage.world.panes[pane]["last_message"] == "pinged"
    stage.hook(pane, "Stop", {"last_assistant_message": "its own"}, agent="codex")
    assert stage.state(pane) == ("done", "unread")
    assert stage.world.panes[pane]["last_message"] == "mine"
    titles = [each["title"] for each in stage.world.notifications.values()]
    assert titles == ["My Codex needs approval", "My Codex turn complete"]
    assert stage.hook(pane, "Other", {}, agent="codex")["reason"] == "unrecognized_hook"


def test_a_mapped_end_of_a_turn_parks_the_workers_task() -> None:
    stage, pane = mapped()
    task = stage.task(pane, agent="codex")
    stage.at = START + 5
    stage.hook(pane, "UserPromptSubmit", {}, agent="codex")
    assert stage.state(pane) == ("done", "none")
    assert stage.world.tasks[task]["status_reason"]["reason"] == "turn_ended_without_report"


def test_a_manifest_names_the_session_and_how_it_is_resumed() -> None:
    stage, pane = mapped()
    stage.hook(pane, "SessionStart", {"thread": "t 1"}, agent="codex")
    agent = stage.world.panes[pane]["agent"]
    assert (agent["agent_session_id"], agent["resume_argv"]) == ("t 1", ["/opt/codex", "--thread=t 1", "t 1"])
    stage.ask("report-session", pane_id=pane, agent_session_id="t2", agent="codex")
    assert stage.world.panes[pane]["agent"]["resume_argv"] == ["/opt/codex", "--thread=t2", "t2"]
