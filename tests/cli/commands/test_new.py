"""`new`: a workspace, perhaps a tab, one pane; nothing of it where the program cannot start."""

from __future__ import annotations

import os

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run
from ..records import pane, tab, workspace


def test_new_makes_a_workspace_and_a_pane_here(run: Run, server: ScriptedServer) -> None:
    server.answers |= {"workspace.create": {"workspace": workspace()}, "pane.spawn": {"pane": pane()}}
    assert run("new", "--", "sh", "-c", "x") == (0, "workspace ws_1 (api) pane pane_1\n", "")
    (create, spawn) = server.asked
    env = spawn[1].pop("env")
    assert create == ("workspace.create", {"cwd": os.getcwd()})
    assert spawn == ("pane.spawn", {"workspace_id": "ws_1", "cwd": os.getcwd(), "argv": ["sh", "-c", "x"]})
    assert env["PATH"] == os.environ["PATH"]


def test_new_with_a_tab_puts_the_pane_there(run: Run, server: ScriptedServer) -> None:
    server.answers |= {"workspace.create": {"workspace": workspace()}, "tab.create": {"tab": tab()}}
    server.answers["pane.spawn"] = {"pane": pane(), "integration": {"agent": "claude", "notice": "n"}}
    status, out, said = run("new", "--json", "--name", "Api", "--cwd", "/src/api", "--tab", "work", "--", "claude")
    assert (status, out, said) == (
        0,
        '{"workspace_id":"ws_1","handle":"api","pane_id":"pane_1","integration":{"agent":"claude","notice":"n"}}\n',
        "",
    )
    assert [method for method, _ in server.asked] == ["workspace.create", "tab.create", "pane.spawn"]
    assert server.asked[0][1] == {"cwd": "/src/api", "name": "Api"}
    assert server.asked[1][1] == {"workspace_id": "ws_1", "title": "work"}
    assert server.asked[2][1]["tab_id"] == "tab_1"


def test_new_leaves_no_workspace_behind_a_failed_start(run: Run, server: ScriptedServer) -> None:
    server.answers |= {"workspace.create": {"workspace": workspace()}, "workspace.close": {"closed": True}}
    server.answers["pane.spawn"] = Exception("SPAWN_FAILED", "no such program: nope", {})
    assert run("new", "--", "nope") == (1, "", "signaltty: no such program: nope (SPAWN_FAILED)\n")
    assert server.asked[-1] == ("workspace.close", {"workspace_id": "ws_1"})


def test_new_in_a_deleted_directory_fails_only_for_want_of_a_path(
    run: Run, server: ScriptedServer, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers |= {"workspace.create": {"workspace": workspace()}, "pane.spawn": {"pane": pane()}}
    gone = f"{tmp_path}/gone"
    os.mkdir(gone)
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    assert run("new", "--", "sh") == (
        1,
        "",
        "signaltty: the working directory is unusable: No such file or directory\n",
    )
    assert run("new", "--cwd", "/", "--", "sh")[0] == 0
