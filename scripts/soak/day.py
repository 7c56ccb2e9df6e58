"""A working day of forty agents, compressed: nothing grows that may not, and nothing gets slower.

Usage: python -m scripts.soak.day [--hours 24] [--panes 40]. Linux (reads /proc).

An hour is, per pane, a few turns (prompt, tools, a question now and then, stop) with some pages of output, a program
that ends and is started again in a fresh pane, notifications, viewers that come and go, command-line connections; every
six hours the server is replaced, once by a kill.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from scripts.soak.scene import check, connect, kill_server, main, quantile, start_next
from tests.server.rig import Client, Server, Shop, descriptors, memory_kib, running, wait_until

TURNS_AN_HOUR = 4
QUESTION = {"id": "q", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}
PAGES = 'while read x; do seq 1 60; printf "\\033]0;turn %s\\007done %s\\n" "$x" "$x"; done'
MEMORY_MIB = 60.0
JOURNAL_MIB = 20.0
SLOWER = 3.0


class Day:
    """latencies: of status requests, per hour."""

    def __init__(self, server: Server, panes: int) -> None:
        self.server = server
        self.shop = Shop(server)
        self.panes = [self.shop.run(PAGES)["id"] for _ in range(panes)]
        self.latencies: list[list[float]] = []
        self.turns = self.restarts = 0

    def hour(self, number: int) -> None:
        client = self.shop.client
        follower = self.server.client()
        follower.call("subscribe", events=["agent.*", "attention.*", "decision.*"])
        spent: list[float] = []
        for turn in range(TURNS_AN_HOUR):
            for index, pane_id in enumerate(self.panes):
                self._turn(client, pane_id, number * TURNS_AN_HOUR + turn, with_question=(index + turn) % 5 == 0)
                asked = time.monotonic()
                client.call("server.status")
                spent.append(time.monotonic() - asked)
            follower.settle()
        self.latencies.append(spent)
        self._come_and_go(client, number)
        follower.close()
        self.server.clients.remove(follower)

    def replace(self, number: int) -> None:
        """The server makes room for the next, once by force."""
        self.restarts += 1
        client = self.shop.client
        pid = client.call("server.status")["pid"]
        if number == 12:
            kill_server(self.server)
        else:
            client.call("server.shutdown", keep_panes=True)
            wait_until(lambda: not self.server.answers(), "the end of the socket")
        start_next(self.server)
        self.shop.client = connect(self.server)
        status = self.shop.client.call("server.status")
        check(status["pid"] != pid and status["live_panes"] == len(self.panes), f"after a restart: {status}")

    def _turn(self, client: Client, pane_id: str, number: int, with_question: bool) -> None:
        def hook(event: str, payload: dict[str, Any], **more: Any) -> None:
            payload["session_id"] = f"s-{pane_id}"
            client.call("hook-event", agent="claude", event=event, pane_id=pane_id, payload=payload, **more)

        self.turns += 1
        hook("UserPromptSubmit", {"prompt": f"turn {number}"})
        client.call("pane.input", pane_id=pane_id, data_b64="eAo=")
        hook("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
        hook("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}})
        if with_question:
            hook("Notification", {"message": "?"}, decision=QUESTION)
            hook("UserPromptSubmit", {"prompt": "b"})
        hook("Stop", {})
        client.call("pane.mark_seen", pane_id=pane_id)

    def _come_and_go(self, client: Client, number: int) -> None:
        """Viewers, connections, notes, and a pane that is replaced by a new one."""
        for pane_id in self.panes[:5]:
            viewer = self.server.client()
            viewer.call("pane.attach", pane_id=pane_id)
            client.call("pane.wait_for_output", pane_id=pane_id, match="done", timeout_s=20)
            viewer.close()
            self.server.clients.remove(viewer)
        for count in range(20):
            client.call("notify", title=f"hour {number}, note {count}", body="text " * 40)
        old = self.panes.pop(0)
        client.call("pane.close", pane_id=old)
        self.panes.append(self.shop.run(PAGES)["id"])


def measure(hours: int, panes: int) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running() as server:
        day = Day(server, panes)
        began = time.monotonic()
        sizes: list[tuple[float, int, int]] = []
        for number in range(hours):
            if number and number % 6 == 0:
                day.replace(number)
            day.hour(number)
            pid = day.shop.client.call("server.status")["pid"]
            keeper = server.keepers()[0]
            sizes.append((memory_kib(pid) / 1024, descriptors(pid), descriptors(keeper)))
        spent_s = time.monotonic() - began
        settled, last = sizes[min(2, len(sizes) - 1)], sizes[-1]
        journal_mib = sum(
            path.stat().st_size for path in Path(server.state).iterdir() if path.name.startswith("audit.jsonl")
        ) / (1 << 20)
        early, late = quantile(day.latencies[1 % hours], 0.5), quantile(day.latencies[-1], 0.5)
        seq = day.shop.client.call("server.status")["seq"]
        check(last[0] - settled[0] < MEMORY_MIB, f"the server grew from {settled[0]:.0f} to {last[0]:.0f} MiB")
        check(abs(last[1] - settled[1]) <= 4, f"the server's descriptors: {settled[1]}, later {last[1]}")
        check(abs(last[2] - settled[2]) <= 2, f"the keeper's descriptors: {settled[2]}, later {last[2]}")
        check(journal_mib < JOURNAL_MIB, f"the journal takes {journal_mib:.0f} MiB")
        check(late < early * SLOWER + 0.005, f"requests took {early:.4f} s, and {late:.4f} s at the end")
        wait_until(
            lambda: len(list(Path(server.state).glob("history/*"))) <= 2 * panes, "as many files of history as panes"
        )
        day.shop.client.call("server.shutdown", force=True)
        wait_until(lambda: not server.servers(), "the end of the server")
        document = json.loads(Path(server.state, "snapshot.json").read_bytes())
        check(len(document["panes"]) <= panes + 1, f"{len(document['panes'])} panes in the snapshot")
        return {
            "hours, panes": f"{hours}, {panes}",
            "done in, s": spent_s,
            "turns": day.turns,
            "newest number": seq,
            "servers replaced": day.restarts,
            "server, MiB (third hour, last)": f"{settled[0]:.1f}, {last[0]:.1f}",
            "descriptors of server and keeper": f"{last[1]}, {last[2]}",
            "journal, MiB": journal_mib,
            "status, s (p50 early, late)": f"{early:.4f}, {late:.4f}",
            "status, s (worst)": max(max(hour) for hour in day.latencies),
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--panes", type=int, default=40)
    given = parser.parse_args()
    main(lambda: measure(given.hours, given.panes))
