"""A process that appends changes until it is killed and says on stdout what it was told is on disk.

argv: state directory, most bytes a file may have (0: no limit), `snapshots` or `plain`. A line per report: number of
the newest synced change, number of its last event. A failure is reported as `failed` with its sentence.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from typing import Any

from signaltty_core.host.journal_file import JournalFile
from signaltty_core.host.loop import Loop
from signaltty_core.journal.record import lines
from signaltty_core.journal.snapshot import build
from signaltty_core.state.records import notification
from signaltty_core.state.tasks import new
from signaltty_core.state.world import World
from signaltty_core.wire.codec import encode

AT = "2026-10-09T12:34:56.789Z"


def change(n: int) -> tuple[list[tuple[str, dict[str, Any]]], dict[str, dict[str, dict[str, Any]]]]:
    """Events and records of change n: a counter, and one of seven rows, carried by an event."""
    row: dict[str, Any] = {**notification("", pane=None, title="x", body="", severity="info", source="ipc", at=1.0)}
    row.update(id=f"row{n % 7}", n=n, text="é\n" * (n % 50))
    contract = {"objective": "x", "acceptance_criteria": ["y"]}
    counter: dict[str, Any] = {**new("counter", context_id="c", label="l", contract=contract, at=1.0), "n": n}
    counted: dict[str, Any] = {"n": n}
    events = [("notification.created", {"notification": row}), ("counted", counted)]
    return events, {"notifications": {row["id"]: row}, "tasks": {"counter": counter}}


def written(n: int, first_seq: int) -> bytes:
    events, records = change(n)
    texts = [(name, encode(payload)) for name, payload in events]
    return lines(first_seq, texts, [payload for _, payload in events], records, [], AT)


def apply(world: World, n: int) -> None:
    world.apply({table: list(rows.values()) for table, rows in change(n)[1].items()}, [])


def after(n: int) -> dict[str, dict[str, Any]]:
    """The tables once changes 1 to n are made."""
    world = World()
    for made in range(1, n + 1):
        apply(world, made)
    return world.tables


def main(state_dir: str, most_bytes: int, with_snapshots: bool) -> None:
    loop = Loop()
    pending: list[tuple[int, int]] = []

    def synced(seq: int) -> None:
        while pending and pending[0][0] <= seq:
            last_seq, n = pending.pop(0)
            os.write(1, b"%d %d\n" % (n, last_seq))

    def failed(fault: Exception) -> None:
        os.write(1, f"failed {fault}\n".encode())
        loop.stop()

    journal = JournalFile(state_dir, loop.post, synced, failed)
    loaded = journal.open()
    world = World()
    world.tables = loaded.tables
    world.seq = loaded.next_seq - 1
    n = world.tasks.get("counter", {"n": 0})["n"]
    if most_bytes:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    def commit() -> None:
        nonlocal n
        n += 1
        first = world.seq + 1
        journal.ensure(first + 2)
        world.seq += 2
        apply(world, n)
        pending.append((world.seq, n))
        journal.append(world.seq, written(n, first))
        if with_snapshots and n % 40 == 0:
            document = build(world.tables, saved_at=AT, through_seq=world.seq, history={})
            journal.save_snapshot(document, world.seq)
        if len(pending) < 50:
            loop.post(commit)
        else:
            loop.after(0.0005, commit)

    loop.post(commit)
    loop.run()
    journal.close(None)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "snapshots")
