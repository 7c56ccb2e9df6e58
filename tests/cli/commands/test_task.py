"""`task get`: one line, and why a task has stopped."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.cli.commands.task import STATES
from signaltty_core.state.words import TASK_STATES

from ...client.scripted import ScriptedServer
from ..conftest import Run

LINE = "task_1 state=failed repo=/api branch=b\n"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ""),
        (
            {"pane_id": "pane_1", "status_reason": {"reason": "worker_silent", "timeout_s": 600}},
            "  why: worker_silent\n  pane: pane_1\n",
        ),
        (
            {"status_reason": {"stage": "spawn", "error": {"code": "SPAWN_FAILED", "message": "cannot start x"}}},
            "  why: spawn: cannot start x\n",
        ),
        (
            {"status_reason": {"reason": "turn_ended_without_report", "last_message": "two\nlines"}},
            "  why: turn_ended_without_report: two\\x0alines\n",
        ),
        (
            {"status_reason": {"reason": "decision_required", "decision_id": None}, "pane_id": "pane_1"},
            "  why: decision_required\n  pane: pane_1\n",
        ),
    ],
)
def test_a_task_that_has_stopped_says_why_and_where(
    run: Run, server: ScriptedServer, more: dict[str, Any], said: str
) -> None:
    task = {"id": "task_1", "state": "failed", "source_repo": "/api", "branch": "b", **more}
    server.answers["task.get"] = {"task": task}
    assert run("task", "get", "task_1") == (0, LINE + said, "")


def test_the_help_of_a_wait_names_every_state() -> None:
    assert STATES.startswith(", ".join(TASK_STATES) + "; terminal ")
