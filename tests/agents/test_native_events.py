"""Native hooks as events of status sessions: the rows of the table, and what is special to an agent."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents import native, native_events
from signaltty_core.base.errors import BadParams

Record = dict[str, Any]
RUNNING: Record = {"id": "s", "phase": "running"}
ASKING: Record = {"id": "s", "phase": "needs-input", "interaction": "approval"}
IDLE: Record = {"id": "s", "phase": "idle"}


def effects(adapter: str, word: str, session: Record | None = None, **payload: Any) -> list[str]:
    found = native_events.events(native.read(adapter, word, payload, None), session)
    return [event.effect if event.effect != "ask" else f"ask {event.kind}: {event.ask_text}" for event in found]


@pytest.mark.parametrize(
    ("adapter", "word", "payload", "expected"),
    [
        ("claude", "SessionStart", {"source": "compact"}, []),
        ("claude", "SessionStart", {"source": "resume"}, ["session.start"]),
        ("hermes", "on_session_reset", {}, ["session.start"]),
        ("copilot", "sessionStart", {}, ["session.start", "agent.idle"]),
        ("copilot", "sessionStart", {"source": "compact"}, []),
        ("copilot", "permissionRequest", {"toolName": "bash"}, []),
        ("copilot", "error-occurred", {}, []),
        ("gemini", "PreCompress", {}, ["agent.compacting"]),
        ("cursor", "preCompact", {}, ["agent.compacting"]),
        ("claude", "PostCompact", {}, ["agent.compacted"]),
        ("claude", "PostCompact", {"agent_id": "a"}, []),
        ("hermes", "post_approval_response", {}, ["agent.input-resolved"]),
        ("cursor", "stop", {"status": "aborted"}, ["interrupted"]),
        ("cursor", "stop", {"status": "completed"}, ["agent.idle"]),
        ("cursor", "sessionEnd", {"agent_id": "a"}, []),
        ("agy", "stop", {"fullyIdle": False}, []),
        ("agy", "stop", {"fullyIdle": True}, ["agent.idle"]),
        ("hermes", "on_session_finalize", {}, ["session.end"]),
        ("claude", "SubagentStop", {}, []),
        ("claude", "TaskCreated", {}, []),
        ("claude", "TaskCreated", {"task_id": "1", "agent_id": "a"}, ["tasks"]),
        ("small-harness", "plan_updated", {"progress": {"done": 1, "total": 2}}, ["tool-begin"]),
        ("codex-notify", "", {"type": "approval-requested", "message": "Run?"}, ["ask approval: Run?"]),
        ("codex-notify", "", {"type": "user-input-wanted", "body": "Which?"}, ["ask question: Which?"]),
        ("codex-notify", "", {"type": "else"}, []),
        ("agy", "ask_question", {"message": "Sure?"}, ["ask question: Sure?"]),
        ("droid", "PreToolUse", {"tool_name": "ExitSpecMode"}, ["ask approval: Review the plan"]),
        ("claude", "PermissionRequest", {}, ["ask approval: Approval needed"]),
        ("claude", "Elicitation", {"message": "Which region?"}, ["ask question: Which region?"]),
        ("codex", "Elicitation", {"message": "Which region?"}, []),
        ("claude", "ElicitationResult", {}, []),
        ("cursor", "afterAgentThought", {}, ["tool-begin"]),
        ("cursor", "afterAgentResponse", {}, ["tool-end"]),
        *(("gemini", word, {}, ["tool-begin"]) for word in ("BeforeModel", "BeforeToolSelection")),
        ("gemini", "AfterModel", {}, ["tool-end"]),
        ("codex-notify", "agent-turn-complete", {"agent_id": "a"}, []),
        ("claude", "PermissionRequest", {"agent_id": "a", "tool_name": "Bash"}, ["ask approval: Allow Bash?"]),
    ],
)
def test_rows_that_need_no_session(adapter: str, word: str, payload: Record, expected: list[str]) -> None:
    assert effects(adapter, word, **payload) == expected


@pytest.mark.parametrize(
    ("adapter", "session", "payload", "expected"),
    [
        ("claude", ASKING, {"notification_type": "permission_prompt", "message": "x"}, []),
        ("claude", RUNNING, {"notification_type": "permission_prompt", "message": "x"}, ["ask approval: x"]),
        ("copilot", RUNNING, {"notificationType": "agent_idle"}, ["agent.idle"]),
        ("copilot", RUNNING, {"notificationType": "agent_idle", "agent_id": "a"}, []),
        ("claude", IDLE, {"type": "idle_prompt"}, []),
        ("claude", None, {"message": "Permission?"}, ["ask approval: Permission?"]),
        ("claude", None, {"message": "Please approve"}, ["ask generic-input: Please approve"]),
        ("kimi", None, {"message": "Please APPROVE"}, ["ask approval: Please APPROVE"]),
        ("kimi", None, {"message": "hello"}, []),
        ("droid", RUNNING, {"message": "Droid is idle"}, ["agent.idle"]),
        ("droid", IDLE, {"message": "Droid is waiting for your input"}, []),
        ("droid", None, {"message": "hello"}, ["ask generic-input: hello"]),
        ("claude", None, {}, ["ask generic-input: None"]),
    ],
)
def test_notifications_go_by_type_then_by_words(
    adapter: str, session: Record | None, payload: Record, expected: list[str]
) -> None:
    assert effects(adapter, "Notification", session, **payload) == expected


def test_an_elicitation_that_is_over_ends_only_a_question() -> None:
    assert effects("claude", "ElicitationResult", ASKING) == ["agent.input-resolved"]
    assert effects("claude", "ElicitationResult", IDLE) == []


def test_a_spec_stop_of_droid_leaves_its_question() -> None:
    assert effects("droid", "Stop", ASKING, permission_mode="spec") == []
    assert effects("droid", "Stop", RUNNING, permission_mode="spec") == ["agent.idle"]
    assert effects("hermes", "on-session-end", RUNNING) == ["agent.idle", "session.end"]


def test_an_internal_thread_of_codex_does_not_end_the_turn() -> None:
    read = native.read("codex-notify", None, {"type": "agent-turn-complete", "thread-id": "t"}, None)
    assert native_events.events(read, None, has_codex=True) == []
    assert [each.effect for each in native_events.events(read, None)] == ["agent.idle"]
    known = {"id": "t", "phase": "running"}
    assert [each.effect for each in native_events.events(read, known, has_codex=True)] == ["agent.idle"]


@pytest.mark.parametrize(
    ("adapter", "payload", "session_id"),
    [
        ("claude", {"session_id": " a ", "conversation_id": "b"}, "a"),
        ("cursor", {"session_id": "a", "conversationId": "b"}, "b"),
        ("cursor", {"hook_event_name": "subagentStop", "session_id": "a", "parent_conversation_id": "p"}, "p"),
        ("codex", {"session_id": 3, "thread-id": "t"}, "t"),
        ("codex", {"session_id": "x" * 257}, None),
    ],
)
def test_the_session_id_is_the_first_hit(adapter: str, payload: Record, session_id: str | None) -> None:
    assert native.read(adapter, None, payload, None).session_id == session_id


def test_the_directory_is_the_first_that_is_given() -> None:
    assert native.read("agy", None, {"workspacePaths": ["/w", "/x"]}, None).cwd == "/w"
    assert native.read("agy", None, {"working_dir": "/v", "workspace_roots": ["/w"]}, None).cwd == "/v"
    assert native.read("agy", None, {"cwd": "rel"}, None).cwd is None


def test_an_unknown_adapter_is_named_with_all_that_are_known() -> None:
    with pytest.raises(
        BadParams, match=r'unknown adapter "nope" \(known: agy, claude, codex, codex-notify, '
    ) as caught:
        native.read("nope", None, {}, None)
    assert caught.value.details == {"reason": "unknown_adapter"}
