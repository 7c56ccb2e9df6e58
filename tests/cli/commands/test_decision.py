"""`decision answer`."""

from __future__ import annotations

from ...client.scripted import ScriptedServer
from ..conftest import Run


def test_an_answer_is_sent_and_confirmed(run: Run, server: ScriptedServer) -> None:
    server.answers["decision.answer"] = {"answered": True}
    line = ("decision", "answer", "--pane", "p", "--decision", "permission_1", "--option", "once")
    assert run(*line) == (0, "answered permission_1 with once\n", "")
    assert server.asked == [("decision.answer", {"pane_id": "p", "decision_id": "permission_1", "option_id": "once"})]


def test_a_missing_option_is_a_usage_error(run: Run, server: ScriptedServer) -> None:
    assert run("decision", "answer", "--pane", "p", "--decision", "d") == (
        2,
        "",
        "signaltty: missing option '--option'; see `signaltty decision answer --help`\n",
    )
