from __future__ import annotations

from typing import Any

from signaltty_core.journal.repair import repair
from signaltty_core.state.records import pane, size, tab, workspace
from signaltty_core.state.world import World


def tables() -> dict[str, dict[str, Any]]:
    made = World().tables
    made["workspaces"]["ws_1"] = {**workspace("ws_1", "One", "one", "/", {"detached": False}, 1.0), "tabs": ["tab_1"]}
    leaf = {"type": "pane", "pane_id": "pane_1"}
    made["tabs"]["tab_1"] = {**tab("tab_1", "ws_1", "agents", 1.0), "layout": leaf, "active_pane_id": "pane_1"}
    made["panes"]["pane_1"] = pane(
        "pane_1",
        "ws_1",
        "tab_1",
        title="sh",
        cwd="/",
        argv=["sh"],
        pty_size=size(None, None),
        agent={"kind": "none"},
        at=1.0,
        lineage={},
    )
    made["instances"]["pane_1"] = {"id": "pane_1"}
    return made


def test_a_consistent_state_is_left_alone() -> None:
    made = tables()

    assert repair(made) == []
    assert made == tables()


def test_what_refers_to_something_missing_goes_and_the_rest_stays() -> None:
    made = tables()
    made["tabs"]["tab_2"] = {**made["tabs"]["tab_1"], "id": "tab_2", "workspace_id": "ws_9"}
    made["panes"]["pane_2"] = {**made["panes"]["pane_1"], "id": "pane_2", "tab_id": "tab_2"}
    made["panes"]["pane_3"] = {**made["panes"]["pane_1"], "id": "pane_3", "workspace_id": "ws_9"}
    made["instances"]["pane_2"] = {"id": "pane_2"}

    assert repair(made) == [
        "tab tab_2 has no workspace; dropped",
        "pane pane_2 has no tab; dropped",
        "pane pane_3 has no tab; dropped",
    ]
    assert made == tables()


def test_incomplete_records_go() -> None:
    made = tables()
    made["panes"]["pane_2"] = {"id": "pane_2", "workspace_id": "ws_1", "tab_id": "tab_1"}

    assert repair(made) == ["pane pane_2 is incomplete; dropped"]
    assert made == tables()


def test_missing_handles_and_fields_get_defaults() -> None:
    made = tables()
    made["workspaces"]["ws_2"] = {"id": "ws_2", "name": "One", "cwd": "/x"}
    made["tabs"]["tab_2"] = {"id": "tab_2", "workspace_id": "ws_2"}

    assert repair(made) == ["workspace ws_2: its list of tabs is mended"]
    assert made["workspaces"]["ws_2"] == {
        "id": "ws_2",
        "name": "One",
        "handle": "one-2",
        "cwd": "/x",
        "git": {"detached": False},
        "tabs": ["tab_2"],
        "auto_resume": False,
        "created_at": "",
        "updated_at": "",
    }
    assert made["tabs"]["tab_2"]["layout"] is None


def test_tab_lists_name_the_tabs_there_are_once_each() -> None:
    made = tables()
    made["workspaces"]["ws_1"] = {**made["workspaces"]["ws_1"], "tabs": ["gone", "tab_1", [], "tab_1"]}
    made["workspaces"]["ws_1"]["active_tab_id"] = "gone"

    assert repair(made) == ["workspace ws_1: its list of tabs is mended"]
    assert made["workspaces"]["ws_1"]["tabs"] == ["tab_1"]
    assert made["workspaces"]["ws_1"]["active_tab_id"] == "tab_1"


def test_layouts_lose_the_leaves_of_missing_panes() -> None:
    made = tables()
    gone = {"type": "pane", "pane_id": "gone"}
    tree = {"type": "split", "dir": "right", "ratio": 0.5, "first": made["tabs"]["tab_1"]["layout"], "second": gone}
    made["tabs"]["tab_1"] = {**made["tabs"]["tab_1"], "layout": tree, "active_pane_id": "gone"}

    assert repair(made) == ["tab tab_1: 1 missing panes are taken out of its layout"]
    expected = tables()["tabs"]["tab_1"]
    del expected["active_pane_id"]
    assert made["tabs"]["tab_1"] == expected


def test_a_layout_that_is_no_tree_goes() -> None:
    layouts: tuple[Any, ...] = ({"type": "split"}, 5, [], {"type": "split", "first": None, "second": 3})
    for layout in layouts:
        made = tables()
        made["tabs"]["tab_1"] = {**made["tabs"]["tab_1"], "layout": layout}

        assert repair(made) == ["tab tab_1: its layout is not a tree; dropped"]
        assert made["tabs"]["tab_1"]["layout"] is None
