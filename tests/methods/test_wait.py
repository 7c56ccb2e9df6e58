"""wait: parameters and the looks; what matches is tests/state/test_waits.py."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchPane, TimedOut
from signaltty_core.state import lifecycle
from signaltty_core.state.environment import pane_token
from tests.fake import FakeCaller, Stage


def test_a_wait_holds_its_connection_and_looks_at_every_change() -> None:
    stage = Stage()
    pane = stage.pane()
    caller = FakeCaller()
    play = stage.play("wait", caller=caller, pane_id=pane, until=["done", "working"], timeout_s=7)
    assert (caller.held, play.asked.timeout_s, play.asked.every_s) == (True, 7.0, 0.5)
    assert not play.look().over
    stage.change(lifecycle.set_lifecycle, pane, "working")
    assert play.look().ended() == {
        "satisfied": True,
        "outcome": "working",
        "transition_seq": stage.world.seq,
        "lifecycle": "working",
        "attention": "none",
    }


def test_time_runs_out() -> None:
    stage = Stage()
    play = stage.play("wait", pane_id=stage.pane(), until="done")
    assert play.asked.timeout_s == 3600
    with pytest.raises(TimedOut):
        play.time_out().ended()


@pytest.mark.parametrize(
    "params",
    [
        {"until": []},
        {"until": ["done", 7]},
        {"until": "nonsense"},
        {"until": ["done", ""]},
        {"after": True},
        {"after": {}},
        {"after": []},
        {"timeout_s": -0.1},
        {"timeout_s": 604_800.1},
        {"timeout_s": float("nan")},
    ],
)
def test_a_fault_is_found_before_the_connection_is_held(params: dict[str, Any]) -> None:
    """Edge case 45."""
    stage = Stage()
    caller = FakeCaller()
    with pytest.raises(BadParams):
        stage.play("wait", caller=caller, **{"pane_id": stage.pane(), "until": "done", **params}).ended()
    assert not caller.held


def test_the_pane_is_looked_up_by_name_once_and_its_end_is_told() -> None:
    stage = Stage()
    pane = stage.pane(name="worker")
    play = stage.play("wait", pane_id="worker", until="done")
    stage.ask("pane.rename", pane_id=pane)
    assert not play.look().over
    stage.ask("pane.close", pane_id=pane)
    with pytest.raises(NoSuchPane):
        play.look().ended()


def test_a_wait_looks_first_at_what_time_has_made_of_an_agent_that_reports_itself() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    stage.machine.started[77] = 1
    event = {"version": 1, "event": "agent.running", "session": {"id": "s"}, "agent": {"name": "tool", "pid": 77}}
    stage.ask("agent-event", token=pane_token(b"", pane), payload=event)
    assert stage.state(pane)[0] == "working"
    del stage.machine.started[77]
    assert not stage.play("wait", pane_id=pane, until="working").look().over
