"""A server killed with panes at work: nobody dies, it is back by itself, a hook in between arrives (keeper §4)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from tests.e2e.repositories import repository
from tests.e2e.rig import Rig, wait_until

PRINTER = "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done"


def test_five_panes_outlive_their_server_and_a_hook_in_between_arrives(rig: Rig) -> None:
    panes = [rig.new_pane("sh", "-c", PRINTER) for _ in range(3)]
    panes += [rig.new_pane("cat"), rig.new_pane("sleep", "1000")]
    first = rig.result("status")["pid"]
    children = {pane: _child(rig, pane) for pane in panes}
    baseline = rig.call("pane.get", pane_id=panes[3])["wait_baseline"]
    wait_until(lambda: "line 3" in rig.cli("pane", "read", panes[0]).stdout, "output of the first printer")

    os.kill(first, signal.SIGKILL)
    hook = rig.cli(
        "hook-event", "--agent", "claude", "--event", "UserPromptSubmit", "--pane", panes[3], "--payload-stdin",
        stdin=b'{"session_id":"s1","prompt":"go"}',
    )  # fmt: skip

    assert hook.stderr == "accepted claude:UserPromptSubmit lifecycle=working attention=none\n"
    second = rig.result("--no-start", "status")
    assert second["pid"] != first and second["live_panes"] == 5
    assert {pane: _child(rig, pane) for pane in panes} == children
    waited = rig.call("wait", pane_id=panes[3], until="working", after=baseline, timeout_s=0)
    assert waited["outcome"] == "working" and waited["lifecycle"] == "working"
    for pane in panes[:3]:
        head = rig.call("pane.read", pane_id=pane, mode="rendered", lines=1)["next_seq"]
        more = rig.call(
            "pane.wait_for_output", pane_id=pane, match="line", mode="rendered", after_seq=head, timeout_s=5
        )
        assert more["matched_line"].startswith("line ")
    rig.cli("pane", "input", panes[3], "--data", "still here\n")
    wait_until(
        lambda: "still here\nstill here" in rig.cli("pane", "read", panes[3]).stdout, "an echo from the old child"
    )


def test_a_wait_outlives_the_server_it_was_asked_of(rig: Rig) -> None:
    pane = rig.new_pane("cat")
    hook = ("hook-event", "--agent", "claude", "--pane", pane, "--payload-stdin", "--event")
    rig.cli(*hook, "UserPromptSubmit", stdin=b'{"session_id":"s1"}')
    waiting = rig.begin("wait", "--pane", pane, "--until", "done", "--timeout", "20")
    wait_until(lambda: _is_waiting(rig, waiting), "the wait to have begun")

    os.kill(rig.result("status")["pid"], signal.SIGKILL)
    rig.cli(*hook, "Stop", stdin=b'{"session_id":"s1"}')
    rig.cli(*hook, "UserPromptSubmit", stdin=b'{"session_id":"s1"}')

    out, said = waiting.communicate(timeout=20)
    assert (waiting.returncode, said) == (0, "")
    # the state shown is the present one: before or after the next prompt
    assert out in ("satisfied: lifecycle=done attention=unread\n", "satisfied: lifecycle=working attention=none\n")


def test_output_and_tasks_are_waited_for_through_a_loss(rig: Rig) -> None:
    pane = rig.new_pane("cat")
    repo = repository(rig.home / "api", a="1\n")
    task = rig.result("task", "start", "--repo", str(repo), "--objective", "win", "--", "cat")["task"]["id"]
    output = rig.begin("pane", "wait-output", pane, "late", "--timeout", "20")
    settled = rig.begin("task", "wait", task, "--timeout", "20")
    hopeless = rig.begin("pane", "wait-output", pane, "never", "--timeout", "3")
    begun = (output, settled, hopeless)
    wait_until(lambda: all(_is_waiting(rig, each) for each in begun), "the waits to have begun")

    os.kill(rig.result("status")["pid"], signal.SIGKILL)
    rig.cli("pane", "input", pane, "--data", "late\n")
    rig.cli("report", "--task", task, "--status", "completed", "--summary", "ready")

    assert (*output.communicate(timeout=20), output.returncode) == ("late\n", "", 0)
    assert (*settled.communicate(timeout=20), settled.returncode) == ("satisfied: 1 tasks\n", "", 0)
    sentence = "signaltty: it did not come within 3 s; the server was lost and is back (TIMEOUT)\n"
    assert (*hopeless.communicate(timeout=20), hopeless.returncode) == ("", sentence, 1)


def test_a_lost_runtime_directory_is_made_again_by_the_server_that_lives(rig: Rig) -> None:
    pane = rig.new_pane("cat")
    before = rig.result("status")["pid"]
    shutil.rmtree(rig.socket.parent)
    wait_until(lambda: rig.cli("--no-start", "status", status=None).returncode == 0, "the socket bound anew")
    assert rig.result("--no-start", "status")["pid"] == before
    assert rig.socket.parent.stat().st_mode & 0o777 == 0o700
    rig.cli("pane", "input", pane, "--data", "still here\n")
    wait_until(lambda: "still here" in rig.cli("pane", "read", pane).stdout, "the same child")


def _is_waiting(rig: Rig, command: subprocess.Popen[str]) -> bool:
    """Whether it is connected and sleeps, also after the server has answered everything that had arrived."""
    before = _sleeps(command.pid)
    rig.result("status")
    return before is not None and before == _sleeps(command.pid)


def _sleeps(pid: int) -> tuple[int, str] | None:
    """Its sockets, and how often it went to sleep; None while it is awake or has none."""
    fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    if fields["State"][0] != "S":
        return None
    folder = f"/proc/{pid}/fd"
    try:
        sockets = sum(os.readlink(f"{folder}/{fd}").startswith("socket:") for fd in os.listdir(folder))
    except FileNotFoundError:
        return None  # it woke up
    return (sockets, fields["voluntary_ctxt_switches"]) if sockets else None


def _child(rig: Rig, pane: str) -> tuple[int, int]:
    """Parent and start time of the pane's child, found by the variable every child has."""
    found = [
        pid
        for pid, text in rig.processes().items()
        if f"SIGNALTTY_PANE={pane}" in _environ(pid) and _parent(pid) == _keeper(rig)
    ]
    assert len(found) == 1, found
    return found[0], _parent(found[0])


def _environ(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def _keeper(rig: Rig) -> int:
    return next(pid for pid, text in rig.processes().items() if " keeper run " in text)
