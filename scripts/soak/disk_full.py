"""A disk that fills up while panes live and clients change things: nothing acknowledged is lost, panes live on.

Usage: python -m scripts.soak.disk_full [--rounds 8] [--small]. Linux (reads /proc); needs the right to mount a tmpfs,
with --small (or without that right) a limit on the size of a file serves instead.

Each round leaves another amount of room, so that journal, reservation, snapshot, history and retention record are each
met by the full disk. Then room returns, the next server starts, and everything acknowledged is there.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
from functools import partial
from pathlib import Path

from scripts.soak.scene import Steady, check, connect, main
from tests.server.rig import Client, Record, Refused, Server, Shop, b64, is_running, running, wait_until

DISK_KIB = 6 << 10


class Disk:
    """A small file system for the state directory, or the whole disk with a limit on each file."""

    def __init__(self, server: Server, small: bool) -> None:
        self._state = Path(server.state)
        self._state.mkdir(0o700)
        self._server = server
        self.is_mounted = not small and not subprocess.call(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_KIB}k,mode=0700", "signaltty-soak", str(self._state)],
            stderr=subprocess.DEVNULL,
        )
        self.kind = "tmpfs" if self.is_mounted else "file size limit"

    def fill(self, room_kib: int) -> None:
        """Leave so much room."""
        if self.is_mounted:
            facts = os.statvfs(self._state)
            free = facts.f_bavail * facts.f_frsize - (room_kib << 10)
            with open(self._state / "filler", "ab") as file:
                file.write(b"x" * max(0, free))
        else:
            largest = max(path.stat().st_size for path in self._state.rglob("*") if path.is_file())
            pid = Steady(self._server).ask("server.status")["pid"]
            limit = largest + (room_kib << 10)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, limit))

    def make_room(self) -> None:
        if self.is_mounted:
            (self._state / "filler").unlink(missing_ok=True)

    def close(self) -> None:
        if self.is_mounted:
            subprocess.call(["umount", "-l", str(self._state)])


def measure(rounds: int, small: bool) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running(started=False) as server:
        disk = Disk(server, small)
        try:
            return _measure(server, disk, rounds)
        finally:
            disk.make_room()
            server.stop()
            disk.close()


def _measure(server: Server, disk: Disk, rounds: int) -> dict[str, object]:
    server.start()
    shop = Shop(server)
    pane_id = shop.spawn("cat")["id"]
    child = shop.pid(pane_id)
    kept: list[str] = []
    notes: list[str] = []
    stops = refusals = 0
    for number in range(rounds):
        client = connect(server)
        pid = client.call("server.status")["pid"]
        disk.fill(random.choice((0, 1, 2, 4, 8, 40, 200)))
        refusals += _press(client, shop.workspace, number, kept, notes)
        client.close()
        wait_until(partial(_has_ended, pid), "the end of a server that cannot write", 60)
        stops += 1
        if server.process is not None and server.process.pid == pid:
            check(server.process.wait() == 1, f"the server ended with status {server.process.returncode}")
        check("the server stops" in server.log() or "cannot" in server.log(), "the log says nothing")
        check(is_running(child), "the pane's child has died")
        empty = [path.name for path in Path(server.state).rglob("*.json*") if not path.stat().st_size]
        check(set(empty) <= {"audit.jsonl"}, f"files of length zero: {empty}")
        disk.make_room()
        server.process = server.launch()
        steady = Steady(server)
        steady.ask("server.status")
        steady.close()
        client = connect(server)
        _verify(client, shop.workspace, kept, notes)
        shop.client = client
        check(shop.get(pane_id)["restore_state"] == "LIVE", "the pane is not live any more")
        client.call("pane.input", pane_id=pane_id, data_b64=b64(b"round %d.\n" % number))
        shop.shows(pane_id, f"round {number}.")
        client.close()
    return {
        "a disk that fills": disk.kind,
        "servers that stopped": stops,
        "calls refused before that": refusals,
        "acknowledged changes, all kept": len(kept) + len(notes),
        "children lost": 0,
    }


def _has_ended(pid: int) -> bool:
    return not is_running(pid)


def _press(client: Client, workspace: str, number: int, kept: list[str], notes: list[str]) -> int:
    """Change things until the server is gone; names and notes it has acknowledged are kept. How many were refused."""
    refusals = 0
    for count in range(200_000):
        name = f"{number} {count} " + "x" * random.choice((10, 90))
        try:
            client.call("workspace.rename", workspace_id=workspace, name=name)
            kept.append(name)
            client.call("notify", title=name, body="é" * random.choice((1, 1000)))
            notes.append(name)
        except Refused as refused:
            check(refused.code == "IO_ERROR", f"the disk is full, and the call says {refused.code}")
            refusals += 1
        except (OSError, AssertionError):
            return refusals
    check(False, "the disk never was full")
    return refusals


def _verify(client: Client, workspace: str, kept: list[str], notes: list[str]) -> None:
    """The name is the one acknowledged last, or a later one whose reply was lost."""
    if not kept:
        return
    shown: Record = client.call("workspace.get", workspace_id=workspace)["workspace"]
    number, count = (int(word) for word in kept[-1].split()[:2])
    found, later = (int(word) for word in shown["name"].split()[:2])
    check((found, later) >= (number, count), f"{kept[-1]!r} was acknowledged, {shown['name']!r} is there")
    titles = {one["title"] for one in client.call("notification.list", limit=200)["notifications"]}
    check(not notes or notes[-1] in titles, f"the note {notes[-1:]} was acknowledged and is gone")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    main(lambda: measure(given.rounds, given.small))
