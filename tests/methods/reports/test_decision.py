"""decision.answer: the order of checks, the two channels, exactly one winner."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, Forbidden, IoError, NoSuchDecision, NoSuchPane, PaneExited, TimedOut
from signaltty_core.state.decisions import set_decision
from signaltty_core.state.effects import Synced, WriteInput
from signaltty_core.state.lifecycle import end_child, set_lifecycle
from tests.fake import CHILD_PID, FakeCaller, Stage, native
from tests.play import Play

QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": f"o{n}", "label": f"Option {n}"} for n in range(12)]}


def asked(kind: str = "codex", **stage_options: Any) -> tuple[Stage, str]:
    """A pane blocked by a caller's decision."""
    stage = Stage(**stage_options)
    pane = stage.pane(kind)
    ask(stage, pane, QUESTION)
    return stage, pane


def ask(stage: Stage, pane: str, decision: dict[str, Any]) -> None:
    payload = {"notification_type": "permission_prompt"}
    stage.ask("hook-event", agent="claude", event="Notification", pane_id=pane, payload=payload, decision=decision)


def answer(stage: Stage, pane: str, option: str = "o0", decision: str = "d1", caller: FakeCaller | None = None) -> Play:
    return stage.play("decision.answer", caller=caller, pane_id=pane, decision_id=decision, option_id=option)


def test_an_answer_is_typed_by_number_and_the_pane_works_on() -> None:
    """Edge case 36, without the terminal."""
    stage, pane = asked()
    since = len(stage.events)
    typing = answer(stage, pane).expect(Synced())
    assert stage.state(pane) == ("blocked", "none")
    typing.reply().expect(WriteInput(pane, b"1\r", 5.0)).reply(2)
    assert typing.ended() == {"answered": True, "lifecycle": "working", "attention": "none"}
    assert [(event, payload) for _, event, payload in stage.events[since:]] == [
        ("decision.answered", {"pane_id": pane, "decision_id": "d1", "option_id": "o0"}),
        ("attention.cleared", {"pane_id": pane, "reason": "decision_answer"}),
        ("agent.working", {"pane_id": pane, "lifecycle": "working", "prev": "blocked"}),
    ]
    assert stage.world.instances[pane]["decided_by"] == "answer"
    with pytest.raises(NoSuchDecision):
        answer(stage, pane).ended()


def test_a_later_option_is_typed_in_decimal() -> None:
    stage, pane = asked()
    answer(stage, pane, "o11").reply().expect(WriteInput(pane, b"12\r", 5.0))


def test_a_replaced_decision_can_no_longer_be_answered() -> None:
    """Edge case 37."""
    stage, pane = asked()
    ask(stage, pane, {**QUESTION, "id": "d2"})
    with pytest.raises(NoSuchDecision):
        answer(stage, pane).ended()
    answer(stage, pane, decision="d2").expect(Synced())


def test_an_unknown_option_leaves_the_decision_and_the_child_s_end_clears_it() -> None:
    """Edge case 39."""
    stage, pane = asked()
    with pytest.raises(BadParams, match="option_id"):
        answer(stage, pane, "nope").ended()
    assert stage.world.panes[pane]["pending_decision"]["id"] == "d1"
    stage.change(end_child, pane, None, "TERM")
    cleared = [payload for _, event, payload in stage.events if event == "decision.cleared"]
    assert cleared == [{"pane_id": pane, "decision_id": "d1", "reason": "pane_exited"}]
    with pytest.raises(PaneExited):
        answer(stage, pane).ended()


def test_a_kind_without_channel_is_refused_and_keeps_its_decision() -> None:
    """Edge case 40."""
    stage, pane = asked("gemini")
    with pytest.raises(BadParams, match="no answer channel"):
        answer(stage, pane).ended()
    assert stage.world.panes[pane]["pending_decision"]["answerable"] is False


def test_an_unknown_pane_comes_first() -> None:
    stage, _ = asked()
    with pytest.raises(NoSuchPane):
        answer(stage, "pane_none").ended()


@pytest.mark.parametrize("steps", [0, 1, 64])
def test_a_pane_does_not_answer_itself(steps: int) -> None:
    stage, pane = asked()
    pids = [*range(9000, 9000 + steps), CHILD_PID]
    stage.machine.parents = dict(pairwise(pids))
    with pytest.raises(Forbidden):
        answer(stage, pane, caller=FakeCaller(pid=pids[0])).ended()
    assert "pending_decision" in stage.world.panes[pane]


def test_beyond_64_steps_a_process_counts_as_outside() -> None:
    stage, pane = asked()
    pids = [*range(9000, 9065), CHILD_PID]
    stage.machine.parents = dict(pairwise(pids))
    answer(stage, pane, caller=FakeCaller(pid=9000)).expect(Synced())


def test_a_server_that_allows_it_lets_a_pane_answer_itself() -> None:
    stage, pane = asked(allow_self_approval=True)
    answer(stage, pane, caller=FakeCaller(pid=CHILD_PID)).expect(Synced())


def test_a_caller_without_a_known_process_may_answer() -> None:
    stage, pane = asked()
    answer(stage, pane, caller=FakeCaller(pid=None)).expect(Synced())


def test_of_two_answers_at_once_exactly_one_counts() -> None:
    """Edge case 116."""
    stage = Stage()
    pane = stage.pane("codex")
    for round in range(100):
        ask(stage, pane, {**QUESTION, "id": f"d{round}"})
        first, second = (answer(stage, pane, option, f"d{round}") for option in ("o0", "o1"))
        assert isinstance(second.error, NoSuchDecision)
        first.reply().reply(2).ended()
    answers = [payload["decision_id"] for _, event, payload in stage.events if event == "decision.answered"]
    assert answers == [f"d{round}" for round in range(100)]


def test_of_two_answers_to_a_waiter_exactly_one_counts() -> None:
    """Edge case 116, the other channel."""
    stage = Stage()
    pane = stage.pane()
    payload = {"session_id": "s1", "tool_name": "Bash", "tool_input": {}}
    for _ in range(100):
        waiting = stage.play(
            "hook-event",
            agent="claude",
            event="PermissionRequest",
            pane_id=pane,
            payload=payload,
            wait_for_answer=True,
        )
        decision = stage.world.panes[pane]["pending_decision"]["id"]
        assert answer(stage, pane, "once", decision).ended()["answered"] is True
        assert isinstance(answer(stage, pane, "deny", decision).error, NoSuchDecision)
        assert waiting.look().ended()["native_verdict"]["hookSpecificOutput"]["decision"] == {"behavior": "allow"}
    assert stage.told().count("decision.answered") == 100


def test_a_generated_decision_without_waiter_has_nobody_to_answer_to() -> None:
    stage = Stage()
    pane = stage.pane()
    payload = {"session_id": "s1", "tool_name": "Bash", "tool_input": {}}
    stage.ask("hook-event", agent="claude", event="PermissionRequest", pane_id=pane, payload=payload)
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    with pytest.raises(BadParams, match="option_id"):
        answer(stage, pane, "nope", decision).ended()
    with pytest.raises(NoSuchDecision):
        answer(stage, pane, "once", decision).ended()
    assert "pending_decision" in stage.world.panes[pane]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (PaneExited("gone", written_bytes=0), PaneExited),
        (IoError("odd", written_bytes=None), IoError),
        (TimedOut("stalled", written_bytes=1), IoError),
    ],
)
def test_typing_that_fails_leaves_the_pane_blocked(fault: Exception, expected: type[Exception]) -> None:
    stage, pane = asked()
    typing = answer(stage, pane).reply().fail(fault)
    assert type(typing.error) is expected
    assert typing.error.details == fault.details  # type: ignore[attr-defined]
    assert stage.events[-1][1:] == (
        "decision.cleared",
        {"pane_id": pane, "decision_id": "d1", "reason": "pane_exited"},
    )
    assert stage.state(pane)[0] == "blocked"


def test_a_pane_that_asks_anew_meanwhile_stays_blocked() -> None:
    stage, pane = asked()
    typing = answer(stage, pane).reply()
    ask(stage, pane, {**QUESTION, "id": "d2"})
    assert typing.reply(2).ended() == {"answered": True, "lifecycle": "blocked", "attention": "permission_required"}


def test_a_pane_that_ended_meanwhile_stays_ended() -> None:
    stage, pane = asked()
    typing = answer(stage, pane).reply()
    stage.change(end_child, pane, 0, None)
    assert typing.reply(2).ended() == {"answered": True, "lifecycle": "exited", "attention": "unread"}


def test_a_pane_closed_meanwhile_has_no_state_to_tell() -> None:
    stage, pane = asked()
    typing = answer(stage, pane).reply()
    draft = stage.draft()
    draft.remove(pane)
    stage.commit(draft)
    assert typing.reply(2).ended() == {"answered": True}


def test_a_waiter_answers_for_the_kind_it_was_opened_for_only() -> None:
    stage = Stage()
    pane = stage.pane()
    waiting = stage.play(
        "hook-event", agent="claude", event="PermissionRequest", pane_id=pane, payload=native(), wait_for_answer=True
    )
    draft = stage.draft()
    draft.pane(pane)["agent"] = {"kind": "goose", "agent_session_id": "s1"}
    stage.commit(draft)
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    assert isinstance(answer(stage, pane, "once", decision).error, NoSuchDecision)
    assert waiting.look().ended() == {"accepted": True, "native_verdict": None, "cancelled": "moved_on"}
    assert stage.events[-1][2]["reason"] == "native_cancelled"


def test_a_pane_that_was_not_blocked_keeps_its_lifecycle() -> None:
    stage = Stage()
    pane = stage.pane("codex")
    stage.change(set_lifecycle, pane, "done")
    stage.ask("hook-event", agent="codex", event="Odd", pane_id=pane, decision=QUESTION)
    assert answer(stage, pane).reply().reply(2).ended()["lifecycle"] == "done"


def test_an_answer_lets_the_worker_s_task_go_on() -> None:
    stage = Stage()
    pane = stage.pane("codex")
    task = stage.task(pane, agent="codex", state="input_required", status_reason={"reason": "decision_required"})
    draft = stage.draft()
    decision = {**QUESTION, "answerable": True, "received_at": "2027-01-15T08:00:00.000Z"}
    set_decision(draft, pane, decision)
    stage.commit(draft)
    answer(stage, pane).reply().reply(2).ended()
    assert stage.world.tasks[task]["state"] == "working"
    assert "status_reason" not in stage.world.tasks[task]


@pytest.mark.parametrize("wrong", [{"pane_id": 1}, {"decision_id": None}, {"option_id": []}])
def test_wrong_types_name_the_faulty_field(wrong: dict[str, Any]) -> None:
    stage, pane = asked()
    with pytest.raises(BadParams, match=f"^{next(iter(wrong))}"):
        stage.ask("decision.answer", **{"pane_id": pane, "decision_id": "d1", "option_id": "o0", **wrong})


def typing(stage: Stage, pane: str) -> Play:
    """An answer whose bytes are on their way."""
    return answer(stage, pane).reply().expect(WriteInput(pane, b"1\r", 5.0))


def test_a_pane_that_asks_anew_while_an_answer_is_typed_stays_blocked() -> None:
    stage, pane = asked()
    play = typing(stage, pane)
    stage.change(set_decision, pane, {**QUESTION, "id": "d2", "answerable": True})
    assert play.reply(2).ended() == {"answered": True, "lifecycle": "blocked", "attention": "none"}


def test_an_answer_does_not_move_the_process_that_came_meanwhile() -> None:
    stage, pane = asked()
    play = typing(stage, pane)
    stage.change(lambda draft: draft.instance(pane).update(process_instance="proc_other"))
    assert play.reply(2).ended() == {"answered": True, "lifecycle": "blocked", "attention": "none"}


def test_after_an_answer_no_tool_is_asked_about() -> None:
    stage, pane = asked()
    stage.hook(pane, "PermissionRequest", {"tool_name": "Bash", "tool_input": {}}, agent="codex")
    assert stage.world.instances[pane]["asked"]["tool_name"] == "Bash"
    typing(stage, pane).reply(2).ended()
    assert "asked" not in stage.world.instances[pane]
