"""A recorded agent in a real pane, its hooks by the real command, people and programs around it in other processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.terminal.terminal import Terminal
from tests.e2e.played_agent import CORPUS, END_OF_TURNS
from tests.e2e.rig import ROOT, Rig, wait_until

ALLOWED = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n'
DENIED = (
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest",'
    '"decision":{"behavior":"deny","message":"Denied in signaltty"}}}\n'
)
ASKING = [
    ("agent.idle", "unknown"),
    ("agent.working", "idle"),
    ("agent.blocked", "working"),
]
DONE = [
    ("agent.working", "blocked"),
    ("agent.done", "working"),
]


class Played:
    """The recorded agent in its pane, and what the server has told a subscriber about it."""

    def __init__(self, rig: Rig, scenario: str) -> None:
        self.rig = rig
        self.scenario = scenario
        self.log = rig.place / "hooks.jsonl"
        rig.cli("server", "start")
        self._events = rig.begin("--json", "events", "--filter", "agent.*,decision.*,pane.exited")
        assert self._events.stdout is not None
        self._events.stdout.readline()  # the subscription stands
        workspace = rig.result("workspace", "create", "--name", "e2e")["workspace"]["id"]
        player = [sys.executable, str(ROOT / "tests" / "e2e" / "played_agent.py"), scenario, str(self.log)]
        words = ("pane", "spawn", "--workspace", workspace, "--agent", "claude", "--", *player)
        self.pane = str(rig.result(*words)["pane"]["id"])

    def begin(self) -> None:
        """The player waits for the recording's size."""
        self.rig.cli("pane", "resize", self.pane, "--cols", "100", "--rows", "30")

    def wait(self, *states: str) -> subprocess.Popen[str]:
        return self.rig.begin("wait", "--pane", self.pane, "--until", ",".join(states), "--timeout", "20")

    def hooks(self) -> list[dict[str, Any]]:
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines() if line]

    def until_hook(self, event: str) -> dict[str, Any]:
        found: list[dict[str, Any]] = wait_until(
            lambda: [hook for hook in self.hooks() if hook["event"] == event], f"the end of the hook {event}"
        )
        return found[-1]

    def screen(self) -> str:
        return self.rig.cli("pane", "read", self.pane, "--mode", "screen").stdout

    def go_on(self) -> None:
        Path(f"{self.log}.go").touch()

    def events(self) -> list[tuple[str, Any]]:
        """Name and former state, or option, of every event until the program has ended."""
        told = []
        assert self._events.stdout is not None
        for line in self._events.stdout:
            event = json.loads(line)
            payload = event["payload"]
            assert payload["pane_id"] == self.pane
            told.append((event["event"], payload.get("prev", payload.get("option_id", payload.get("code")))))
            if event["event"] == "pane.exited":
                break
        return told

    def end(self) -> None:
        self._events.terminate()
        self._events.communicate()


@pytest.fixture
def played(rig: Rig, request: pytest.FixtureRequest) -> Iterator[Played]:
    played = Played(rig, request.param)
    yield played
    played.end()


def plays(scenario: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("played", [scenario], indirect=True)


def recorded_screen(scenario: str, state: int) -> str:
    """What a terminal alone shows at the recording's nth state."""
    offset = json.loads((CORPUS / f"claude-{scenario}.json").read_text(encoding="utf-8"))["states"][state]["offset"]
    terminal = Terminal(100, 30, version="0")
    terminal.feed((CORPUS / f"claude-{scenario}.bin").read_bytes()[:offset], 0.0)
    return terminal.read_screen().rstrip("\n") + "\n"


def outcome(waiting: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = waiting.communicate(timeout=30)
    return waiting.returncode, said


def answer(played: Played, option: str) -> None:
    decision = played.rig.result("pane", "get", played.pane)["pane"]["pending_decision"]
    assert decision["answerable"] is True
    said = played.rig.cli(
        "decision", "answer", "--pane", played.pane, "--decision", decision["id"], "--option", option
    ).stdout
    assert said == f"answered {decision['id']} with {option}\n"


def finish(played: Played, lifecycle: str) -> None:
    """The last picture of the turns is the recording's; then the program goes."""
    played.until_hook(END_OF_TURNS)
    wanted = recorded_screen(played.scenario, -2)
    wait_until(lambda: played.screen().rstrip("\n") == wanted.rstrip("\n"), f"{wanted}\nhave\n{played.screen()}")
    waiting = played.wait(lifecycle)
    assert outcome(waiting)[0] == 0
    played.go_on()


@plays("allow")
def test_a_permission_is_granted_from_another_process(played: Played) -> None:
    waiting = played.wait("blocked")
    played.begin()
    assert outcome(waiting) == (0, "satisfied: lifecycle=blocked attention=permission_required\n")
    played.until_hook("Notification")
    asked = played.rig.cli("pane", "get", played.pane).stdout
    assert "Allow Bash?" in asked and "once — Allow once" in asked and "deny — Deny" in asked
    wait_until(lambda: "Do you want to proceed?" in played.screen(), "the dialog")
    answer(played, "once")
    verdict = played.until_hook("PermissionRequest")
    assert verdict == {"event": "PermissionRequest", "status": 0, "stdout": ALLOWED, "stderr": ""}
    finish(played, "done")
    assert played.events() == [
        *ASKING,
        ("decision.created", None),
        ("decision.answered", "once"),
        *DONE,
        ("pane.exited", 0),
    ]


@plays("hookwait")
def test_a_permission_is_refused_from_another_process(played: Played) -> None:
    waiting = played.wait("blocked")
    played.begin()
    assert outcome(waiting)[0] == 0
    answer(played, "deny")
    verdict = played.until_hook("PermissionRequest")
    assert verdict == {"event": "PermissionRequest", "status": 0, "stdout": DENIED, "stderr": ""}
    finish(played, "done")
    assert played.events() == [
        *ASKING,
        ("decision.created", None),
        ("decision.answered", "deny"),
        *DONE,
        ("pane.exited", 0),
    ]


@plays("question")
def test_a_question_blocks_until_the_person_has_chosen_in_the_terminal(played: Played) -> None:
    waiting = played.wait("blocked")
    played.begin()
    assert outcome(waiting) == (0, "satisfied: lifecycle=blocked attention=input_required\n")
    verdict = played.until_hook("PermissionRequest")  # nobody can answer a question for its person
    assert verdict == {"event": "PermissionRequest", "status": 0, "stdout": "", "stderr": ""}
    finish(played, "done")
    assert played.events() == [*ASKING, *DONE, ("pane.exited", 0)]


@plays("subagent")
def test_a_helper_that_ends_later_wakes_its_agent_once_more(played: Played) -> None:
    waiting = played.wait("done")
    played.begin()
    assert outcome(waiting)[0] == 0
    finish(played, "done")
    turn = [("agent.working", "idle"), ("agent.done", "working")]
    assert played.events() == [
        ("agent.idle", "unknown"),
        *turn,
        ("agent.working", "done"),
        turn[1],
        ("pane.exited", 0),
    ]


@plays("apierror")
def test_a_failed_call_of_the_model_shows_as_failure(played: Played) -> None:
    waiting = played.wait("failed", "done")
    played.begin()
    assert outcome(waiting) == (0, "satisfied: lifecycle=failed attention=error\n")
    finish(played, "failed")
    assert played.events() == [
        ("agent.idle", "unknown"),
        ("agent.working", "idle"),
        ("agent.failed", "working"),
        ("pane.exited", 0),
    ]


@plays("allow")
def test_the_last_picture_stays_after_the_program_has_ended(played: Played) -> None:
    played.begin()
    played.until_hook("Notification")
    answer(played, "once")
    played.until_hook(END_OF_TURNS)
    played.go_on()
    assert played.events()[-1] == ("pane.exited", 0)
    assert played.screen().rstrip("\n") == recorded_screen("allow", -1).rstrip("\n")
