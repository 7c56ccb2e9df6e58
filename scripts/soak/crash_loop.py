"""Kill the server again and again while panes print and exit, clients change things and tasks and worktrees come and
go: nothing may be lost.

Usage: python -m scripts.soak.crash_loop [--rounds 100] [--panes 20] [--restart] [--seed 1]. Linux (reads /proc).
With --restart the server is told to make room for the next instead of being killed.

Counted: children that died, acknowledged changes that are gone, numbers given twice, exit codes that are wrong, and how
much of the output is missing (keeper §4: at most the last 5 s before a kill, and then announced as dropped). What must
hold for tasks and worktrees: `git_work.py`.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from itertools import pairwise
from typing import Any

from scripts.soak.git_work import GitWork, environ
from scripts.soak.scene import Steady, check, connect, kill_server, main, quantile, start_next
from tests.server.rig import Client, Record, Server, Shop, is_running, running, wait_until

PRINTING = 5
TICK_S = 0.05
LINES = 5000
KEPT_BYTES = 60_000  # a little less than what survives of a pane's text
LOSS_S = 5.0
TICKING = "i=0; while :; do echo tick $i; i=$((i+1)); sleep 0.05; done"


class Changer(threading.Thread):
    """Makes changes all the time and remembers which were acknowledged: names of a workspace, and notes by title."""

    def __init__(self, server: Server, number: int, going: threading.Event) -> None:
        super().__init__(name=f"changer {number}")
        self._server = server
        self._going = going
        self._number = number
        self.stop = threading.Event()
        self.workspace = ""
        self.notes: list[str] = []
        self.sent: list[str] = []
        self.acknowledged: list[str] = []
        self.faults: list[str] = []

    def run(self) -> None:
        steady = Steady(self._server)
        try:
            self._work(steady)
        except Exception as fault:  # the thread's edge: told by the main thread
            self.faults.append(f"{self.name}: {type(fault).__name__}: {fault}")
        finally:
            steady.close()

    def _work(self, steady: Steady) -> None:
        made = steady.attempt("workspace.create", name=f"{self._number}", cwd=self._server.work)
        self.workspace = made["workspace"]["id"]
        count = 0
        while not self.stop.is_set():
            self._going.wait()
            count += 1
            name = f"{self._number} {count}"
            self.sent.append(name)
            if steady.attempt("workspace.rename", workspace_id=self.workspace, name=name) is not None:
                self.acknowledged.append(name)
            title = f"note {name}"
            if steady.attempt("notify", title=title) is not None:
                self.notes.append(title)

    def verify(self, shown: str) -> None:
        """The name is the last one acknowledged, or one that was sent later and lost its reply."""
        last = self.sent.index(self.acknowledged[-1])
        check(shown in self.sent[last:], f"{self.name}: {self.acknowledged[-1]!r} was acknowledged, {shown!r} is there")


class Follower:
    """A subscriber that goes on where it was: all events of all servers, once each."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._client = server.client()
        self._seq: int = self._client.call("subscribe")["seq"]
        self.events: dict[int, tuple[str, Any]] = {}
        self.replayed = 0

    def read(self, wait_s: float = 0.0) -> None:
        """Everything that has come, up to the end of the connection."""
        while self._client.pump(wait_s):
            wait_s = 0.0
        frames, self._client.frames = self._client.frames, []
        for frame in frames:
            if "event" in frame:
                self._note(frame)

    def resume(self) -> None:
        """Follow the next server from the last number seen."""
        self.read()
        self._client.close()
        self._client = connect(self._server)
        result = self._client.call("subscribe", from_seq=self._seq)
        replay = result["replay"]
        check(replay["status"] == "complete", f"replay after {self._seq}: {replay}")
        self.replayed += replay["returned"]

    def _note(self, frame: Record) -> None:
        seq = frame["seq"]
        check(seq > self._seq, f"number {seq} came after {self._seq}")
        self._seq = seq
        self.events[seq] = (frame["event"], frame["payload"])


class Mortal:
    """A pane whose program ends by itself, perhaps while no server is there."""

    def __init__(self, shop: Shop, code: int) -> None:
        self.code = code
        self.pane_id = shop.run(f"sleep {random.uniform(0.0, 0.5):.2f}; exit {code}")["id"]

    def verify(self, client: Client) -> None:
        def ended() -> Record | None:
            pane: Record = client.call("pane.get", pane_id=self.pane_id)["pane"]
            return pane if pane["live"]["state"] == "exited" else None

        pane = wait_until(ended, f"the end of {self.pane_id}")
        wanted = {"state": "exited", "code": self.code}
        check(pane["live"] == wanted, f"{self.pane_id} should have ended with {self.code}: {pane['live']}")


def measure(rounds: int, panes: int, restart: bool, longest_s: float = 1.5, seed: int = 1) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running(started=False) as server:
        server.environ.update(environ(server))
        server.start()
        shop = Shop(server)
        printing = [shop.run(TICKING)["id"] for _ in range(min(PRINTING, panes))]
        quiet = [shop.spawn("cat")["id"] for _ in range(panes - len(printing))]
        pids = {pane_id: shop.pid(pane_id) for pane_id in (*printing, *quiet)}
        follower = Follower(server)
        work = GitWork(server, seed)
        going = threading.Event()
        going.set()
        changers = [Changer(server, number, going) for number in range(3)]
        for changer in changers:
            changer.start()
        absences: list[float] = []
        mortals: list[Mortal] = []
        undropped = 0
        try:
            for number in range(rounds):
                client = connect(server)
                shop.client = client
                mortals.append(Mortal(shop, number % 100 + 1))
                lasting_s = random.uniform(0.05, longest_s)
                work.begin(lasting_s)
                until = time.monotonic() + lasting_s
                while time.monotonic() < until:
                    follower.read(0.02)
                cursors = {one: client.call("pane.read", pane_id=one, mode="rendered")["next_seq"] for one in printing}
                absences.append(_replace(server, client, restart))
                client.close()
                going.clear()  # a replay holds 4,096 events, and proving takes its time
                work.pause()
                work.prove()
                client = connect(server)
                for pane_id, cursor in cursors.items():
                    read = client.call("pane.read", pane_id=pane_id, mode="rendered", after_seq=cursor)
                    undropped += not read["dropped"]
                client.close()
                follower.resume()
                going.set()
        finally:
            for changer in changers:
                changer.stop.set()
            going.set()
            for changer in changers:
                changer.join()
        check(not (faults := [fault for changer in changers for fault in changer.faults]), f"{faults}")
        client = connect(server)
        dead = [pane_id for pane_id, pid in pids.items() if not is_running(pid)]
        check(not dead, f"children that died: {dead}")
        check(undropped == 0, f"{undropped} old cursors did not read as dropped")
        for changer in changers:
            changer.verify(client.call("workspace.get", workspace_id=changer.workspace)["workspace"]["name"])
        for mortal in mortals:
            mortal.verify(client)
        follower.resume()
        client.call("server.status")
        follower.read()
        told = [
            payload["notification"]["title"] for event, payload in follower.events.values() if event.startswith("notif")
        ]
        work.check_events(follower.events.values())
        check(len(told) == len(set(told)), "a note was published twice")
        missing = {title for changer in changers for title in changer.notes} - set(told)
        check(not missing, f"acknowledged notes that no subscriber was told: {sorted(missing)[:5]}")
        gaps = [gap for pane_id in printing for gap in _gaps(client, pane_id)]
        check(max(gaps, default=0) * TICK_S <= LOSS_S, f"{max(gaps, default=0)} ticks are missing in a row")
        check(not restart or not gaps, f"output is missing after an orderly restart: {gaps}")
        of_git = work.figures()
        client.call("server.shutdown", force=True)
        wait_until(lambda: not server.children() and not server.servers() and not server.keepers(), "the end of all")
        return {
            "servers replaced": rounds,
            "panes, of which print": f"{panes}, {len(printing)}",
            "children lost": len(dead),
            "acknowledged changes": sum(len(changer.acknowledged) + len(changer.notes) for changer in changers),
            "acknowledged changes lost": len(missing),
            "numbers given twice": 0,
            "events followed, of which replayed": f"{len(follower.events)}, {follower.replayed}",
            "exit codes right": len(mortals),
            **of_git,
            "gaps in the output": len(gaps),
            "longest gap, s": max(gaps, default=0) * TICK_S,
            "no server for, s (p50)": quantile(absences, 0.5),
            "no server for, s (worst)": max(absences),
        }


def _replace(server: Server, client: Client, restart: bool) -> float:
    """End the server and have the next; seconds without one."""
    if not restart:
        began = time.monotonic()
        kill_server(server)
        start_next(server)
        return time.monotonic() - began
    pid = client.call("server.status")["pid"]
    check(client.call("server.shutdown", keep_panes=True) == {"stopped": True}, "the server did not agree to stop")
    wait_until(lambda: not server.answers(), "the end of the server's socket")
    began = time.monotonic()
    old, server.process = server.process, server.launch()
    status = Steady(server).ask("server.status")
    absent_s = time.monotonic() - began
    check(status["pid"] != pid, "the server that was told to stop still answers")
    if old is not None:
        old.wait()
    return absent_s


def _gaps(client: Client, pane_id: str) -> list[int]:
    """How many ticks are missing at each place where some are; they never come twice or out of order."""
    text: str = client.call("pane.read", pane_id=pane_id, lines=LINES)["text"]
    ticks = [int(line.split()[1]) for line in text.split("\n") if line.startswith("tick ") and line.split()[1:]]
    check(ticks, f"{pane_id}: nothing is left of its output")
    is_whole = len(text) < KEPT_BYTES and len(ticks) < LINES - 100  # else the oldest lines are not kept
    steps = [after - before for before, after in pairwise([-1, *ticks] if is_whole else ticks)]
    check(all(step > 0 for step in steps), f"{pane_id}: output came twice: {[s for s in steps if s <= 0][:5]}")
    return [step - 1 for step in steps if step > 1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--panes", type=int, default=20)
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    main(lambda: measure(given.rounds, given.panes, given.restart, seed=given.seed))
