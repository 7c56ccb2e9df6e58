"""State directories as a server may find them: a foreign or corrupt snapshot, missing files, a bad reservation."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.rig import Record, Server, Shop, running, wait_until


def stop(server: Server) -> None:
    assert server.process is not None
    server.process.terminate()
    assert server.wait_end() == 0


def rewrite(path: Path, change: Callable[[Record], object]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", '{"version":2}', '{"version":1} x', "\0" * 100])
def test_a_snapshot_that_cannot_be_loaded_is_kept_aside_and_nothing_acknowledged_is_lost(text: str) -> None:
    """Edge case 86."""
    with running() as server:
        made = Shop(server)
        server.client().call("notify", title="kept")
        stop(server)
        path = Path(server.state, "snapshot.json")
        path.write_text(text)
        server.start()
        client = server.client()
        assert [one["id"] for one in client.call("workspace.list")["workspaces"]] == [made.workspace]
        assert [one["title"] for one in client.call("notification.list")["notifications"]] == ["kept"]
        (aside,) = Path(server.state).glob("snapshot.corrupt-*")
        assert aside.read_text() == text
        assert "is not loaded" in server.log()


def test_a_snapshot_without_what_may_be_missing_loads() -> None:
    """Edge case 85."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("exit 2")["id"]
        shop.exited(pane_id)
        stop(server)
        Path(server.state, "audit.jsonl").unlink()

        def strip(document: Record) -> None:
            for name in ("tasks", "through_seq", "history", "instances", "baselines", "intents"):
                del document[name]
            for workspace in document["workspaces"]:
                del workspace["handle"]

        rewrite(Path(server.state, "snapshot.json"), strip)
        server.start()
        client = server.client()
        (workspace,) = client.call("workspace.list")["workspaces"]
        assert (workspace["id"], workspace["handle"]) == (shop.workspace, "work")
        assert client.call("pane.get", pane_id=pane_id)["pane"]["live"] == {"state": "exited", "code": 2}


@pytest.mark.parametrize("stored", ["garbage", "", "-5", "1.5", "1"])
def test_a_bad_reservation_refuses_the_start_with_a_sentence(stored: str) -> None:
    """Edge case 88."""
    with running() as server:
        Shop(server)
        stop(server)
        Path(server.state, "event-sequence.json").write_text(stored)
        before = {path.name: path.read_bytes() for path in Path(server.state).iterdir() if path.is_file()}
        said = subprocess.run(server.argv(), env=server.environ, capture_output=True, text=True, timeout=20)
        assert (said.returncode, said.stdout) == (1, "")
        assert said.stderr.startswith("signaltty: ")
        assert "the reservation of event numbers" in said.stderr
        after = {path.name: path.read_bytes() for path in Path(server.state).iterdir() if path.is_file()}
        before.pop("server.lock"), after.pop("server.lock")
        assert after == before


@pytest.mark.parametrize("missing", range(1, 16))
def test_any_files_may_be_missing(missing: int) -> None:
    """The server starts or says why not; what it tells is in the files that are left, and no replay claims too much."""
    names = ("snapshot.json", "audit.jsonl", "audit-retention.json", "event-sequence.json")
    with running() as server:
        client = server.client()
        for number in range(3):
            client.call("notify", title=f"{number}")
        stop(server)
        for bit, name in enumerate(names):
            if missing & 1 << bit:
                Path(server.state, name).unlink()
        server.start()
        client = server.client()
        titles = [one["title"] for one in client.call("notification.list")["notifications"]]
        assert titles == ([] if missing & 3 == 3 else ["2", "1", "0"])
        if client.call("server.status")["seq"] == 0:
            return  # nothing is left, not even a number
        reply = client.call("subscribe", from_seq=0)
        told = (
            [client.event("notification.created")["payload"]["notification"]["title"] for _ in range(3)]
            if (reply["subscribed"] and reply["replay"]["returned"])
            else []
        )
        assert reply["subscribed"] or missing & 6
        assert told == [] or not missing & 6
        if reply["subscribed"]:
            assert told == ["0", "1", "2"]


def _holds(path: Path, text: str) -> bool:
    return path.exists() and text in path.read_text()


@pytest.mark.parametrize("taken", ["deleted", "renamed", "with its directory"])
def test_a_journal_taken_away_from_a_running_server_costs_nothing_acknowledged(taken: str) -> None:
    with running() as server:
        client = server.client()
        journal = Path(server.state, "audit.jsonl")
        client.call("notify", title="before")
        if taken == "deleted":
            journal.unlink()
        elif taken == "renamed":
            journal.rename(journal.with_name("elsewhere"))
        else:
            shutil.rmtree(server.state)

        def is_begun_anew() -> bool:
            client.call("notify", title="after")
            return journal.exists()

        wait_until(is_begun_anew, "a journal in its place")
        acknowledged = client.call("notification.list")["notifications"]
        newest = client.call("notify", title="the last")["notification"]
        wait_until(lambda: _holds(Path(server.state, "snapshot.json"), "before"), "the snapshot")
        server.kill()
        server.start()
        client = server.client()
        found = client.call("notification.list")["notifications"]
        assert found == [newest, *acknowledged]
        assert "was taken away while the server used it" in server.log()
