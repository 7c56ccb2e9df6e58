"""Waits and baselines."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.sessions import record
from signaltty_core.base.errors import BadParams, IdentityChanged, NoSuchPane
from signaltty_core.state import records
from signaltty_core.state.attention import clear, raise_to
from signaltty_core.state.lifecycle import end_child, set_lifecycle
from signaltty_core.state.waits import baseline, check, parse_after, parse_until
from tests.fake import Stage


def go(stage: Stage, pane: str, *states: str) -> None:
    for state in states:
        stage.change(set_lifecycle, pane, state)


def test_an_old_done_does_not_satisfy_a_new_wait() -> None:
    """Edge case 42."""
    stage = Stage()
    pane = stage.pane()
    go(stage, pane, "working", "done")
    after = baseline(stage.world, pane)
    assert check(stage.world, pane, ["done"], after) is None
    assert check(stage.world, pane, ["done"], None) == {
        "satisfied": True,
        "outcome": "done",
        "transition_seq": after["lifecycle_seq"],
        "lifecycle": "done",
        "attention": "none",
    }
    go(stage, pane, "working", "done")
    found = check(stage.world, pane, ["done"], after)
    assert found is not None and found["transition_seq"] > after["lifecycle_seq"]


def test_a_state_already_left_again_still_matches_a_baseline() -> None:
    """Edge case 43."""
    stage = Stage()
    pane = stage.pane()
    go(stage, pane, "done")
    after = baseline(stage.world, pane)
    go(stage, pane, "working", "blocked", "working")
    found = check(stage.world, pane, ["done", "blocked"], after)
    assert found is not None and (found["outcome"], found["lifecycle"]) == ("blocked", "working")
    assert check(stage.world, pane, ["blocked"], None) is None


def test_the_first_session_keeps_a_baseline_and_a_replaced_one_ends_it() -> None:
    """Edge case 44."""
    stage = Stage()
    pane = stage.pane()
    unknown = baseline(stage.world, pane)
    stage.change(record, pane, "claude", "s1")
    assert check(stage.world, pane, ["done"], unknown) is None
    known = baseline(stage.world, pane)
    for session in ("s2", "s1"):
        stage.change(record, pane, "claude", session)
        for after in (unknown, known):
            with pytest.raises(IdentityChanged):
                check(stage.world, pane, ["idle"], after)


def test_a_new_process_ends_a_baseline() -> None:
    """Edge case 45, the second half."""
    stage = Stage()
    pane = stage.pane()
    after = baseline(stage.world, pane)
    draft = stage.draft()
    draft.put("instances", records.instance(pane, "proc_new", stage.world.seq, {}))
    stage.commit(draft)
    with pytest.raises(IdentityChanged):
        check(stage.world, pane, ["exited"], after)


@pytest.mark.parametrize("until", [[], ["done", "finished"], "finished", "", [""]])
def test_an_unknown_or_empty_outcome_is_refused(until: Any) -> None:
    """Edge case 45, what the types let through."""
    with pytest.raises(BadParams, match=r"^until"):
        parse_until(until)


def test_every_lifecycle_and_attention_and_the_two_words_for_seen_may_be_waited_for() -> None:
    words = (
        "unknown working blocked done idle failed exited none unread warning input_required permission_required error"
    )
    for word in [*words.split(), "seen", "attention_cleared"]:
        assert parse_until(word) == [word]
    assert parse_until(["done", "seen"]) == ["done", "seen"]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"pane_id": "pane_x"}, "after.pane_id"),
        ({"process_instance": ""}, "after.process_instance"),
        ({"process_instance": None}, "after.process_instance"),
        ({"agent_session_id": 7}, "after.agent_session_id"),
        ({"session_generation": True}, "after.session_generation"),
        ({"lifecycle_seq": -1}, "after.lifecycle_seq"),
        ({"attention_seq": "1"}, "after.attention_seq"),
    ],
)
def test_a_faulty_baseline_is_refused_by_its_path(change: dict[str, Any], path: str) -> None:
    stage = Stage()
    pane = stage.pane()
    with pytest.raises(BadParams) as refused:
        parse_after({**baseline(stage.world, pane), **change}, pane)
    assert refused.value.details == {"path": path}


def test_a_baseline_from_the_future_is_refused_after_its_identity() -> None:
    stage = Stage()
    pane = stage.pane()
    ahead = {**baseline(stage.world, pane), "lifecycle_seq": 99}
    with pytest.raises(BadParams, match="ahead"):
        check(stage.world, pane, ["done"], ahead)
    with pytest.raises(IdentityChanged):
        check(stage.world, pane, ["done"], {**ahead, "process_instance": "proc_x"})
    with pytest.raises(NoSuchPane):
        check(stage.world, "pane_x", ["done"], ahead)


def test_each_axis_is_compared_with_its_own_number() -> None:
    stage = Stage()
    pane = stage.pane()
    go(stage, pane, "done")
    after = baseline(stage.world, pane)
    stage.change(raise_to, pane, "unread")
    assert check(stage.world, pane, ["done"], after) is None
    found = check(stage.world, pane, ["done", "unread"], after)
    assert found is not None and (found["outcome"], found["transition_seq"]) == ("unread", stage.events[-1][0])


@pytest.mark.parametrize("word", ["seen", "attention_cleared", "none"])
def test_seen_is_the_transition_into_none(word: str) -> None:
    stage = Stage()
    pane = stage.pane()
    assert check(stage.world, pane, [word], None) is not None
    stage.change(raise_to, pane, "unread")
    after = baseline(stage.world, pane)
    assert check(stage.world, pane, [word], None) is None
    stage.change(clear, pane, "mark_seen")
    found = check(stage.world, pane, [word], after)
    assert found is not None and found["transition_seq"] == stage.events[-1][0]


def test_an_ended_child_satisfies_exited_though_the_pane_is_done() -> None:
    stage = Stage()
    pane = stage.pane("generic", argv=["true"])
    after = baseline(stage.world, pane)
    stage.change(end_child, pane, 0, None)
    exited = next(number for number, event, _ in stage.events if event == "pane.exited")
    for given in (after, None):
        found = check(stage.world, pane, ["exited"], given)
        assert found is not None and (found["transition_seq"], found["lifecycle"]) == (exited, "done")


def test_the_first_outcome_in_the_caller_s_order_wins() -> None:
    stage = Stage()
    pane = stage.pane()
    go(stage, pane, "blocked")
    stage.change(raise_to, pane, "permission_required")
    for wanted in (["blocked", "permission_required"], ["permission_required", "blocked"]):
        found = check(stage.world, pane, wanted, None)
        assert found is not None and found["outcome"] == wanted[0]


def test_a_state_never_entered_has_number_zero() -> None:
    stage = Stage()
    found = check(stage.world, stage.pane(), ["unknown"], None)
    assert found is not None and found["transition_seq"] == 0
