"""Decisions: validity, setting, clearing, and the route of generated ones."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.state import decisions
from tests.fake import START, Stage

GIVEN = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A", "extra": 1}], "more": 2}
MADE = {
    "id": "d1",
    "prompt": "Which?",
    "options": [{"id": "a", "label": "A"}],
    "answerable": True,
    "received_at": "2027-01-15T08:00:00.000Z",
}


def test_a_valid_decision_is_kept_without_its_extra_fields() -> None:
    assert decisions.parse(GIVEN, answerable=True, at=START) == MADE


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"id": ""}, "decision.id"),
        ({"id": "\t"}, "decision.id"),
        ({"id": None}, "decision.id"),
        ({"prompt": " "}, "decision.prompt"),
        ({"prompt": 7}, "decision.prompt"),
        ({"options": []}, "decision.options"),
        ({"options": {}}, "decision.options"),
        ({"options": [7]}, "decision.options[0]"),
        ({"options": [{"id": "a", "label": ""}]}, "decision.options[0].label"),
        ({"options": [{"id": "a", "label": "A"}, {"label": "B"}]}, "decision.options[1].id"),
        ({"options": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}, "decision.options"),
    ],
)
def test_a_faulty_decision_is_refused_by_its_path(change: dict[str, Any], path: str) -> None:
    with pytest.raises(BadParams) as refused:
        decisions.parse({**GIVEN, **change}, answerable=True, at=START)
    assert refused.value.details == {"path": path}


def test_a_label_hides_nothing() -> None:
    given = {**GIVEN, "options": [{"id": "\u202ea", "label": "\u202eyned\x1b[8m"}]}
    made = decisions.parse(given, answerable=True, at=START)
    assert made["options"] == [{"id": "\u202ea", "label": "\\u202eyned\\u001b[8m"}]


def test_a_prompt_is_cleaned_and_cut() -> None:
    made = decisions.parse({**GIVEN, "prompt": "\x1b[1m" + "x" * 9000}, answerable=True, at=START)
    assert made["prompt"] == "\\u001b[1m" + "x" * 8162 + "\n… of 9009 characters"


def test_a_new_decision_replaces_the_older_in_one_event() -> None:
    stage = Stage()
    pane = stage.pane()
    newer = {**MADE, "id": "d2"}
    stage.change(decisions.set_decision, pane, MADE)
    stage.change(decisions.set_decision, pane, newer)
    assert [(event, payload) for _, event, payload in stage.events] == [
        ("decision.created", {"pane_id": pane, "decision": MADE, "prev": None}),
        ("decision.created", {"pane_id": pane, "decision": newer, "prev": "d1"}),
    ]
    assert stage.world.panes[pane]["pending_decision"] == newer


def test_clearing_tells_why_and_only_when_there_is_one() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.change(decisions.set_decision, pane, MADE)
    assert stage.change(decisions.clear, pane, "moved_on") is True
    assert stage.change(decisions.clear, pane, "moved_on") is False
    assert stage.events[-1][1:] == ("decision.cleared", {"pane_id": pane, "decision_id": "d1", "reason": "moved_on"})
    assert "pending_decision" not in stage.world.panes[pane]


def test_an_option_is_found_by_its_id() -> None:
    made = {**MADE, "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}
    assert [decisions.option_of(made, id) for id in ("a", "b")] == [0, 1]
    with pytest.raises(BadParams, match="known: a, b"):
        decisions.option_of(made, "c")


def routed(stage: Stage) -> str:
    pane = stage.pane()
    stage.change(decisions.set_decision, pane, MADE)
    stage.change(decisions.set_route, pane, "d1")
    return pane


def test_a_route_holds_as_long_as_kind_session_and_question_are_the_same() -> None:
    stage = Stage()
    pane = routed(stage)
    record, instance = stage.world.panes[pane], stage.world.instances[pane]
    assert decisions.is_routed(record, instance)
    assert decisions.is_generated(instance, "d1") and not decisions.is_generated(instance, "d2")
    assert not decisions.is_routed({**record, "agent": {"kind": "codex"}}, instance)
    assert not decisions.is_routed({**record, "agent": {"kind": "claude", "agent_session_id": "s"}}, instance)
    assert not decisions.is_routed({**record, "pending_decision": {**MADE, "id": "d2"}}, instance)
    stage.change(decisions.set_route, pane, None)
    assert not decisions.is_routed(record, stage.world.instances[pane])


def test_a_question_whose_session_was_replaced_is_cleared_where_a_waiter_holds_it() -> None:
    stage = Stage()
    pane = routed(stage)
    stage.change(decisions.end_route, pane, lambda pane_id, decision_id: True)
    assert "pending_decision" in stage.world.panes[pane]
    draft = stage.draft()
    draft.pane(pane)["agent"] = {"kind": "codex"}
    stage.commit(draft)
    stage.change(decisions.end_route, pane, lambda pane_id, decision_id: False)
    assert "pending_decision" in stage.world.panes[pane]
    stage.change(decisions.end_route, pane, lambda pane_id, decision_id: True)
    assert stage.events[-1][2]["reason"] == "native_cancelled"


def test_a_prompt_hides_nothing_of_what_it_asks() -> None:
    made = decisions.make("d", "Allow Bash?\necho ok \x9d; rm -rf ~; \x9c done", [], answerable=True, at=0.0)
    assert made["prompt"] == "Allow Bash?\necho ok \\u009d; rm -rf ~; \\u009c done"


def test_a_prompt_that_is_cut_says_how_much_is_missing() -> None:
    made = decisions.make("d", "x" * 10_000, [], answerable=True, at=0.0)
    assert made["prompt"] == "x" * 8170 + "\n… of 10000 characters"
    assert len(made["prompt"]) == 8192
