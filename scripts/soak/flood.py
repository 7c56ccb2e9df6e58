"""Panes that print as fast as they can: others are served, memory is bounded, the end comes in time.

Usage: python -m scripts.soak.flood [--panes 5] [--seconds 20]. Linux (reads /proc).
"""

from __future__ import annotations

import argparse
import time

from scripts.soak.scene import check, main, quantile
from tests.server.rig import Shop, b64, memory_kib, running, wait_until

MEMORY_MIB = 200.0
END_S = 3.0


def measure(panes: int, seconds: float) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running() as server:
        shop = Shop(server)
        quiet = shop.spawn("cat")["id"]
        shop.client.call("pane.input", pane_id=quiet, data_b64=b64(b"first\n"))
        shop.shows(quiet, "first")
        (keeper,) = server.keepers()
        before_kib, keeper_kib = memory_kib(server.pid), memory_kib(keeper)
        floods = [shop.run("exec yes 0123456789012345678901234567890123456789")["id"] for _ in range(panes)]
        viewer = server.client()
        start = viewer.call("pane.attach", pane_id=floods[0])["output_offset"]
        status_s: list[float] = []
        echo_s: list[float] = []
        most_kib, offset, number, began = 0, start, 0, time.monotonic()
        while time.monotonic() - began < seconds:
            number += 1
            asked = time.monotonic()
            shop.client.call("server.status")
            status_s.append(time.monotonic() - asked)
            asked = time.monotonic()
            shop.client.call("pane.input", pane_id=quiet, data_b64=b64(b"word %d.\n" % number))
            shop.client.call("pane.wait_for_output", pane_id=quiet, match=f"word {number}.", timeout_s=20)
            echo_s.append(time.monotonic() - asked)
            while viewer.pump(0.0):
                pass
            for frame in viewer.frames:
                offset = frame.get("payload", {}).get("output_offset", offset)
            viewer.frames.clear()
            most_kib = max(most_kib, memory_kib(server.pid))
        passed_s = time.monotonic() - began
        grown_mib = (most_kib - before_kib) / 1024
        check(grown_mib < MEMORY_MIB, f"the server grew by {grown_mib:.0f} MiB")
        asked = time.monotonic()
        shop.client.call("server.shutdown", force=True)
        check(server.wait_end(10) == 0, "the server did not end well")
        end_s = time.monotonic() - asked
        check(end_s < END_S, f"the end took {end_s:.1f} s")
        wait_until(lambda: not server.children(), "the end of the children")
        return {
            "panes that flood": panes,
            "one pane, watched, MB/s": (offset - start) / passed_s / 1e6,
            "status, s (p50)": quantile(status_s, 0.5),
            "status, s (p99)": quantile(status_s, 0.99),
            "status, s (worst)": max(status_s),
            "keystroke to output, s (p50)": quantile(echo_s, 0.5),
            "keystroke to output, s (worst)": max(echo_s),
            "server grew, MiB": grown_mib,
            "keeper, MiB": keeper_kib / 1024,
            "shutdown under flood, s": end_s,
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--panes", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    main(lambda: measure(given.panes, given.seconds))
