"""Servers that are lost, replaced or silent, as the command line meets them; what it tells of events before."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path

from tests.e2e.rig import Rig, wait_until


def test_a_listener_that_never_answers_is_a_time_out_and_never_repaired(rig: Rig) -> None:
    """Edge case 137."""
    rig.socket.parent.mkdir(mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(rig.socket))
    listener.listen()
    inode = rig.socket.stat().st_ino
    asked = rig.cli("status", status=1)
    assert (asked.stdout, asked.stderr.endswith("(TIMEOUT)\n")) == ("", True)
    assert rig.socket.stat().st_ino == inode
    listener.close()
    rig.socket.unlink()


def test_a_restart_leaves_panes_their_processes_and_their_output(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-c", "i=0; while :; do echo tick $i; i=$((i+1)); sleep 0.02; done")
    first = rig.result("status")["pid"]
    children = {pid for pid, text in rig.processes().items() if "tick" in text}
    wait_until(lambda: "tick 5\n" in rig.cli("pane", "read", pane).stdout, "some output")
    for _ in range(3):
        rig.cli("server", "restart")
    second = rig.result("--no-start", "status")
    assert second["pid"] != first and second["live_panes"] == 1
    assert children <= set(rig.processes())
    ticks = [int(line.split()[1]) for line in rig.cli("pane", "read", pane, "--lines", "5000").stdout.splitlines()]
    assert ticks == list(range(len(ticks)))


def test_a_server_that_was_stopped_by_hand_stays_away_and_the_next_command_restores(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-c", "echo some words; exec cat")
    wait_until(lambda: rig.cli("pane", "read", pane).stdout == "some words\n", "the words")
    rig.cli("server", "stop", "--force")
    assert rig.cli("--no-start", "ls", status=1).stderr.endswith("(NO_SUCH_SERVER)\n")
    assert rig.cli("pane", "read", pane).stdout == "some words\n"
    assert rig.call("pane.get", pane_id=pane)["pane"]["restore_state"] == "RESTORED"


def test_events_from_before_a_loss_are_shown_and_what_cannot_be_shown_is_named(rig: Rig) -> None:
    """Edge cases 82, 84."""
    pane = rig.new_pane("cat")
    seq = rig.result("status")["seq"]
    rig.cli("pane", "rename", pane, "boss")
    pid = rig.result("status")["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: rig.cli("--no-start", "status", status=None).returncode == 0, "the next server")
    watcher = rig.begin("--json", "events", "--from-seq", str(seq), "--filter", "pane.updated")
    assert watcher.stdout is not None
    result, event = (json.loads(watcher.stdout.readline()) for _ in range(2))
    assert (result["replay"]["status"], result["replay"]["returned"] >= 1) == ("complete", True)
    assert (event["event"], event["payload"]["pane"]["name"]) == ("pane.updated", "boss")
    watcher.kill()
    watcher.communicate()
    ahead = rig.cli("events", "--from-seq", str(10**9), status=1)
    assert "cursor_ahead" in ahead.stderr and "snapshot_then_resubscribe" in ahead.stderr
    journal = Path(rig.state, "signaltty", "audit.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b'"payload"', b'"pay"oad"', 1))
    lost = rig.cli("events", "--from-seq", str(seq), status=1)
    assert "unavailable" in lost.stderr and "snapshot_then_resubscribe" in lost.stderr
