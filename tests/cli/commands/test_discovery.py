"""`complete`: the ids a shell offers. The other commands of the module are tested where their work is done."""

from __future__ import annotations

from ...client.scripted import ScriptedServer
from ..conftest import Run
from ..records import pane, tab, workspace


def test_tasks_are_offered_with_their_state_and_what_they_are_about(run: Run, server: ScriptedServer) -> None:
    server.answers["task.list"] = {
        "tasks": [
            {"id": "task_1", "state": "working", "label": "login", "contract": {"objective": "mend the login"}},
            {"id": "task_2", "state": "completed", "label": "", "contract": {"objective": "say\nless" + 200 * "x"}},
        ]
    }
    long = ("completed: say\nless" + 200 * "x")[:100].replace("\n", "\\x0a")
    assert run("complete", "task") == (0, f"task_1\tworking: login\ntask_2\t{long}\n", "")


def test_what_a_program_wrote_into_its_title_is_escaped(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.list"] = {"panes": [pane(title="a\tb\x1b[2J")]}
    assert run("complete", "pane") == (0, "pane_1\tclaude, working: a\\x09b\\x1b[2J\n", "")


def test_tabs_are_offered_with_their_workspace(run: Run, server: ScriptedServer) -> None:
    server.answers["workspace.list"] = {"workspaces": [workspace()]}
    server.answers["workspace.get"] = {"workspace": workspace(), "tabs": [tab(), tab(id="tab_2")], "panes": []}
    assert run("complete", "tab") == (0, "tab_1\tagents of api\ntab_2\tagents of api\n", "")


def test_a_server_that_refuses_is_no_offer(run: Run, server: ScriptedServer) -> None:
    assert run("complete", "task")[:2] == (1, "")
