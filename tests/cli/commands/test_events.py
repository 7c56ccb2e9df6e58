"""`events`: lines as they come, and what their end means."""

from __future__ import annotations

import json

from ...client.scripted import ScriptedServer
from ..conftest import Run

FIRST = {"protocol": "signaltty/1", "type": "event", "event": "agent.done", "seq": 7, "payload": {"pane_id": "ä"}}
GOODBYE = {"protocol": "signaltty/1", "type": "event", "event": "server.will_shutdown", "seq": 8, "payload": {}}


def lines(*frames: object) -> list[bytes]:
    return [json.dumps(frame).encode() + b"\n" for frame in frames]


def test_every_event_is_a_line_until_the_server_says_goodbye(run: Run, server: ScriptedServer) -> None:
    server.answers["subscribe"] = {"subscribed": True, "seq": 6}
    server.events["subscribe"] = lines(FIRST, GOODBYE)
    status, out, said = run("events", "--from-seq", "6", "--task", "t1", "--task", "t2")
    assert (status, [json.loads(line) for line in out.splitlines()], said) == (0, [FIRST, GOODBYE], "")
    assert server.asked == [("subscribe", {"from_seq": 6, "task_ids": ["t1", "t2"]})]


def test_a_goodbye_nobody_asked_for_is_not_shown(run: Run, server: ScriptedServer) -> None:
    server.answers["subscribe"] = {"subscribed": True, "seq": 6}
    server.events["subscribe"] = lines(FIRST, GOODBYE)
    status, out, _ = run("events", "--filter", "agent.*,pane.*", "--filter", "tab.*", "--json")
    assert (status, [json.loads(line) for line in out.splitlines()]) == (0, [server.answers["subscribe"], FIRST])
    assert server.asked == [("subscribe", {"events": ["agent.*", "pane.*", "tab.*", "server.will_shutdown"]})]


def test_a_server_that_is_lost_is_a_failure(run: Run, server: ScriptedServer) -> None:
    server.answers["subscribe"] = {"subscribed": True, "seq": 6}
    server.events["subscribe"] = lines(FIRST)
    status, out, said = run("events")
    assert (status, len(out.splitlines()), said) == (1, 1, "signaltty: the server closed the connection (IO_ERROR)\n")


def test_an_incomplete_replay_names_status_and_recovery(run: Run, server: ScriptedServer) -> None:
    replay = {"status": "history_lost", "requested_after": 3, "recovery": "snapshot_then_resubscribe"}
    server.answers["subscribe"] = {"subscribed": False, "seq": 6, "replay": replay}
    server.events["subscribe"] = []
    assert run("events", "--from-seq", "3") == (
        1,
        "",
        "signaltty: the events after 3 cannot be replayed: history_lost; recovery: snapshot_then_resubscribe\n",
    )
