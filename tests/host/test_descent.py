"""Descendants of a process, and who works in a directory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signaltty_core.host.descent import descendants, inhabitant
from tests.server.rig import end, wait_until


@contextmanager
def family(script: str, pids: Path, count: int) -> Iterator[tuple[int, list[int]]]:
    """A shell in a session of its own, and the pids its script has written, one a line."""
    environ = {**os.environ, "PIDS": str(pids), "SIGNALTTY_PANE": "pane_x"}
    child = subprocess.Popen(["sh", "-c", script], start_new_session=True, env=environ)
    found: list[int] = []
    try:
        wait_until(lambda: pids.exists() and pids.read_text().count("\n") == count, "the family")
        found = [int(line) for line in pids.read_text().split()]
        yield child.pid, found
    finally:
        child.kill()
        child.wait()
        for pid in found:
            end(pid)


def test_children_of_children_and_of_the_session_are_descendants(tmp_path: Path) -> None:
    script = """
        sh -c 'echo $$ >> $PIDS; sleep 1000' &
        setsid sh -c 'echo $$ >> $PIDS; sleep 1000' &
        sh -c 'sleep 1000 & echo $! >> $PIDS'
        exec sleep 1000
    """
    with family(script, tmp_path / "pids", 3) as (child, pids):
        found = descendants([child])
        assert set(pids) <= found
        assert child not in found and os.getpid() not in found


def test_whoever_works_inside_is_found_also_when_its_parents_are_gone(tmp_path: Path) -> None:
    inside = tmp_path / "tree"
    (inside / "sub").mkdir(parents=True)
    script = f"setsid sh -c 'cd {inside}/sub; sleep 1000 & echo $! >> $PIDS'; exec sleep 1000"
    with family(script, tmp_path / "pids", 1) as (child, _):
        assert inhabitant(str(inside), {child: "pane_x"}) == "pane_x"
        assert inhabitant(str(inside), {child: "pane_other"}) is None
        assert inhabitant(str(tmp_path / "tree-beside"), {child: "pane_x"}) is None
        assert inhabitant(str(inside), {}) is None
