"""What comes in from panes: shown, streamed, and turned into changes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.stage import Engine, Peer

Record = dict[str, Any]


def attached(engine: Engine, pane_id: str, **params: Any) -> tuple[Peer, Record]:
    peer = engine.peer()
    return peer, peer.ask("pane.attach", pane_id=pane_id, **params)


def data(frames: list[Record]) -> bytes:
    return b"".join(
        base64.b64decode(frame["payload"]["data_b64"]) for frame in frames if frame.get("event") == "pty.data"
    )


def test_output_is_shown_and_counted() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"hello\r\n")
    assert engine.peer().ask("pane.read", pane_id=pane_id) == {"text": "hello", "truncated": False}
    assert engine.panes.get(pane_id).output_offset == 7


def test_output_is_a_sign_of_life_without_a_change() -> None:
    engine = Engine()
    pane_id = engine.pane()
    before = engine.world.seq
    engine.advance(90)
    engine.ingest.on_output(pane_id, b"x")
    shown = engine.peer().ask("pane.get", pane_id=pane_id)["pane"]
    assert (shown["last_activity_at"], engine.world.seq) == ("2027-01-15T08:01:30.000Z", before)


def test_viewers_get_the_raw_bytes_at_continuous_offsets() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"before")
    peer, reply = attached(engine, pane_id)
    assert reply["output_offset"] == 6
    for chunk in (b"\x1b[1mone", b"\xff\x00", b"three"):
        engine.ingest.on_output(pane_id, chunk)
    frames = peer.heard()
    assert data(frames) == b"\x1b[1mone\xff\x00three"
    assert [frame["payload"]["output_offset"] for frame in frames] == [13, 15, 20]


def test_without_viewers_output_takes_no_number() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer, _ = attached(engine, pane_id)
    assert peer.ask("pane.detach", pane_id=pane_id) == {"detached": True}
    before = engine.world.seq
    engine.ingest.on_output(pane_id, b"quiet")
    assert (engine.world.seq, peer.heard()) == (before, [])
    assert peer.ask("pane.detach", pane_id=pane_id) == {"detached": False}


def test_nothing_of_a_pane_follows_the_reply_of_detach() -> None:
    """Edge case 12."""
    engine = Engine()
    pane_id = engine.pane()
    peer, _ = attached(engine, pane_id)
    engine.ingest.on_output(pane_id, b"queued")
    peer.say("pane.detach", "d", pane_id=pane_id)
    engine.ingest.on_output(pane_id, b"later")
    assert [frame.get("id", frame.get("event")) for frame in peer.heard()] == ["d"]


def test_a_second_attach_is_the_same_viewer() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer, _ = attached(engine, pane_id)
    peer.ask("pane.attach", pane_id=pane_id)
    engine.ingest.on_output(pane_id, b"once")
    assert data(peer.heard()) == b"once"
    assert peer.ask("pane.detach", pane_id=pane_id) == {"detached": True}
    assert peer.ask("pane.detach", pane_id=pane_id) == {"detached": False}


def test_a_burst_comes_in_events_of_64_kib() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer, _ = attached(engine, pane_id)
    burst = bytes(range(65, 91)) * 6000
    engine.ingest.on_output(pane_id, burst)
    frames = peer.heard()
    assert [len(base64.b64decode(frame["payload"]["data_b64"])) for frame in frames] == [65536, 65536, 24928]
    assert data(frames) == burst


def test_a_viewer_that_lags_gets_one_snapshot_and_goes_on_from_there() -> None:
    """Edge case 142."""
    engine = Engine()
    pane_id = engine.pane()
    slow, _ = attached(engine, pane_id)
    quick, _ = attached(engine, pane_id)
    seen = b""
    for number in range(60):
        engine.ingest.on_output(pane_id, b"%05d " % number * 5000 + b"\r\n")
        seen += data(quick.heard())
    assert len(seen) == engine.panes.get(pane_id).output_offset
    assert slow.client.outbox.backlog.get(pane_id, 0) <= 1 << 20
    (frame,) = slow.heard()
    assert frame["event"] == "pty.snapshot"
    assert {key: frame["payload"][key] for key in ("pane_id", "output_offset", "size")} == {
        "pane_id": pane_id,
        "output_offset": len(seen),
        "size": {"cols": 80, "rows": 24},
    }
    engine.ingest.on_output(pane_id, b"after")
    (frame,) = slow.heard()
    assert (frame["event"], frame["payload"]["output_offset"]) == ("pty.data", len(seen) + 5)


@settings(max_examples=30)
@given(st.lists(st.one_of(st.integers(1, 400_000), st.just("read")), max_size=20))
def test_whatever_a_viewer_misses_it_always_knows_where_it_is(steps: list[Any]) -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer, reply = attached(engine, pane_id)
    at, last_seq = reply["output_offset"], 0
    for step in [*steps, "read"]:
        if step != "read":
            engine.ingest.on_output(pane_id, b"z" * step)
            continue
        for frame in peer.heard():
            payload = frame["payload"]
            if frame["event"] == "pty.data":
                at += len(base64.b64decode(payload["data_b64"]))
            else:
                at = payload["output_offset"]
            assert (payload["output_offset"], frame["seq"] > last_seq) == (at, True)
            last_seq = frame["seq"]
    assert at == engine.panes.get(pane_id).output_offset


def test_answers_to_queries_go_to_the_program_attached_or_not() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"\x1b[5n\x1b[6n")
    assert engine.host.deeds == [("answer", pane_id, b"\x1b[0n"), ("answer", pane_id, b"\x1b[1;1R")]


def test_bytes_drained_by_the_keeper_are_shown_but_not_answered() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_drained(pane_id, b"\x1b[6nshown\x1b]0;named\x07")
    assert engine.host.deeds == []
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "shown"
    assert engine.world.panes[pane_id]["title"] == "named"


def test_a_title_is_an_update_once() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer = engine.peer()
    peer.ask("subscribe")
    for _ in range(3):
        engine.ingest.on_output(pane_id, b"\x1b]2; build\xc2\x9b ok\x07")
    engine.sync()
    (frame,) = peer.heard()
    assert frame["event"] == "pane.updated"
    assert (frame["payload"]["title"], frame["payload"]["pane"]["title"]) == ("build ok", "build ok")


def test_a_bell_raises_unread_once() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"\x07")
    first = engine.world.seq
    engine.ingest.on_output(pane_id, b"\x07\x07")
    assert (engine.world.panes[pane_id]["attention"], engine.world.seq) == ("unread", first)


def test_a_notification_raises_unread_and_is_the_newest_line() -> None:
    """Edge case 22."""
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"\x1b]777;notify;Build;done-ok\x07")
    pane = engine.world.panes[pane_id]
    assert (pane["attention"], pane["last_message"]) == ("unread", "Build: done-ok")
    (made,) = engine.world.notifications.values()
    assert (made["title"], made["body"], made["source"], made["severity"]) == ("Build", "done-ok", "osc777", "info")


@pytest.mark.parametrize(
    ("sequence", "progress"),
    [
        (b"\x1b]9;4;1;42\x07", {"kind": "percent", "value": 42, "state": "normal", "source": "osc9_4"}),
        (b"\x1b]9;4;2;42\x07", {"kind": "percent", "value": 42, "state": "error", "source": "osc9_4"}),
        (b"\x1b]9;4;3\x07", {"kind": "percent", "value": None, "state": "normal", "source": "osc9_4"}),
        (b"\x1b]9;4;1;42\x07\x1b]9;4;0\x07", None),
    ],
)
def test_progress_is_progress_and_nothing_else(sequence: bytes, progress: Record | None) -> None:
    """Edge case 118."""
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, sequence)
    assert engine.world.panes[pane_id].get("progress") == progress
    assert engine.stage.state(pane_id) == ("unknown", "none")


@pytest.mark.parametrize(
    ("kind", "code", "os_signal", "live", "lifecycle"),
    [
        ("generic", 0, None, {"state": "exited", "code": 0}, "done"),
        ("generic", 3, None, {"state": "exited", "code": 3}, "failed"),
        ("generic", None, "KILL", {"state": "exited", "code": None, "signal": "KILL"}, "exited"),
        ("none", 0, None, {"state": "exited", "code": 0}, "done"),
        ("claude", 0, None, {"state": "exited", "code": 0}, "exited"),
        ("claude", None, None, {"state": "exited", "code": None}, "exited"),
    ],
)
def test_the_end_of_a_child_is_recorded_once(
    kind: str, code: int | None, os_signal: str | None, live: Record, lifecycle: str
) -> None:
    engine = Engine()
    pane_id = engine.pane(kind)
    peer = engine.peer()
    peer.ask("subscribe", events=["pane.exited"])
    for _ in range(2):
        engine.ingest.on_exit(pane_id, code, os_signal)
    assert engine.host.deeds == []
    engine.sync()
    assert [frame["payload"] for frame in peer.heard()] == [
        {"pane_id": pane_id, **{key: value for key, value in live.items() if key != "state"}}
    ]
    pane = engine.world.panes[pane_id]
    assert (pane["live"], pane["restore_state"], pane["lifecycle"], pane["attention"]) == (
        live,
        "EXITED",
        lifecycle,
        "unread",
    )
    assert set(engine.host.deeds) == {("forget", pane_id)}


def test_bytes_held_back_are_shown_before_the_exit_is_told() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"end\xc3")
    engine.ingest.on_exit(pane_id, 0, None)
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "end\ufffd"


def test_output_and_end_of_a_closed_pane_are_nobodys() -> None:
    engine = Engine()
    engine.ingest.on_output("pane_gone", b"x")
    engine.ingest.on_exit("pane_gone", 0, None)
    assert (engine.world.seq, engine.host.deeds) == (0, [("forget", "pane_gone")])


def test_a_terminal_that_is_fed_nonsense_serves_on() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, bytes(range(256)) * 8)
    engine.ingest.on_output(pane_id, b"\x1bc\x1b[2J\x1b[Hfine")
    assert "fine" in engine.peer().ask("pane.read", pane_id=pane_id, mode="screen")["text"]


def test_output_that_asks_for_nothing_is_put_by_and_seen_by_whoever_looks() -> None:
    engine = Engine()
    pane_id = engine.pane()
    peer, _ = attached(engine, pane_id)
    assert [engine.ingest.on_output(pane_id, chunk) for chunk in (b"one ", b"\x1b[1mtwo", b"\x1b[m three")] == [
        4,
        11,
        20,
    ]
    assert data(peer.heard()) == b"one \x1b[1mtwo\x1b[m three"
    assert engine.panes.get(pane_id).output_offset == 20
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "one two three"


def test_a_query_behind_output_that_was_put_by_is_answered_as_of_all_of_it() -> None:
    engine = Engine()
    pane_id = engine.pane()
    assert [engine.ingest.on_output(pane_id, chunk) for chunk in (b"\r\n\r\nab", b"\x1b[6", b"n")] == [6, 9, 0]
    assert engine.host.deeds == [("answer", pane_id, b"\x1b[3;3R")]


def test_what_was_put_by_is_shown_before_the_pane_takes_another_size() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"x" * 80 + b"\x1b[80G!")
    engine.peer().ask("pane.resize", pane_id=pane_id, cols=100, rows=24)
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "x" * 79 + "!"


def test_digesting_twice_or_after_the_pane_is_gone_does_nothing() -> None:
    engine = Engine()
    pane_id = engine.pane()
    engine.ingest.on_output(pane_id, b"once")
    for name in (pane_id, pane_id, "pane_gone"):
        assert engine.ingest.digest(name, 100) == 0
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "once"


def test_the_update_behind_a_title_stays_put_by_until_it_ends_or_somebody_looks() -> None:
    engine = Engine()
    pane_id = engine.pane()
    frame = b"\x1b[?2026h\x1b[Hone\x1b[?2026l"
    assert engine.ingest.on_output(pane_id, frame + b"\x1b]2;name\x07" + frame[:-8]) == len(frame) - 8
    assert engine.world.panes[pane_id]["title"] == "name"
    assert engine.ingest.digest(pane_id, 100) == len(frame) - 8
    assert engine.ingest.digest(pane_id, 10) == 0
    assert engine.ingest.on_output(pane_id, frame[-8:] + frame[:-8]) == len(frame)
    assert engine.peer().ask("pane.read", pane_id=pane_id)["text"] == "one"
    assert engine.ingest.digest(pane_id, 100) == 0
