"""Whole recordings of real agents' hooks: where their panes stand after every call that says something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fake import START, Stage

FOLDER = Path(__file__).parent / "agents"
Step = tuple[str, str, str]


def walk(agent: str, scenario: str) -> tuple[Stage, str, list[Step]]:
    """Play a recording at its own pace; the steps that were accepted, each with the pane's state after it."""
    stage = Stage()
    pane = stage.pane(agent if agent != "cline" else "generic")
    seen = []
    for text in (FOLDER / f"{agent}-hooks.jsonl").read_text(encoding="utf-8").splitlines():
        line: dict[str, Any] = json.loads(text)
        if line["scenario"] != scenario:
            continue
        stage.at = START + line["t"]
        event, payload = line["event"].removeprefix("event:"), line["stdin"]
        if event == "notify":
            payload = json.loads(line["argv"][0])
            event = payload["type"]
        reply = stage.hook(pane, event, payload, agent=agent if agent != "cline" else "generic")
        if reply["accepted"]:
            seen.append((event, *stage.state(pane)))
    return stage, pane, seen


@pytest.mark.parametrize(
    ("agent", "scenario", "steps"),
    [
        (
            "codex",
            "turn",
            [
                ("SessionStart", "idle", "none"),
                ("UserPromptSubmit", "working", "none"),
                ("Stop", "done", "unread"),
                ("agent-turn-complete", "done", "unread"),
                ("UserPromptSubmit", "working", "none"),
                ("Stop", "done", "unread"),
                ("agent-turn-complete", "done", "unread"),
            ],
        ),
        (
            "codex",
            "allow",
            [
                ("SessionStart", "idle", "none"),
                ("UserPromptSubmit", "working", "none"),
                ("PreToolUse", "working", "none"),
                ("PermissionRequest", "blocked", "permission_required"),
                ("PostToolUse", "working", "none"),
                ("Stop", "done", "unread"),
                ("agent-turn-complete", "done", "unread"),
            ],
        ),
        ("codex", "interrupt", [("SessionStart", "idle", "none"), ("UserPromptSubmit", "working", "none")]),
        (
            "gemini",
            "allow",
            [
                ("SessionStart", "idle", "none"),
                ("BeforeAgent", "working", "none"),
                ("PreCompress", "working", "none"),
                ("BeforeTool", "working", "none"),
                ("Notification", "blocked", "permission_required"),
                ("AfterTool", "working", "none"),
                ("PreCompress", "working", "none"),
                ("AfterAgent", "done", "unread"),
                ("SessionEnd", "done", "unread"),
                ("SessionEnd", "done", "unread"),
            ],
        ),
        (
            "gemini",
            "interrupt",
            [
                ("SessionStart", "idle", "none"),
                ("BeforeAgent", "working", "none"),
                ("PreCompress", "working", "none"),
                ("AfterAgent", "done", "unread"),
                ("SessionEnd", "done", "unread"),
                ("SessionEnd", "done", "unread"),
            ],
        ),
        (
            "qwen",
            "deny",
            [
                ("SessionStart", "idle", "none"),
                ("UserPromptSubmit", "working", "none"),
                ("PermissionRequest", "blocked", "permission_required"),
                ("Notification", "blocked", "permission_required"),
                ("PostToolBatch", "blocked", "permission_required"),
                ("Notification", "idle", "none"),
                ("SessionEnd", "done", "unread"),
            ],
        ),
        (
            "copilot",
            "turn",
            [
                ("sessionStart", "idle", "none"),
                ("userPromptSubmitted", "working", "none"),
                ("agentStop", "done", "unread"),
                ("userPromptSubmitted", "working", "none"),
                ("agentStop", "done", "unread"),
                ("sessionEnd", "done", "unread"),
            ],
        ),
        (
            "copilot",
            "allow",
            [
                ("sessionStart", "idle", "none"),
                ("userPromptSubmitted", "working", "none"),
                ("preToolUse", "working", "none"),
                ("per_0002", "working", "none"),
                ("notification", "blocked", "permission_required"),
                ("postToolUse", "working", "none"),
                ("agentStop", "done", "unread"),
                ("sessionEnd", "done", "unread"),
            ],
        ),
        (
            "pi",
            "interrupt",
            [
                ("session_start", "idle", "none"),
                ("agent_start", "working", "none"),
                ("agent_end", "working", "none"),
                ("session_shutdown", "done", "unread"),
            ],
        ),
        ("cline", "allow", []),
    ],
)
def test_the_recorded_calls_tell_the_story(agent: str, scenario: str, steps: list[Step]) -> None:
    assert walk(agent, scenario)[2] == steps


def test_opencode_asks_goes_on_and_tells_its_end_once() -> None:
    stage, pane, seen = walk("opencode", "allow")
    assert [step for step in seen if not step[0].startswith("session.updated")] == [
        ("session.created", "idle", "none"),
        ("session.status", "working", "none"),
        ("session.status", "working", "none"),
        ("tool.execute.before", "working", "none"),
        ("permission.asked", "blocked", "permission_required"),
        ("permission.replied", "working", "none"),
        ("tool.execute.after", "working", "none"),
        ("session.status", "working", "none"),
        ("session.status", "working", "none"),
        ("session.status", "working", "none"),
        ("session.status", "done", "unread"),
        ("session.idle", "done", "unread"),
    ]
    titles = [each["title"] for each in stage.world.notifications.values() if each["pane_id"] == pane]
    assert titles == ["OpenCode needs approval", "OpenCode session idle"]


def test_a_recorded_internal_thread_of_codex_ends_no_turn() -> None:
    """Edge case 105: a title is made for the task while the turn goes on."""
    stage, pane, _seen = walk("codex", "interrupt")
    assert stage.state(pane) == ("working", "none")
    assert stage.world.panes[pane]["agent"] == {
        "kind": "codex",
        "agent_session_id": "00000000-0000-4000-8000-000000000001",
        "resume_argv": ["codex", "resume", "00000000-0000-4000-8000-000000000001"],
    }
    payload = {"thread-id": "other"}
    reply = stage.hook(pane, "agent-turn-complete", payload, agent="codex")
    assert (reply["dropped"], reply["reason"]) == (True, "other_session")
