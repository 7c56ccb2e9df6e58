"""pane.explain: one entry per source, best rank first, with the one that decides and the one that holds."""

from __future__ import annotations

from typing import Any

from tests.engine.stage import Engine
from tests.engine.test_listener import hear
from tests.fake import CHILD_PID

Record = dict[str, Any]
NOW = "2027-01-15T08:00:00.000Z"


def explain(engine: Engine, pane_id: str) -> Record:
    told: Record = engine.peer().ask("pane.explain", pane_id=pane_id)
    return told


def test_a_silent_pane_has_no_sources() -> None:
    engine = Engine()
    told = explain(engine, engine.pane())
    shown = {key: told[key] for key in ("live", "hooked", "sources", "program_status", "dropped_notifications")}
    assert shown == {"live": True, "hooked": False, "sources": [], "program_status": [], "dropped_notifications": 0}


def test_every_source_is_told_in_the_order_of_its_rank() -> None:
    engine = Engine()
    pane_id = engine.pane("claude")
    engine.ingest.on_output(pane_id, b"\x1b]9;4;3\x07\x1b]7501;state=working:progress=7:app=cc\x07")
    hear(engine, pane_id, 1, b"start\n")
    payload = {"session_id": "s"}
    engine.peer().ask("hook-event", agent="claude", event="UserPromptSubmit", pane_id=pane_id, payload=payload)
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=done\x07")
    told = explain(engine, pane_id)
    assert told["hooked"] is True
    assert told["sources"] == [
        {"source": "hook", "value": "claude:UserPromptSubmit", "at": NOW, "decides": False, "holds": True},
        {"source": "zerostack", "value": "active/none", "at": NOW, "decides": False, "holds": False},
        {"source": "osc7501", "value": "done", "at": NOW, "decides": True, "holds": False, "applied": False},
        {"source": "osc9_4", "value": "indeterminate", "at": NOW, "decides": False},
    ]
    assert told["program_status"] == [{"id": "", "state": "done", "at": NOW}]


def test_a_repeated_report_moves_its_time_without_a_change() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=working\x07")
    before = engine.world.seq
    engine.advance(1)
    engine.ingest.on_output(pane_id, b"\x1b]7501;state=working\x07")
    (entry,) = explain(engine, pane_id)["sources"]
    assert (entry["at"], engine.world.seq) == ("2027-01-15T08:00:01.000Z", before)


def test_the_end_of_the_child_decides_for_good() -> None:
    engine = Engine()
    pane_id = engine.pane()
    hear(engine, pane_id, 1, b"start\n")
    engine.ingest.on_exit(pane_id, None, "KILL")
    assert explain(engine, pane_id)["sources"] == [
        {"source": "exit", "value": "KILL", "at": NOW, "decides": True, "holds": True},
        {"source": "zerostack", "value": "active/none", "at": NOW, "decides": False, "holds": False},
    ]


def test_shell_marks_lost_sockets_and_dropped_notifications_are_told() -> None:
    engine = Engine()
    pane_id = engine.pane()
    draft = engine.draft()
    draft.instance(pane_id)["status_socket_fault"] = "no room"
    engine.ledger.commit(draft)
    engine.processes.groups[pane_id] = CHILD_PID
    engine.ingest.on_output(pane_id, b"\x1b]9;x\x07" * 12 + b"\x1b]133;D;3\x07")
    told = explain(engine, pane_id)
    assert (told["dropped_notifications"], told["status_socket_fault"]) == (2, "no room")
    assert told["shell"] == {"mark": "D", "exit_code": 3, "at": NOW}
