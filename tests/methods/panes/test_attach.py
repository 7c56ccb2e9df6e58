"""pane.attach, pane.detach; the stream itself is tests/engine/test_ingest.py."""

from __future__ import annotations

from base64 import b64decode

import pytest

from signaltty_core.base.errors import NoSuchPane
from tests.fake import FakeCaller
from tests.methods.panes.test_pane_io import Desk


def test_an_attach_registers_resizes_marks_seen_and_draws() -> None:
    desk = Desk()
    desk.show("hello")
    desk.ask("notify", pane_id=desk.id, title="t")
    caller, before = FakeCaller(), desk.world.seq
    reply = desk.ask("pane.attach", caller=caller, pane_id=desk.id, cols=100, rows=30)
    assert caller.attached == {desk.id: True}
    assert desk.machine.deeds[-1] == ("resize", desk.id, 100, 30)
    assert desk.since(before) == ["pane.resized", "attention.cleared"]
    assert b"hello" in b64decode(reply.pop("snapshot_b64"))
    assert reply == {
        "output_offset": 0,
        "size": {"cols": 80, "rows": 24},
        "live": {"state": "live"},
        "restore_state": "LIVE",
        "lifecycle": "unknown",
        "attention": "none",
    }


def test_one_side_of_a_size_is_no_size() -> None:
    desk = Desk()
    before = desk.world.seq
    desk.ask("pane.attach", pane_id=desk.id, cols=100, mark_seen=False)
    desk.ask("pane.attach", pane_id=desk.id, rows=10, mark_seen=False)
    assert desk.world.seq == before


def test_a_dashboard_marks_nothing_seen() -> None:
    desk = Desk()
    desk.ask("notify", pane_id=desk.id, title="t")
    caller = FakeCaller()
    assert desk.ask("pane.attach", caller=caller, pane_id=desk.id, mark_seen=False)["attention"] == "unread"
    assert caller.attached == {desk.id: False}


def test_a_missing_pane_is_found_out_first() -> None:
    """Edge case 11."""
    desk = Desk()
    caller, before = FakeCaller(), desk.world.seq
    with pytest.raises(NoSuchPane):
        desk.ask("pane.attach", caller=caller, pane_id="none", cols=90, rows=30)
    assert (caller.attached, desk.world.seq, desk.machine.deeds[-1][0]) == ({}, before, "open_runtime")


def test_a_detach_says_whether_there_was_a_viewer() -> None:
    desk = Desk()
    caller = FakeCaller()
    desk.ask("pane.attach", caller=caller, pane_id=desk.id)
    assert desk.ask("pane.detach", caller=caller, pane_id=desk.id) == {"detached": True}
    assert desk.ask("pane.detach", caller=caller, pane_id=desk.id) == {"detached": False}
