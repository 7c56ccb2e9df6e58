"""hook-event: processing order, panes, mismatches, words of the caller."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane
from signaltty_core.state.lifecycle import end_child
from tests.fake import CHILD_PID, Stage, native

QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}


def test_the_reply_tells_where_the_pane_stands() -> None:
    stage = Stage()
    pane = stage.pane()
    assert stage.hook(pane, "UserPromptSubmit") == {
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
    stage.hook(pane, "UserPromptSubmit")
    since = len(stage.events)
    stage.hook(pane, "PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "touch x\ntouch y"}})
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
    stage.hook(pane, "Notification", {"notification_type": "idle_prompt"})
    assert stage.state(pane) == ("blocked", "input_required")
    stage.hook(pane, "Notification", {"notification_type": "permission_prompt"})
    assert stage.state(pane) == ("blocked", "permission_required")


def test_another_agent_in_the_pane_takes_kind_and_resume_with_its_session() -> None:
    """Edge case 32, with an agent whose hooks are read by name only."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "SessionStart", {"session_id": "s1"})
    reply = stage.hook(pane, "stop", {"conversation_id": "c9"}, agent="cursor")
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
            stage.hook(pane, "Stop", agent=agent)
    assert stage.hook(pane, "Cooked") == {
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
    reply = stage.hook(pane, "Stop", {"session_id": "s1"})
    assert (reply["accepted"], reply["reason"]) == (False, "harness_mismatch")
    assert stage.state(pane) == ("unknown", "none")
    assert stage.world.panes[pane]["agent"] == {"kind": "codex"}


def test_a_message_becomes_the_line_and_a_title_stands_before_it() -> None:
    """Edge case 35."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "Odd", message="half way")
    assert stage.world.panes[pane]["last_message"] == "half way"
    stage.hook(pane, "Odd", message="nearly", title="Build")
    assert stage.world.panes[pane]["last_message"] == "Build: nearly"
    stage.hook(pane, "Odd", title="Only a title")
    assert stage.world.panes[pane]["last_message"] == "Build: nearly"
    assert [one["body"] for one in stage.world.notifications.values()] == ["half way", "nearly", ""]


def test_a_prose_request_keeps_the_decision_and_a_new_one_replaces_it() -> None:
    """Edge case 37, without the answer."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", decision=QUESTION)
    stage.hook(pane, "PermissionRequest", {"message": "may I?"})
    assert stage.world.panes[pane]["pending_decision"]["id"] == "d1"
    stage.hook(pane, "PermissionRequest", decision={**QUESTION, "id": "d2"})
    created = [payload for _, event, payload in stage.events if event == "decision.created"]
    assert [(each["decision"]["id"], each["prev"]) for each in created] == [("d1", None), ("d2", "d1")]


def test_a_decision_of_a_pane_without_typing_channel_is_not_answerable() -> None:
    """Edge case 40, first half."""
    stage = Stage()
    claude, codex = stage.pane(), stage.pane("codex")
    stage.hook(claude, "PermissionRequest", decision=QUESTION)
    stage.hook(codex, "PermissionRequest", decision=QUESTION, agent="codex")
    assert stage.world.panes[claude]["pending_decision"]["answerable"] is False
    assert stage.world.panes[codex]["pending_decision"]["answerable"] is True


@pytest.mark.parametrize("decision", [{}, {**QUESTION, "id": " "}, {**QUESTION, "options": []}])
def test_a_faulty_decision_is_refused_and_leaves_nothing_behind(decision: Any) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams, match=r"^decision\."):
        stage.hook(pane, "PermissionRequest", decision=decision)
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
    assert stage.hook(pane, "UserPromptSubmit", payload)["lifecycle"] == "working"


def test_a_session_start_that_comes_late_does_not_stop_the_turn() -> None:
    """Edge case 102."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    stage.hook(pane, "SessionStart", {"session_id": "s1", "source": "startup"})
    assert stage.state(pane) == ("working", "none")
    stage.hook(pane, "SessionStart", {"session_id": "s2", "source": "startup"})
    assert stage.state(pane) == ("idle", "none")


def test_clearing_the_conversation_changes_the_session_in_silence() -> None:
    """Edge case 103."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "SessionStart", {"session_id": "s1", "source": "startup"})
    stage.hook(pane, "SessionEnd", {"session_id": "s1", "reason": "clear"})
    stage.hook(pane, "SessionStart", {"session_id": "s2", "source": "clear"})
    assert stage.state(pane) == ("idle", "none")
    assert stage.world.panes[pane]["agent"]["agent_session_id"] == "s2"
    assert stage.world.instances[pane]["session_generation"] == 1


def test_a_hook_after_the_child_s_end_leaves_only_session_and_message() -> None:
    """Edge case 109."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.change(end_child, pane, 0, None)
    before, since = stage.state(pane), len(stage.events)
    reply = stage.hook(pane, "Stop", {"session_id": "s1", "last_assistant_message": "bye"}, decision=QUESTION)
    assert (reply["accepted"], stage.state(pane)) == (True, before)
    assert stage.told(since) == ["pane.updated"]
    found = stage.world.panes[pane]
    assert (found["agent"]["agent_session_id"], found["last_message"]) == ("s1", "bye")
    assert "pending_decision" not in found


def test_a_mode_named_agent_is_no_mismatch_and_another_kind_is() -> None:
    """Edge case 110."""
    stage = Stage()
    pane = stage.pane()
    assert stage.hook(pane, "UserPromptSubmit", {"agent": "build"})["accepted"] is True
    assert stage.hook(pane, "Stop", {"agent": "Codex"})["reason"] == "harness_mismatch"
    assert stage.hook(pane, "Stop", {"harness": "codex"})["reason"] == "harness_mismatch"
    assert stage.hook(pane, "Stop", {"agent": "Claude"})["accepted"] is True


def test_a_payload_too_large_counts_by_the_event_s_name() -> None:
    """Edge case 111, the server's half."""
    stage = Stage()
    pane = stage.pane()
    reply = stage.hook(pane, "StopFailure", {"session_id": "s1", "error": "x" * (4 << 20)})
    assert (reply["payload_dropped"], reply["lifecycle"]) == (True, "failed")
    found = stage.world.panes[pane]
    assert (found["last_message"], found["agent"]) == ("turn failed", {"kind": "claude"})
    assert stage.hook(pane, "Stop", payload_dropped=True)["payload_dropped"] is True


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
    assert stage.hook("builder", "UserPromptSubmit")["pane_id"] == pane
    with pytest.raises(NoSuchPane):
        stage.hook("pane_nope", "UserPromptSubmit")


def test_a_native_request_that_does_not_wait_is_not_answerable() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native())
    assert stage.world.panes[pane]["pending_decision"]["answerable"] is False


def test_the_first_hook_withdraws_what_a_screen_rule_raised() -> None:
    stage = Stage()
    pane = stage.pane(attention="input_required", attention_since="2027-01-15T08:00:00.000Z", lifecycle="blocked")
    draft = stage.draft()
    draft.instance(pane)["screen_raised"] = True
    stage.commit(draft)
    stage.hook(pane, "SubagentStart")
    assert stage.state(pane) == ("blocked", "none")
    assert [(event, payload["reason"]) for _, event, payload in stage.events] == [("attention.cleared", "hook")]


def test_a_payload_is_measured_as_utf_8() -> None:
    stage = Stage()
    pane = stage.pane()
    assert "payload_dropped" not in stage.hook(pane, "UserPromptSubmit", {"prompt": "é" * (1 << 20)})
    assert stage.hook(pane, "UserPromptSubmit", {"prompt": "é" * (2 << 20)})["payload_dropped"] is True


def test_a_payload_that_names_the_kind_of_the_pane_is_no_mismatch() -> None:
    stage = Stage()
    pane = stage.pane("codex")
    assert stage.hook(pane, "Stop", {"agent": "codex"})["accepted"] is True
    assert stage.hook(pane, "Stop", {"agent": "gemini"})["reason"] == "harness_mismatch"


@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_payload_may_have_4_mib_and_no_byte_more(letter: str) -> None:
    stage = Stage()
    pane = stage.pane()
    room = (4 << 20) - len(b'{"error":""}')
    most = letter * (room // len(letter.encode()))
    assert "payload_dropped" not in stage.hook(pane, "StopFailure", {"error": most})
    assert stage.hook(pane, "StopFailure", {"error": most + "x"})["payload_dropped"] is True
