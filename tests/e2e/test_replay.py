"""Replay from disk by real servers: what they prove, what they refuse to prove, and the seam to live events."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import Client, Record, Server, running

RING = 1024
CAP = 4096


def ask(server: Server, from_seq: int, **params: Any) -> tuple[Record, list[Record], bool]:
    """The coverage told, the events behind it, and whether the connection was closed."""
    client = server.client()
    result = client.call("subscribe", from_seq=from_seq, **params)
    if not result["subscribed"]:
        return result["replay"], client.until_closed(), True
    found = [client.take(lambda frame: "event" in frame, "an event") for _ in range(result["replay"]["returned"])]
    found += client.settle()
    client.close()
    return result["replay"], found, False


def flood(client: Client, count: int, method: str, params: Callable[[int], Record]) -> None:
    """Many requests, the next ones on their way while answers come."""
    for first in range(0, count, 50):
        ids = [client.send(method, **params(number)) for number in range(first, min(first + 50, count))]
        for id in ids:
            assert client.reply(id)["ok"]


def notes(client: Client, count: int) -> None:
    flood(client, count, "notify", lambda number: {"title": f"note {number}"})


def newest(server: Server) -> int:
    client = server.client()
    seq: int = client.call("subscribe")["seq"]
    client.close()
    return seq


def journal(server: Server) -> Path:
    return Path(server.state, "audit.jsonl")


def incomplete(server: Server, status: str, after: int = 0) -> Record:
    """The coverage of a refusal, which nothing may follow."""
    coverage, events, closed = ask(server, after)
    assert (coverage["status"], coverage["returned"], events, closed) == (status, 0, [], True)
    assert coverage["recovery"] == "snapshot_then_resubscribe"
    return coverage


@pytest.mark.parametrize("ending", ["kill", "term"])
def test_events_from_before_a_restart_are_replayed_from_disk(ending: str) -> None:
    """Edge case 82."""
    with running() as server:
        client = server.client()
        listener = server.client()
        listener.call("subscribe")
        notes(client, 3)
        seen = [listener.event("notification.created") for _ in range(3)]
        if ending == "kill":
            server.kill()
        else:
            server.process.terminate()  # type: ignore[union-attr]
            assert server.wait_end() == 0
        server.start()
        coverage, events, _ = ask(server, seen[0]["seq"], events=["notification.*"])
        assert events == seen[1:]
        assert (coverage["status"], coverage["retained_after"], coverage["through"]) == ("complete", 0, newest(server))


def test_what_the_ring_has_lost_is_on_disk_and_filters_come_before_the_limit() -> None:
    with running() as server:
        client = server.client()
        client.call("notify", title="the first")
        workspace = client.call("workspace.create", cwd=server.work)["workspace"]["id"]
        flood(client, CAP + 10, "workspace.rename", lambda n: {"workspace_id": workspace, "name": f"name {n}"})
        assert incomplete(server, "truncated")["retained_after"] == 0
        coverage, events, _ = ask(server, 0, events=["notification.*"])
        assert [event["payload"]["notification"]["title"] for event in events] == ["the first"]
        coverage, events, _ = ask(server, newest(server) - CAP)
        assert (coverage["status"], len(events)) == ("complete", CAP)
        assert incomplete(server, "truncated", newest(server) - CAP - 1)["retained_after"] == 0
        incomplete(server, "cursor_ahead", newest(server) + 1)


def test_history_before_two_rotations_is_lost_and_what_remains_is_complete() -> None:
    with running() as server:
        client = server.client()
        client.call("workspace.create", cwd=server.work)
        oldest = newest(server)
        body = "é" * 2000
        for _ in range(40):  # a line has 12 KiB
            flood(client, 50, "notify", lambda n: {"title": f"{n}", "body": body})
        coverage = incomplete(server, "history_lost", oldest)
        retained_after = coverage["retained_after"]
        assert oldest < retained_after < coverage["through"]
        assert retained_after == json.loads(Path(server.state, "audit-retention.json").read_bytes())["retained_after"]
        incomplete(server, "history_lost", retained_after - 1)
        kept = [
            json.loads(line)["seq"]
            for name in ("audit.jsonl.1", "audit.jsonl")
            for line in open(f"{server.state}/{name}")
        ]
        coverage, events, _ = ask(server, retained_after)
        assert (coverage["status"], [event["seq"] for event in events]) == (
            "complete",
            [seq for seq in kept if seq > retained_after],
        )
        server.kill()
        server.start()
        assert ask(server, retained_after)[1] == events
        assert incomplete(server, "history_lost", retained_after - 1)["retained_after"] == retained_after


def corrupt(server: Server) -> None:
    data = journal(server).read_bytes()
    at = data.index(b'"payload":') + 20
    journal(server).write_bytes(data[:at] + b"\x00\xff" + data[at + 2 :])


def shorten(server: Server) -> None:
    os.truncate(journal(server), journal(server).stat().st_size - 1)


def delete(server: Server) -> None:
    journal(server).unlink()


@pytest.mark.parametrize("damage", [corrupt, shorten, delete])
@pytest.mark.parametrize("while_running", [True, False])
def test_damage_ends_the_proof_for_every_later_server(damage: Callable[[Server], None], while_running: bool) -> None:
    """Edge cases 84 and 87: never a false `complete`."""
    with running() as server:
        client = server.client()
        notes(client, RING + 20)
        if not while_running:
            server.process.terminate()  # type: ignore[union-attr]
            assert server.wait_end() == 0
            damage(server)
            server.start()
            client = server.client()
        else:
            damage(server)
        incomplete(server, "unavailable")
        floor = newest(server)
        notes(client, 5)
        coverage, events, _ = ask(server, floor)
        assert (coverage["status"], len(events)) == ("complete", 5)
        assert coverage["retained_after"] > 0
        server.process.terminate()  # type: ignore[union-attr]
        assert server.wait_end() == 0
        server.start()
        incomplete(server, "unavailable")
        incomplete(server, "unavailable", floor)


def test_a_missing_predecessor_is_noticed_by_a_server_that_runs() -> None:
    """Edge case 87."""
    with running() as server:
        client = server.client()
        body = "é" * 2000
        flood(client, 800, "notify", lambda n: {"title": f"{n}", "body": body})
        Path(server.state, "audit.jsonl.1").unlink()
        notes(client, RING)
        incomplete(server, "unavailable")
        server.kill()
        server.start()
        incomplete(server, "unavailable")


def test_a_half_line_at_the_end_is_ended_and_replay_across_it_is_not_complete() -> None:
    """Edge case 133."""
    with running() as server:
        notes(server.client(), 3)
        server.process.terminate()  # type: ignore[union-attr]
        assert server.wait_end() == 0
        with open(journal(server), "ab") as file:
            file.write(b'{"seq":7,"event":"x","payl')
        server.start()
        notes(server.client(), 1)
        assert json.loads(journal(server).read_bytes().splitlines()[-1])["event"] == "notification.created"
        incomplete(server, "unavailable")


def test_the_seam_between_disk_and_live_events_has_no_gap_and_no_repeat() -> None:
    """Subscriptions while changes rush by: each one is the end of the same series."""
    with running() as server:
        notes(server.client(), RING + 200)
        stop = threading.Event()

        def work() -> None:
            client = Client(server.path)
            while not stop.is_set():
                flood(client, 20, "notify", lambda n: {"title": f"{n}"})
            client.close()

        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        streams: list[tuple[int, list[int]]] = []
        listeners = []
        try:
            for after in range(0, 100, 5):
                client = server.client()
                result = client.call("subscribe", from_seq=after)
                if result["replay"]["status"] == "truncated":
                    break
                listeners.append((after, client))
                client.pump(0.05)
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        through = newest(server)
        for after, client in listeners:
            client.call("server.status")
            streams.append((after, [frame["seq"] for frame in client.frames if frame["seq"] <= through]))
        assert len(streams) > 3
        whole = streams[0][1]
        assert whole == sorted(set(whole))
        for after, seqs in streams:
            assert seqs == [seq for seq in whole if seq > after]
