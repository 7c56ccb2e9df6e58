"""Every adapter but Claude's: each native hook and the facts it gives."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents import base
from signaltty_core.agents.base import Facts, Tool
from signaltty_core.agents.table import KINDS, classify

SNAKE = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
CAMEL = {"toolName": "Bash", "toolArgs": '{"command":"ls"}', "toolUseId": "t1"}
TOOL = Tool("Bash", {"command": "ls"}, "t1")
ASKING = {"tool_name": "ask_user", "tool_input": {"question": "Red?", "options": ["Yes", "No"]}}
ASKING_TOOL = Tool("ask_user", {"question": "Red?", "options": ["Yes", "No"]})
ASKED = "Red?\n- Yes\n- No"
NAMELESS = (Tool(),)


def read(agent: str, event: str, payload: dict[str, Any]) -> Facts:
    return classify(KINDS[agent], event, payload)


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {"source": "startup"}, Facts(base.LATE_START)),
        ("SessionStart", {"source": "compact"}, Facts(base.NOOP)),
        ("UserPromptSubmit", {}, Facts(base.PROMPT)),
        ("PreToolUse", SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("PreToolUse", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        ("PostToolUse", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("PreCompact", {}, Facts(base.COMPACT_BEGIN)),
        ("PostCompact", {}, Facts(base.COMPACT_END)),
        ("PermissionRequest", SNAKE, Facts(base.ASK_PERMISSION, "Allow Bash: ls", body="Bash", tools=(TOOL,))),
        (
            "PermissionRequest",
            {"description": "d"},
            Facts(base.ASK_PERMISSION, "approval requested", body="d", tools=NAMELESS),
        ),
        ("PermissionRequest", {"prompt": "May I?"}, Facts(base.ASK_PERMISSION, "May I?", tools=NAMELESS)),
        ("PermissionRequest", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,), repeats=True)),
        ("Stop", {"last_assistant_message": "bye"}, Facts(base.DONE, "bye")),
        (
            "agent-turn-complete",
            {"thread-id": "t9", "last-assistant-message": "bye"},
            Facts(base.DONE, "bye", only_session="t9"),
        ),
        ("agent-turn-complete", {}, Facts(base.DONE)),
        ("Interrupt", {}, Facts(base.INTERRUPT)),
        ("SessionEnd", {}, Facts(base.END)),
        ("SubagentStop", {}, Facts(base.NOOP)),
        ("Notification", {}, Facts(base.UNKNOWN)),
    ],
)
def test_codex(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("codex", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("session.created", {"properties": {"info": {"id": "s"}}}, Facts(base.START)),
        ("session.created", {"properties": {"info": {"parentID": "s0"}}}, Facts(base.START, sub_agent=True)),
        ("session.status", {"status": "busy"}, Facts(base.BUSY)),
        ("session.status", {"status": {"type": "retry"}}, Facts(base.BUSY)),
        ("session.status", {"properties": {"status": {"type": "idle"}}}, Facts(base.DONE, "session idle", silent=True)),
        ("session.status", {"status": "dancing"}, Facts(base.UNKNOWN)),
        ("session.idle", {}, Facts(base.DONE, "session idle", title="OpenCode session idle")),
        ("session.error", {"error": {"name": "MessageAbortedError"}}, Facts(base.INTERRUPT)),
        ("session.error", {"properties": {"error": {"name": "MessageAbortedError"}}}, Facts(base.INTERRUPT)),
        ("session.error", {"message": "no"}, Facts(base.FAIL, "no", title="OpenCode session error")),
        ("session.error", {}, Facts(base.FAIL, "session error", title="OpenCode session error")),
        (
            "permission.asked",
            {"permission": "bash", "patterns": ["touch x"], "tool": {"callID": "c1"}, "metadata": {"command": "x"}},
            Facts(base.ASK_PERMISSION, "bash: touch x", tools=(Tool("bash", None, "c1"),)),
        ),
        ("permission.asked", {}, Facts(base.ASK_PERMISSION, tools=NAMELESS)),
        ("permission.replied", {"reply": "once"}, Facts(base.RESOLVED)),
        (
            "question.asked",
            {"questions": [{"question": "Red?", "options": [{"label": "Yes"}]}]},
            Facts(base.ASK_INPUT, "Red?\n- Yes", tools=NAMELESS),
        ),
        ("question.replied", {}, Facts(base.RESOLVED)),
        ("question.rejected", {}, Facts(base.RESOLVED)),
        (
            "tool.execute.before",
            {"input": {"tool": "bash", "callID": "c1"}, "output": {"args": {"command": "ls"}}},
            Facts(base.TOOL_BEGIN, tools=(Tool("bash", {"command": "ls"}, "c1"),)),
        ),
        ("tool.execute.after", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("session.compacted", {}, Facts(base.NOOP)),
        ("session.updated", {}, Facts(base.NOOP)),
        ("todo.updated", {}, Facts(base.NOOP)),
        ("session.deleted", {}, Facts(base.NOOP)),
        ("message.updated", {}, Facts(base.UNKNOWN)),
    ],
)
def test_opencode(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("opencode", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("sessionStart", {}, Facts(base.START)),
        ("beforeSubmitPrompt", {}, Facts(base.PROMPT)),
        *((each, SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))) for each in ("preToolUse", "beforeReadFile")),
        *((each, {}, Facts(base.TOOL_BEGIN, tools=NAMELESS)) for each in ("beforeShellExecution", "afterAgentThought")),
        ("beforeMCPExecution", {}, Facts(base.TOOL_BEGIN, tools=NAMELESS)),
        ("preCompact", {}, Facts(base.NOOP)),
        *((each, SNAKE, Facts(base.TOOL_END, tools=(TOOL,))) for each in ("postToolUse", "postToolUseFailure")),
        *((each, {}, Facts(base.TOOL_END, tools=NAMELESS)) for each in ("afterShellExecution", "afterMCPExecution")),
        *((each, {}, Facts(base.TOOL_END, tools=NAMELESS)) for each in ("afterFileEdit", "afterAgentResponse")),
        ("stop", {}, Facts(base.DONE)),
        ("stop", {"status": "completed"}, Facts(base.DONE)),
        ("stop", {"status": "aborted"}, Facts(base.INTERRUPT)),
        ("stop", {"status": "error"}, Facts(base.FAIL)),
        ("stop", {"status": "who knows"}, Facts(base.UNKNOWN)),
        ("sessionEnd", {}, Facts(base.END)),
        ("subagentStart", {}, Facts(base.NOOP)),
        ("somethingElse", {}, Facts(base.UNKNOWN)),
    ],
)
def test_cursor(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("cursor", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("session_start", {"reason": "startup"}, Facts(base.START)),
        ("agent_start", {}, Facts(base.PROMPT)),
        (
            "tool_call",
            {"toolName": "bash", "input": {"command": "ls"}, "toolCallId": "c1"},
            Facts(base.TOOL_BEGIN, tools=(Tool("bash", {"command": "ls"}, "c1"),)),
        ),
        ("tool_result", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("ui_prompt_start", {"kind": "confirm", "title": "Run?"}, Facts(base.ASK_PERMISSION, "Run?")),
        ("ui_prompt_start", {"kind": "select", "title": "Which?"}, Facts(base.ASK_INPUT, "Which?")),
        ("ui_prompt_end", {}, Facts(base.RESOLVED)),
        ("agent_end", {}, Facts(base.NOOP)),
        ("agent_settled", {}, Facts(base.DONE)),
        ("agent_settled", {"last_assistant_message": "bye"}, Facts(base.DONE, "bye")),
        ("agent_settled", {"aborted": False, "failed": True, "error": "400: no"}, Facts(base.FAIL, "400: no")),
        ("agent_settled", {"aborted": True, "failed": True}, Facts(base.INTERRUPT)),
        ("agent_settled", {"aborted": True}, Facts(base.INTERRUPT)),
        ("session_shutdown", {"reason": "quit"}, Facts(base.END)),
        ("turn_end", {}, Facts(base.UNKNOWN)),
    ],
)
def test_pi(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("pi", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {}, Facts(base.START)),
        ("BeforeAgent", {}, Facts(base.PROMPT)),
        ("BeforeTool", SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("BeforeModel", {}, Facts(base.TOOL_BEGIN, tools=NAMELESS)),
        ("BeforeToolSelection", {}, Facts(base.TOOL_BEGIN, tools=NAMELESS)),
        ("PreCompress", {"trigger": "auto"}, Facts(base.NOOP)),
        ("AfterTool", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("AfterModel", {}, Facts(base.TOOL_END, tools=NAMELESS)),
        (
            "Notification",
            {"notification_type": "toolpermission", "message": "m"},
            Facts(base.ASK_PERMISSION, "m", repeats=True),
        ),
        (
            "Notification",
            {
                "notification_type": "ToolPermission",
                "message": "m",
                "details": {"type": "ask_user", "title": "Ask User"},
            },
            Facts(base.ASK_INPUT, "Ask User", repeats=True),
        ),
        (
            "Notification",
            {"notification_type": "ToolPermission", "message": "m", "details": {"type": "exec", "title": "Shell"}},
            Facts(base.ASK_PERMISSION, "m", repeats=True),
        ),
        (
            "Notification",
            {"notification_type": "ToolPermission", "message": "m", "details": "ask_user"},
            Facts(base.ASK_PERMISSION, "m", repeats=True),
        ),
        ("Notification", {"notification_type": "Other", "message": "m"}, Facts(base.NOTE, "m", repeats=True)),
        ("AfterAgent", {"prompt_response": "bye"}, Facts(base.DONE, "bye")),
        ("SessionEnd", {"reason": "clear"}, Facts(base.NOOP)),
        ("SessionEnd", {"reason": "exit"}, Facts(base.END)),
        ("Stop", {}, Facts(base.UNKNOWN)),
    ],
)
def test_gemini(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("gemini", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("sessionStart", {}, Facts(base.LATE_START)),
        ("SessionStart", {}, Facts(base.LATE_START)),
        ("userPromptSubmitted", {}, Facts(base.PROMPT)),
        ("preToolUse", CAMEL, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("preToolUse", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        ("preCompact", {}, Facts(base.NOOP)),
        ("postToolUse", CAMEL, Facts(base.TOOL_END, tools=(TOOL,))),
        ("PostToolUseFailure", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("permissionRequest", CAMEL, Facts(base.OFFERED, "Allow Bash: ls", tools=(TOOL,))),
        ("PermissionRequest", ASKING, Facts(base.NOOP, ASKED, tools=(ASKING_TOOL,), repeats=True)),
        (
            "notification",
            {"notification_type": "permission_prompt", "message": "m"},
            Facts(base.ASK_PERMISSION, "m", repeats=True),
        ),
        ("notification", {"notificationType": "elicitation_dialog"}, Facts(base.ASK_INPUT, repeats=True)),
        ("notification", {"notification_type": "agent_idle"}, Facts(base.NUDGE, repeats=True, bare=True)),
        ("notification", {"notification_type": "shell_completed"}, Facts(base.NOTE, repeats=True)),
        ("agentStop", {"stopReason": "end_turn"}, Facts(base.DONE)),
        ("errorOccurred", {"error": {"message": "no"}}, Facts(base.NOOP, "no")),
        ("sessionEnd", {"reason": "error"}, Facts(base.FAIL, goodbye=True)),
        ("sessionEnd", {"reason": "abort"}, Facts(base.INTERRUPT, goodbye=True)),
        ("sessionEnd", {"reason": "user_exit"}, Facts(base.END, goodbye=True)),
        ("subagentStop", {}, Facts(base.NOOP)),
        ("per_0002", {}, Facts(base.UNKNOWN)),
    ],
)
def test_copilot(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("copilot", event, payload) == facts


EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "a"}}
EDIT_TOOL = Tool("Edit", {"file_path": "a"})


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {"source": "compact"}, Facts(base.NOOP)),
        ("UserPromptSubmit", {}, Facts(base.PROMPT)),
        ("PreToolUse", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        (
            "PreToolUse",
            {"tool_name": "ExitSpecMode"},
            Facts(base.ASK_PERMISSION, "Allow ExitSpecMode?", tools=(Tool("ExitSpecMode"),)),
        ),
        (
            "PreToolUse",
            {**EDIT, "permission_mode": "off"},
            Facts(base.ASK_PERMISSION, "Allow Edit: a", tools=(EDIT_TOOL,)),
        ),
        ("PreToolUse", {**EDIT, "permissionMode": "high"}, Facts(base.TOOL_BEGIN, tools=(EDIT_TOOL,))),
        ("PreToolUse", {**SNAKE, "permission_mode": "off"}, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("PreCompact", {}, Facts(base.NOOP)),
        ("PostToolUse", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        (
            "Notification",
            {"message": "Needs your Approval"},
            Facts(base.ASK_PERMISSION, "Needs your Approval", repeats=True),
        ),
        (
            "Notification",
            {"message": "Droid is waiting for your input"},
            Facts(base.NUDGE, "Droid is waiting for your input", repeats=True, bare=True),
        ),
        ("Notification", {"message": "hm"}, Facts(base.ASK_INPUT, "hm", repeats=True)),
        ("Stop", {"permission_mode": "spec"}, Facts(base.PAUSE)),
        ("Stop", {"permission_mode": "off"}, Facts(base.DONE)),
        ("SubagentStop", {}, Facts(base.NOOP)),
        ("SessionEnd", {"reason": "clear"}, Facts(base.NOOP)),
        ("SessionEnd", {}, Facts(base.END)),
    ],
)
def test_droid(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("droid", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {"source": "branch"}, Facts(base.START)),
        ("UserPromptSubmit", {"prompt": ""}, Facts(base.PROMPT)),
        ("PermissionRequest", SNAKE, Facts(base.ASK_PERMISSION, "Allow Bash: ls", tools=(TOOL,))),
        ("Notification", {"notification_type": "idle_prompt", "message": "m"}, Facts(base.LAPSE, "m", repeats=True)),
        ("Notification", {"notification_type": "permission_prompt"}, Facts(base.ASK_PERMISSION, repeats=True)),
        (
            "Notification",
            {
                "notification_type": "permission_prompt",
                "message": "Qwen Code needs your permission to use ask_user_question",
            },
            Facts(base.ASK_INPUT, repeats=True),
        ),
        (
            "Notification",
            {
                "notification_type": "permission_prompt",
                "message": "Qwen Code needs your permission to use run_shell_command",
            },
            Facts(base.ASK_PERMISSION, "Qwen Code needs your permission to use run_shell_command", repeats=True),
        ),
        ("Notification", {"notification_type": "auth_success"}, Facts(base.NOTE, repeats=True)),
        ("PostToolBatch", {"tool_calls": [SNAKE]}, Facts(base.TOOL_END, tools=(TOOL,))),
        ("PostToolBatch", {"tool_calls": [{**SNAKE, "status": "cancelled"}]}, Facts(base.NOOP)),
        ("PostToolBatch", {}, Facts(base.NOOP)),
        ("StopFailure", {"error": "rate_limit"}, Facts(base.FAIL, "rate_limit")),
        ("PreCompact", {}, Facts(base.COMPACT_BEGIN)),
        ("PostCompact", {}, Facts(base.COMPACT_END)),
        ("SessionEnd", {"reason": "clear"}, Facts(base.NOOP)),
        *((each, {}, Facts(base.NOOP)) for each in ("QueryEnd", "SessionDelete", "TodoCreated", "TodoCompleted")),
        ("MessageDisplay", {}, Facts(base.NOOP)),
        ("Elicitation", {}, Facts(base.UNKNOWN)),
    ],
)
def test_qwen(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("qwen", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {}, Facts(base.START)),
        ("UserPromptSubmit", {}, Facts(base.PROMPT)),
        *(
            (each, {"tool_name": "Bash", "tool_call_id": "c1"}, Facts(base.TOOL_BEGIN, tools=(Tool("Bash", id="c1"),)))
            for each in ("PreToolUse", "BeforeReadFile", "BeforeShellExecution")
        ),
        ("PreToolUseResult", {}, Facts(base.NOOP)),
        *(
            (each, SNAKE, Facts(base.TOOL_END, tools=(TOOL,)))
            for each in ("PostToolUse", "PostToolUseFailure", "AfterFileEdit", "AfterShellExecution")
        ),
        ("Stop", {"last_assistant_message": "bye"}, Facts(base.DONE, "bye")),
        ("SessionEnd", {}, Facts(base.END)),
    ],
)
def test_goose(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("goose", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("session.start", {}, Facts(base.START)),
        ("agent.start", {}, Facts(base.PROMPT)),
        ("tool.call", SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("tool.result", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("agent.end", {}, Facts(base.DONE)),
        ("agent.end", {"status": "done"}, Facts(base.DONE)),
        ("agent.end", {"status": "error"}, Facts(base.FAIL)),
        ("agent.end", {"status": "cancelled"}, Facts(base.INTERRUPT)),
    ],
)
def test_amp(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("amp", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("on_session_start", {}, Facts(base.START)),
        ("on_session_reset", {}, Facts(base.START)),
        ("pre_llm_call", {}, Facts(base.PROMPT)),
        ("pre_tool_call", SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("pre_tool_call", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        ("post_tool_call", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        ("pre_approval_request", SNAKE, Facts(base.ASK_PERMISSION, "Allow Bash: ls", tools=(TOOL,))),
        ("post_approval_response", {}, Facts(base.RESOLVED)),
        ("post_llm_call", {}, Facts(base.DONE)),
        ("on_session_end", {}, Facts(base.SETTLE)),
        ("on_session_finalize", {}, Facts(base.SETTLE)),
    ],
)
def test_hermes(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("hermes", event, payload) == facts


@pytest.mark.parametrize(
    ("event", "payload", "facts"),
    [
        ("SessionStart", {}, Facts(base.START)),
        ("UserPromptSubmit", {}, Facts(base.PROMPT)),
        ("PreToolUse", ASKING, Facts(base.ASK_INPUT, ASKED, tools=(ASKING_TOOL,))),
        *(
            (
                "PreToolUse",
                {"tool_name": each, "tool_input": {"path": "x"}},
                Facts(base.ASK_PERMISSION, f"Allow {each}: x", tools=(Tool(each, {"path": "x"}),)),
            )
            for each in ("Shell", "WriteFile", "StrReplaceFile")
        ),
        ("PreToolUse", SNAKE, Facts(base.TOOL_BEGIN, tools=(TOOL,))),
        ("PostToolUse", SNAKE, Facts(base.TOOL_END, tools=(TOOL,))),
        (
            "Notification",
            {"notification_type": "permission_prompt", "title": "t", "message": "m"},
            Facts(base.ASK_PERMISSION, "t", repeats=True),
        ),
        ("Notification", {"message": "m"}, Facts(base.NOTE, "m", repeats=True)),
        ("Stop", {}, Facts(base.DONE)),
        ("SessionEnd", {}, Facts(base.END)),
    ],
)
def test_kimi(event: str, payload: dict[str, Any], facts: Facts) -> None:
    assert read("kimi", event, payload) == facts


@pytest.mark.parametrize("agent", [kind for kind in KINDS if kind != "none"])
@pytest.mark.parametrize("payload", [{}, {"status": 7, "error": [], "tool_calls": {}, "patterns": {}, "tool_input": 1}])
def test_no_payload_breaks_an_adapter(agent: str, payload: dict[str, Any]) -> None:
    from importlib import import_module

    module = import_module(f"signaltty_core.agents.{KINDS[agent].adapter}")
    for event in getattr(module, "EVENTS", {"Stop": None}):
        assert isinstance(read(agent, event, payload), Facts)


@pytest.mark.parametrize("agent", ["codex", "gemini", "qwen", "goose", "kimi", "droid"])
def test_a_payload_with_an_agent_id_is_of_a_sub_agent(agent: str) -> None:
    assert read(agent, "SessionEnd", {"agent_id": "a1"}).sub_agent
