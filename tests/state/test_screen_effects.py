"""What a winning screen rule does to a pane no hook speaks for."""

from __future__ import annotations

import pytest

from signaltty_core.state import attention, screen_effects
from tests.fake import Stage

STATES = ("unknown", "working", "blocked", "idle", "done", "failed")


def after(state: str, says: str, level: str = "none", *, raised: bool = False) -> tuple[str, str]:
    stage = Stage()
    pane = stage.pane(lifecycle=state)
    if level != "none":
        stage.change(attention.raise_to, pane, level)
    if raised:
        stage.change(lambda draft: draft.instance(pane).update(screen_raised=True))
    stage.change(screen_effects.apply, pane, "rule", says)
    return stage.state(pane)


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("working", dict.fromkeys(STATES, ("working", "none"))),
        ("blocked", dict.fromkeys(STATES, ("blocked", "input_required"))),
        (
            "idle",
            {
                "unknown": ("idle", "none"),
                "working": ("done", "unread"),
                "blocked": ("idle", "none"),
                "idle": ("idle", "none"),
                "done": ("done", "none"),
                "failed": ("failed", "none"),
            },
        ),
        ("hold", {state: (state, "none") for state in STATES}),
    ],
)
def test_each_word_moves_each_state_as_the_table_has_it(says: str, expected: dict[str, tuple[str, str]]) -> None:
    assert {state: after(state, says) for state in STATES} == expected


@pytest.mark.parametrize("says", ["working", "idle"])
def test_only_a_question_that_a_rule_raised_is_taken_back(says: str) -> None:
    assert after("blocked", says, "input_required", raised=True)[1] == "none"
    assert after("blocked", says, "input_required")[1] == "input_required"
    assert after("blocked", says, "permission_required", raised=True)[1] == "permission_required"


def test_a_question_of_somebody_else_is_not_remembered_as_the_rules_own() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(attention.raise_to, pane, "error")
    stage.change(screen_effects.apply, pane, "rule", "blocked")
    assert (stage.state(pane), stage.world.instances[pane]["screen_raised"]) == (("blocked", "error"), False)


def test_a_rule_that_says_the_same_again_changes_nothing() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(screen_effects.apply, pane, "rule", "working")
    seq, record = stage.world.seq, stage.world.panes[pane]
    stage.at += 5
    stage.change(screen_effects.apply, pane, "rule", "working")
    assert (stage.world.seq, stage.world.panes[pane]) == (seq, record)
    instance = stage.world.instances[pane]
    assert (instance["sources"]["screen"]["value"], instance["decided_by"]) == ("rule", "screen")
