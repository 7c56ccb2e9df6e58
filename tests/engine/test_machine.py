"""The engine's half of what handlers do to terminals."""

from __future__ import annotations

import base64

from tests.engine.stage import Engine


def test_clearing_is_eleven_bytes_in_the_stream_of_every_viewer() -> None:
    """Edge case 23."""
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"old\r\n" * 40)
    peer = engine.peer()
    offset = peer.ask("pane.attach", pane_id=pane_id)["output_offset"]
    before = peer.ask("pane.read", pane_id=pane_id, mode="rendered")["next_seq"]
    assert peer.ask("pane.clear", pane_id=pane_id) == {}
    (frame,) = peer.heard()[:1] or [None]
    assert frame is None
    peer.say("pane.clear", pane_id=pane_id)
    frames = peer.heard()
    (told,) = [frame["payload"] for frame in frames if frame.get("event") == "pty.data"]
    assert base64.b64decode(told["data_b64"]) == b"\x1b[H\x1b[2J\x1b[3J"
    assert told["output_offset"] == offset + 22
    old = peer.ask("pane.read", pane_id=pane_id, mode="rendered", after_seq=before)
    assert (old["dropped"], old["text"]) == (True, "")
    new = peer.ask("pane.read", pane_id=pane_id, mode="rendered", after_seq=old["next_seq"])
    assert new["dropped"] is False


def test_an_update_held_open_for_too_long_is_shown_to_readers() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    engine.ingest.on_output(pane_id, b"before\x1b[?2026h\r\nafter")
    assert peer.ask("pane.read", pane_id=pane_id)["text"] == "before"
    engine.advance(1.1)
    assert peer.ask("pane.read", pane_id=pane_id)["text"] == "before\nafter"


def test_a_new_child_of_a_pane_has_a_fresh_terminal_and_the_old_viewers() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.ask("pane.attach", pane_id=pane_id)
    engine.ingest.on_output(pane_id, b"first life")
    peer.heard()
    engine.machine.expect(pane_id)
    engine.machine.open_runtime(pane_id, 80, 24)
    engine.ingest.on_output(pane_id, b"second")
    (frame,) = peer.heard()
    assert frame["payload"]["output_offset"] == len(b"first life" + b"second")
    assert peer.ask("pane.read", pane_id=pane_id)["text"] == "second"
    assert engine.machine.unborn == set()


def test_a_restored_pane_shows_its_tail_and_its_old_cursors_are_dropped() -> None:
    """Edge case 153."""
    engine = Engine()
    pane_id = engine.pane()
    engine.host.history[pane_id] = (["one", "two"], None, None)
    peer = engine.peer()
    assert peer.ask("pane.read", pane_id=pane_id)["text"] == "one\ntwo"
    read = peer.ask("pane.read", pane_id=pane_id, mode="rendered", after_seq=5)
    assert read["dropped"] is True


def test_a_closed_pane_leaves_nothing_in_the_queues() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.ask("pane.attach", pane_id=pane_id)
    engine.ingest.on_output(pane_id, b"queued")
    engine.machine.drop(pane_id)
    assert (peer.heard(), engine.panes.every()) == ([], [])


def test_who_looks_counts_as_a_person_unless_it_says_otherwise() -> None:
    engine = Engine()
    pane_id = engine.pane()
    assert not engine.machine.is_watched(pane_id)
    board = engine.peer()
    board.ask("pane.attach", pane_id=pane_id, mark_seen=False)
    assert not engine.machine.is_watched(pane_id)
    person = engine.peer()
    person.ask("pane.attach", pane_id=pane_id)
    assert engine.machine.is_watched(pane_id)
    person.channel.close()
    assert not engine.machine.is_watched(pane_id)
