"""pane.* about the pane itself."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams, NoSuchTab, PaneExited
from signaltty_core.state.effects import SendSignal
from tests.methods.shop import Shop


def test_a_pane_comes_with_its_baseline() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    shown = shop.ask("pane.get", pane_id=pane["id"])
    assert shown == {
        "pane": pane,
        "wait_baseline": {
            "pane_id": pane["id"],
            "process_instance": shop.world.instances[pane["id"]]["process_instance"],
            "agent_session_id": None,
            "session_generation": 0,
            "lifecycle_seq": 1,
            "attention_seq": 1,
        },
    }


def test_panes_are_listed_in_workspace_tab_and_tree_order() -> None:
    shop = Shop()
    one, two = shop.workspace(name="one"), shop.workspace(name="two")
    b = shop.spawn(two)
    a = shop.spawn(one)
    c = shop.split(b["id"])
    d = shop.split(b["id"], direction="down")

    def listed(**params: str) -> list[str]:
        return [pane["id"] for pane in shop.ask("pane.list", **params)["panes"]]

    assert listed() == [a["id"], b["id"], d["id"], c["id"]]
    assert listed(workspace_id="two") == [b["id"], d["id"], c["id"]]
    assert listed(tab_id=a["tab_id"]) == [a["id"]]
    assert listed(tab_id=a["tab_id"], workspace_id="two") == []
    with pytest.raises(NoSuchTab):
        listed(tab_id="none")


def test_a_name_is_unique_freed_by_closing_and_beaten_by_an_id() -> None:
    """Edge case 25."""
    shop = Shop()
    id = shop.workspace()
    one, other = shop.spawn(id), shop.spawn(id)
    shop.ask("pane.rename", pane_id=one["id"], name="worker")
    shop.ask("pane.rename", pane_id="worker", name="worker")
    for name in ("worker", "Worker", "w" * 33, "", "-x"):
        with pytest.raises(BadParams) as caught:
            shop.ask("pane.rename", pane_id=other["id"], name=name)
        assert caught.value.details == {"path": "name"}
    shop.ask("pane.close", pane_id="worker")
    assert shop.ask("pane.rename", pane_id=other["id"], name="worker")["pane"]["name"] == "worker"
    draft = shop.draft()
    draft.put("panes", {**shop.world.panes[other["id"]], "id": "worker", "name": "other"})
    draft.put("instances", {**shop.world.instances[other["id"]], "id": "worker"})
    shop.commit(draft)
    assert shop.ask("pane.get", pane_id="other")["pane"]["id"] == "worker"
    assert shop.world.pane("worker")["id"] == "worker"


def test_a_rename_to_the_same_name_is_no_event_and_none_clears() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    before = shop.world.seq
    shop.ask("pane.rename", pane_id=pane["id"])
    assert shop.world.seq == before
    shop.ask("pane.rename", pane_id=pane["id"], name="n")
    assert "name" not in shop.ask("pane.rename", pane_id="n")["pane"]
    assert shop.since(before) == ["pane.updated", "pane.updated"]


def test_a_signal_goes_to_the_keeper_and_a_gone_child_is_told() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    play = shop.play("pane.signal", pane_id=pane["id"], signal="sigint", group=True)
    assert play.expect(SendSignal(pane["id"], "INT", True)).reply(True).ended() == {"sent": True}
    with pytest.raises(PaneExited):
        shop.play("pane.signal", pane_id=pane["id"], signal="INT").reply(False).ended()
    shop.change(lambda draft: draft.pane(pane["id"]).update(live={"state": "exited", "code": 0}))
    with pytest.raises(PaneExited):
        shop.play("pane.signal", pane_id=pane["id"], signal="INT").ended()


def test_seen_clears_attention_and_reads_notifications() -> None:
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    shop.ask("notify", pane_id=pane["id"], title="t", severity="warning")
    before = shop.world.seq
    shown = shop.ask("pane.mark_seen", pane_id=pane["id"])["pane"]
    assert (shown["attention"], shown["last_seen_at"], "attention_since" in shown) == (
        "none",
        "2027-01-15T08:00:00.000Z",
        False,
    )
    assert shop.events[-1] == (before + 1, "attention.cleared", {"pane_id": pane["id"], "reason": "mark_seen"})
    (note,) = shop.world.notifications.values()
    assert note["read_at"] == "2027-01-15T08:00:00.000Z"
