"""What programs said of themselves before their server was lost: reports, shell marks, progress."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import Client, Record, Server, Shop, environment, running, wait_until

SAID = (
    r"\033]133;D;3\007\033]9;4;1;40\007\033]7501;state=blocked:kind=question:id=a/c:title=Yw:msg=ZA\007"
    r"\033]7501;state=done:id=b:msg=c2VjcmV0:app=make\007"
)


def next_server(server: Server, how: str) -> Client:
    """Lose the server, get the next one."""
    pid = int(server.client().call("server.status")["pid"])
    if how == "restart":
        server.client().call("server.shutdown", keep_panes=True)
        server.wait_end()
        server.start()
        return server.client()
    os.kill(pid, signal.SIGKILL)
    if pid == server.pid:
        server.wait_end()

    def find() -> Client | None:
        try:
            client = server.client()
            return client if client.call("server.status")["pid"] != pid else None
        except (OSError, AssertionError):
            return None

    found: Client = wait_until(find, "the server the keeper starts")
    return found


def told(client: Client, pane_id: str) -> Record:
    """What is shown of the programs of a pane."""
    pane = client.call("pane.get", pane_id=pane_id)["pane"]
    explained = client.call("pane.explain", pane_id=pane_id)
    shown = {name: pane.get(name) for name in ("lifecycle", "attention", "progress", "program_status")}
    return {
        **shown,
        "shell": explained.get("shell"),
        "sources": explained["sources"],
        "records": explained["program_status"],
    }


def say(client: Client, shop: Shop, pane_id: str, event: str, **fields: Any) -> None:
    """An agent-event of the pane's child."""
    mark = b"SIGNALTTY_PANE_TOKEN="
    token = next(one for one in environment(shop.pid(pane_id)) if one.startswith(mark))[len(mark) :].decode()
    client.call("agent-event", token=token, payload={"version": 1, "event": event, **fields})


def test_the_next_server_shows_all_that_programs_said() -> None:
    """keeper §3.2, persistence §3: the records of all sources are in the snapshot."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run(f"printf '{SAID}'; echo said; exec cat")["id"]
        shop.shows(pane_id, "said")
        before = told(shop.client, pane_id)
        assert [(one["id"], one["msg"]) for one in before["records"]] == [("a/c", "d"), ("b", "secret")]
        assert (before["shell"]["mark"], before["shell"]["exit_code"], before["progress"]["value"]) == ("D", 3, 40)
        client = next_server(server, "restart")
        assert told(client, pane_id) == before
        for _ in range(2):
            client = next_server(server, "kill")
            assert told(client, pane_id) == before
        state = Path(server.state)
        assert b"secret" in (state / "snapshot.json").read_bytes()
        assert b"secret" not in (state / "audit.jsonl").read_bytes()


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_counter_lives_and_ends_with_its_session_whichever_server_ends_it(how: str) -> None:
    """agent-status §13: it is journaled with the session that sent it."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("printf '\\033]9;4;1;40\\007'; echo said; exec cat")["id"]
        shop.shows(pane_id, "said")
        say(shop.client, shop, pane_id, "agent.running", progress={"done": 3, "total": 7})
        before = shop.get(pane_id)["progress"]
        assert before == {"kind": "count", "done": 3, "total": 7, "source": "agent-event"}
        client = next_server(server, how)
        assert client.call("pane.get", pane_id=pane_id)["pane"]["progress"] == before
        say(client, shop, pane_id, "session.end")
        percent = client.call("pane.get", pane_id=pane_id)["pane"].get("progress")
        shown = {"kind": "percent", "value": 40, "state": "normal", "source": "osc9_4"}
        assert percent == (shown if how == "restart" else None)


def test_a_percentage_that_only_an_events_payload_tells_does_not_stay_for_ever() -> None:
    """persistence §4.2: it is as in the last snapshot."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("printf '\\033]9;4;1;40\\007'; echo said; exec cat")["id"]
        shop.shows(pane_id, "said")
        shop.client.call("pane.rename", pane_id=pane_id, name="named")
        assert shop.get(pane_id)["progress"]["value"] == 40
        client = next_server(server, "kill")
        pane = client.call("pane.get", pane_id=pane_id)["pane"]
        assert (pane["name"], pane["live"], "progress" in pane) == ("named", {"state": "live"}, False)
