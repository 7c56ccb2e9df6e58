"""`plugin list` and `plugin reload`."""

from __future__ import annotations

from ...client.scripted import ScriptedServer
from ..conftest import Run

HOOK = {"events": ["*"], "command": ["x"], "timeout_secs": 10, "runs": 3, "errors": 0}
LISTING = {
    "dir": "/p",
    "plugins": [
        {"name": "bell", "version": "1.0", "dir": "/p/bell", "hooks": [HOOK], "commands": []},
        {
            "name": "chime",
            "dir": "/p/chime",
            "hooks": [HOOK, {**HOOK, "errors": 2, "last_error": "exit status 3"}],
            "commands": [{"name": "c", "run": ["x"]}],
        },
    ],
    "failures": [{"dir": "odd", "error": "[plugin].name: missing"}],
}
SHOWN = (
    "bell 1.0  1 hooks  0 commands\n"
    "chime -  2 hooks  1 commands  2 errors: exit status 3\n"
    "odd  BROKEN: [plugin].name: missing\n"
)


def test_plugins_are_listed_with_what_failed(run: Run, server: ScriptedServer) -> None:
    server.answers["plugin.list"] = server.answers["plugin.reload"] = LISTING
    assert run("plugin", "list") == (0, SHOWN, "")
    assert run("plugin", "reload") == (0, SHOWN, "")
    assert server.asked == [("plugin.list", {}), ("plugin.reload", {})]


def test_an_empty_set_says_where_it_looked(run: Run, server: ScriptedServer) -> None:
    server.answers["plugin.list"] = {"dir": "/p", "plugins": [], "failures": []}
    assert run("plugin", "list") == (0, "no plugins in /p\n", "")
