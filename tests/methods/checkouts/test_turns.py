"""Turn baselines: which event begins a turn, and which capture counts."""

from __future__ import annotations

from signaltty_core.methods.checkouts import turns
from signaltty_core.state.effects import Run
from tests.methods.shop import Shop
from tests.play import Play

SOON, LATER = "2027-01-15T08:00:01.000Z", "2027-01-15T08:00:09.000Z"


def captured(shop: Shop, workspace_id: str, seq: int, started_at: str) -> None:
    """A capture that fails at its first question to Git: the baseline then says why."""
    play = Play(turns.record(shop.call(), workspace_id, "pane_1", seq, started_at))
    assert isinstance(play.asked, Run)
    play.reply((128, b"", b"fatal: no repository")).ended()


def test_work_begins_a_turn_unless_an_answer_let_it_go_on() -> None:
    assert turns.begins_turn("agent.working", {"prev": "idle"})
    assert not turns.begins_turn("agent.working", {"prev": "blocked"})
    assert not turns.begins_turn("agent.idle", {"prev": "working"})


def test_a_capture_that_ends_after_a_later_one_is_told_but_does_not_count() -> None:
    shop = Shop()
    id = shop.workspace()
    captured(shop, id, 9, LATER)
    before = shop.world.seq
    captured(shop, id, 5, SOON)
    assert shop.world.tables["baselines"][id] == {
        "id": id,
        "pane_id": "pane_1",
        "seq": 9,
        "started_at": LATER,
        "error": "/work is not inside a Git work tree: fatal: no repository",
    }
    assert shop.since(before) == ["workspace.turn_started"]
    assert shop.events[-1][2] == {"workspace_id": id, "pane_id": "pane_1", "started_at": SOON}


def test_of_a_workspace_that_was_closed_meanwhile_nothing_is_kept() -> None:
    shop = Shop()
    id = shop.workspace()
    play = Play(turns.record(shop.call(), id, "pane_1", 9, LATER))
    shop.ask("workspace.close", workspace_id=id)
    before = shop.world.seq
    play.reply((128, b"", b"")).ended()
    assert (shop.world.tables["baselines"], shop.world.seq) == ({}, before)
