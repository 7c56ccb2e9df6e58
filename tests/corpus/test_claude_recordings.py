"""Whole recordings of a real agent's hooks: where its pane stands after every call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fake import START, Stage

RECORDED = {"turn": "claude-turn-hooks.jsonl", "interrupt": "claude-turn-hooks.jsonl"}
ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
SESSION = "00000000-0000-4000-8000-000000000001"


def recorded(scenario: str) -> list[dict[str, Any]]:
    """The scenario's hook calls in order."""
    file = Path(__file__).parent / "agents" / RECORDED.get(scenario, "claude-hooks.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line for line in lines if line["scenario"] == scenario and line["stdin"] is not None]


def walk(scenario: str) -> list[tuple[str, str, str]]:
    """Play a recording at its own pace; after each call: event, lifecycle, attention."""
    stage = Stage()
    pane = stage.pane()
    seen = []
    for line in recorded(scenario):
        stage.at = START + line["t"]
        stage.hook(pane, line["event"], line["stdin"])
        seen.append((line["event"], *stage.state(pane)))
    return seen


def test_a_recorded_permission_blocks_until_its_tool_ends() -> None:
    assert walk("allow") == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("PreToolUse", "working", "none"),
        ("PermissionRequest", "blocked", "permission_required"),
        ("Notification", "blocked", "permission_required"),
        ("PostToolUse", "working", "none"),
        ("PostToolBatch", "working", "none"),
        ("MessageDisplay", "working", "none"),
        ("Stop", "done", "unread"),
        ("SessionEnd", "done", "unread"),
    ]


def test_recorded_turns_end_done_and_unread_and_begin_anew() -> None:
    assert [step for step in walk("turn") if step[0] != "MessageDisplay"] == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("Stop", "done", "unread"),
        ("UserPromptSubmit", "working", "none"),
        ("Stop", "done", "unread"),
        ("SessionEnd", "done", "unread"),
    ]


def test_a_recorded_interrupt_shows_only_at_the_session_end() -> None:
    assert walk("interrupt") == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("MessageDisplay", "working", "none"),
        ("SessionEnd", "done", "unread"),
    ]


def test_a_recorded_question_waits_for_its_answer() -> None:
    assert walk("question") == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("PreToolUse", "blocked", "input_required"),
        ("PermissionRequest", "blocked", "input_required"),
        ("Notification", "blocked", "permission_required"),
        ("PostToolUse", "working", "none"),
        ("PostToolBatch", "working", "none"),
        ("Stop", "done", "unread"),
        ("MessageDisplay", "done", "unread"),
        ("SessionEnd", "done", "unread"),
    ]


def test_a_recorded_api_error_stays_failed_after_the_session_end() -> None:
    assert walk("apierror") == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("StopFailure", "failed", "error"),
        ("SessionEnd", "failed", "error"),
    ]


def test_a_recorded_sub_agent_ends_no_turn_of_its_parent() -> None:
    assert walk("subagent") == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("PreToolUse", "working", "none"),
        ("PostToolUse", "working", "none"),
        ("PostToolBatch", "working", "none"),
        ("SubagentStart", "working", "none"),
        ("SubagentStop", "working", "none"),
        ("MessageDisplay", "working", "none"),
        ("Stop", "done", "unread"),
        ("UserPromptSubmit", "working", "none"),
        ("MessageDisplay", "working", "none"),
        ("Stop", "done", "unread"),
        ("SessionEnd", "done", "unread"),
    ]


def test_a_recorded_waiting_permission_gets_its_verdict_and_the_turn_goes_on() -> None:
    stage = Stage()
    pane = stage.pane()
    seen = []
    for line in recorded("hookwait"):
        stage.at = START + line["t"]
        if line["event"] != "PermissionRequest":
            stage.hook(pane, line["event"], line["stdin"])
        else:
            waiting = stage.play(
                "hook-event",
                agent="claude",
                event=line["event"],
                pane_id=pane,
                payload=line["stdin"],
                wait_for_answer=True,
            )
            seen.append(("asked", *stage.state(pane)))
            decision = stage.world.panes[pane]["pending_decision"]
            stage.ask("decision.answer", pane_id=pane, decision_id=decision["id"], option_id="once")
            assert waiting.look().ended() == {"accepted": True, "native_verdict": ALLOW}
        seen.append((line["event"], *stage.state(pane)))
    assert [step for step in seen if step[0] != "MessageDisplay"] == [
        ("SessionStart", "idle", "none"),
        ("UserPromptSubmit", "working", "none"),
        ("PreToolUse", "working", "none"),
        ("asked", "blocked", "permission_required"),
        ("PermissionRequest", "working", "none"),
        ("PostToolUse", "working", "none"),
        ("PostToolBatch", "working", "none"),
        ("Stop", "done", "unread"),
        ("SessionEnd", "done", "unread"),
    ]


def test_the_recorded_session_is_known_with_its_resume_command() -> None:
    stage = Stage()
    pane = stage.pane()
    first = recorded("allow")[0]
    stage.hook(pane, first["event"], first["stdin"])
    assert stage.world.panes[pane]["agent"] == {
        "kind": "claude",
        "agent_session_id": SESSION,
        "resume_argv": ["claude", "--resume", SESSION],
    }
