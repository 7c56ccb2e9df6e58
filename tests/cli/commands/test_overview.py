"""`ls`, `attention`, `focus next-unread`."""

from __future__ import annotations

import json
from typing import Any

from ...client.scripted import ScriptedServer
from ..conftest import Run
from ..records import pane, tab, workspace


def test_ls_shows_workspaces_tabs_and_panes_in_stored_order(run: Run, server: ScriptedServer) -> None:
    other = workspace(id="ws_2", handle="web", name="Web", cwd="/src/web", git={"detached": False})
    server.answers["workspace.list"] = {"workspaces": [other, workspace()]}
    trees: dict[str, Any] = {
        "ws_1": {
            "workspace": workspace(active_tab_id="tab_1"),
            "tabs": [tab(), tab(id="tab_2", title="spare")],
            "panes": [
                pane(name="boss", last_message="half\x1b[31m way"),
                pane(id="pane_2", live={"state": "exited", "code": 3}, restore_state="EXITED", attention="error"),
                pane(id="pane_3", live={"state": "exited", "code": None}, restore_state="RESUMABLE"),
            ],
        },
        "ws_2": {"workspace": other, "tabs": [], "panes": []},
    }
    server.answers["workspace.get"] = lambda params: trees[params["workspace_id"]]
    assert run("ls") == (
        0,
        "web  Web  /src/web  -\n"
        "api  Api  /src/api  main\n"
        "  agents *\n"
        "    pane_1  boss  claude  working  none  -  half\\x1b[31m way\n"
        "    pane_2  -  claude  exited 3  error  -\n"
        "    pane_3  -  claude  resumable  none  -\n"
        "  spare\n"
        "    (empty)\n",
        "",
    )
    assert json.loads(run("ls", "--workspace", "ws_1", "--json")[1]) == {
        "workspaces": [
            {
                "workspace": trees["ws_1"]["workspace"],
                "tabs": [
                    {"tab": tab(), "panes": trees["ws_1"]["panes"]},
                    {"tab": tab(id="tab_2", title="spare"), "panes": []},
                ],
            }
        ]
    }


def test_ls_of_nothing_says_so(run: Run, server: ScriptedServer) -> None:
    server.answers["workspace.list"] = {"workspaces": []}
    assert run("ls") == (0, "no workspaces\n", "")


def test_ls_leaves_out_a_workspace_that_is_closed_meanwhile(run: Run, server: ScriptedServer) -> None:
    server.answers["workspace.list"] = {"workspaces": [workspace(id="ws_0"), workspace()]}
    server.answers["workspace.get"] = lambda params: (
        Exception("NO_SUCH_WORKSPACE", "gone", {})
        if params["workspace_id"] == "ws_0"
        else {"workspace": workspace(), "tabs": [], "panes": []}
    )
    assert run("ls") == (0, "api  Api  /src/api  main\n", "")


def test_attention_lists_panes_by_urgency(run: Run, server: ScriptedServer) -> None:
    panes = [
        {"pane_id": "pane_2", "attention": "permission_required", "task_id": "task_1", "last_message": "Allow Bash?"},
        {"pane_id": "pane_1", "attention": "unread"},
    ]
    server.answers["attention.pending"] = {"panes": panes}
    assert run("attention", "--limit", "5") == (
        0,
        "pane_2  permission_required  task_1  Allow Bash?\npane_1  unread  -\n",
        "",
    )
    assert server.asked == [("attention.pending", {"limit": 5})]


def test_attention_of_nobody_says_so(run: Run, server: ScriptedServer) -> None:
    server.answers["attention.pending"] = {"panes": []}
    assert run("attention") == (0, "no panes require attention\n", "")
    assert run("attention", "--json") == (0, '{"panes":[]}\n', "")


def test_the_next_unread_pane_is_named(run: Run, server: ScriptedServer) -> None:
    server.answers["focus.next_unread"] = {"pane_id": "pane_7"}
    assert run("focus", "next-unread") == (0, "pane_7\n", "")
    server.answers["focus.next_unread"] = {}
    assert run("focus", "next-unread") == (0, "(none)\n", "")
