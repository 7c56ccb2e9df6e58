"""A hundred status signals a second into one pane: the journal has every transition in order, and memory stays.

Usage: python -m scripts.soak.signals [--rate 100] [--seconds 60]. Linux (reads /proc).
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from scripts.soak.scene import check, main, quantile
from tests.server.rig import Server, Shop, memory_kib, running

TURN = (
    ("start", "agent.working"),
    ("blocked:permission", "agent.blocked"),
    ("state:working", "agent.working"),
    ("stop", "agent.done"),
)
EVENTS = {event for _, event in TURN} | {"agent.idle", "agent.failed"}
WARM_TURNS = 25
MEMORY_MIB = 30.0
LATE_S = 5.0
QUIET_S = 2.0


def measure(rate: float, seconds: float) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running() as server:
        shop = Shop(server)
        pane_id = str(shop.spawn("cat")["id"])
        path = f"{server.runtime}/s/{pane_id[5:17]}.sock"
        for _ in range(WARM_TURNS):
            for word, _ in TURN:
                send(path, word)
        wait_for(server, pane_id, WARM_TURNS * len(TURN))
        before_kib, before_cpu_s = memory_kib(server.pid), processor_s(server.pid)
        turns = max(1, round(rate * seconds / len(TURN)))
        began = time.monotonic()
        sent_s, status_s = play(shop, path, turns, rate)
        passed_s = time.monotonic() - began
        behind_s = passed_s - turns * len(TURN) / rate
        check(behind_s < LATE_S, f"the signals took {behind_s:.1f} s longer than their rate")
        wanted = [event for _, event in TURN] * (WARM_TURNS + turns)
        ended = time.monotonic()
        seen = wait_for(server, pane_id, len(wanted))
        settled_s = time.monotonic() - ended
        check(seen == wanted, f"sent {len(wanted)}, the journal has {len(seen)}: {difference(seen, wanted)}")
        after_kib, spent_s = memory_kib(server.pid), processor_s(server.pid) - before_cpu_s
        grown_mib = (after_kib - before_kib) / 1024
        check(grown_mib < MEMORY_MIB, f"the server grew by {grown_mib:.0f} MiB")
        return {
            "signals": turns * len(TURN),
            "signals a second": turns * len(TURN) / passed_s,
            "transitions in the journal": len(seen) - WARM_TURNS * len(TURN),
            "connect and write, s (p50)": quantile(sent_s, 0.5),
            "connect and write, s (worst)": max(sent_s),
            "status, s (p50)": quantile(status_s, 0.5),
            "status, s (worst)": max(status_s),
            "last signal to the journal seen, s": settled_s,
            "processor of the server, s": spent_s,
            "server before, MiB": before_kib / 1024,
            "server after, MiB": after_kib / 1024,
            "journal, MiB": sum(file.stat().st_size for file in journals(server)) / (1 << 20),
        }


def play(shop: Shop, path: str, turns: int, rate: float) -> tuple[list[float], list[float]]:
    """Whole turns at that rate, a fresh connection for each word; seconds of each, and of a status request a second."""
    sent_s: list[float] = []
    status_s: list[float] = []
    began = time.monotonic()
    for number in range(turns * len(TURN)):
        left_s = began + number / rate - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)
        asked = time.monotonic()
        send(path, TURN[number % len(TURN)][0])
        sent_s.append(time.monotonic() - asked)
        if number % max(1, round(rate)) == 0:
            asked = time.monotonic()
            shop.client.call("server.status")
            status_s.append(time.monotonic() - asked)
    return sent_s, status_s


def send(path: str, word: str) -> None:
    """As the protocol's senders do: connect, write, close."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(path)
        peer.sendall(word.encode() + b"\n")


def journals(server: Server) -> list[Path]:
    return [path for path in Path(server.state).iterdir() if path.name.startswith("audit.jsonl")]


def transitions(server: Server, pane_id: str) -> list[str]:
    """The lifecycle events of the pane, by their numbers; its birth is none of them."""
    found: list[tuple[int, str]] = []
    for path in journals(server):
        for text in path.read_bytes().split(b"\n")[:-1]:  # what follows the last newline is still being written
            if b'"event":"agent.' in text:
                line: dict[str, Any] = json.loads(text)
                if line["event"] in EVENTS and line["payload"]["pane_id"] == pane_id:
                    found.append((line["seq"], line["event"]))
    return [event for _, event in sorted(found)]


def wait_for(server: Server, pane_id: str, count: int) -> list[str]:
    """The transitions once there are so many, or once no more have come for two seconds."""
    seen, since = transitions(server, pane_id), time.monotonic()
    while len(seen) < count and time.monotonic() - since < QUIET_S:
        time.sleep(0.05)
        if len(now := transitions(server, pane_id)) > len(seen):
            seen, since = now, time.monotonic()
    return seen


def difference(seen: list[str], wanted: list[str]) -> str:
    shorter = min(len(seen), len(wanted))
    at = next((at for at in range(shorter) if seen[at] != wanted[at]), shorter)
    return f"at {at} {seen[at : at + 3]} instead of {wanted[at : at + 3]}"


def processor_s(pid: int) -> float:
    """User and system time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    main(lambda: measure(given.rate, given.seconds))
