"""Agents that are known by a manifest, by their process and by their screen alone, on a real server."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.rig import Rig, wait_until
from tests.server.rig import Client

CORPUS = Path(__file__).parents[1] / "corpus" / "agents"
SLEEPER = '[agent]\nkind = "codex"\nbinaries = ["sleep"]\n'


def write(rig: Rig, name: str, text: str) -> None:
    folder = rig.place / "config" / "signaltty" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def pane_of(rig: Rig, pane_id: str) -> Any:
    return rig.call("pane.get", pane_id=pane_id)["pane"]


def test_a_manifest_names_programs_and_the_scan_finds_them(rig: Rig) -> None:
    """Edge cases 20 and 21."""
    write(rig, "sleepers.toml", SLEEPER)
    direct = rig.new_pane("sleep", "998")
    assert pane_of(rig, direct)["agent"]["kind"] == "codex"
    assert pane_of(rig, rig.new_pane("sh"))["agent"]["kind"] == "generic"
    later = rig.new_pane("sh", "-c", "cd /; exec sleep 999")
    assert pane_of(rig, later)["agent"]["kind"] == "generic"
    wait_until(lambda: (pane := pane_of(rig, later))["agent"]["kind"] == "codex" and pane["cwd"] == "/", "the scan", 25)
    told = rig.begin("--json", "events", "--filter", "pane.*")
    time.sleep(11)  # the whole of the time in which no event may come
    told.terminate()
    lines = [json.loads(line) for line in told.communicate()[0].splitlines()]
    assert [line for line in lines if line.get("event", "").startswith("pane.")] == []


def test_manifests_are_listed_and_read_again(rig: Rig) -> None:
    """Edge case 52, and 46 for a broken file."""
    empty = rig.result("agents", "list")
    assert (empty["manifests"], empty["failures"]) == ([], [])
    write(rig, "a.toml", SLEEPER)
    write(rig, "b.toml", "[agent\n")
    assert rig.result("agents", "list")["manifests"] == []
    read = rig.result("agents", "reload")
    assert read["manifests"] == [{"file": "a.toml", "kind": "codex", "binaries": ["sleep"], "screen_rules": 0}]
    assert [each["file"] for each in read["failures"]] == ["b.toml"]
    shown = rig.cli("agents", "list").stdout
    assert "a.toml" in shown and "0 rules" in shown and "b.toml" in shown and "BROKEN: " in shown
    folder = rig.place / "config" / "signaltty" / "agents"
    shutil.rmtree(folder)
    folder.write_text("a file where a directory belongs")
    assert rig.cli("agents", "reload", status=None).returncode == 1
    assert len(rig.result("agents", "list")["manifests"]) == 1
    folder.unlink()
    assert rig.result("agents", "reload")["manifests"] == []


def test_a_screen_alone_tells_what_an_agent_does(rig: Rig) -> None:
    """Edge case 163 and the triggers of behaviour §5.3: recordings of an agent whose hooks say nothing."""
    pane_id, play = recorded_pane(rig, "copilot", "copilot-turn.bin", "copilot-allow.bin")
    assert play(0, 0) == ("unknown", "none")
    assert play(0, 3031, "idle") == ("idle", "none")
    assert play(0, 4863, "working") == ("working", "none")
    assert play(0, 9823, "done") == ("done", "unread")
    assert play(1, 7011, "blocked") == ("blocked", "input_required")
    told = rig.call("pane.explain", pane_id=pane_id)
    assert (told["kind"], told["process"], told["source"], told["classifies"]) == (
        "copilot",
        "copilot",
        "bundled",
        True,
    )
    assert told["matched"] == {"id": "selection_blocker", "state": "blocked", "priority": 300, "index": 0}
    (rule,) = [each for each in told["rules"] if each["id"] == "working_cancel_hint"]
    wanted = {"state": "working", "priority": 100, "region": "bottom(12)", "matched": False, "release": True}
    assert rule == {"id": "working_cancel_hint", **wanted}
    (source,) = told["sources"]
    assert (source["source"], source["value"], source["decides"]) == ("screen", "selection_blocker", True)
    assert play(1, 9330, "idle") == ("idle", "none")


def recorded_pane(rig: Rig, agent: str, *recordings: str) -> tuple[str, Callable[..., tuple[str, str]]]:
    """A pane whose program, called like the agent, prints recordings as far as it is told; and what tells it, waits
    for a lifecycle and gives the state."""
    told = rig.place / "told"
    files = [str(CORPUS / name) for name in recordings]
    program = rig.place / agent
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, time\n"
        f"shown = [0] * {len(files)}\n"
        "while True:\n"
        f"    which, to = map(int, open({str(told)!r}).read().split() or (0, 0))\n"
        f"    data = open({files!r}[which], 'rb').read()[shown[which]:to]\n"
        "    sys.stdout.buffer.write(data); sys.stdout.buffer.flush()\n"
        "    shown[which] += len(data)\n"
        "    time.sleep(0.02)\n"
    )
    program.chmod(0o755)
    told.write_text("0 0")
    pane_id = rig.new_pane(str(program))
    rig.call("pane.resize", pane_id=pane_id, cols=100, rows=30)

    def play(which: int, to: int, lifecycle: str | None = None) -> tuple[str, str]:
        beside = rig.place / "told.new"
        beside.write_text(f"{which} {to}")
        beside.rename(told)
        if lifecycle is not None:
            wait_until(lambda: pane_of(rig, pane_id)["lifecycle"] == lifecycle, lifecycle)
        pane = pane_of(rig, pane_id)
        return pane["lifecycle"], pane["attention"]

    return pane_id, play


RUNAWAY = """
[agent]
kind = "generic"
binaries = ["printer"]
[[screen]]
id = "slow"
state = "blocked"
regex = ['(a+)+$']
[[screen]]
id = "fine"
state = "working"
regex = ['aaa']
"""


def test_a_rule_that_runs_away_is_stopped_and_listed_and_others_go_on(rig: Rig) -> None:
    """Edge cases 51 and 152."""
    write(rig, "slow.toml", RUNAWAY)
    program = rig.place / "printer"
    program.write_text("#!/bin/sh\necho aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\nexec cat\n")
    program.chmod(0o755)
    pane_id, other = rig.new_pane(str(program)), rig.new_pane("sh", "-c", "echo aaaaaaaaaaaaaaaaaaaaab; exec cat")
    wait_until(lambda: pane_of(rig, pane_id)["lifecycle"] == "working", "the other rule")
    (failure,) = rig.result("agents", "list")["failures"]
    assert (failure["file"], "'slow'" in failure["error"]) == ("slow.toml", True)
    told = rig.call("pane.explain", pane_id=pane_id)
    assert (told["source"], [each["matched"] for each in told["rules"]]) == ("user", [False, True])
    assert rig.call("pane.explain", pane_id=other)["source"] == "none"
    assert pane_of(rig, other)["lifecycle"] == "unknown"
    assert rig.result("agents", "reload")["failures"] == []
    assert rig.call("pane.explain", pane_id=pane_id)["matched"]["id"] == "fine"
    assert [each["file"] for each in rig.result("agents", "list")["failures"]] == ["slow.toml"]


def test_a_person_who_attaches_gets_the_dialog_of_codex_back(rig: Rig) -> None:
    """Edge case 170: a dashboard that streams the pane is no person at the prompt."""
    pane_id = rig.new_pane("cat")
    payload = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    words = ("hook-event", "--agent", "codex", "--event", "PermissionRequest", "--pane", pane_id, "--wait-for-answer")
    waiting = rig.begin(*words, "--payload", json.dumps(payload))
    wait_until(lambda: "pending_decision" in pane_of(rig, pane_id), "the question")
    dashboard = Client(str(rig.socket))
    dashboard.call("pane.attach", pane_id=pane_id, mark_seen=False)
    time.sleep(1)  # two looks of the waiter, which must not end it
    assert "pending_decision" in pane_of(rig, pane_id)
    person = Client(str(rig.socket))
    person.call("pane.attach", pane_id=pane_id)
    assert waiting.communicate(timeout=10) == ("", "")
    assert waiting.returncode == 0
    pane = pane_of(rig, pane_id)
    assert (pane["lifecycle"], pane["attention"], "pending_decision" in pane) == (
        *("blocked", "permission_required"),
        False,
    )
