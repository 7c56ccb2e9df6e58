"""Waiting for a person's verdict on a native permission request."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane, PaneExited
from signaltty_core.state.lifecycle import end_child
from tests.fake import FakeCaller, Stage, native
from tests.play import Play

ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "Denied in signaltty"},
    }
}
QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}


def wait_for_verdict(stage: Stage, pane: str, caller: FakeCaller | None = None, **more: Any) -> Play:
    return stage.play(
        "hook-event",
        caller=caller,
        agent=more.pop("agent", "claude"),
        event="PermissionRequest",
        pane_id=pane,
        payload=native(),
        wait_for_answer=True,
        **more,
    )


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"agent": "cursor"}, "wait_for_answer"),
        ({"event": "Stop"}, "event"),
        ({"decision": QUESTION}, "decision"),
        ({"payload": native(session_id=" ")}, "payload"),
        ({"payload": native(tool_name=7)}, "payload"),
        ({"payload": native(tool_input="ls")}, "payload"),
        ({"payload": {"sessionId": "s1", "toolName": "Bash", "toolInput": {}}}, "payload"),
        ({"payload": None}, "payload"),
        ({"payload_dropped": True}, "payload"),
    ],
)
def test_waiting_needs_a_native_request_of_an_agent_that_takes_verdicts(change: dict[str, Any], path: str) -> None:
    """Edge case 114, the server's half."""
    stage = Stage()
    pane = stage.pane()
    asked = {"agent": "claude", "event": "PermissionRequest", "pane_id": pane, "payload": native(), **change}
    with pytest.raises(BadParams) as refused:
        stage.ask("hook-event", wait_for_answer=True, **asked)
    assert refused.value.details["path"] == path
    assert stage.told() == []


def test_waiting_needs_a_living_pane() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(end_child, pane, 0, None)
    asked: dict[str, Any] = {"agent": "claude", "event": "PermissionRequest", "payload": native()}
    with pytest.raises(PaneExited):
        stage.ask("hook-event", pane_id=pane, wait_for_answer=True, **asked)
    with pytest.raises(NoSuchPane):
        stage.ask("hook-event", wait_for_answer=True, **asked)


def test_a_waiting_request_is_published_with_its_question_and_holds_the_connection() -> None:
    stage = Stage()
    pane, caller = stage.pane(), FakeCaller()
    waiting = wait_for_verdict(stage, pane, caller, wait_timeout_s=7)
    assert (waiting.asked.timeout_s, waiting.asked.every_s, caller.held) == (7.0, 0.5, True)
    decision = stage.world.panes[pane]["pending_decision"]
    assert decision == {
        "id": "permission_" + f"{1:032x}",
        "prompt": 'Allow Bash?\n{\n  "command": "touch x"\n}',
        "options": [{"id": "once", "label": "Allow once"}, {"id": "deny", "label": "Deny"}],
        "answerable": True,
        "received_at": "2027-01-15T08:00:00.000Z",
    }
    assert stage.state(pane) == ("blocked", "permission_required")
    assert stage.waiters.holds(pane, decision["id"])
    assert not waiting.look().over


@pytest.mark.parametrize(("option", "verdict"), [("once", ALLOW), ("deny", DENY)])
def test_a_waiting_request_returns_the_exact_verdict(option: str, verdict: dict[str, Any]) -> None:
    """Edge case 41, the answers."""
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    stage.ask("decision.answer", pane_id=pane, decision_id=decision, option_id=option)
    assert waiting.look().ended() == {"accepted": True, "native_verdict": verdict}
    assert "decision.cleared" not in stage.told()
    assert not stage.waiters.holds(pane, decision)


def test_a_wait_that_runs_out_means_no_verdict() -> None:
    """Edge case 41, timeout."""
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    assert waiting.time_out().ended() == {"accepted": True, "native_verdict": None, "cancelled": "timeout"}
    assert stage.events[-1][1:] == (
        "decision.cleared",
        {"pane_id": pane, "decision_id": "permission_" + f"{1:032x}", "reason": "native_cancelled"},
    )
    assert stage.state(pane) == ("blocked", "permission_required")


def test_an_answer_in_the_last_moment_still_counts() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    stage.ask("decision.answer", pane_id=pane, decision_id=decision, option_id="deny")
    assert waiting.time_out().ended() == {"accepted": True, "native_verdict": DENY}


def test_a_client_that_goes_away_takes_its_question_along() -> None:
    """Edge case 41, end of file."""
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    waiting.close()
    assert stage.events[-1][1] == "decision.cleared"
    assert stage.events[-1][2]["reason"] == "native_cancelled"
    assert stage.state(pane) == ("blocked", "permission_required")
    assert not stage.waiters.holds(pane, "permission_" + f"{1:032x}")


def test_another_connection_cannot_take_a_waiter_over() -> None:
    """Edge case 41, the second connection."""
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    decision = stage.world.panes[pane]["pending_decision"]
    stage.hook(pane, "PermissionRequest", decision={**QUESTION, "id": decision["id"]})
    assert stage.world.panes[pane]["pending_decision"] == decision
    stage.ask("decision.answer", pane_id=pane, decision_id=decision["id"], option_id="once")
    assert waiting.look().ended()["native_verdict"] == ALLOW


def test_a_shutdown_releases_the_waiters() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    stage.waiters.release_all("shutdown")
    assert waiting.look().ended() == {"accepted": True, "native_verdict": None, "cancelled": "shutdown"}
    assert "pending_decision" not in stage.world.panes[pane]


def test_an_answer_in_the_terminal_ends_the_wait() -> None:
    """Edge case 115."""
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    stage.hook(pane, "PostToolUse", native(tool_use_id="t1"))
    assert waiting.look().ended() == {"accepted": True, "native_verdict": None, "cancelled": "moved_on"}
    assert [event for event in stage.told() if event == "decision.cleared"] == ["decision.cleared"]
    assert stage.state(pane) == ("working", "none")


def test_another_session_ends_the_wait() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    stage.hook(pane, "SessionStart", {"session_id": "s2"})
    assert stage.events[-1][2]["reason"] == "native_cancelled"
    assert waiting.look().ended()["cancelled"] == "moved_on"
    assert stage.told().count("decision.cleared") == 1


def test_the_child_s_end_ends_the_wait() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    stage.change(end_child, pane, None, "KILL")
    assert waiting.look().ended()["cancelled"] == "moved_on"
    assert [payload["reason"] for _, event, payload in stage.events if event == "decision.cleared"] == ["pane_exited"]


def test_a_closed_pane_ends_the_wait() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    draft = stage.draft()
    draft.remove(pane)
    stage.commit(draft)
    assert waiting.look().ended()["cancelled"] == "moved_on"


def test_a_newer_request_releases_the_older_wait() -> None:
    stage = Stage()
    pane = stage.pane()
    first = wait_for_verdict(stage, pane)
    second = wait_for_verdict(stage, pane)
    assert first.look().ended()["cancelled"] == "moved_on"
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    stage.ask("decision.answer", pane_id=pane, decision_id=decision, option_id="once")
    assert second.look().ended()["native_verdict"] == ALLOW


def test_a_waiting_question_returns_at_once_without_a_decision() -> None:
    stage = Stage()
    pane = stage.pane()
    payload = native(tool_name="AskUserQuestion", tool_input={"question": "Which?"})
    told: dict[str, Any] = {"agent": "claude", "event": "PermissionRequest", "pane_id": pane, "payload": payload}
    reply = stage.ask("hook-event", wait_for_answer=True, **told)
    assert reply == {"accepted": True, "native_verdict": None, "cancelled": "moved_on"}
    assert stage.state(pane) == ("blocked", "input_required")
    assert "pending_decision" not in stage.world.panes[pane]


def test_a_person_looking_does_not_end_a_wait_that_shows_its_own_dialog() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.machine.watched.add(pane)
    assert not wait_for_verdict(stage, pane).look().over


@pytest.mark.parametrize("hold", [False, True])
def test_an_agent_without_a_dialog_of_its_own_gives_way_to_who_looks_unless_told_to_hold(hold: bool) -> None:
    stage = Stage()
    pane = stage.pane("codex")
    stage.machine.watched.add(pane)
    waiting = wait_for_verdict(stage, pane, agent="codex", hold=hold).look()
    assert waiting.over is not hold
