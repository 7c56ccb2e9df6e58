"""Every parameter of every method with values nobody expects: a result, BAD_PARAMS, or a code the method names."""

from __future__ import annotations

import os
from typing import Any

import pytest

from signaltty_core.methods import registry
from tests.e2e.yard import git
from tests.server.rig import Record, Server, Shop

HALF = "\ud800"  # half of a character: JSON can say it, UTF-8 cannot
ODD: list[Any] = [
    "",
    "a\0b",
    HALF,
    "x" * 70_000,
    "../..",
    "--help",
    "/dev/null",
    "(" * 3000,
    "(?:a{1000}){1000}",
    -1,
    1 << 64,
    1.5,
    1e308,
    True,
    {},
    {HALF: HALF},
    {"type": "split"},
    {"version": 1, "event": "agent.running", "session": {"id": HALF}, "agent": {"name": HALF, "pid": 1 << 70}},
    {"id": HALF, "prompt": HALF, "options": [{"id": HALF, "label": HALF}]},
    {"session_id": HALF, "tool_name": HALF, "tool_input": {HALF: HALF}, "cwd": HALF},
    {"objective": HALF},
    [],
    [None],
    [HALF],
    ["x"] * 5000,
]
ENDS_THE_SERVER = "server.shutdown"


class Place:
    """Something real for what a method needs; made anew once a call has taken it away."""

    def __init__(self, server: Server) -> None:
        self.shop = Shop(server)
        self.repo = f"{server.work}/{len(os.listdir(server.work))}"
        os.mkdir(self.repo)
        git(self.repo, "init", "-q", "-b", "main")
        git(self.repo, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "a", "--allow-empty")
        self.pane: Record = {}

    def sound(self, method: registry.Method) -> Record:
        """What the method must be given, as it should be."""
        known = {
            **{"pane_id": self.pane["id"], "target_pane_id": self.pane["id"], "tab_id": self.pane["tab_id"]},
            **{"workspace_id": self.pane["workspace_id"], "argv": ["cat"], "cwd": self.repo, "repo": self.repo},
            **{"until": "done", "data_b64": "eA==", "agent": "claude", "event": "Stop", "cols": 80, "rows": 24},
            **{"ratio": 0.5, "contract": {"objective": "x"}, "layout": {"type": "pane", "pane_id": self.pane["id"]}},
            **{"root": {"type": "pane"}, "status": "completed", "mode": "discard", "signal": "WINCH"},
            **{"path": [] if method.name == "tab.set_ratio" else f"{self.repo}/w"},
        }
        return {one.name: known.get(one.name, "x") for one in method.params() if one.default is registry.REQUIRED}

    def make(self) -> None:
        alive = self.pane and self.shop.client.reply(self.shop.client.send("pane.get", pane_id=self.pane["id"]))["ok"]
        if not alive:
            self.shop.workspace = self.shop.client.call("workspace.create", cwd=self.repo)["workspace"]["id"]
            self.pane = self.shop.spawn("cat")


@pytest.mark.parametrize("method", [one for one in registry.every() if one.params()], ids=lambda one: str(one.name))
def test_no_value_of_a_parameter_is_more_than_one_of_the_methods_own_errors(
    server: Server, method: registry.Method
) -> None:
    place, client = Place(server), server.client()
    found: list[tuple[str, Any, str]] = []
    for param in method.params():
        for value in ODD:
            if method.name == ENDS_THE_SERVER and value is True:
                continue
            if method.mutates or not place.pane:
                place.make()
            given = {"timeout_s": 0, "wait_timeout_s": 1, **place.sound(method), param.name: value}
            if given["timeout_s"] == 1.5:
                continue  # sound, and would be waited for
            if method.name == "subscribe":
                client = server.client()  # a replay that is not complete has ended the one before
            frame = client.reply(client.send(method.name, **given))
            code = "" if frame["ok"] else frame["error"]["code"]
            if code not in ("", "BAD_PARAMS", *method.errors):
                found.append((param.name, value, code))
    assert found == []
    assert place.shop.client.call("server.status")["pid"] == server.pid
