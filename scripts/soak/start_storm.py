"""Start many servers at once, again and again: one remains, everybody is served, nothing is left behind.

Usage: python -m scripts.soak.start_storm [--rounds 50] [--servers 20]. Linux (reads /proc).
Every third round finds the socket of a killed server, and panes that its keeper holds.
"""

from __future__ import annotations

import argparse
import os
import time

from scripts.soak.scene import check, connect, main, quantile
from tests.server.rig import Server, Shop, running, wait_until

LEFT = {"signaltty.lock", "keeper.lock", "start.lock", "bin", "s"}


def measure(rounds: int, servers: int) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    waits: list[float] = []
    with running(started=False) as server:
        for number in range(rounds):
            waits += _storm(server, servers, kill=number % 3 == 2)
    return {
        "rounds": rounds,
        "servers started at once": servers,
        "clients served": len(waits),
        "until an answer, s (p50)": quantile(waits, 0.5),
        "until an answer, s (worst)": max(waits),
    }


def _storm(server: Server, count: int, kill: bool) -> list[float]:
    """One round; seconds from the start until each client had its answer."""
    began = time.monotonic()
    started = [server.launch() for _ in range(count)]
    pids, waits = set(), []
    for _ in range(count):
        client = connect(server)
        pids.add(client.call("server.status")["pid"])
        waits.append(time.monotonic() - began)
        server.clients.append(client)
    check(len(pids) == 1, f"{len(pids)} servers answered")
    (pid,) = pids
    losers = [one for one in started if one.pid != pid]
    for one in losers:
        check(one.wait(30) == 0, f"a server that was not needed ended with {one.returncode}: {server.log()[-500:]}")
    check(server.servers() == [pid], f"servers that run: {server.servers()}")
    for client in server.clients:  # a pane each, all at the same moment
        client.send("workspace.create", cwd=server.work)
    for client in server.clients:
        workspace = client.reply("c2")["result"]["workspace"]["id"]
        client.send("pane.spawn", workspace_id=workspace, argv=["cat"])
    for client in server.clients:
        check(client.reply("c3")["ok"], "a pane was not started")
    check(len(server.keepers()) == 1, f"keepers that run: {server.keepers()}")
    for client in server.clients:
        client.close()
    server.clients.clear()
    if kill:
        winner = next((one for one in started if one.pid == pid), None)
        if winner is not None:
            winner.kill()
            winner.wait()
        again = [server.launch() for _ in range(count)]
        client = connect(server)
        status = wait_until(lambda: client.call("server.status"), "the next server")
        check(status["live_panes"] == count, f"{status['live_panes']} panes of {count} live on")
        client.close()
        started += again
    shop = Shop(server)
    shop.client.call("server.shutdown", force=True)
    for one in started:
        one.wait(30)
    wait_until(lambda: not server.servers() and not server.keepers() and not server.children(), "the end of all")
    server.clients.clear()
    left = set(os.listdir(server.runtime)) - LEFT
    left |= {name for name in os.listdir(server.state) if name.endswith(".new")}
    if os.path.isdir(f"{server.runtime}/s"):
        left |= set(os.listdir(f"{server.runtime}/s"))
    if os.path.exists(server.path):
        left.add(server.path)
    check(not left, f"left behind: {sorted(left)}")
    return waits


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--servers", type=int, default=20)
    given = parser.parse_args()
    main(lambda: measure(given.rounds, given.servers))
