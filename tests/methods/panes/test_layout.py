"""pane.swap, pane.move, layout.export."""

from __future__ import annotations

import pytest

from signaltty_core.base.errors import BadParams
from signaltty_core.state.layout import leaf, leaves
from tests.methods.shop import Shop


def panes_of(shop: Shop, tab_id: str) -> list[str]:
    return list(leaves(shop.tab(tab_id)["layout"]))


def test_a_swap_in_one_tab_keeps_shapes_and_ratios() -> None:
    shop = Shop()
    first = shop.spawn(shop.workspace())
    second = shop.split(first["id"], direction="down")
    shop.ask("tab.set_ratio", tab_id=first["tab_id"], path=[], ratio=0.3)
    before = shop.world.seq
    (tab,) = shop.ask("pane.swap", pane_id=first["id"], target_pane_id=second["id"])["tabs"]
    assert tab["layout"] == {
        "type": "split",
        "dir": "down",
        "ratio": 0.3,
        "first": leaf(second["id"]),
        "second": leaf(first["id"]),
    }
    assert (tab["active_pane_id"], shop.since(before)) == (second["id"], ["tab.updated"])


def test_a_swap_across_tabs_leaves_each_focus_on_its_slot() -> None:
    """Edge case 24."""
    shop = Shop()
    id = shop.workspace()
    one = shop.spawn(id)
    beside = shop.split(one["id"])
    other = shop.spawn(id)
    before = shop.world.seq
    tabs = shop.ask("pane.swap", pane_id=beside["id"], target_pane_id=other["id"])["tabs"]
    assert [tab["id"] for tab in tabs] == [one["tab_id"], other["tab_id"]]
    assert [list(leaves(tab["layout"])) for tab in tabs] == [[one["id"], other["id"]], [beside["id"]]]
    assert [tab["active_pane_id"] for tab in tabs] == [other["id"], beside["id"]]
    assert (shop.world.panes[beside["id"]]["tab_id"], shop.world.panes[other["id"]]["tab_id"]) == (
        other["tab_id"],
        one["tab_id"],
    )
    assert shop.since(before) == ["tab.updated", "tab.updated", "pane.updated", "pane.updated"]


def test_a_move_within_a_tab_takes_the_pane_out_first() -> None:
    shop = Shop()
    first = shop.spawn(shop.workspace())
    second = shop.split(first["id"])
    third = shop.split(second["id"])
    (tab,) = shop.ask("pane.move", pane_id=first["id"], target_pane_id=third["id"], direction="down")["tabs"]
    assert tab["layout"] == {
        "type": "split",
        "dir": "right",
        "ratio": 0.5,
        "first": leaf(second["id"]),
        "second": {
            "type": "split",
            "dir": "down",
            "ratio": 0.5,
            "first": leaf(third["id"]),
            "second": leaf(first["id"]),
        },
    }
    assert tab["active_pane_id"] == third["id"]


def test_a_move_evens_out_the_run_it_comes_to() -> None:
    shop = Shop()
    id = shop.workspace()
    first = shop.spawn(id)
    second = shop.split(first["id"])
    alone = shop.spawn(id)
    tabs = shop.ask("pane.move", pane_id=alone["id"], target_pane_id=second["id"])["tabs"]
    row = tabs[1]["layout"]
    assert (row["ratio"], row["second"]["ratio"]) == (pytest.approx(1 / 3), 0.5)


def test_a_move_may_empty_its_tab_and_changes_no_focus_at_its_target() -> None:
    """Edge case 24."""
    shop = Shop()
    id = shop.workspace()
    target, alone = shop.spawn(id), shop.spawn(id)
    before = shop.world.seq
    source, new = shop.ask("pane.move", pane_id=alone["id"], target_pane_id=target["id"])["tabs"]
    assert (source["layout"], "active_pane_id" in source, source["id"]) == (None, False, alone["tab_id"])
    assert (new["active_pane_id"], panes_of(shop, new["id"])) == (target["id"], [target["id"], alone["id"]])
    assert alone["tab_id"] in shop.world.workspaces[id]["tabs"]
    assert shop.since(before) == ["tab.updated", "tab.updated", "pane.updated"]


def test_a_moved_active_pane_leaves_the_first_remaining_leaf_active() -> None:
    shop = Shop()
    id = shop.workspace()
    first = shop.spawn(id)
    second = shop.split(first["id"])
    target = shop.spawn(id)
    assert shop.tab(first["tab_id"])["active_pane_id"] == second["id"]
    shop.ask("pane.move", pane_id=second["id"], target_pane_id=target["id"])
    assert shop.tab(first["tab_id"])["active_pane_id"] == first["id"]


def test_an_active_pane_that_moves_within_its_tab_leaves_the_first_of_the_others_active() -> None:
    shop = Shop()
    first = shop.spawn(shop.workspace())
    second = shop.split(first["id"])
    third = shop.split(second["id"])
    (tab,) = shop.ask("pane.move", pane_id=third["id"], target_pane_id=first["id"])["tabs"]
    assert (panes_of(shop, tab["id"]), tab["active_pane_id"]) == ([first["id"], third["id"], second["id"]], first["id"])


@pytest.mark.parametrize("method", ["pane.swap", "pane.move"])
def test_two_different_panes_of_one_workspace_are_needed(method: str) -> None:
    shop = Shop()
    here, there = shop.spawn(shop.workspace()), shop.spawn(shop.workspace())
    lost = shop.spawn(here["workspace_id"])
    draft = shop.draft()
    draft.edit("tabs", lost["tab_id"])["layout"] = None
    shop.commit(draft)
    before = shop.world.seq
    for one, other in ((here, here), (here, there), (here, lost), (lost, here)):
        with pytest.raises(BadParams):
            shop.ask(method, pane_id=one["id"], target_pane_id=other["id"])
    assert shop.world.seq == before


def test_an_export_is_what_apply_takes() -> None:
    shop = Shop()
    first = shop.spawn(shop.workspace(), "vi", "x")
    second = shop.split(first["id"])
    shop.ask("pane.rename", pane_id=second["id"], name="side")
    shown = shop.ask("layout.export", tab_id=first["tab_id"])
    assert shown == {
        "workspace_id": first["workspace_id"],
        "tab_id": first["tab_id"],
        "title": "agents",
        "root": {
            "type": "split",
            "dir": "right",
            "ratio": 0.5,
            "first": {"type": "pane", "pane_id": first["id"], "cwd": "/work", "argv": ["vi", "x"]},
            "second": {
                "type": "pane",
                "pane_id": second["id"],
                "cwd": "/work",
                "argv": ["cat"],
                "name": "side",
            },
        },
    }
    empty = shop.ask("tab.create", workspace_id=first["workspace_id"])["tab"]
    assert shop.ask("layout.export", tab_id=empty["id"])["root"] is None
