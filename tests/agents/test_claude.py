"""Claude's adapter: each native hook and the facts it gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.agents import base
from signaltty_core.agents.base import Facts, Tool
from signaltty_core.agents.claude import EVENTS, classify
from tests.fake import Stage

RECORDING = Path(__file__).parent.parent / "corpus" / "agents" / "claude-hooks.jsonl"
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
BASH_TOOL = Tool("Bash", {"command": "ls"}, "t1")
ASKING = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Red?", "options": ["Yes", "No"]}]}}
ASKING_TOOL = Tool("AskUserQuestion", ASKING["tool_input"])  # type: ignore[arg-type]
ASKED = "Red?\n- Yes\n- No"


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {"source": "startup"}, Facts(base.START)),
        ("SessionStart", {}, Facts(base.START)),
        ("SessionStart", {"source": "compact"}, Facts(base.NOOP)),
        ("UserPromptSubmit", {"prompt": "hello"}, Facts(base.PROMPT)),
        ("PreToolUse", BASH, Facts(base.TOOL_BEGIN, tools=(BASH_TOOL,))),
        ("PreToolUse", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        ("PostToolUse", BASH, Facts(base.TOOL_END, tools=(BASH_TOOL,))),
        ("PostToolUseFailure", BASH, Facts(base.TOOL_END, tools=(BASH_TOOL,))),
        ("PermissionDenied", BASH, Facts(base.TOOL_END, tools=(BASH_TOOL,))),
        ("PostToolBatch", {"tool_calls": [BASH, 7]}, Facts(base.TOOL_END, tools=(BASH_TOOL,))),
        ("PostToolBatch", {}, Facts(base.TOOL_END)),
        ("PreCompact", {}, Facts(base.COMPACT_BEGIN)),
        ("PostCompact", {}, Facts(base.COMPACT_END)),
        ("PermissionRequest", BASH, Facts(base.ASK_PERMISSION, "Allow Bash: ls", tools=(BASH_TOOL,))),
        (
            "PermissionRequest",
            {**BASH, "prompt": "Run?", "message": "m"},
            Facts(base.ASK_PERMISSION, "Run?", tools=(BASH_TOOL,)),
        ),
        ("PermissionRequest", {"message": "May I?"}, Facts(base.ASK_PERMISSION, "May I?", tools=(Tool(),))),
        ("PermissionRequest", {}, Facts(base.ASK_PERMISSION, tools=(Tool(),))),
        ("PermissionRequest", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,), repeats=True)),
        ("Elicitation", {"message": "Which?"}, Facts(base.ASK_INPUT, "Which?")),
        ("ElicitationResult", {}, Facts(base.RESOLVED)),
        ("Stop", {"last_assistant_message": "bye", "background_tasks": [{}]}, Facts(base.DONE, "bye")),
        ("Stop", {}, Facts(base.DONE)),
        ("StopFailure", {"error": "rate_limit"}, Facts(base.FAIL, "rate_limit")),
        ("StopFailure", {"error": {"message": "overloaded"}}, Facts(base.FAIL, "overloaded")),
        ("StopFailure", {"error": 7}, Facts(base.FAIL)),
        ("StopFailure", {"error": "unknown"}, Facts(base.FAIL, "unknown")),
        (
            "StopFailure",
            {"error": "unknown", "last_assistant_message": "API Error: 400 no"},
            Facts(base.FAIL, "API Error: 400 no"),
        ),
        ("SessionEnd", {"reason": "clear"}, Facts(base.NOOP)),
        ("SessionEnd", {"reason": "resume"}, Facts(base.NOOP)),
        ("SessionEnd", {"reason": "prompt_input_exit"}, Facts(base.END)),
        ("SessionEnd", {}, Facts(base.END)),
        ("MessageDisplay", {"delta": "x"}, Facts(base.UNKNOWN)),
        ("stop", {}, Facts(base.UNKNOWN)),
    ],
)
def test_each_event_has_its_facts(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert classify("claude", event, payload) == facts


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        ({"notification_type": "permission_prompt"}, base.ASK_PERMISSION),
        ({"notification_type": "worker_permission_prompt"}, base.ASK_PERMISSION),
        ({"notification_type": "elicitation_dialog"}, base.ASK_INPUT),
        ({"notification_type": "elicitation_url_dialog"}, base.ASK_INPUT),
        ({"notification_type": "agent_needs_input"}, base.ASK_INPUT),
        ({"notification_type": "auth_success"}, base.NOTE),
        ({"notification_type": "elicitation_complete"}, base.NOTE),
        ({"notification_type": "elicitation_response"}, base.NOTE),
        ({"notification_type": "agent_completed"}, base.NOTE),
        ({"notification_type": "something_new"}, base.NOTE),
        ({"message": "Claude needs your PERMISSION"}, base.ASK_PERMISSION),
        ({"message": "Claude waits"}, base.ASK_INPUT),
        ({}, base.ASK_INPUT),
    ],
)
def test_a_notification_is_read_by_its_type(payload: dict[str, Any], outcome: str) -> None:
    assert classify("claude", "Notification", payload) == Facts(outcome, payload.get("message"), repeats=True)


def test_an_idle_prompt_tells_whether_it_says_anything_else() -> None:
    alone = classify("claude", "Notification", {"notification_type": "idle_prompt"})
    with_session = classify("claude", "Notification", {"notification_type": "idle_prompt", "session_id": "s1"})
    assert (alone.outcome, alone.bare, with_session.bare) == (base.NUDGE, True, False)


def test_a_payload_with_an_agent_id_is_a_sub_agent_s() -> None:
    assert classify("claude", "Stop", {"agent_id": "a1"}).sub_agent is True
    assert classify("claude", "Stop", {"agent_id": ""}).sub_agent is False


def test_every_recorded_event_but_streamed_text_is_known() -> None:
    events = [json.loads(line) for line in RECORDING.read_text().splitlines()]
    unknown = {
        each["event"]
        for each in events
        if each["stdin"] is not None and classify("claude", each["event"], each["stdin"]).outcome == base.UNKNOWN
    }
    assert unknown == {"MessageDisplay", "SubagentStart", "SubagentStop"}


@pytest.mark.parametrize("value", [None, 7, "", [], {}, [[]], {"x": 1}, "text", True])
def test_no_shape_of_a_field_upsets_the_reader(value: Any) -> None:
    fields = (
        "source",
        "reason",
        "prompt",
        "message",
        "notification_type",
        "tool_name",
        "tool_input",
        "tool_use_id",
        "tool_calls",
        "agent_id",
        "error",
        "last_assistant_message",
    )
    for event in (
        "SessionStart",
        "PreToolUse",
        "PostToolBatch",
        "PermissionRequest",
        "Notification",
        "Stop",
        "StopFailure",
        "SessionEnd",
    ):
        assert isinstance(classify("claude", event, dict.fromkeys(fields, value)), Facts)


FIELDS = ("session_id", "notification_type", "message", "tool_name", "tool_use_id", "agent_id", "reason", "tool_input")
VALUES = st.sampled_from([None, 7, "", "a", "b", {}, "clear", "permission_prompt", "idle_prompt", "AskUserQuestion"])
NATIVE = st.fixed_dictionaries(
    {"session_id": st.sampled_from("ab"), "tool_name": st.just("T"), "tool_input": st.just({})}
)
PAYLOADS = NATIVE | st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4)
CALLS = st.lists(st.tuples(st.sampled_from([*EVENTS, "Odd"]), PAYLOADS, st.sampled_from([0.0, 1.0, 3.0])), max_size=25)


@given(CALLS)
def test_no_sequence_of_hooks_breaks_the_chain_of_what_was_told(calls: Any) -> None:
    stage = Stage()
    pane = stage.pane()
    for event, payload, later_s in calls:
        stage.at += later_s
        stage.hook(pane, event, payload)
    shown = {"lifecycle": "unknown", "attention": "none"}
    decision = None
    for _, event, payload in stage.events:
        axis = {"agent": "lifecycle", "attention": "attention"}.get(event.partition(".")[0])
        if axis is not None:
            assert payload.get("prev", shown[axis]) == shown[axis] != payload.get(axis, "none")
            shown[axis] = payload.get(axis, "none")
        elif event == "decision.created":
            assert payload["prev"] == decision
            decision = payload["decision"]["id"]
        elif event == "decision.cleared":
            assert payload["decision_id"] == decision
            decision = None
    found = stage.world.panes[pane]
    assert (found["lifecycle"], found["attention"]) == (shown["lifecycle"], shown["attention"])
    assert ("attention_since" in found) is (found["attention"] != "none")
    assert found.get("pending_decision", {}).get("id") == decision
    assert len(stage.world.instances[pane].get("begun", [])) <= 25
