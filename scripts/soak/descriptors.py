"""Few descriptors, many connections, many short panes: refused with a sentence, served again afterwards, none leaked.

Usage: python -m scripts.soak.descriptors [--limit 80] [--panes 200]. Linux (reads /proc).
"""

from __future__ import annotations

import argparse
import resource
import socket
import subprocess
import time

from scripts.soak.scene import check, main
from tests.server.rig import Client, Refused, Server, Shop, descriptors, running, wait_until

CONNECTIONS = 1024


def measure(limit: int, panes: int) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    figures: dict[str, object] = {}
    with running() as server:
        figures.update(_many_connections(server))
        figures.update(_short_panes(server, panes))
    with running(started=False) as server:
        server.process = _launch_limited(server, limit)
        wait_until(server.answers, "the server")
        figures.update(_few_descriptors(server, limit))
    return figures


def _many_connections(server: Server) -> dict[str, object]:
    """1,100 of them: those that may stay are served, the rest is told why."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096) if hard > 0 else 4096, hard))
    first = server.client()
    first.call("server.status")
    before = descriptors(server.pid)
    clients = [Client(server.path) for _ in range(1100)]
    codes = []
    for client in clients[CONNECTIONS - 1 :]:
        (frame,) = client.until_closed(30)
        codes.append((frame["id"], frame["error"]["code"]))
    check(set(codes) == {("?", "RATE_LIMITED")}, f"connections above the limit were told {set(codes)}")
    for client in clients[: CONNECTIONS - 1 : 50]:
        client.call("server.status")
    for client in clients:
        client.close()
    wait_until(lambda: descriptors(server.pid) <= before, "the server's descriptors come back")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return {"connections at once, of which refused": f"{len(clients) + 1}, {len(codes)}"}


def _short_panes(server: Server, count: int) -> dict[str, object]:
    """Born, ended, closed: nothing stays behind in server or keeper."""
    shop = Shop(server)
    shop.exited(shop.run("exit 0")["id"])
    (keeper,) = server.keepers()
    before = (descriptors(server.pid), descriptors(keeper))
    began = time.monotonic()
    for number in range(count):
        pane = shop.run(f"exit {number % 100}")
        check(shop.exited(pane["id"])["live"]["code"] == number % 100, "an exit code is wrong")
        shop.client.call("pane.close", pane_id=pane["id"])
    spent_s = time.monotonic() - began
    wait_until(
        lambda: descriptors(server.pid) <= before[0] and descriptors(keeper) <= before[1],
        f"the descriptors come back to {before}",
    )
    return {"short panes": count, "a short pane, s": spent_s / count}


def _launch_limited(server: Server, limit: int) -> subprocess.Popen[bytes]:
    """A server, and later its keeper, that may not have more descriptors than this."""
    words = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *server.argv()]
    with open(f"{server.directory}/log", "ab") as log:
        return subprocess.Popen(
            words, env=server.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _few_descriptors(server: Server, limit: int) -> dict[str, object]:
    """A low hard limit: connections wait, spawns are refused, and both work again when there is room."""
    shop = Shop(server)
    pane = shop.spawn("cat")["id"]
    refused, made = "", 0
    while not refused:
        try:
            shop.spawn("cat")
            made += 1
        except Refused as failure:
            refused = failure.code
        check(made < limit, "the limit was never met")
    waiting = []
    for _ in range(limit):
        waiting.append(socket.socket(socket.AF_UNIX))
        waiting[-1].connect(server.path)  # the kernel takes them, the server may not
    shop.client.call("server.status")
    for one in waiting:
        one.close()
    for found in shop.client.call("pane.list")["panes"]:
        if found["id"] != pane:
            shop.client.call("pane.close", pane_id=found["id"])

    def again() -> bool:
        try:
            return bool(shop.spawn("cat"))
        except Refused:
            return False

    wait_until(again, "a spawn after there is room")
    late = server.client()
    check(late.call("server.status")["pid"] == server.pid, "another server answers")
    return {"descriptors allowed": limit, "panes until the limit": made, "the next spawn was told": refused}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=80)
    parser.add_argument("--panes", type=int, default=200)
    given = parser.parse_args()
    main(lambda: measure(given.limit, given.panes))
