"""What an OSC 7501 summary does: alone, under hooks, and when its reporter, its reader or its terminal goes."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.journal.snapshot import build, encode_document, parse
from signaltty_core.state import decisions, hearing, lifecycle, program_status, sources, speech
from tests.fake import CHILD_PID, Stage

GROUP = 900


def report(stage: Stage, pane: str, *bodies: bytes, group: int = GROUP) -> None:
    for body in bodies:
        stage.change(program_status.take, pane, body, group)


def be_restarted(stage: Stage) -> None:
    """What the snapshot holds is what there is."""
    document = build(stage.world.tables, saved_at="T", through_seq=1, history={}, heard=hearing.saved(stage.world))
    stage.world.tables = parse(encode_document(document)).tables
    stage.world.hearings.clear()


def entry(stage: Stage, pane: str, source: str = "osc7501") -> dict[str, Any]:
    return next(one for one in sources.listed(stage.world.instances[pane]) if one["source"] == source)


@pytest.mark.parametrize(
    ("bodies", "state"),
    [
        ([b"state=working"], ("working", "none")),
        ([b"state=blocked:kind=permission"], ("blocked", "permission_required")),
        ([b"state=blocked:kind=permission", b"state=blocked"], ("blocked", "input_required")),
        ([b"state=blocked", b"state=working"], ("working", "none")),
        ([b"state=working", b"state=done"], ("done", "unread")),
        ([b"state=working", b"state=error"], ("failed", "error")),
        ([b"state=working", b"state=idle"], ("idle", "none")),
        ([b"state=done", b"state=idle"], ("done", "unread")),
        ([b"state=blocked", b"state=done"], ("done", "unread")),
        ([b"state=working", b"state=clear"], ("idle", "none")),
        ([b"state=idle"], ("idle", "none")),
    ],
)
def test_a_program_alone_sets_its_pane(bodies: list[bytes], state: tuple[str, str]) -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, *bodies)
    assert stage.state(pane) == state


def test_the_question_of_a_first_report_outlives_what_a_screen_rule_raised() -> None:
    stage = Stage()
    pane = stage.pane("generic", attention="input_required")
    stage.change(lambda draft, pane: draft.instance(pane).update(screen_raised=True), pane)
    report(stage, pane, b"state=blocked:kind=question")
    assert stage.state(pane) == ("blocked", "input_required")


def test_the_same_state_is_no_new_change_but_its_words_are_heard() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=blocked:msg=YQ")
    stage.ask("pane.mark_seen", pane_id=pane)
    report(stage, pane, b"state=blocked:msg=Yg")
    assert stage.state(pane) == ("blocked", "none")
    assert stage.world.panes[pane]["last_message"] == "b"


def test_texts_stand_in_no_record_but_the_panes_own_message() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=working:title=c2VjcmV0:msg=c2VjcmV0", b"state=idle:id=a:msg=c2VjcmV0")
    assert "secret" not in repr(stage.world.tables) + repr(stage.events)
    shown = stage.ask("pane.get", pane_id=pane)["pane"]["program_status"]
    moment = "2027-01-15T08:00:00.000Z"
    assert shown == {"id": "", "state": "working", "title": "secret", "msg": "secret", "at": moment, "records": 2}


def test_progress_is_shown_before_that_of_other_sequences() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=working:progress=40")
    assert stage.world.panes[pane]["progress"] == {
        "kind": "percent",
        "value": 40,
        "state": "normal",
        "source": "osc7501",
    }
    report(stage, pane, b"state=working")
    assert stage.world.panes[pane]["progress"]["value"] is None
    report(stage, pane, b"state=done")
    assert "progress" not in stage.world.panes[pane]


def test_a_result_ends_a_workers_turn_and_an_interrupt_parks_it() -> None:
    for body, reason in ((b"state=done", "turn_ended_without_report"), (b"state=idle", "turn_interrupted")):
        stage = Stage()
        pane = stage.pane("generic")
        task = stage.task(pane)
        report(stage, pane, b"state=working", body)
        assert stage.world.tasks[task]["status_reason"]["reason"] == reason


def hooked(lifecycle: str = "working", agent: str = "claude") -> tuple[Stage, str]:
    stage = Stage()
    pane = stage.pane(agent)
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s"}, agent=agent)
    if lifecycle == "blocked":
        stage.hook(pane, "PermissionRequest", {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "x"}})
    return stage, pane


def test_under_a_hook_a_report_is_recorded_and_not_applied() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=blocked:kind=permission:app=cc")
    assert stage.state(pane) == ("working", "none")
    assert entry(stage, pane) == {
        "source": "osc7501",
        "value": "blocked:permission cc",
        "at": "2027-01-15T08:00:00.000Z",
        "decides": False,
        "holds": False,
        "applied": False,
    }


def test_under_a_hook_an_interrupt_is_believed_at_once() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working")
    before = len(stage.events)
    report(stage, pane, b"state=idle")
    assert (stage.state(pane), stage.told(before)) == (("idle", "none"), ["agent.idle"])
    assert (entry(stage, pane)["decides"], "applied" in entry(stage, pane)) == (True, False)


@pytest.mark.parametrize(
    ("after", "state"), [(b"state=working", "working"), (b"state=idle", "idle"), (b"state=clear", "idle")]
)
def test_under_a_hook_the_end_of_a_question_is_believed(after: bytes, state: str) -> None:
    stage, pane = hooked("blocked")
    report(stage, pane, b"state=blocked:kind=permission")
    assert "pending_decision" in stage.world.panes[pane]
    before = len(stage.events)
    report(stage, pane, after)
    assert stage.state(pane) == (state, "none")
    assert stage.told(before) == [f"agent.{state}", "decision.cleared", "attention.cleared"]
    assert "pending_decision" not in stage.world.panes[pane]


@pytest.mark.parametrize("asks", [False, True])
def test_late_tools_do_not_open_a_turn_that_the_program_says_has_stopped(asks: bool) -> None:
    stage, pane = hooked("blocked" if asks else "working")
    report(stage, pane, b"state=blocked:kind=permission" if asks else b"state=working", b"state=idle")
    stage.hook(pane, "PostToolUse", {"session_id": "s", "tool_name": "Bash"})
    stage.at += 1.9
    stage.hook(pane, "PreToolUse", {"session_id": "s", "tool_name": "Read", "tool_use_id": "1"})
    assert stage.state(pane) == ("idle", "none")
    stage.at += 0.1
    stage.hook(pane, "PreToolUse", {"session_id": "s", "tool_name": "Read", "tool_use_id": "2"})
    assert stage.state(pane) == ("working", "none")


def test_an_end_of_turn_counts_after_a_stop_that_no_hook_told_of() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working", b"state=idle")
    stage.hook(pane, "Stop", {"session_id": "s"})
    assert stage.state(pane) == ("done", "unread")


def test_a_question_asked_anew_is_not_ended_by_an_older_one() -> None:
    stage, pane = hooked("blocked")
    report(stage, pane, b"state=blocked:kind=permission")
    stage.change(sources.note_question, pane)
    report(stage, pane, b"state=working")
    assert stage.state(pane) == ("blocked", "permission_required")


def test_under_status_signals_a_report_may_do_nothing() -> None:
    stage, pane = hooked()
    stage.change(sources.hold, pane, "zerostack")
    report(stage, pane, b"state=working", b"state=idle", b"state=done")
    assert stage.state(pane) == ("working", "none")
    assert hearing.of(stage.world, pane).program.due is None


def settle(stage: Stage, pane: str) -> None:
    due = hearing.of(stage.world, pane).program.due
    assert due is not None
    stage.at += 2
    stage.change(program_status.settle, pane, due)


def test_a_lost_end_is_made_up_for_after_two_silent_seconds() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working", b"state=done:msg=b2s")
    assert entry(stage, pane)["applied"] is False
    settle(stage, pane)
    assert (stage.state(pane), stage.world.panes[pane]["last_message"]) == (("done", "unread"), "ok")
    assert (entry(stage, pane)["decides"], "applied" in entry(stage, pane)) == (True, False)


def test_any_word_of_the_hook_in_between_settles_it() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working", b"state=done")
    stage.hook(pane, "PreToolUse", {"session_id": "s", "tool_name": "Read", "tool_use_id": "t"})
    settle(stage, pane)
    assert stage.state(pane) == ("working", "none")


def test_a_question_no_hook_tells_of_is_believed_after_two_seconds() -> None:
    """Codex in its plan mode asks like this, and the hook of its prompt may come later than the question."""
    stage, pane = hooked(agent="codex")
    report(stage, pane, b"state=working", b"state=blocked:kind=question:msg=UmVkPw")
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s"}, agent="codex")
    assert (stage.state(pane), entry(stage, pane)["applied"]) == (("working", "none"), False)
    settle(stage, pane)
    assert (stage.state(pane), stage.world.panes[pane]["last_message"]) == (("blocked", "input_required"), "Red?")
    report(stage, pane, b"state=working")
    assert stage.state(pane) == ("working", "none")


def test_a_question_that_was_answered_at_once_was_none() -> None:
    stage, pane = hooked(agent="codex")
    report(stage, pane, b"state=blocked:kind=question")
    due = hearing.of(stage.world, pane).program.due
    assert due is not None
    report(stage, pane, b"state=working")
    stage.change(program_status.settle, pane, due)
    assert stage.state(pane) == ("working", "none")
    report(stage, pane, b"state=blocked:kind=permission")
    assert hearing.of(stage.world, pane).program.due is None


def test_the_questions_of_other_agents_are_told_by_their_hooks() -> None:
    """Terminal-status §9.2: its table has no such row."""
    stage, pane = hooked()
    report(stage, pane, b"state=working", b"state=blocked:kind=question")
    assert hearing.of(stage.world, pane).program.due is None
    assert stage.state(pane) == ("working", "none")


def test_a_result_that_was_taken_back_proves_nothing() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working", b"state=done")
    due = hearing.of(stage.world, pane).program.due
    assert due is not None
    report(stage, pane, b"state=working")
    stage.at += 2
    stage.change(program_status.settle, pane, due)
    assert stage.state(pane) == ("working", "none")


def test_a_summary_that_stands_is_not_applied_when_the_hook_lets_go() -> None:
    stage, pane = hooked()
    report(stage, pane, b"state=working")
    stage.hook(pane, "Stop", {"session_id": "s"})
    stage.hook(pane, "SessionEnd", {"session_id": "s"})
    report(stage, pane, b"state=working")
    assert stage.state(pane)[0] == "done"
    report(stage, pane, b"state=blocked")
    assert stage.state(pane)[0] == "blocked"


def test_a_reader_takes_nothing_away() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=blocked", b"state=done:id=a", b"state=error:id=b")
    stage.ask("pane.mark_seen", pane_id=pane)
    assert [record["id"] for record in program_status.views(stage.world, pane)] == ["", "b", "a"]
    assert stage.state(pane) == ("blocked", "none")


def test_the_end_of_the_child_ends_it_all() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=working:progress=3")
    stage.change(speech.end_child, pane, 3, None)
    assert (stage.state(pane), program_status.views(stage.world, pane)) == (("failed", "unread"), [])
    assert [
        (one["source"], one["value"], one["decides"], one.get("holds"))
        for one in sources.listed(stage.world.instances[pane])
    ] == [
        ("exit", "3", True, True),
        ("osc7501", "working 3%", False, False),
    ]
    report(stage, pane, b"state=blocked")
    assert program_status.views(stage.world, pane) == []


def test_a_later_server_knows_every_record_from_the_snapshot() -> None:
    """persistence §3: the records of terminal-status §3.3, texts and order among them."""
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=working:app=make:progress=5", b"state=blocked:kind=permission:msg=YQ:title=Yg:id=a")
    before = program_status.views(stage.world, pane)
    assert [one["id"] for one in before] == ["a", ""]
    assert (before[0]["msg"], before[0]["app"]) == ("a", "make")
    be_restarted(stage)
    assert program_status.views(stage.world, pane) == before
    assert hearing.of(stage.world, pane).program.groups() == {GROUP}
    report(stage, pane, b"state=working:id=a")
    assert stage.state(pane) == ("working", "none")
    report(stage, pane, b"state=clear:id=a")
    assert [one["id"] for one in program_status.views(stage.world, pane)] == [""]


def test_a_lost_end_that_was_being_waited_for_is_waited_for_again() -> None:
    stage = Stage()
    pane = stage.pane("claude")
    stage.change(lifecycle.set_lifecycle, pane, "working")
    stage.change(sources.speak, pane, "hook", "UserPromptSubmit", holds=True)
    report(stage, pane, b"state=working", b"state=done")
    due = hearing.of(stage.world, pane).program.due
    assert due is not None
    due["awaited"] = True
    be_restarted(stage)
    due = hearing.of(stage.world, pane).program.due
    assert due == {"heard": 1, "awaited": False}
    stage.change(program_status.settle, pane, due)
    assert stage.state(pane) == ("done", "unread")


def test_a_decision_that_waits_is_no_reason_to_ask_less() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=blocked")
    stage.change(decisions.set_decision, pane, {"id": "d", "prompt": "?", "options": [], "answerable": False})
    report(stage, pane, b"state=working")
    assert stage.state(pane) == ("working", "input_required")


def test_a_reporter_is_known_while_it_has_a_record() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    report(stage, pane, b"state=done", group=CHILD_PID)
    known = [hearing.of(stage.world, pane).program.has_reporter(group) for group in (CHILD_PID, GROUP)]
    report(stage, pane, b"state=clear", group=CHILD_PID)
    assert [*known, hearing.of(stage.world, pane).program.has_reporter(CHILD_PID)] == [True, False, False]
