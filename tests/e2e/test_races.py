"""Many clients that change the same few panes at once: nothing is an internal error, and the World holds together."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from tests.server.rig import Client, Record, Refused, Server, Shop, b64, environment, running, wait_until

PROGRAMS = [["cat"], ["true"], ["sh", "-c", "exit 3"], ["sh", "-c", "printf hi; exec cat"], ["/nope"]]
DECISION = {"id": "d", "prompt": "q", "options": [{"id": "a", "label": "A"}]}
PANES_MAX = 20
STEPS = 150


def test_a_close_that_waits_for_a_resume_ends_what_was_resumed() -> None:
    with running() as server:
        shop, other = Shop(server), server.client()
        for _ in range(5):
            pane_id = shop.spawn("true")["id"]
            shop.exited(pane_id)
            shop.client.call("report-session", pane_id=pane_id, agent_session_id="s", resume_argv=["cat"])
            resumes = shop.client.send("pane.resume", pane_id=pane_id)
            closes = other.send("pane.close", pane_id=pane_id)
            resumed, closed = shop.client.reply(resumes), other.reply(closes)
            assert closed["result"] == {"closed": True}
            assert ("" if resumed["ok"] else resumed["error"]["code"]) in ("", "NO_SUCH_PANE")
        wait_until(lambda: server.children() == [], "the end of every child")


class Changer:
    """One client and its own dice; each step is one request about something that may have gone already."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.client = server.client()
        self.dice = random.Random(seed)
        self.codes: set[str] = set()
        self.panes: list[Record] = []
        self.workspaces: list[str] = []

    def run(self) -> None:
        for _ in range(STEPS):
            try:
                self.panes = self.client.call("pane.list")["panes"]
                self.workspaces = [one["id"] for one in self.client.call("workspace.list")["workspaces"]]
                method, given = self.dice.choice(self.possible())
                self.client.call(method, **given)
            except Refused as refusal:
                self.codes.add(refusal.code)

    def possible(self) -> list[tuple[str, Record]]:
        """Some requests that may be made now."""
        choice, work = self.dice.choice, {"cwd": self.server.work}
        if not self.workspaces:
            return [("workspace.create", work)]
        place = {"workspace_id": choice(self.workspaces)}
        more: list[tuple[str, Record]] = [
            ("workspace.create", work),
            ("pane.spawn", {**place, "argv": choice(PROGRAMS)}),
        ]
        if not self.panes:
            return more
        pane: Record = {"pane_id": choice(self.panes)["id"]}
        two = {**pane, "target_pane_id": choice(self.panes)["id"]}
        tab = {"tab_id": choice(self.panes)["tab_id"]}
        session = {"agent_session_id": f"s{self.dice.randrange(3)}", "resume_argv": ["cat"]}
        hook = {
            "agent": choice(["claude", "codex"]),
            "event": choice(["UserPromptSubmit", "Stop", "PermissionRequest"]),
        }
        half: dict[str, Any] = {"type": "pane", "argv": ["cat"]}
        tree = {
            "type": "split",
            "dir": "down",
            "ratio": 0.3,
            "first": half,
            "second": {**half, "argv": choice(PROGRAMS)},
        }
        if len(self.panes) < PANES_MAX:
            more += [("pane.split", {**pane, "argv": choice(PROGRAMS)}), ("layout.apply", {**place, "root": tree})]
        return [
            *more,
            *[("pane.move", two), ("pane.swap", two), ("pane.close", pane), ("pane.close", pane), ("tab.close", tab)],
            *[("report-session", {**pane, **session}), ("pane.resume", pane), ("pane.resume", pane)],
            *[("pane.signal", {**pane, "signal": "KILL"}), ("pane.rename", {**pane, "name": choice(["a", "b", None])})],
            *[("hook-event", {**pane, **hook, "decision": choice([DECISION, None]), "payload": {"session_id": "s1"}})],
            *[("decision.answer", {**pane, "decision_id": "d", "option_id": "a"}), ("pane.mark_seen", pane)],
            *[("pane.attach", pane), ("pane.input", {**pane, "data_b64": b64(b"x" * 5000 + b"\n")})],
            *[("pane.clear", pane), ("pane.read", {**pane, "mode": "rendered"}), ("tab.create", place)],
            *[("pane.resize", {**pane, "cols": self.dice.randrange(20, 200), "rows": 24}), ("workspace.close", place)],
            *[("wait", {**pane, "until": ["done", "exited"], "timeout_s": 0.05})],
        ]


def leaves(tree: Any) -> list[str]:
    if tree is None:
        return []
    return [tree["pane_id"]] if tree["type"] == "pane" else leaves(tree["first"]) + leaves(tree["second"])


def world(client: Client) -> dict[str, Record]:
    """Every workspace with its tabs and panes, but for what is told of the present moment alone."""
    found = {}
    for one in client.call("workspace.list")["workspaces"]:
        held = client.call("workspace.get", workspace_id=one["id"])
        for pane in held["panes"]:
            pane.pop("last_activity_at")
        found[one["id"]] = held
    return found


def faults(found: dict[str, Record]) -> list[tuple[str, ...]]:
    """Where workspaces, tabs, layouts and panes do not agree."""
    wrong: list[tuple[str, ...]] = []
    for id, held in found.items():
        tabs = {tab["id"]: tab for tab in held["tabs"]}
        placed = [(pane_id, tab_id) for tab_id, tab in tabs.items() for pane_id in leaves(tab["layout"])]
        active = held["workspace"].get("active_tab_id")
        if sorted(placed) != sorted((pane["id"], pane["tab_id"]) for pane in held["panes"]):
            wrong.append(("layouts", id))
        if held["workspace"]["tabs"] != list(tabs) or (active not in tabs if tabs else active is not None):
            wrong.append(("tabs", id))
        for tab_id, tab in tabs.items():
            inside = leaves(tab["layout"])
            shown = tab.get("active_pane_id")
            if shown not in inside if inside else shown is not None:
                wrong.append(("active pane", tab_id))
    return wrong


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_clients_do_at_once_the_world_holds_together_and_survives_a_kill(seed: int) -> None:
    with running() as server:
        changers = [Changer(server, seed * 10 + number) for number in range(6)]
        threads = [threading.Thread(target=changer.run) for changer in changers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set().union(*(changer.codes for changer in changers)) <= {
            *{"BAD_PARAMS", "SPAWN_FAILED", "PANE_EXITED", "NO_SUCH_DECISION", "TIMEOUT"},
            *{"NO_SUCH_WORKSPACE", "NO_SUCH_TAB", "NO_SUCH_PANE"},
        }
        client = server.client()

        def live() -> set[str]:
            return {pane["id"] for pane in client.call("pane.list")["panes"] if pane["live"]["state"] == "live"}

        def ours() -> set[str]:
            values = [value for pid in server.children() for value in environment(pid)]
            return {value[15:].decode() for value in values if value.startswith(b"SIGNALTTY_PANE=")}

        wait_until(lambda: live() == ours(), "as many children as live panes")
        before = world(client)
        assert faults(before) == []
        server.kill()
        server.start()
        assert world(server.client()) == before
