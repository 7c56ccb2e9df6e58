"""Release rules act only where nobody contradicts them (terminal-status §9.4)."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.state import decisions, release, sources
from tests.fake import START, Stage


def asked(stage: Stage, pane: str, **given: Any) -> bool:
    facts: dict[str, Any] = {"says": "idle", "beside": (), "shown_s": 1.0, "at": stage.at, "waited_for": False}
    pane_record, instance = stage.world.panes[pane], stage.world.instances[pane]
    return release.may_release(pane_record, instance, **{**facts, **given})


def held(lifecycle: str = "working") -> tuple[Stage, str]:
    stage = Stage()
    pane = stage.pane("codex", lifecycle=lifecycle)
    stage.change(sources.speak, pane, "hook", "codex:x", holds=True)
    stage.at = START + 2
    return stage, pane


@pytest.mark.parametrize(
    ("given", "acts"),
    [
        ({}, True),
        ({"shown_s": 0.9}, False),
        ({"at": START + 1.9}, False),
        ({"beside": ("blocked",)}, False),
        ({"beside": ("hold",)}, False),
        ({"beside": ("working",)}, False),
        ({"beside": ("idle",)}, True),
        ({"waited_for": True}, False),
        ({"says": "working"}, False),
        ({"says": "done"}, False),
    ],
)
def test_idle_beside_a_working_pane(given: dict[str, Any], acts: bool) -> None:
    stage, pane = held()
    assert asked(stage, pane, **given) is acts


def test_working_ends_a_question_also_beside_other_work() -> None:
    stage, pane = held("blocked")
    assert asked(stage, pane, says="working", beside=("working",)) is True
    assert asked(stage, pane, says="working", beside=("blocked",)) is False


def test_a_better_witness_silences_it() -> None:
    stage, pane = held()
    stage.change(sources.hold, pane, "zerostack")
    assert asked(stage, pane) is False
    for state, acts in (("working", False), ("blocked", False), ("idle", True)):
        stage, pane = held()
        stage.change(lambda draft, pane, state: draft.instance(pane).update(program={"state": state}), pane, state)
        assert asked(stage, pane) is acts


def test_without_a_hook_there_is_nothing_to_release() -> None:
    stage = Stage()
    assert asked(stage, stage.pane("codex", lifecycle="working")) is False


def test_a_release_ends_the_question_and_raises_nothing() -> None:
    stage, pane = held("blocked")
    question = {"id": "d", "prompt": "?", "options": [], "answerable": True}
    stage.change(decisions.set_decision, pane, question)
    before = len(stage.events)
    stage.change(release.release, pane, "idle")
    assert (stage.state(pane), stage.told(before)) == (("idle", "none"), ["agent.idle", "decision.cleared"])
    assert stage.world.instances[pane]["decided_by"] == "screen"
