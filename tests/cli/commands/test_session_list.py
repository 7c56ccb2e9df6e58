"""`session list`."""

from __future__ import annotations

from ...client.scripted import ScriptedServer
from ..conftest import Run


def test_the_shown_session_has_a_star(run: Run, server: ScriptedServer) -> None:
    base = {"pane_id": "pane_1", "name": "Codex"}
    server.answers["session.list"] = {
        "sessions": [
            {**base, "id": "a", "phase": "running", "text": "Editing", "shown": True},
            {**base, "id": "b", "phase": "idle", "shown": False},
        ]
    }
    status, shown, said = run("session", "list", "--pane", "boss")
    assert (status, said) == (0, "")
    rows = [line.split() for line in shown.splitlines()]
    assert rows == [["*", "pane_1", "a", "Codex", "running", "Editing"], ["pane_1", "b", "Codex", "idle"]]
    assert server.asked == [("session.list", {"pane_id": "boss"})]
