"""Clients that stop reading: a viewer of 200 MB, a subscriber of many events, one that never takes its answers.

Usage: python -m scripts.soak.slow_readers [--megabytes 200]. Linux (reads /proc).
"""

from __future__ import annotations

import argparse
import time

from scripts.soak.scene import check, main, quantile
from tests.server.rig import Client, Shop, memory_kib, running, unb64, wait_until

MEMORY_MIB = 100.0
QUEUE = 4096


def measure(megabytes: int) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running() as server:
        shop = Shop(server)
        line = "0123456789" * 7
        pane = shop.run(f"read x; yes {line} | head -c {megabytes * 1_000_000}; echo; echo the end; exec cat")["id"]
        stopped = server.client()
        stopped.call("pane.attach", pane_id=pane)
        deaf = server.client()
        deaf.call("subscribe")
        silent = server.client()
        before_kib = memory_kib(server.pid)
        shop.client.call("pane.input", pane_id=pane, data_b64="Cg==")
        silent.write(b"".join(silent.line("server.status", f"s{n}") for n in range(2000)))
        latencies: list[float] = []
        most_kib, began, finished = 0, time.monotonic(), False
        while not finished:
            asked = time.monotonic()
            shop.client.call("server.status")
            latencies.append(time.monotonic() - asked)
            most_kib = max(most_kib, memory_kib(server.pid))
            check(time.monotonic() - began < 300, "the output did not end within 300 s")
            finished = "the end" in str(shop.client.call("pane.read", pane_id=pane, lines=3)["text"])
        printed_s = time.monotonic() - began
        grown_mib = (most_kib - before_kib) / 1024
        check(grown_mib < MEMORY_MIB, f"the server grew by {grown_mib:.0f} MiB")
        snapshots = _wake(stopped, pane)
        for number in range(QUEUE + 600):  # what the socket's buffers take comes on top of the queue
            shop.client.send("notify", title=f"{number}", body="b" * 1500)
            shop.client.reply(f"c{shop.client._sent}")
            if number % 500 == 0 and number > QUEUE:
                deaf.pump(0.0)
        wait_until(lambda: deaf.until_closed(30) is not None, "the end of the deaf subscriber's connection")
        told = [frame["seq"] for frame in deaf.frames if "event" in frame]
        check(told == sorted(set(told)), "the deaf subscriber was told numbers out of order")
        answers = 0
        while answers < 2000:
            check(silent.pump(10), f"only {answers} of 2,000 answers came")
            answers += len(silent.frames)
            silent.frames.clear()
        return {
            "printed, MB": megabytes,
            "printed in, s": printed_s,
            "others waited, s (p50)": quantile(latencies, 0.5),
            "others waited, s (p99)": quantile(latencies, 0.99),
            "others waited, s (worst)": max(latencies),
            "server grew, MiB": grown_mib,
            "snapshots for the one that woke up": snapshots,
            "events told to the one that did not read": len(told),
            "answers kept for the one that did not read": answers,
        }


def _wake(stopped: Client, pane: str) -> int:
    """Read on: offsets are continuous from each snapshot on, up to the newest output; how many snapshots came."""
    wanted = stopped.send("pane.get", pane_id=pane)
    snapshots, offset = 0, None
    until = time.monotonic() + 60
    while time.monotonic() < until:
        stopped.pump(0.5)
        frames, stopped.frames = stopped.frames, []
        for frame in frames:
            if frame.get("id") == wanted:
                check(snapshots, "no snapshot came for the backlog that was dropped")
                return snapshots
            payload = frame["payload"]
            if frame["event"] == "pty.snapshot":
                snapshots += 1
            elif offset is not None:
                size = len(unb64(payload["data_b64"]))
                check(offset + size == payload["output_offset"], f"a gap between {offset} and {payload}")
            offset = payload["output_offset"]
    check(False, "the viewer did not catch up within 60 s")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=200)
    given = parser.parse_args()
    main(lambda: measure(given.megabytes))
