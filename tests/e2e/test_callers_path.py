"""A program is looked up in the PATH of whoever asks for it, whatever the server was started with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.repositories import repository
from tests.e2e.rig import Rig, wait_until


@pytest.fixture
def tools(rig: Rig) -> Path:
    """A directory that is on the caller's PATH alone, with a program that tells how it was called."""
    rig.cli("server", "start")
    made = rig.place / "tools"
    made.mkdir()
    (made / "mender").write_text(f'#!/bin/sh\necho "$@" >> {rig.place}/calls\nexec sleep 1000\n')
    (made / "mender").chmod(0o755)
    rig.environment["PATH"] = f"{made}:{rig.environment['PATH']}"
    return made


def test_every_command_that_starts_a_program_finds_the_callers(rig: Rig, tools: Path) -> None:
    tree = rig.place / "tree.json"
    tree.write_text(json.dumps({"type": "pane", "argv": ["mender", "apply"]}))
    repo = repository(rig.home / "api", a="1\n")
    pane = rig.new_pane("mender", "new")
    rig.cli("pane", "split", pane, "--", "mender", "split")
    rig.cli("pane", "spawn", "--workspace", "e2e", "--", "mender", "spawn")
    rig.cli("tab", "apply", str(tree), "--workspace", "e2e")
    rig.cli("task", "start", "--repo", str(repo), "--objective", "mend it", "--", "mender", "task")
    rig.cli("report-session", "--pane", pane, "--session", "s", "--", "mender", "resume")
    rig.cli("pane", "signal", pane, "--signal", "KILL")
    rig.cli("wait", "--pane", pane, "--until", "exited")
    rig.cli("pane", "resume", pane)
    wait_until(lambda: len(calls(rig)) == 6, "six calls")
    assert calls(rig) == {"new", "split", "spawn", "apply", "task", "resume"}


def calls(rig: Rig) -> set[str]:
    return set((rig.place / "calls").read_text().split())
