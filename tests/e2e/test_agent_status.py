"""The Agent Status Protocol in real panes: a script written for Zentty, crashes, windows, a lost server."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from .rig import Rig, wait_until

# the protocol's own quick start, with the argument it means; it waits where its real work would be
# ruff: noqa: E501 - the script is given line by line
QUICK_START = """#!/usr/bin/env bash
set -euo pipefail
if [[ -z "${ZENTTY_CLI_BIN:-}" ]]; then
  exec my-actual-agent "$@"
fi
SESSION_ID="5C0A61B8-7E5B-4B6C-8D4A-0D4E4B6F0A11"
SESSION_ID="$(echo "$SESSION_ID" | tr '[:upper:]' '[:lower:]')"
send_event() {
  echo "$1" | "$ZENTTY_CLI_BIN" ipc agent-event 2>/dev/null || true
}
send_event '{"version":1,"event":"session.start","agent":{"name":"my-agent","pid":'"$$"'},"session":{"id":"'"$SESSION_ID"'"}}'
trap 'send_event "{\\"version\\":1,\\"event\\":\\"session.end\\",\\"session\\":{\\"id\\":\\"'"$SESSION_ID"'\\"}}"' EXIT
send_event '{"version":1,"event":"agent.running","state":{"text":"Working..."}}'
read -r _
send_event '{"version":1,"event":"task.progress","progress":{"done":2,"total":5}}'
send_event '{"version":1,"event":"agent.needs-input","state":{"interaction":{"kind":"approval","text":"Go on?"}}}'
read -r _
send_event '{"version":1,"event":"agent.input-resolved"}'
read -r _
send_event '{"version":1,"event":"agent.idle"}'
read -r _
"""
ID = "5c0a61b8-7e5b-4b6c-8d4a-0d4e4b6f0a11"


@pytest.fixture
def script(rig: Rig) -> Path:
    path = rig.place / "my-agent"
    path.write_text(QUICK_START)
    path.chmod(0o755)
    return path


def look(rig: Rig, pane: str) -> dict[str, Any]:
    return dict(rig.call("pane.get", pane_id=pane)["pane"])


def face(pane: dict[str, Any]) -> tuple[Any, ...]:
    shown = pane.get("agent_status", {})
    return pane["lifecycle"], pane["attention"], shown.get("phase"), shown.get("label")


def comes_to(rig: Rig, pane: str, *expected: Any) -> dict[str, Any]:
    def seen() -> dict[str, Any] | None:
        found = look(rig, pane)
        return found if face(found) == expected else None

    return wait_until(lambda: seen() or {}, f"{expected}, last {face(look(rig, pane))}")


def enter(rig: Rig, pane: str) -> None:
    type_in(rig, pane, "\n")


def type_in(rig: Rig, pane: str, text: str) -> None:
    rig.cli("pane", "input", pane, "--data", text)


def test_a_script_written_for_zentty_works_unchanged(rig: Rig, script: Path) -> None:
    pane = rig.new_pane(str(script))
    running = comes_to(rig, pane, "working", "none", "running", "Working...")
    shown = running["agent_status"]
    assert {key: shown[key] for key in ("id", "name", "synthetic", "shown", "held")} == {
        "id": ID,
        "name": "my-agent",
        "synthetic": False,
        "shown": True,
        "held": False,
    }
    enter(rig, pane)
    asking = comes_to(rig, pane, "blocked", "permission_required", "needs-input", "Requires approval")
    assert asking["last_message"] == "Go on?"
    assert asking["progress"] == {"kind": "count", "done": 2, "total": 5, "source": "agent-event"}
    enter(rig, pane)
    comes_to(rig, pane, "working", "none", "running", "Running (2/5)")
    enter(rig, pane)
    comes_to(rig, pane, "done", "unread", "idle", "Idle (2/5)")
    enter(rig, pane)
    ended = wait_until(lambda: (now := look(rig, pane))["live"]["state"] == "exited" and now, "the end of the script")
    assert ended["live"] == {"state": "exited", "code": 0}
    assert face(ended) == ("done", "unread", None, None)
    assert rig.call("session.list", pane_id=pane) == {"sessions": []}


def say(rig: Rig, pane: str, event: str, **more: Any) -> None:
    """One event as a process inside the pane sends it: what its shell is told to run."""
    given = json.dumps({"version": 1, "event": event, **more})
    type_in(rig, pane, f"printf %s '{given}' | \"$ZENTTY_CLI_BIN\" ipc agent-event\n")


def test_a_program_that_dies_at_work_is_noticed_and_the_pane_lives_on(rig: Rig) -> None:
    pane = rig.new_pane("/bin/sh")
    type_in(rig, pane, "sleep 1000 & echo pid=$!\n")
    shown = wait_until(lambda: _lines(rig, pane, "pid="), "the pid")
    pid = int(shown[0][4:])
    say(rig, pane, "agent.running", session={"id": "s"}, agent={"name": "my-agent", "pid": pid})
    running = comes_to(rig, pane, "working", "none", "running", "Running")
    assert running["agent_status"]["pid"] == pid
    before = rig.call("session.list")["sessions"]
    assert [each["id"] for each in before] == ["s"]
    os.kill(pid, signal.SIGKILL)
    comes_to(rig, pane, "failed", "error", "unresolved-stop", "Stopped early")
    assert look(rig, pane)["last_message"] == "the agent stopped unexpectedly"
    assert look(rig, pane)["live"] == {"state": "live"}


def test_timers_run_with_nobody_attached_and_a_stop_is_committed_after_its_grace(rig: Rig) -> None:
    pane = rig.new_pane("/bin/sh")
    say(rig, pane, "agent.running", session={"id": "s"})
    comes_to(rig, pane, "working", "none", "running", "Running")
    say(rig, pane, "agent.idle", session={"id": "s"}, state={"stopCandidate": True, "text": "All green"})
    done = rig.call("wait", pane_id=pane, until="done", timeout_s=20)
    assert done["outcome"] == "done"
    assert look(rig, pane)["last_message"] == "All green"


def test_sessions_survive_the_loss_of_the_server(rig: Rig) -> None:
    pane = rig.new_pane("/bin/sh")
    say(
        rig,
        pane,
        "agent.needs-input",
        session={"id": "s"},
        state={"text": "Which one?", "interaction": {"kind": "question"}},
    )
    before = comes_to(rig, pane, "blocked", "input_required", "needs-input", "Needs decision")["agent_status"]
    os.kill(rig.result("status")["pid"], signal.SIGKILL)
    after = wait_until(lambda: look(rig, pane), "the next server")
    assert after["agent_status"] == before
    say(rig, pane, "agent.running", session={"id": "s"})
    comes_to(rig, pane, "working", "none", "running", "Running")


def test_a_hook_by_adapter_tells_the_agents_own_session(rig: Rig) -> None:
    pane = rig.new_pane("/bin/sh")
    hook = '{"hook_event_name":"UserPromptSubmit","session_id":"c1"}'
    type_in(rig, pane, f"echo '{hook}' | $ZENTTY_AGENT_EVENT_COMMAND --adapter=claude\n")
    comes_to(rig, pane, "working", "none", "running", "Running")
    agent = look(rig, pane)["agent"]
    assert agent["kind"] == "claude"
    assert agent["agent_session_id"] == "c1"


def test_outside_a_pane_the_command_says_what_is_missing_and_a_hook_does_not_fail_its_agent(rig: Rig) -> None:
    """Scenario SC-13, the command ipc agent-event."""
    alone = rig.cli("ipc", "agent-event", status=1, stdin=b'{"version":1,"event":"agent.running"}')
    assert (alone.stdout, alone.stderr) == (
        "",
        "signaltty: not inside a signaltty pane: ZENTTY_INSTANCE_SOCKET is not set\n",
    )
    hook = rig.cli("ipc", "agent-event", "--adapter=claude", status=0, stdin=b'{"hook_event_name":"Stop"}')
    assert hook.stderr == alone.stderr
    assert not rig.socket.exists()


def _lines(rig: Rig, pane: str, beginning: str) -> list[str]:
    return [line for line in rig.cli("pane", "read", pane).stdout.splitlines() if line.startswith(beginning)]
