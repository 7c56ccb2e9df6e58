"""agent-event: the token decides, faults change nothing, what is accepted shows on the pane."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, Forbidden, NoSuchPane, ProtocolError
from signaltty_core.state.environment import pane_token
from signaltty_core.state.lifecycle import end_child
from tests.fake import Stage

Record = dict[str, Any]


def token(pane: str) -> str:
    return pane_token(b"", pane)


def send(stage: Stage, pane: str, event: str, **more: Any) -> Any:
    sent_ms = more.pop("sent_ms", None)
    payload = {"version": 1, "event": event, **more}
    return stage.ask("agent-event", token=token(pane), payload=payload, pane_id=pane, sent_ms=sent_ms)


def hook(stage: Stage, pane: str, adapter: str, payload: Any = None, **more: Any) -> Any:
    return stage.ask("agent-event", token=token(pane), adapter=adapter, payload=payload, **more)


def test_an_accepted_event_tells_session_and_pane() -> None:
    stage = Stage()
    pane = stage.pane("generic", argv=["/usr/bin/my-tool"])
    told = send(
        stage, pane, "agent.running", session={"id": "s"}, state={"text": "Editing"}, agent={"name": "my-agent"}
    )
    view = told.pop("session")
    assert told == {
        "accepted": True,
        "applied": True,
        "pane_id": pane,
        "session_id": "s",
        "phase": "running",
        "lifecycle": "working",
        "attention": "none",
    }
    assert view == {
        "pane_id": pane,
        "id": "s",
        "synthetic": False,
        "name": "my-agent",
        "phase": "running",
        "held": False,
        "text": "Editing",
        "label": "Editing",
        "shown": True,
        "since": "2027-01-15T08:00:00.000Z",
        "updated_at": "2027-01-15T08:00:00.000Z",
    }
    assert stage.ask("pane.get", pane_id=pane)["pane"]["agent_status"] == view
    assert "agent_status" not in stage.world.panes[pane]
    assert stage.told() == ["agent.working", "pane.updated"]
    assert stage.events[1][2]["agent_status"] == view
    assert stage.world.instances[pane]["sources"]["agent-event"]["value"] == "running my-agent/s"


def test_the_token_alone_finds_the_pane() -> None:
    stage = Stage()
    first, second = stage.pane("generic"), stage.pane("generic")
    payload = {"version": 1, "event": "agent.running"}
    assert stage.ask("agent-event", token=token(second), payload=payload)["pane_id"] == second
    for given, pane in (("", None), ("bogus", None), ("ü", first), (token(first), second), (token(first)[:-1], first)):
        with pytest.raises(Forbidden) as caught:
            stage.ask("agent-event", token=given, pane_id=pane, payload={"version": 9})
        assert caught.value.details == {"reason": "token"}
    with pytest.raises(NoSuchPane):
        stage.ask("agent-event", token=token("pane_gone"), pane_id="pane_gone", payload=payload)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({}, "params"),
        ({"payload": [1]}, "params"),
        *(({"payload": {"version": 1}, name: []}, "params") for name in ("adapter", "name", "sent_ms", "agent_pid")),
        ({"payload": {"version": 1}, "pane_id": 7}, "params"),
        ({"payload": {"version": 1}}, "missing_event"),
        ({"adapter": "nope", "payload": {}}, "unknown_adapter"),
    ],
)
def test_a_fault_changes_nothing(params: Record, reason: str) -> None:
    stage = Stage()
    pane = stage.pane("generic")
    before = dict(stage.world.instances[pane])
    with pytest.raises(BadParams) as caught:
        stage.ask("agent-event", token=token(pane), **params)
    assert caught.value.details["reason"] == reason
    assert (stage.told(), stage.world.instances[pane]) == ([], before)


def test_the_token_is_checked_before_the_other_parameters() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    for wrong in ({"adapter": 5}, {"payload": 3}, {"pane_id": 7}, {"sent_ms": "soon"}):
        with pytest.raises(Forbidden):
            stage.ask("agent-event", token="bogus", **wrong)
    with pytest.raises(NoSuchPane):
        stage.ask("agent-event", token=token("pane_gone"), pane_id="pane_gone", adapter=5)
    with pytest.raises(BadParams) as caught:
        stage.ask("agent-event", token=5, pane_id=pane)
    assert caught.value.details == {"path": "token", "reason": "params"}


def test_no_reply_and_no_record_holds_the_token() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    shown = repr(send(stage, pane, "agent.running"))
    try:
        stage.ask("agent-event", token=token(pane)[:-1], payload={"version": 1, "event": "agent.idle"})
    except ProtocolError as fault:
        shown += repr(fault.as_wire())
    assert token(pane)[:-1] not in shown + repr(stage.world.tables) + repr(stage.events)


def test_a_pane_whose_child_has_ended_takes_nothing() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    stage.change(end_child, pane, 0, None)
    before = len(stage.events)
    told = send(stage, pane, "agent.needs-input")
    assert (told["applied"], told["reason"], told["session"], told["phase"]) == (False, "pane_exited", None, None)
    assert stage.told(before) == []


def test_a_counter_becomes_the_panes_progress_and_goes_with_its_session() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    send(stage, pane, "agent.running", session={"id": "s"}, progress={"done": 2, "total": 5})
    assert stage.world.panes[pane]["progress"] == {"kind": "count", "done": 2, "total": 5, "source": "agent-event"}
    send(stage, pane, "session.end", session={"id": "s"})
    assert "progress" not in stage.world.panes[pane]
    assert stage.world.instances[pane]["holds"] == []


def test_a_known_name_promotes_a_generic_pane_and_no_other() -> None:
    stage = Stage()
    generic, claude = stage.pane("generic"), stage.pane("claude")
    send(stage, generic, "agent.running", agent={"name": "openai codex"}, session={"id": "s"})
    send(stage, claude, "agent.running", agent={"name": "codex"})
    assert stage.world.panes[generic]["agent"] == {"kind": "codex"}
    assert stage.world.panes[claude]["agent"] == {"kind": "claude"}


def test_an_adapter_records_the_agents_own_session_but_not_a_sub_agents() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    hook(
        stage, pane, "claude", {"hook_event_name": "PreToolUse", "session_id": "sub", "agent_id": "a", "tool_name": "X"}
    )
    assert "agent_session_id" not in stage.world.panes[pane]["agent"]
    told = hook(stage, pane, "claude", {"hook_event_name": "UserPromptSubmit", "session_id": "c1"}, agent_pid=77.0)
    assert (told["session_id"], stage.world.panes[pane]["agent"]["agent_session_id"]) == ("c1", "c1")
    other = stage.pane("generic")
    hook(stage, other, "vibe", {"hook_event_name": "before_tool", "session_id": "v1"})
    assert stage.world.panes[other]["agent"] == {"kind": "generic"}


def test_a_hook_without_meaning_is_ignored_and_one_too_large_counts_by_its_name() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    for payload in (None, {}, [1], {"hook_event_name": "BrandNew"}, {"hook_event_name": "SubagentStop"}):
        told = hook(stage, pane, "claude", payload)
        assert (told["applied"], told["reason"]) == (False, "ignored")
    told = hook(stage, pane, "codex", name="user-prompt-submit", payload_dropped=True)
    assert (told["applied"], told["phase"]) == (True, "running")


def test_the_end_of_a_turn_ends_the_workers_turn() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    task = stage.task(pane)
    send(stage, pane, "agent.running")
    send(stage, pane, "agent.idle", state={"text": "Wrote it"})
    assert stage.world.tasks[task]["status_reason"] == {
        "reason": "turn_ended_without_report",
        "last_message": "Wrote it",
    }


def test_a_look_before_an_answer_finds_the_dead() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    stage.machine.started[70] = 5
    send(stage, pane, "agent.running", session={"id": "s"}, agent={"pid": 70})
    del stage.machine.started[70]
    (view,) = stage.ask("session.list")["sessions"]
    assert (view["phase"], view["label"]) == ("unresolved-stop", "Stopped early")
    assert stage.state(pane) == ("failed", "error")


def test_the_panes_own_child_ends_by_its_exit_only() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    child = stage.world.instances[pane]["pid"]
    stage.machine.started[child] = 5
    send(stage, pane, "agent.running", session={"id": "s"}, agent={"pid": child})
    del stage.machine.started[child]
    assert stage.ask("pane.get", pane_id=pane)["pane"]["lifecycle"] == "working"


def test_a_mistyped_parameter_for_a_pane_that_is_gone_is_about_the_pane() -> None:
    stage = Stage()
    for mistyped in ({"payload_dropped": 7}, {"adapter": []}):
        with pytest.raises(NoSuchPane):
            stage.ask("agent-event", token=token("pane_gone"), pane_id="pane_gone", **mistyped)
