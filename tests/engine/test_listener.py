"""What arrives on status sockets reaches its pane in order, and nothing reaches a wrong one."""

from __future__ import annotations

from tests.engine.stage import Engine


def hear(engine: Engine, pane_id: str | None, number: int, data: bytes, pid: int = 0) -> None:
    sender = {"pid": pid, "start_time": 1} if pid else None
    engine.listener.on_open(pane_id, number, sender)
    engine.listener.on_bytes(number, data)
    engine.listener.on_end(number, "eof")


def state(engine: Engine, pane_id: str) -> tuple[str, str]:
    pane = engine.world.panes[pane_id]
    return pane["lifecycle"], pane["attention"]


def test_a_line_counts_before_its_connection_ends() -> None:
    engine = Engine()
    pane_id = engine.pane("zerostack")
    engine.listener.on_open(pane_id, 1, None)
    engine.listener.on_bytes(1, b"sta")
    engine.listener.on_bytes(1, b"rt\n")
    assert state(engine, pane_id) == ("working", "none")


def test_panes_do_not_wait_for_each_other() -> None:
    engine = Engine()
    first, second = engine.pane("zerostack"), engine.pane("zerostack")
    engine.listener.on_open(first, 1, None)
    hear(engine, second, 2, b"stop\n")
    assert (state(engine, first), state(engine, second)) == (("unknown", "none"), ("done", "unread"))


def test_a_sender_outside_all_panes_changes_nothing_and_is_counted() -> None:
    engine = Engine()
    pane_id = engine.pane("zerostack")
    before = engine.world.seq
    hear(engine, None, 1, b"stop\n")
    assert (state(engine, pane_id), engine.world.seq, engine.listener.unplaced) == (("unknown", "none"), before, 1)


def test_what_a_child_says_before_its_pane_is_published_is_not_lost() -> None:
    engine = Engine()
    engine.machine.expect("pane_0")
    engine.listener.on_open("pane_0", 1, None)
    engine.listener.on_bytes(1, b"start\nblocked:permission\n")
    engine.listener.on_end(1, "eof")
    assert engine.pane("zerostack") == "pane_0"
    engine.machine.on_born = engine.listener.born
    engine.machine.give_up("pane_0")
    assert state(engine, "pane_0") == ("blocked", "permission_required")


def test_what_was_said_for_a_pane_that_never_came_to_be_is_forgotten() -> None:
    engine = Engine()
    engine.machine.on_born = engine.listener.born
    engine.machine.expect("pane_x")
    hear(engine, "pane_x", 1, b"start\n")
    engine.machine.give_up("pane_x")
    hear(engine, "pane_x", 2, b"start\n")
    assert engine.world.panes == {}


def test_a_connection_of_an_earlier_process_counts_for_nothing() -> None:
    engine = Engine()
    pane_id = engine.pane("zerostack")
    engine.listener.on_open(pane_id, 1, None)
    draft = engine.draft()
    draft.instance(pane_id)["process_instance"] = "proc_later"
    engine.ledger.commit(draft)
    engine.listener.on_bytes(1, b"stop\n")
    assert state(engine, pane_id) == ("unknown", "none")
    hear(engine, pane_id, 2, b"start\n")
    assert state(engine, pane_id) == ("working", "none")


def test_a_closed_pane_hears_nothing() -> None:
    engine = Engine()
    pane_id = engine.pane("zerostack")
    engine.listener.on_open(pane_id, 1, None)
    engine.peer().ask("pane.close", pane_id=pane_id)
    engine.listener.on_bytes(1, b"stop\n")
    engine.listener.on_end(1, "eof")
    assert (engine.world.panes, engine.ears.muted) == ({}, [pane_id])


def test_counters_are_explained() -> None:
    engine = Engine()
    pane_id = engine.pane("zerostack")
    hear(engine, pane_id, 1, b"nonsense\n")
    engine.listener.on_open(pane_id, 2, None)
    engine.listener.on_end(2, "deadline")
    (entry,) = engine.peer().ask("pane.explain", pane_id=pane_id)["sources"]
    assert entry == {
        "source": "zerostack",
        "value": "none/none",
        "at": None,
        "decides": False,
        "holds": False,
        "ignored": 1,
        "timed_out": 1,
    }
