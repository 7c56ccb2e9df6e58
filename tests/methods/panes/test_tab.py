"""tab.*"""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.base.errors import BadParams, NoSuchTab
from signaltty_core.state.layout import leaf
from tests.methods.shop import Shop


def test_a_new_tab_is_empty_last_and_active() -> None:
    shop = Shop()
    id = shop.workspace()
    one = shop.ask("tab.create", workspace_id=id)["tab"]
    two = shop.ask("tab.create", workspace_id=id, title=" \x1b[1mtwo ")["tab"]
    assert (one["title"], two["title"], two["layout"], "active_pane_id" in two) == ("tab", "two", None, False)
    workspace = shop.world.workspaces[id]
    assert (workspace["tabs"], workspace["active_tab_id"]) == ([one["id"], two["id"]], two["id"])
    assert shop.told(1) == ["tab.created", "workspace.updated"] * 2


@pytest.mark.parametrize(("closed", "active", "expected"), [(2, 2, 1), (0, 0, 1), (1, 1, 0), (0, 2, 2), (2, 0, 0)])
def test_the_left_neighbour_of_a_closed_active_tab_is_active_else_the_first(
    closed: int, active: int, expected: int
) -> None:
    shop = Shop()
    id = shop.workspace()
    tabs = [shop.ask("tab.create", workspace_id=id)["tab"]["id"] for _ in range(3)]
    draft = shop.draft()
    draft.edit("workspaces", id)["active_tab_id"] = tabs[active]
    shop.commit(draft)
    shop.ask("tab.close", tab_id=tabs[closed])
    assert shop.world.workspaces[id]["active_tab_id"] == tabs[expected]
    assert shop.told()[-2:] == ["tab.closed", "workspace.updated"]


def test_the_last_tab_leaves_none_active() -> None:
    shop = Shop()
    id = shop.workspace()
    shop.ask("tab.close", tab_id=shop.ask("tab.create", workspace_id=id)["tab"]["id"])
    workspace = shop.world.workspaces[id]
    assert (workspace["tabs"], "active_tab_id" in workspace) == ([], False)


def test_panes_that_a_stored_layout_lacks_are_closed_with_the_tab() -> None:
    """Edge case 29."""
    shop = Shop()
    id = shop.workspace()
    pane = shop.spawn(id)
    draft = shop.draft()
    draft.edit("tabs", pane["tab_id"])["layout"] = None
    shop.commit(draft)
    with pytest.raises(BadParams, match="not in its tab's layout"):
        shop.split(pane["id"])
    shop.ask("tab.close", tab_id=pane["tab_id"])
    assert (shop.world.panes, shop.world.instances) == ({}, {})


@pytest.mark.parametrize("signal", ["BOGUS", "", "9", "SIG", "SIGSTOP"])
def test_a_faulty_signal_closes_nothing(signal: str) -> None:
    """Edge case 10."""
    shop = Shop()
    pane = shop.spawn(shop.workspace())
    before = shop.world.seq
    for method, params in (
        ("tab.close", {"tab_id": pane["tab_id"]}),
        ("pane.close", {"pane_id": pane["id"]}),
        ("workspace.close", {"workspace_id": pane["workspace_id"]}),
    ):
        with pytest.raises(BadParams) as caught:
            shop.ask(method, **params, signal=signal)
        assert caught.value.details == {"path": "signal"}
    assert shop.world.seq == before


def trio(shop: Shop) -> tuple[str, list[dict[str, Any]]]:
    first = shop.spawn(shop.workspace())
    second = shop.split(first["id"])
    third = shop.split(second["id"], direction="down")
    return first["tab_id"], [leaf(pane["id"]) for pane in (first, second, third)]


def test_a_layout_takes_names_and_clamps_ratios() -> None:
    shop = Shop()
    tab_id, (a, b, c) = trio(shop)
    shop.ask("pane.rename", pane_id=a["pane_id"], name="top")
    tree = {
        "type": "split",
        "dir": "down",
        "ratio": 3,
        "first": {"type": "pane", "pane_id": "top"},
        "second": {"type": "split", "dir": "right", "ratio": -1.0, "first": b, "second": c},
    }
    before = shop.world.seq
    made = shop.ask("tab.set_layout", tab_id=tab_id, layout=tree)["tab"]["layout"]
    assert made == {**tree, "ratio": 0.95, "first": a, "second": {**tree["second"], "ratio": 0.05}}
    assert shop.since(before) == ["tab.updated"]
    before = shop.world.seq
    shop.ask("tab.set_layout", tab_id=tab_id, layout=made)
    assert shop.world.seq == before


def test_a_layout_that_lacks_doubles_or_borrows_a_pane_is_refused_by_name() -> None:
    """Edge case 28."""
    shop = Shop()
    tab_id, (a, b, c) = trio(shop)
    alien = leaf(shop.spawn(shop.tab(tab_id)["workspace_id"])["id"])

    def row(*panes: dict[str, Any]) -> dict[str, Any]:
        first, *rest = panes
        if not rest:
            return first
        return {"type": "split", "dir": "right", "ratio": 0.5, "first": first, "second": row(*rest)}

    before = shop.world.seq
    for tree, wrong in (
        (row(a, b), [c]),
        (row(a, b, c, a), [a]),
        (row(a, b, alien), [c, alien]),
        (row(a, b, c, leaf("pane_x")), [leaf("pane_x")]),
        (row(a, a, b), [c]),
    ):
        with pytest.raises(BadParams) as caught:
            shop.ask("tab.set_layout", tab_id=tab_id, layout=tree)
        assert sorted(caught.value.details["pane_ids"]) == sorted(one["pane_id"] for one in wrong)  # type: ignore[call-overload]
    assert shop.world.seq == before


@pytest.mark.parametrize("ratio", [float("nan"), float("inf"), "0.5", True, None, [], {}])
def test_a_ratio_is_a_finite_number(ratio: Any) -> None:
    shop = Shop()
    tab_id, (a, b, c) = trio(shop)
    tree = {"type": "split", "dir": "down", "ratio": 0.5, "first": b, "second": c}
    with pytest.raises(BadParams) as caught:
        shop.ask(
            "tab.set_layout",
            tab_id=tab_id,
            layout={"type": "split", "dir": "right", "ratio": 0.5, "first": a, "second": {**tree, "ratio": ratio}},
        )
    assert caught.value.details == {"path": "layout.second.ratio"}
    with pytest.raises(BadParams):
        shop.ask("tab.set_ratio", tab_id=tab_id, path=[], ratio=ratio)


def test_a_divider_is_moved_by_its_path() -> None:
    """Edge case 27."""
    shop = Shop()
    tab_id, _ = trio(shop)
    moved = shop.ask("tab.set_ratio", tab_id=tab_id, path=[1], ratio=0.25)["tab"]["layout"]
    assert (moved["ratio"], moved["second"]["ratio"]) == (0.5, 0.25)
    assert shop.ask("tab.set_ratio", tab_id=tab_id, path=[], ratio=7)["tab"]["layout"]["ratio"] == 0.95
    before = shop.world.seq
    for path in ([0], [1, 0], [1, 1, 1], [2], [-1], [0.5]):
        with pytest.raises(BadParams):
            shop.ask("tab.set_ratio", tab_id=tab_id, path=path, ratio=0.5)
    with pytest.raises(NoSuchTab):
        shop.ask("tab.set_ratio", tab_id="tab_x", path=[], ratio=0.5)
    with pytest.raises(BadParams):
        empty = shop.ask("tab.create", workspace_id=shop.tab(tab_id)["workspace_id"])["tab"]["id"]
        before = shop.world.seq
        shop.ask("tab.set_ratio", tab_id=empty, path=[], ratio=0.5)
    assert shop.world.seq == before
