"""Reports on their pane, where a caller's words meet an adapter's. The rest: tests/methods/reports/test_hook.py."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents import base, reports
from signaltty_core.agents.base import Facts
from signaltty_core.agents.table import KINDS
from tests.fake import START, Stage, native


def put(stage: Stage, pane: str, outcome: str, said: str | None = None, /, **more: Any) -> None:
    report = reports.Report(KINDS["claude"], "Event", Facts(outcome, said), **more)
    stage.change(reports.apply, pane, report, stage.call().new_id)


def notice(stage: Stage) -> tuple[str, str, str]:
    newest = list(stage.world.notifications.values())[-1]
    return newest["title"], newest["body"], newest["severity"]


@pytest.mark.parametrize(
    "given", [{"message": "m"}, {"title": "t"}, {"session_id": "s"}, {"decision": {"prompt": "p"}}]
)
def test_an_unknown_event_counts_once_it_brings_anything(given: dict[str, Any]) -> None:
    assert not reports.Report(KINDS["claude"], "Odd", Facts(base.UNKNOWN)).is_recognised()
    assert reports.Report(KINDS["claude"], "Odd", Facts(base.UNKNOWN), **given).is_recognised()
    assert reports.Report(KINDS["claude"], "Odd", Facts(base.NOOP)).is_recognised()


def test_a_sub_agent_s_session_is_nobody_s() -> None:
    report = reports.Report(KINDS["claude"], "Odd", Facts(base.UNKNOWN, sub_agent=True), session_id="s")
    assert report.session_id is None
    assert not report.is_recognised()


def test_a_caller_s_words_win_over_the_adapter_s() -> None:
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.DONE, "adapter", message="own", title="Own", severity="error")
    assert notice(stage) == ("Own", "own", "error")
    assert stage.state(pane) == ("done", "error")
    assert stage.world.panes[pane]["last_message"] == "Own: own"


def test_an_adapter_s_title_stands_for_the_outcome_s() -> None:
    stage = Stage()
    pane = stage.pane()
    report = reports.Report(KINDS["claude"], "Event", Facts(base.FAIL, "broken", title="Session error"))
    stage.change(reports.apply, pane, report, stage.call().new_id)
    assert notice(stage) == ("Session error", "broken", "error")


def test_the_question_is_the_line_when_there_is_no_other() -> None:
    stage = Stage()
    pane = stage.pane()
    decision = {"id": "d", "prompt": "Which?", "options": [], "answerable": True, "received_at": ""}
    put(stage, pane, base.UNKNOWN, decision=decision)
    assert stage.world.panes[pane]["last_message"] == "Which?"
    assert stage.world.panes[pane]["pending_decision"] == decision


def test_a_severity_alone_makes_no_notification() -> None:
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.PROMPT, severity="error")
    assert (stage.state(pane), stage.world.notifications) == (("working", "none"), {})


def test_a_note_raises_nothing_whatever_its_severity() -> None:
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.NOTE, "hm", severity="error")
    assert (stage.state(pane), notice(stage)) == (("unknown", "none"), ("signaltty", "hm", "error"))


def test_a_decision_replaces_what_the_outcome_would_have_cleared() -> None:
    stage = Stage()
    pane = stage.pane()
    for id in ("d1", "d2"):
        put(stage, pane, base.PROMPT, decision={"id": id, "prompt": "?", "options": [], "answerable": True})
    assert [event for event in stage.told() if event.startswith("decision.")] == ["decision.created"] * 2


def test_a_pane_that_leaves_the_question_by_any_hook_drops_the_decision() -> None:
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.ASK_PERMISSION, decision={"id": "d", "prompt": "?", "options": [], "answerable": True})
    put(stage, pane, base.RESOLVED)
    assert stage.state(pane) == ("working", "none")
    assert stage.events[-1][1:] == ("decision.cleared", {"pane_id": pane, "decision_id": "d", "reason": "moved_on"})


def test_an_interrupt_clears_question_and_attention_and_parks_the_worker() -> None:
    stage = Stage()
    pane = stage.pane()
    task = stage.task(pane)
    put(stage, pane, base.ASK_PERMISSION, decision={"id": "d", "prompt": "?", "options": [], "answerable": True})
    since = len(stage.events)
    put(stage, pane, base.INTERRUPT)
    assert stage.told(since) == ["agent.idle", "task.updated", "attention.cleared", "decision.cleared"]
    assert stage.events[-1][2]["reason"] == "attention_cleared"
    assert stage.world.tasks[task]["status_reason"] == {"reason": "turn_interrupted"}


def test_an_interrupt_keeps_the_pane_idle_through_late_ends_until_a_new_turn() -> None:
    """Edge cases 98 and 106, by outcomes."""
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.PROMPT)
    put(stage, pane, base.INTERRUPT)
    for outcome in (base.DONE, base.DONE, base.TOOL_END, base.TOOL_BEGIN):
        put(stage, pane, outcome)
        assert stage.state(pane) == ("idle", "none"), outcome
    stage.at = START + 2
    put(stage, pane, base.TOOL_BEGIN)
    put(stage, pane, base.DONE)
    assert stage.state(pane) == ("done", "unread")


def test_a_failure_stands_when_the_turn_s_end_comes_after_it() -> None:
    """Edge case 107, by outcomes."""
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.FAIL, "session error")
    put(stage, pane, base.DONE, "session idle")
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("failed", "error", "session error")


def test_an_accepted_hook_is_a_sign_of_life() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.at = START + 9
    put(stage, pane, base.NOOP)
    assert stage.world.activity[pane] == START + 9
    assert stage.call().pane_view(pane)["last_activity_at"] == "2027-01-15T08:00:09.000Z"


def test_an_agent_of_no_known_kind_is_called_by_its_program() -> None:
    stage = Stage()
    pane = stage.pane("generic", argv=["/opt/bin/robot"])
    report = reports.Report(KINDS["generic"], "Event", Facts(base.ASK_INPUT))
    stage.change(reports.apply, pane, report, stage.call().new_id)
    assert notice(stage)[0] == "robot needs input"


def test_a_sub_agent_s_end_changes_nothing() -> None:
    """Edge case 96."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    for expected in (("working", "none"), ("done", "unread")):
        for event in ("SubagentStop", "subagent_stop", "Stop", "StopFailure", "SessionEnd", "SessionStart"):
            reply = stage.hook(pane, event, {"agent_id": "a1", "session_id": "sub", "last_assistant_message": "hm"})
            assert (reply["accepted"], *stage.state(pane)) == (True, *expected), event
        stage.hook(pane, "Stop")
    assert stage.world.panes[pane]["agent"]["agent_session_id"] == "s1"
    assert stage.world.panes[pane]["last_message"] == "turn complete"


def test_a_sub_agent_s_question_counts() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "PermissionRequest", {"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert stage.state(pane) == ("blocked", "permission_required")
    stage.hook(pane, "PostToolUse", {"agent_id": "a1", "tool_name": "Bash", "tool_input": {"command": "ls"}})
    assert stage.state(pane) == ("working", "none")


def test_a_failure_survives_the_session_end() -> None:
    """Edge case 97."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "StopFailure", {"error": "rate_limit"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("failed", "error", "rate_limit")
    stage.hook(pane, "Stop", {"last_assistant_message": "so far"})
    stage.hook(pane, "SessionEnd", {"reason": "other"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == ("failed", "error", "rate_limit")


def test_a_note_is_stored_and_raises_nothing() -> None:
    """Edge case 100."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "Notification", {"notification_type": "auth_success", "message": "Signed in"})
    assert stage.state(pane) == ("working", "none")
    assert [(one["title"], one["body"]) for one in stage.world.notifications.values()] == [("signaltty", "Signed in")]


def test_the_late_notice_of_a_request_is_no_second_one() -> None:
    """Edge case 101."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native())
    stage.at += 6
    stage.hook(pane, "Notification", {"notification_type": "permission_prompt", "message": "needs your permission"})
    told = stage.told()
    assert (told.count("notification.created"), told.count("attention.created")) == (1, 1)
    assert "attention.updated" not in told
    stage.hook(pane, "PostToolUse", native(tool_use_id="t1"))
    assert stage.state(pane) == ("working", "none")


def test_a_finished_turn_does_not_keep_asking() -> None:
    """Edge case 108, first half."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "Notification", {"notification_type": "permission_prompt"})
    since = len(stage.events)
    stage.hook(pane, "Stop")
    assert stage.state(pane) == ("done", "unread")
    assert stage.told(since) == ["agent.done", "attention.updated", "notification.created"]


def test_a_repeated_turn_end_is_notified_once() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "Stop")
    stage.at += 1.9
    stage.hook(pane, "Stop")
    assert stage.told().count("notification.created") == 1
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "Stop")
    assert stage.told().count("notification.created") == 2


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
    stage.hook(pane, "UserPromptSubmit")
    for event in events:
        stage.hook(pane, event)
    found = stage.world.tasks[task]
    assert (found["state"], found["status_reason"]) == ("input_required", reason)
    updates = [payload for _, event, payload in stage.events if event == "task.updated"]
    assert [(each["task_id"], each["context_id"], each["prev_state"]) for each in updates] == [
        (task, "tctx_1", "working")
    ]


def test_texts_from_payloads_are_cleaned_and_cut() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "Stop", {"last_assistant_message": "\x1b[31mred\x1b[0m\x07 \u202e" + "y" * 3000})
    line = stage.world.panes[pane]["last_message"]
    assert (line[:5], len(line)) == ("red y", 2000)


def test_a_pending_decision_outlives_the_turn() -> None:
    """Edge case 108, second half; submit is not there yet."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native())
    for event, level in (
        ("Stop", "permission_required"),
        ("SessionEnd", "permission_required"),
        ("StopFailure", "error"),
    ):
        stage.hook(pane, event)
        assert stage.world.panes[pane]["attention"] == level
        assert "pending_decision" in stage.world.panes[pane]


@pytest.mark.parametrize(
    ("tool", "state"),
    [({"tool_name": "AskUser", "tool_input": {"question": "?"}}, "blocked"), ({"tool_name": "ExitSpecMode"}, "done")],
)
def test_a_question_that_was_seen_outlives_a_stop_in_spec_mode(tool: dict[str, Any], state: str) -> None:
    stage = Stage()
    pane = stage.pane("droid")
    stage.hook(pane, "PreToolUse", tool, agent="droid")
    stage.ask("pane.mark_seen", pane_id=pane)
    stage.hook(pane, "Stop", {"permission_mode": "spec"}, agent="droid")
    assert stage.state(pane)[0] == state


def test_the_hook_is_noted_as_the_source_that_decided() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    instance = stage.world.instances[pane]
    assert instance["sources"] == {"hook": {"value": "claude:UserPromptSubmit", "at": "2027-01-15T08:00:00.000Z"}}
    assert (instance["spoken"], instance["holds"], instance["decided_by"]) == (["hook"], ["hook"], "hook")
    stage.hook(pane, "SessionEnd", {"reason": "logout"})
    assert stage.world.instances[pane]["holds"] == []


def test_of_a_message_behind_a_title_300_characters_are_shown() -> None:
    stage = Stage()
    pane = stage.pane()
    put(stage, pane, base.NOTE, title="t", message="m" * 301)
    assert stage.world.panes[pane]["last_message"] == "t: " + "m" * 300


def test_a_turn_that_ends_with_a_question_that_was_seen_raises_nothing() -> None:
    stage = Stage()
    pane = stage.pane()
    decision = {"id": "d", "prompt": "Which?", "options": [], "answerable": True, "received_at": ""}
    put(stage, pane, base.NOTE, decision=decision)
    put(stage, pane, base.DONE)
    assert (*stage.state(pane), "pending_decision" in stage.world.panes[pane]) == ("done", "none", True)
