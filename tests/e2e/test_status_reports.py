"""What agents say of themselves by the real command and the pane's own socket: odd orders, faults, crowds."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import PROGRAM, PYTHON, Shop, wait_until


class Scripted:
    """A shell in a pane whose lines call the real command for agent events."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        pane = shop.run("env > env.new; mv env.new env.$SIGNALTTY_PANE; exec sleep 1000")
        self.id: str = pane["id"]
        told = Path(shop.server.work) / f"env.{self.id}"
        wait_until(told.exists, "the pane's variables")
        self.env = dict(line.split("=", 1) for line in told.read_text().splitlines() if "=" in line)
        self.listener = shop.server.client()
        self.listener.call("subscribe", events=["agent.*", "attention.*"])

    def say(self, event: Any, **env: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [PYTHON, PROGRAM, "ipc", "agent-event"],
            input=json.dumps(event) if isinstance(event, dict) else event,
            env={**os.environ, **self.env, **env},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def face(self) -> tuple[Any, ...]:
        pane = self.shop.get(self.id)
        shown = pane.get("agent_status", {})
        return pane["lifecycle"], pane["attention"], shown.get("id"), shown.get("phase"), shown.get("label")

    def sends(self, *events: str, session: str = "s", **more: Any) -> tuple[Any, ...]:
        for event in events:
            assert self.say({"version": 1, "event": event, "session": {"id": session}, **more}) == (0, "", "")
        return self.face()


@pytest.fixture
def scripted(shop: Shop) -> Scripted:
    return Scripted(shop)


def test_what_cannot_be_taken_is_said_in_a_sentence_and_changes_nothing(scripted: Scripted) -> None:
    """Edge case 121."""
    running = {"version": 1, "event": "agent.running"}
    said = "signaltty: "
    assert scripted.say(running, ZENTTY_PANE_TOKEN="0" * 64) == (
        1,
        "",
        said + "the server refused the pane token (FORBIDDEN)\n",
    )
    assert scripted.say({**running, "version": "1"}) == (1, "", said + 'unsupported version "1", expected 1\n')
    faulty = {**running, "event": "task.progress", "progress": {"done": 1, "total": 0}}
    assert scripted.say(faulty) == (1, "", said + "progress.total must be greater than 0\n")
    outside = said + "not inside a signaltty pane: ZENTTY_PANE_ID is not set\n"
    assert scripted.say(running, ZENTTY_PANE_ID="") == (1, "", outside)
    assert scripted.face() == ("unknown", "none", None, None, None)
    assert scripted.shop.client.call("session.list", pane_id=scripted.id) == {"sessions": []}


def test_only_an_idle_that_follows_work_is_a_finished_turn(scripted: Scripted) -> None:
    """Edge case 122."""
    assert scripted.sends("session.start", "agent.idle") == ("idle", "none", "s", "idle", "Idle")
    again = Scripted(scripted.shop)
    assert again.sends("session.start", "agent.running", "agent.idle") == ("done", "unread", "s", "idle", "Idle")


def test_a_counter_on_a_session_that_waits_changes_the_counter_alone(scripted: Scripted) -> None:
    """Edge case 123."""
    asked = {"state": {"interaction": {"kind": "question", "text": "Which?"}}}
    before = scripted.sends("agent.needs-input", **asked)
    assert before == ("blocked", "input_required", "s", "needs-input", "Needs decision")
    assert scripted.sends("task.progress", progress={"done": 3, "total": 7}) == before
    pane = scripted.shop.get(scripted.id)
    assert pane["progress"] == {"kind": "count", "done": 3, "total": 7, "source": "agent-event"}
    assert pane["last_message"] == "Which?"


def test_the_end_of_a_session_leaves_its_sibling_with_its_process(scripted: Scripted) -> None:
    """Edge case 124."""
    child = subprocess.Popen(["sleep", "1000"])
    try:
        scripted.sends("agent.running", session="a", agent={"name": "one", "pid": child.pid})
        scripted.sends("agent.running", session="b", agent={"name": "two"})
        assert scripted.sends("session.end", session="b") == ("working", "none", "a", "running", "Running")
        left = scripted.shop.client.call("session.list", pane_id=scripted.id)["sessions"]
        assert [(one["id"], one["pid"], one["shown"]) for one in left] == [("a", child.pid, True)]
    finally:
        child.kill()
        child.wait()
    scripted.shop.client.call("wait", pane_id=scripted.id, until="failed", timeout_s=20)
    assert scripted.face() == ("failed", "error", "a", "unresolved-stop", "Stopped early")


def test_the_end_of_an_idle_agents_process_is_no_failure(scripted: Scripted) -> None:
    """Edge case 125, second half."""
    child = subprocess.Popen(["sleep", "1000"])
    scripted.sends("session.start", "agent.running", "agent.idle", agent={"name": "one", "pid": child.pid})
    child.kill()
    child.wait()
    wait_until(
        lambda: scripted.shop.client.call("session.list", pane_id=scripted.id) == {"sessions": []}, "the session's end"
    )
    assert scripted.face() == ("done", "unread", None, None, None)


def status_lines(env: dict[str, str], *pieces: bytes) -> None:
    """Pieces on one connection; returns once the listener has done with them."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(20)
        peer.connect(env["SIGNALTTY_STATUS_SOCKET"])
        for piece in pieces:
            peer.sendall(piece)
        peer.shutdown(socket.SHUT_WR)
        assert peer.recv(1) == b""


@pytest.mark.parametrize(
    ("lines", "told", "state"),
    [
        (["start", "start", "stop"], ["working", "done"], ("done", "unread")),
        (["start", "stop", "state:working"], ["working", "done"], ("done", "unread")),
        (["git-conflict", "state:working"], ["blocked"], ("blocked", "input_required")),
        (["git-conflict", "state:working", "stop"], ["blocked", "done"], ("done", "unread")),
        (["blocked:other", "Start", "start now"], [], ("unknown", "none")),
        (["start\r"], ["working"], ("working", "none")),
    ],
)
def test_status_lines_lead_to_one_state(
    scripted: Scripted, lines: list[str], told: list[str], state: tuple[str, str]
) -> None:
    """Edge cases 126, 127, 128."""
    for line in lines:
        status_lines(scripted.env, line.encode() + b"\n")
    wait_until(lambda: scripted.face()[:2] == state, f"{state}, last {scripted.face()}")
    events = [frame for frame in scripted.listener.settle() if frame["payload"].get("pane_id") == scripted.id]
    assert [one["event"] for one in events if one["event"].startswith("agent.")] == [f"agent.{one}" for one in told]


def test_a_status_line_in_two_writes_is_one_line(scripted: Scripted) -> None:
    """Edge case 128."""
    status_lines(scripted.env, b"blocked:per", b"mission\nst")
    wait_until(lambda: scripted.face()[:2] == ("blocked", "permission_required"), "the line")
    explained = scripted.shop.client.call("pane.explain", pane_id=scripted.id)["sources"]
    assert [(one["source"], one["value"]) for one in explained] == [("zerostack", "none/blocked")]


def test_a_thousand_silent_senders_are_let_go_and_hold_up_nobody(scripted: Scripted) -> None:
    """Edge case 129."""
    silent = []
    for _ in range(1000):
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(20)
        peer.connect(scripted.env["SIGNALTTY_STATUS_SOCKET"])
        silent.append(peer)
    scripted.shop.client.call("server.status")
    status_lines(scripted.env, b"start\n")
    assert [peer.recv(1) for peer in silent] == [b""] * 1000
    for peer in silent:
        peer.close()
    wait_until(lambda: scripted.face()[0] == "working", "the line behind them")
