"""The demonstration, as somebody runs it who has no agent."""

from __future__ import annotations

import os
import re
import signal

import pytest
from ptyprocess import PtyProcess

from tests.e2e.rig import COMMAND, Rig, wait_until

ALLOWED = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
DENIED = (
    '{"hookSpecificOutput":{"hookEventName":"PermissionRequest",'
    '"decision":{"behavior":"deny","message":"Denied in signaltty"}}}'
)
ASKED = ["idle", "working", "blocked", "attention", "question"]
ANSWERED = ["command", "answered", "verdict", "working"]
FINISHED = ["done", "attention", "exited"]


def timeline(said: str) -> list[str]:
    return re.findall(r"^ *\d+\.\d s  (\w+)", said, re.MULTILINE)


def watch(rig: Rig, *words: str) -> tuple[PtyProcess, list[bytes]]:
    seen: list[bytes] = []
    pty = PtyProcess.spawn(
        [*COMMAND, "demo", *words],
        cwd=str(rig.home),
        env={**rig.environment, "NO_COLOR": "1"},
        dimensions=(50, 150),
    )
    os.set_blocking(pty.fd, False)
    return pty, seen


def read(pty: PtyProcess, seen: list[bytes]) -> str:
    try:
        while data := os.read(pty.fd, 1 << 16):
            seen.append(data)
    except OSError:
        pass
    return b"".join(seen).decode(errors="replace").replace("\r\n", "\n")


def finish(pty: PtyProcess, seen: list[bytes]) -> tuple[int | None, str]:
    def ended() -> bool:
        read(pty, seen)
        return not pty.isalive()

    wait_until(ended, "the end of the demo")
    said = read(pty, seen)
    status = pty.exitstatus
    pty.close()
    return status, said


def assert_nothing_is_left(rig: Rig) -> None:
    wait_until(lambda: not rig.processes(), f"the end of {rig.processes()}")


def test_nobody_at_the_keyboard_sees_the_question_answered_from_another_process(rig: Rig) -> None:
    said = rig.cli("demo", "--speed", "3")
    assert said.stderr == ""
    assert timeline(said.stdout) == [*ASKED, *ANSWERED, *FINISHED]
    assert '"command": "touch allowed"' in said.stdout
    assert re.search(
        r"signaltty decision answer --pane pane_\w+ --decision permission_\w+ --option once\n", said.stdout
    )
    assert f" {ALLOWED}\n" in said.stdout
    assert "| ● bye\n" in said.stdout
    assert "\x1b" not in said.stdout
    assert "signaltty new -- claude" in said.stdout
    assert_nothing_is_left(rig)  # the server, which was started for it, neither


def test_a_server_that_was_there_stays_and_keeps_its_panes(rig: Rig) -> None:
    pane = rig.new_pane("sleep", "1000")
    assert timeline(rig.cli("demo", "--speed", "5").stdout)[-1] == "exited"
    assert [workspace["name"] for workspace in rig.result("workspace", "list")["workspaces"]] == ["e2e"]
    assert rig.result("pane", "get", pane)["pane"]["live"] == {"state": "live"}


def test_a_person_denies_with_one_key_and_the_agent_hears_it(rig: Rig) -> None:
    pty, seen = watch(rig, "--speed", "3")
    wait_until(lambda: "Press a to allow it" in read(pty, seen), "the question")
    os.write(pty.fd, b"d")
    status, said = finish(pty, seen)
    assert status == 0
    assert timeline(said) == [*ASKED, *ANSWERED, *FINISHED]
    assert f" {DENIED}\n" in said
    assert_nothing_is_left(rig)


def test_somebody_may_really_answer_from_another_terminal(rig: Rig) -> None:
    pty, seen = watch(rig, "--speed", "3")
    wait_until(lambda: "Press a to allow it" in read(pty, seen), "the question")
    pane = rig.result("pane", "list")["panes"][0]
    pane_id = pane.get("pane", pane)["id"]
    decision = rig.result("pane", "get", pane_id)["pane"]["pending_decision"]["id"]
    rig.cli("decision", "answer", "--pane", pane_id, "--decision", decision, "--option", "once")
    status, said = finish(pty, seen)
    assert status == 0
    assert timeline(said) == [*ASKED, "answered", "verdict", "working", *FINISHED]


def test_a_question_is_answered_by_a_key_in_the_pane(rig: Rig) -> None:
    said = rig.cli("demo", "--scenario", "question", "--speed", "3").stdout
    assert timeline(said) == ["idle", "working", "blocked", "attention", "command", "working", *FINISHED]
    assert re.search(r"signaltty pane input pane_\w+ --data \$'\\r'\n", said)
    assert "Which colour? → Red" in said


def test_two_turns_end_twice(rig: Rig) -> None:
    said = rig.cli("demo", "--scenario", "turn", "--speed", "4").stdout
    assert timeline(said) == ["idle", "working", "done", "attention", "working", "done", "attention", "exited"]


@pytest.mark.parametrize(("os_signal", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_demo_leaves_nothing_behind(rig: Rig, os_signal: signal.Signals, status: int) -> None:
    pty, seen = watch(rig)
    wait_until(lambda: "Press a to allow it" in read(pty, seen), "the question")
    os.kill(pty.pid, os_signal)
    assert finish(pty, seen)[0] == status
    assert_nothing_is_left(rig)


def test_an_unknown_recording_starts_nothing(rig: Rig) -> None:
    said = rig.cli("demo", "--scenario", "nonsense", status=1)
    assert said.stderr == "signaltty: no recording 'nonsense'; there are allow, question, turn\n"
    assert not rig.socket.exists()
