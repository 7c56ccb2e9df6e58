"""`report-session`."""

from __future__ import annotations

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run
from ..records import pane


def test_a_session_is_recorded_with_its_resume_command(
    run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answers["report-session"] = {"pane": pane()}
    monkeypatch.setenv("SIGNALTTY_PANE", "pane_1")
    line = ("report-session", "--session", "s1", "--agent", "mine", "--", "mine", "--resume", "s1")
    assert run(*line) == (0, "session recorded for pane_1\n", "")
    assert server.asked == [
        (
            "report-session",
            {
                "pane_id": "pane_1",
                "agent_session_id": "s1",
                "agent": "mine",
                "resume_argv": ["mine", "--resume", "s1"],
            },
        )
    ]


def test_outside_a_pane_there_is_nothing_to_record(run: Run, server: ScriptedServer) -> None:
    assert run("report-session", "--session", "s1") == (
        1,
        "",
        "signaltty: not inside a pane: give --pane or set SIGNALTTY_PANE\n",
    )
    assert server.requests == []
