"""hook-event: processing order, panes, mismatches, waiting; and whole recordings of a real agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane, PaneExited
from signaltty_core.state.lifecycle import end_child
from tests.fake import CHILD_PID, START, FakeCaller, Stage

RECORDING = Path(__file__).parent.parent / "corpus" / "agents" / "claude-hooks.jsonl"
ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "Denied in signaltty"},
    }
}
QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}
SESSION = "00000000-0000-4000-8000-000000000001"


def native(**more: Any) -> dict[str, Any]:
    return {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "touch x"}, **more}


def hook(stage: Stage, pane: str, event: str, payload: Any = None, *, agent: str = "claude", **more: Any) -> Any:
    return stage.ask("hook-event", agent=agent, event=event, pane_id=pane, payload=payload, **more)


def recorded(scenario: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in RECORDING.read_text().splitlines()]
    return [line for line in lines if line["scenario"] == scenario and line["stdin"] is not None]


def walk(scenario: str) -> list[tuple[str, str, str]]:
    """Play a recording at its own pace; after each call: event, lifecycle, attention."""
    stage = Stage()
    pane = stage.pane()
    seen = []
    for line in recorded(scenario):
        stage.at = START + line["t"]
        hook(stage, pane, line["event"], line["stdin"])
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
            hook(stage, pane, line["event"], line["stdin"])
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
    hook(stage, pane, first["event"], first["stdin"])
    assert stage.world.panes[pane]["agent"] == {
        "kind": "claude",
        "agent_session_id": SESSION,
        "resume_argv": ["claude", "--resume", SESSION],
    }


def test_the_reply_tells_where_the_pane_stands() -> None:
    stage = Stage()
    pane = stage.pane()
    assert hook(stage, pane, "UserPromptSubmit") == {
        "accepted": True,
        "agent": "claude",
        "event": "UserPromptSubmit",
        "pane_id": pane,
        "lifecycle": "working",
        "attention": "none",
    }


def test_a_permission_request_tells_its_whole_story_in_events() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    since = len(stage.events)
    hook(stage, pane, "PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "touch x\ntouch y"}})
    assert [(event, payload) for _, event, payload in stage.events[since:]] == [
        ("agent.blocked", {"pane_id": pane, "lifecycle": "blocked", "prev": "working"}),
        ("attention.created", {"pane_id": pane, "attention": "permission_required", "prev": "none"}),
        ("notification.created", {"notification": stage.world.notifications["notif_" + f"{1:032x}"]}),
    ]
    assert stage.world.notifications["notif_" + f"{1:032x}"] == {
        "id": "notif_" + f"{1:032x}",
        "pane_id": pane,
        "workspace_id": "ws_0",
        "title": "Claude needs approval",
        "body": "Allow Bash: touch x",
        "severity": "warning",
        "source": "hook:claude:PermissionRequest",
        "created_at": "2027-01-15T08:00:00.000Z",
    }
    assert stage.world.panes[pane]["last_message"] == "Allow Bash: touch x"


def test_an_idle_prompt_alone_asks_for_input_and_a_permission_prompt_for_permission() -> None:
    """Edge case 31."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "Notification", {"notification_type": "idle_prompt"})
    assert stage.state(pane) == ("blocked", "input_required")
    hook(stage, pane, "Notification", {"notification_type": "permission_prompt"})
    assert stage.state(pane) == ("blocked", "permission_required")


def test_another_agent_in_the_pane_takes_kind_and_resume_with_its_session() -> None:
    """Edge case 32, with an agent whose hooks are read by name only."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "SessionStart", {"session_id": "s1"})
    reply = hook(stage, pane, "stop", {"conversation_id": "c9"}, agent="cursor")
    assert reply["accepted"] is True
    assert stage.world.panes[pane]["agent"] == {
        "kind": "cursor",
        "agent_session_id": "c9",
        "resume_argv": ["cursor-agent", "--resume", "c9"],
    }


def test_an_unknown_agent_is_refused_and_an_unknown_event_dropped() -> None:
    """Edge case 33."""
    stage = Stage()
    pane = stage.pane()
    for agent in ("nobody", "none", ""):
        with pytest.raises(BadParams, match="unknown agent"):
            hook(stage, pane, "Stop", agent=agent)
    assert hook(stage, pane, "Cooked") == {
        "accepted": False,
        "dropped": True,
        "reason": "unrecognized_hook",
        "agent": "claude",
        "event": "Cooked",
        "pane_id": pane,
    }
    assert stage.told() == []
    assert stage.world.instances[pane]["spoken"] == []


def test_a_hook_of_another_agent_than_the_task_s_is_dropped() -> None:
    """Edge case 34."""
    stage = Stage()
    pane = stage.pane("codex")
    stage.task(pane, agent="codex")
    reply = hook(stage, pane, "Stop", {"session_id": "s1"})
    assert (reply["accepted"], reply["reason"]) == (False, "harness_mismatch")
    assert stage.state(pane) == ("unknown", "none")
    assert stage.world.panes[pane]["agent"] == {"kind": "codex"}


def test_a_message_becomes_the_line_and_a_title_stands_before_it() -> None:
    """Edge case 35."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "Odd", message="half way")
    assert stage.world.panes[pane]["last_message"] == "half way"
    hook(stage, pane, "Odd", message="nearly", title="Build")
    assert stage.world.panes[pane]["last_message"] == "Build: nearly"
    hook(stage, pane, "Odd", title="Only a title")
    assert stage.world.panes[pane]["last_message"] == "Build: nearly"
    assert [one["body"] for one in stage.world.notifications.values()] == ["half way", "nearly", ""]


def test_a_prose_request_keeps_the_decision_and_a_new_one_replaces_it() -> None:
    """Edge case 37, without the answer."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", decision=QUESTION)
    hook(stage, pane, "PermissionRequest", {"message": "may I?"})
    assert stage.world.panes[pane]["pending_decision"]["id"] == "d1"
    hook(stage, pane, "PermissionRequest", decision={**QUESTION, "id": "d2"})
    created = [payload for _, event, payload in stage.events if event == "decision.created"]
    assert [(each["decision"]["id"], each["prev"]) for each in created] == [("d1", None), ("d2", "d1")]


def test_a_decision_of_a_pane_without_typing_channel_is_not_answerable() -> None:
    """Edge case 40, first half."""
    stage = Stage()
    claude, codex = stage.pane(), stage.pane("codex")
    hook(stage, claude, "PermissionRequest", decision=QUESTION)
    hook(stage, codex, "PermissionRequest", decision=QUESTION, agent="codex")
    assert stage.world.panes[claude]["pending_decision"]["answerable"] is False
    assert stage.world.panes[codex]["pending_decision"]["answerable"] is True


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {**QUESTION, "id": " "},
        {**QUESTION, "id": 7},
        {**QUESTION, "prompt": ""},
        {**QUESTION, "options": []},
        {**QUESTION, "options": ["a"]},
        {**QUESTION, "options": [{"id": "", "label": "A"}]},
        {**QUESTION, "options": [{"id": "a"}]},
        {**QUESTION, "options": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]},
    ],
)
def test_a_faulty_decision_is_refused_and_leaves_nothing_behind(decision: Any) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams, match=r"^decision\."):
        hook(stage, pane, "PermissionRequest", decision=decision)
    assert stage.told() == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"agent": 7},
        {"event": None},
        {"pane_id": 7},
        {"client_pid": "7"},
        {"client_pid": True},
        {"message": 7},
        {"title": []},
        {"severity": "loud"},
        {"decision": "yes"},
        {"wait_for_answer": "yes"},
        {"hold": 1},
        {"payload_dropped": "no"},
        {"wait_timeout_s": 0},
        {"wait_timeout_s": 121},
        {"wait_timeout_s": "9"},
    ],
)
def test_wrong_types_name_the_faulty_field(wrong: dict[str, Any]) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams, match=f"^{next(iter(wrong))}"):
        stage.ask("hook-event", **{"agent": "claude", "event": "Stop", "pane_id": pane, **wrong})


@pytest.mark.parametrize("payload", [None, 7, "text", [1], True])
def test_a_payload_that_is_no_object_counts_by_the_event_s_name(payload: Any) -> None:
    stage = Stage()
    pane = stage.pane()
    assert hook(stage, pane, "UserPromptSubmit", payload)["lifecycle"] == "working"


def test_the_tool_that_was_asked_about_releases_the_pane() -> None:
    """Edge case 91."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PreToolUse", native(tool_use_id="t1"))
    hook(stage, pane, "PermissionRequest", native())
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    since = len(stage.events)
    hook(stage, pane, "PostToolUse", native(tool_use_id="t1"))
    assert stage.state(pane) == ("working", "none")
    assert [(event, payload.get("reason")) for _, event, payload in stage.events[since:]] == [
        ("agent.working", None),
        ("attention.cleared", "hook"),
        ("decision.cleared", "moved_on"),
    ]
    assert stage.events[-1][2]["decision_id"] == decision


def test_a_parallel_tool_s_end_leaves_the_request_alone() -> None:
    """Edge case 92."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PreToolUse", native(tool_use_id="t1"))
    hook(stage, pane, "PermissionRequest", native())
    hook(stage, pane, "PostToolUse", native(tool_use_id="t2"))
    assert stage.state(pane) == ("blocked", "permission_required")
    assert "pending_decision" in stage.world.panes[pane]


def test_an_input_with_more_keys_still_agrees() -> None:
    """Edge case 93, read by the adapter at hand."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native(tool_input={"command": "touch x", "description": "make a file"}))
    hook(stage, pane, "PostToolUse", native(tool_use_id="t9"))
    assert stage.state(pane) == ("working", "none")


def test_an_input_that_differs_does_not_release() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native())
    hook(stage, pane, "PostToolUse", native(tool_input={"command": "touch y"}, tool_use_id="t9"))
    assert stage.state(pane) == ("blocked", "permission_required")


def test_a_late_begin_of_another_tool_leaves_the_request_alone() -> None:
    """Edge case 94."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native())
    hook(stage, pane, "PreToolUse", native(tool_name="Read", tool_use_id="t2"))
    assert stage.state(pane) == ("blocked", "permission_required")


def test_only_a_tool_that_begins_two_seconds_later_starts_a_new_turn() -> None:
    """Edge case 95."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "Stop")
    for event, after_s in (("PostToolUse", 0.1), ("PreToolUse", 1.0), ("PreToolUse", 1.999), ("PostToolUse", 10.0)):
        stage.at = START + after_s
        hook(stage, pane, event, native())
        assert stage.state(pane) == ("done", "unread"), (event, after_s)
    stage.at = START + 2.0
    hook(stage, pane, "PreToolUse", native())
    assert stage.state(pane) == ("working", "unread")


def test_a_sub_agent_s_end_changes_nothing() -> None:
    """Edge case 96."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit", {"session_id": "s1"})
    for expected in (("working", "none"), ("done", "unread")):
        for event in ("SubagentStop", "subagent_stop", "Stop", "StopFailure", "SessionEnd", "SessionStart"):
            reply = hook(stage, pane, event, {"agent_id": "a1", "session_id": "sub", "last_assistant_message": "hm"})
            assert (reply["accepted"], *stage.state(pane)) == (True, *expected), event
        hook(stage, pane, "Stop")
    assert stage.world.panes[pane]["agent"]["agent_session_id"] == "s1"
    assert stage.world.panes[pane]["last_message"] == "turn complete"


def test_a_sub_agent_s_question_counts() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "PermissionRequest", {"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert stage.state(pane) == ("blocked", "permission_required")
    hook(stage, pane, "PostToolUse", {"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert stage.state(pane) == ("working", "none")


def test_a_failure_survives_the_session_end() -> None:
    """Edge case 97."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "StopFailure", {"error": "rate_limit"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("failed", "error", "rate_limit")
    hook(stage, pane, "Stop", {"last_assistant_message": "so far"})
    hook(stage, pane, "SessionEnd", {"reason": "other"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("failed", "error", "rate_limit")


def test_an_idle_prompt_after_the_turn_says_nothing_new() -> None:
    """Edge case 99."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit", {"session_id": "s1"})
    hook(stage, pane, "Stop", {"session_id": "s1"})
    since = len(stage.events)
    stage.at += 60
    hook(stage, pane, "Notification", {"session_id": "s1", "notification_type": "idle_prompt", "message": "waiting"})
    assert (stage.state(pane), stage.told(since)) == (("done", "unread"), [])


def test_an_idle_prompt_ends_a_turn_whose_end_was_lost() -> None:
    """Edge case 99, second half."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit", {"session_id": "s1"})
    hook(stage, pane, "Notification", {"session_id": "s1", "notification_type": "idle_prompt", "message": "waiting"})
    assert stage.state(pane) == ("done", "unread")
    assert "last_message" not in stage.world.panes[pane]


def test_a_note_is_stored_and_raises_nothing() -> None:
    """Edge case 100."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "Notification", {"notification_type": "auth_success", "message": "Signed in"})
    assert stage.state(pane) == ("working", "none")
    assert [(one["title"], one["body"]) for one in stage.world.notifications.values()] == [("signaltty", "Signed in")]


def test_the_late_notice_of_a_request_is_no_second_one() -> None:
    """Edge case 101."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native())
    stage.at += 6
    hook(stage, pane, "Notification", {"notification_type": "permission_prompt", "message": "needs your permission"})
    told = stage.told()
    assert (told.count("notification.created"), told.count("attention.created")) == (1, 1)
    assert "attention.updated" not in told
    hook(stage, pane, "PostToolUse", native(tool_use_id="t1"))
    assert stage.state(pane) == ("working", "none")


def test_a_session_start_that_comes_late_does_not_stop_the_turn() -> None:
    """Edge case 102."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit", {"session_id": "s1"})
    hook(stage, pane, "SessionStart", {"session_id": "s1", "source": "startup"})
    assert stage.state(pane) == ("working", "none")
    hook(stage, pane, "SessionStart", {"session_id": "s2", "source": "startup"})
    assert stage.state(pane) == ("idle", "none")


def test_clearing_the_conversation_changes_the_session_in_silence() -> None:
    """Edge case 103."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "SessionStart", {"session_id": "s1", "source": "startup"})
    hook(stage, pane, "SessionEnd", {"session_id": "s1", "reason": "clear"})
    hook(stage, pane, "SessionStart", {"session_id": "s2", "source": "clear"})
    assert stage.state(pane) == ("idle", "none")
    assert stage.world.panes[pane]["agent"]["agent_session_id"] == "s2"
    assert stage.world.instances[pane]["session_generation"] == 1


def test_a_question_raises_attention_once_and_its_tool_s_end_releases_it() -> None:
    """Edge case 104."""
    stage = Stage()
    pane = stage.pane()
    asking = {"session_id": "s1", "tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Red?"}]}}
    hook(stage, pane, "PreToolUse", {**asking, "tool_use_id": "t1"})
    hook(stage, pane, "PermissionRequest", asking)
    assert stage.state(pane) == ("blocked", "input_required")
    assert stage.world.panes[pane]["last_message"] == "Red?"
    told = stage.told()
    assert [name for name in told if name.startswith("attention.")] == ["attention.created"]
    assert told.count("notification.created") == 1
    assert "pending_decision" not in stage.world.panes[pane]
    hook(stage, pane, "PostToolUse", {**asking, "tool_use_id": "t1"})
    assert stage.state(pane) == ("working", "none")


def test_a_finished_turn_does_not_keep_asking() -> None:
    """Edge case 108, first half."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "Notification", {"notification_type": "permission_prompt"})
    since = len(stage.events)
    hook(stage, pane, "Stop")
    assert stage.state(pane) == ("done", "unread")
    assert stage.told(since) == ["agent.done", "attention.updated", "notification.created"]


def test_a_pending_decision_outlives_the_turn() -> None:
    """Edge case 108, second half; submit is not there yet."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native())
    for event in ("Stop", "StopFailure", "SessionEnd"):
        hook(stage, pane, event)
        assert stage.world.panes[pane]["attention"] == "permission_required"
        assert "pending_decision" in stage.world.panes[pane]


def test_a_hook_after_the_child_s_end_leaves_only_session_and_message() -> None:
    """Edge case 109."""
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    stage.change(end_child, pane, 0, None)
    before, since = stage.state(pane), len(stage.events)
    reply = hook(stage, pane, "Stop", {"session_id": "s1", "last_assistant_message": "bye"}, decision=QUESTION)
    assert (reply["accepted"], stage.state(pane)) == (True, before)
    assert stage.told(since) == ["pane.updated"]
    found = stage.world.panes[pane]
    assert (found["agent"]["agent_session_id"], found["last_message"]) == ("s1", "bye")
    assert "pending_decision" not in found


def test_a_mode_named_agent_is_no_mismatch_and_another_kind_is() -> None:
    """Edge case 110."""
    stage = Stage()
    pane = stage.pane()
    assert hook(stage, pane, "UserPromptSubmit", {"agent": "build"})["accepted"] is True
    assert hook(stage, pane, "Stop", {"agent": "Codex"})["reason"] == "harness_mismatch"
    assert hook(stage, pane, "Stop", {"harness": "codex"})["reason"] == "harness_mismatch"
    assert hook(stage, pane, "Stop", {"agent": "Claude"})["accepted"] is True


def test_a_payload_too_large_counts_by_the_event_s_name() -> None:
    """Edge case 111, the server's half."""
    stage = Stage()
    pane = stage.pane()
    reply = hook(stage, pane, "StopFailure", {"session_id": "s1", "error": "x" * (4 << 20)})
    assert (reply["payload_dropped"], reply["lifecycle"]) == (True, "failed")
    found = stage.world.panes[pane]
    assert (found["last_message"], found["agent"]) == ("turn failed", {"kind": "claude"})
    assert hook(stage, pane, "Stop", payload_dropped=True)["payload_dropped"] is True


def test_a_hook_outside_any_pane_is_accepted_and_one_of_a_grandchild_finds_its_pane() -> None:
    """Edge case 113."""
    stage = Stage()
    pane, inner = stage.pane(), stage.pane()
    told: dict[str, Any] = {"agent": "claude", "event": "UserPromptSubmit"}
    assert stage.ask("hook-event", **told) == {"accepted": True, **told, "pane_id": None}
    assert stage.ask("hook-event", client_pid=9000, **told)["pane_id"] is None
    stage.machine.parents = {9000: 8999, 8999: CHILD_PID, CHILD_PID: 1}
    assert stage.ask("hook-event", client_pid=9000, **told)["pane_id"] == pane
    stage.machine.parents = {9000: CHILD_PID + 1, CHILD_PID + 1: CHILD_PID, CHILD_PID: 1}
    assert stage.ask("hook-event", client_pid=9000, **told)["pane_id"] == inner
    stage.change(end_child, inner, 0, None)
    assert stage.ask("hook-event", client_pid=9000, **told)["pane_id"] == pane


def test_the_search_for_the_pane_ends_after_64_steps() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.machine.parents = {10_000 + step: 10_001 + step for step in range(70)}
    stage.machine.parents[10_070] = CHILD_PID
    told: dict[str, Any] = {"agent": "claude", "event": "UserPromptSubmit"}
    assert stage.ask("hook-event", client_pid=10_006, **told)["pane_id"] is None
    assert stage.ask("hook-event", client_pid=10_020, **told)["pane_id"] == pane


def test_a_named_pane_is_found_and_an_unknown_one_refused() -> None:
    stage = Stage()
    pane = stage.pane(name="builder")
    assert hook(stage, "builder", "UserPromptSubmit")["pane_id"] == pane
    with pytest.raises(NoSuchPane):
        hook(stage, "pane_nope", "UserPromptSubmit")


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


def wait_for_verdict(stage: Stage, pane: str, caller: FakeCaller | None = None, **more: Any) -> Any:
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
    hook(stage, pane, "PermissionRequest", decision={**QUESTION, "id": decision["id"]})
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
    hook(stage, pane, "PostToolUse", native(tool_use_id="t1"))
    assert waiting.look().ended() == {"accepted": True, "native_verdict": None, "cancelled": "moved_on"}
    assert [event for event in stage.told() if event == "decision.cleared"] == ["decision.cleared"]
    assert stage.state(pane) == ("working", "none")


def test_another_session_ends_the_wait() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = wait_for_verdict(stage, pane)
    hook(stage, pane, "SessionStart", {"session_id": "s2"})
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


def test_a_native_request_that_does_not_wait_is_not_answerable() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "PermissionRequest", native())
    assert stage.world.panes[pane]["pending_decision"]["answerable"] is False


def test_a_compaction_ends_no_turn_and_goes_back_to_what_was() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "SessionStart", {"session_id": "s1"})
    for event, expected in (("PreCompact", "working"), ("SubagentStop", "working"), ("PostCompact", "idle")):
        hook(stage, pane, event, {"session_id": "s1"})
        assert stage.state(pane) == (expected, "none"), event
    hook(stage, pane, "UserPromptSubmit", {"session_id": "s1"})
    for event in ("PreCompact", "SessionStart", "PostCompact"):
        hook(stage, pane, event, {"session_id": "s1", "source": "compact"})
        assert stage.state(pane) == ("working", "none"), event


def test_a_turn_end_during_compaction_is_not_undone() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "PreCompact")
    hook(stage, pane, "Stop")
    hook(stage, pane, "PostCompact")
    assert stage.state(pane) == ("done", "unread")


def test_a_repeated_turn_end_is_notified_once() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "Stop")
    stage.at += 1.9
    hook(stage, pane, "Stop")
    assert stage.told().count("notification.created") == 1
    hook(stage, pane, "UserPromptSubmit")
    hook(stage, pane, "Stop")
    assert stage.told().count("notification.created") == 2


def test_an_elicitation_asks_and_its_result_releases() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "Elicitation", {"message": "Which region?"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == (
        "blocked",
        "input_required",
        "Which region?",
    )
    hook(stage, pane, "ElicitationResult", {})
    assert stage.state(pane) == ("working", "none")


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (["Stop"], {"reason": "turn_ended_without_report", "last_message": "turn complete"}),
        (["StopFailure"], {"reason": "turn_ended_without_report", "last_message": "turn failed", "failed": True}),
        (["SessionEnd"], {"reason": "turn_ended_without_report", "last_message": "session ended"}),
    ],
)
def test_a_worker_s_turn_end_parks_its_task(events: list[str], reason: dict[str, Any]) -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane)
    hook(stage, pane, "UserPromptSubmit")
    for event in events:
        hook(stage, pane, event)
    found = stage.world.tasks[task]
    assert (found["state"], found["status_reason"]) == ("input_required", reason)
    updates = [payload for _, event, payload in stage.events if event == "task.updated"]
    assert [(each["task_id"], each["context_id"], each["prev_state"]) for each in updates] == [
        (task, "tctx_1", "working")
    ]


def test_texts_from_payloads_are_cleaned_and_cut() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "Stop", {"last_assistant_message": "\x1b[31mred\x1b[0m\x07 \u202e" + "y" * 3000})
    line = stage.world.panes[pane]["last_message"]
    assert (line[:5], len(line)) == ("red y", 2000)


def test_the_hook_is_noted_as_the_source_that_decided() -> None:
    stage = Stage()
    pane = stage.pane()
    hook(stage, pane, "UserPromptSubmit")
    instance = stage.world.instances[pane]
    assert instance["sources"] == {"hook": {"value": "claude:UserPromptSubmit", "at": "2027-01-15T08:00:00.000Z"}}
    assert (instance["spoken"], instance["holds"], instance["decided_by"]) == (["hook"], ["hook"], "hook")
    hook(stage, pane, "SessionEnd", {"reason": "logout"})
    assert stage.world.instances[pane]["holds"] == []


def test_the_first_hook_withdraws_what_a_screen_rule_raised() -> None:
    stage = Stage()
    pane = stage.pane(attention="input_required", attention_since="2027-01-15T08:00:00.000Z", lifecycle="blocked")
    draft = stage.draft()
    draft.instance(pane)["screen_raised"] = True
    stage.commit(draft)
    hook(stage, pane, "SubagentStart")
    assert stage.state(pane) == ("blocked", "none")
    assert [(event, payload["reason"]) for _, event, payload in stage.events] == [("attention.cleared", "hook")]
