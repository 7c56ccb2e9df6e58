"""`notify` by the full program, and `notification list`."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run


def test_notify_takes_the_pane_it_runs_in(run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["notify"] = {"notification": {"id": "notif_1"}}
    monkeypatch.setenv("SIGNALTTY_PANE", "pane_9")
    assert run("notify", "--title", "done", "--severity", "warning") == (0, "notification notif_1\n", "")
    assert run("notify", "--title", "done", "--pane", "boss", "--body", "x")[0] == 0
    assert server.asked == [
        ("notify", {"title": "done", "severity": "warning", "pane_id": "pane_9"}),
        ("notify", {"title": "done", "severity": "info", "pane_id": "boss", "body": "x"}),
    ]


def test_notify_outside_a_pane_names_none(run: Run, server: ScriptedServer) -> None:
    server.answers["notify"] = {"notification": {"id": "notif_1"}}
    assert run("notify", "--title", "done") == (0, "notification notif_1\n", "")
    assert server.asked == [("notify", {"title": "done", "severity": "info"})]


def test_notify_waits_for_a_lost_server_while_its_keeper_lives(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.sock.d").mkdir()
    (tmp_path / "s.sock.d" / "keeper.sock").touch()
    back: list[ScriptedServer] = []

    def come_back() -> None:
        back.append(ScriptedServer(tmp_path / "late.sock"))
        back[0].answers["notify"] = {"notification": {"id": "notif_1"}}
        (tmp_path / "late.sock").rename(tmp_path / "s.sock")

    timer = threading.Timer(0.3, come_back)
    timer.start()
    assert run("notify", "--title", "done") == (0, "notification notif_1\n", "")
    timer.join()
    back[0].close()


def test_notifications_are_listed_newest_first(run: Run, server: ScriptedServer) -> None:
    note = {"id": "n", "created_at": "2026-10-09T12:34:56.789Z", "severity": "info", "title": "t", "body": "b\nc"}
    server.answers["notification.list"] = {"notifications": [{**note, "pane_id": "pane_1"}, note]}
    assert run("notification", "list", "--unread") == (
        0,
        "2026-10-09T12:34:56.789Z  info  pane_1  t  b\\x0ac\n2026-10-09T12:34:56.789Z  info  -  t  b\\x0ac\n",
        "",
    )
    assert server.asked == [("notification.list", {"unread": True, "limit": 50})]
