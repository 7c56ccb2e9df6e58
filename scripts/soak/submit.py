"""Hundreds of prompts into every fake input line while all processors are busy: each arrives once or is refused.

Usage: submit.py [--times N] [--busy N] [MODES…]. Prints a line for each kind of input line; ends with 1 at a prompt
that was lost, doubled, cut, or refused without a reason that holds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.soak.scene import Failed, check, main, quantile
from tests.e2e.composers.rig import Composers
from tests.server.rig import Refused, running

KINDS = (
    "plain",
    "early",
    "late",
    "slow,early",
    "deaf",
    "mute",
    "placeholder",
    "early,placeholder",
    "dialog",
    "late,dialog",
)
HONEST = {"TIMEOUT": "activity_gate", "AGENT_BUSY": "delayed_enter"}
SIDE_BY_SIDE = 4
TEXTS = ("fix the bug", "first line\nsecond line\n  third", "\n".join(["a longer line of a prompt " * 3] * 40))


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Every processor has more to do than it can."""
    running_ones = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in running_ones:
            one.kill()
            one.wait()


def play(composers: Composers, modes: str, times: int) -> dict[str, object]:
    """One kind of input line, a few panes of it at a time."""
    panes = [composers.start(modes) for _ in range(SIDE_BY_SIDE)]
    given: dict[str, list[str]] = {pane: [] for pane in panes}
    refused: Counter[str] = Counter()
    took: list[float] = []
    for number in range(0, times, SIDE_BY_SIDE):
        asked = []
        for at, pane in enumerate(panes[: times - number]):
            text = f"{number + at}: {TEXTS[(number + at) % len(TEXTS)]}"
            client = composers.shop.server.client()
            asked.append((pane, text, client, client.send("pane.submit", pane_id=pane, text=text), time.monotonic()))
        for pane, text, client, id, began in asked:
            reply = client.reply(id, 120)
            client.close()
            if reply["ok"]:
                took.append(time.monotonic() - began)
                given[pane].append(text)
                composers.state(pane, "done")
            else:
                refuse(reply["error"], modes)
                refused[reply["error"]["code"]] += 1
                picked = [line for line in composers.lines(pane) if "picked" in line]
                check(not picked, f"{modes}: Enter went into a dialog")
                composers.client.call("pane.close", pane_id=pane)
                confirm(composers, pane, given.pop(pane))
                fresh = composers.start(modes)
                panes[panes.index(pane)] = fresh
                given[fresh] = []
    for pane, texts in given.items():
        confirm(composers, pane, texts)
        composers.client.call("pane.close", pane_id=pane)
    return {
        f"{modes}: submitted once": len(took),
        f"{modes}: refused": dict(refused),
        f"{modes}: p95 s": quantile(took, 0.95),
    }


def refuse(error: dict[str, object], modes: str) -> None:
    details = error["details"]
    assert isinstance(details, dict)
    honest = HONEST.get(str(error["code"])) == details.get("stage")
    check(honest, f"{modes}: refused with {error}")


def confirm(composers: Composers, pane: str, texts: list[str]) -> None:
    """What arrived is what was accepted; a submission that was refused may have arrived last."""
    found = composers.submitted(pane)
    check(found[: len(texts)] == texts, f"{pane}: {len(texts)} accepted, arrived {[each[:40] for each in found]}")
    check(len(found) <= len(texts) + 1, f"{pane}: too much arrived")


def run() -> dict[str, object]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("modes", nargs="*", default=KINDS)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--busy", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    figures: dict[str, object] = {}
    with running(started=False) as server, load(options.busy):
        server.environ["SIGNALTTY_INTEGRATION"] = "off"
        server.start()
        composers = Composers(server)
        for modes in options.modes:
            try:
                found = play(composers, modes, options.times)
            except Refused as fault:
                raise Failed(str(fault)) from None
            print(found, flush=True)
            figures.update(found)
    return figures


if __name__ == "__main__":
    main(run)
