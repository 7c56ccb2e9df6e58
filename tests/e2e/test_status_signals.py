"""Status signals and OSC 7501 through real sockets, terminals and processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.status import signals
from tests.e2e.rig import COMMAND, Rig, wait_until

Record = dict[str, Any]

# a program that does what lines on its standard input say: `send WORD`, `print TEXT`, `end`
PROGRAM = r"""
import os, socket, sys
told = sys.argv[2:] if "--status-socket" in sys.argv else [os.environ["SIGNALTTY_STATUS_SOCKET"]]
path = told[0]
def send(word):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.sendall(word.encode() + b"\n")
    peer.close()
send("start")
for line in sys.stdin:
    verb, _, rest = line.strip().partition(" ")
    if verb == "send": send(rest)
    elif verb == "print": sys.stdout.write(rest.encode().decode("unicode_escape")); sys.stdout.flush()
    elif verb == "end": break
"""


def program(rig: Rig, name: str = "agent") -> str:
    path = rig.home / name
    path.write_text(f"#!{sys.executable}\n{PROGRAM}")
    path.chmod(0o755)
    return str(path)


def state(rig: Rig, pane: str) -> tuple[str, str]:
    found: Record = rig.result("pane", "get", pane)["pane"]
    return found["lifecycle"], found["attention"]


def comes_to(rig: Rig, pane: str, lifecycle: str, attention: str) -> None:
    wait_until(lambda: state(rig, pane) == (lifecycle, attention), f"{lifecycle}/{attention}")


def tell(rig: Rig, pane: str, line: str) -> None:
    rig.cli("pane", "input", pane, "--data", line + "\n")


def status_socket(rig: Rig, pane: str) -> Path:
    return rig.run_dir / "signaltty" / "s" / f"{pane[5:17]}.sock"


def send(path: Path, *words: str) -> None:
    for word in words:
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(str(path))
        peer.sendall(word.encode() + b"\n")
        peer.close()


def send_in_turn(path: Path, *words: str) -> None:
    """Each once the listener has done with the one before: of several connections none need be the first."""
    for word in words:
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(20)
            peer.connect(str(path))
            peer.sendall(word.encode() + b"\n")
            peer.shutdown(socket.SHUT_WR)
            assert peer.recv(1) == b""


def sources(rig: Rig, pane: str) -> dict[str, Record]:
    return {entry["source"]: entry for entry in rig.result("pane", "explain", pane)["sources"]}


def test_the_first_instruction_of_a_child_is_heard_and_a_wait_is_bracketed(rig: Rig) -> None:
    pane = rig.new_pane(program(rig, "zerostack"))
    comes_to(rig, pane, "working", "none")
    record = rig.result("pane", "get", pane)["pane"]
    assert record["argv"] == [str(rig.home / "zerostack")]
    assert {key: record["status_signals"][key] for key in ("run", "state")} == {"run": "active", "state": "none"}
    waiting = rig.begin("wait", "--pane", pane, "--until", "blocked", "--timeout", "20")
    tell(rig, pane, "send blocked:permission")
    assert waiting.communicate(timeout=20)[0].startswith("satisfied: lifecycle=blocked")
    assert state(rig, pane) == ("blocked", "permission_required")
    tell(rig, pane, "send state:working")
    comes_to(rig, pane, "working", "none")
    tell(rig, pane, "send stop")
    comes_to(rig, pane, "done", "unread")
    told = sources(rig, pane)["zerostack"]
    assert (told["value"], told["decides"]) == ("ended/none", True)


def test_every_order_of_the_five_lines_ends_where_the_table_says(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-c", "exec sleep 600")
    path = status_socket(rig, pane)
    run, fields = "none", "none"
    for words in permutations(signals.WORDS.values()):
        send_in_turn(path, *words)
        for word in words:
            run, fields = signals.move(run, fields, word)
    shown = rig.result("pane", "get", pane)["pane"]
    assert (shown["status_signals"]["run"], shown["status_signals"]["state"]) == (run, fields)
    assert shown["lifecycle"] == signals.lifecycle_of(run, fields)


def test_the_general_socket_finds_the_pane_of_its_sender(rig: Rig) -> None:
    pane = rig.new_pane("sh")
    other = rig.new_pane("sh", "-c", "exec sleep 600")
    command = " ".join(COMMAND)
    tell(rig, pane, f"unset SIGNALTTY_STATUS_SOCKET; (({command} status-signal send git-conflict))")
    comes_to(rig, pane, "blocked", "input_required")
    assert rig.cli("status-signal", "send", "stop").stdout == ""
    assert (state(rig, pane), state(rig, other)) == (("blocked", "input_required"), ("unknown", "none"))


def test_a_killed_server_comes_back_under_the_same_path(rig: Rig) -> None:
    pane = rig.new_pane(program(rig))
    comes_to(rig, pane, "working", "none")
    path = status_socket(rig, pane)
    os.kill(rig.result("status")["pid"], signal.SIGKILL)
    wait_until(lambda: rig.cli("--no-start", "status", status=None).returncode == 0, "the next server")
    assert rig.result("pane", "get", pane)["pane"]["status_signals"]["run"] == "active"
    send(path, "blocked:permission")
    comes_to(rig, pane, "blocked", "permission_required")


def test_a_sender_that_dies_leaves_its_shells_pane_idle(rig: Rig) -> None:
    pane = rig.new_pane("sh")
    tell(rig, pane, program(rig))
    comes_to(rig, pane, "working", "none")
    assert sources(rig, pane)["zerostack"]["holds"] is True
    wait_until(lambda: sources(rig, pane)["zerostack"].get("watched"), "the watch")
    tell(rig, pane, "end")
    comes_to(rig, pane, "idle", "none")


def test_a_program_that_is_killed_takes_its_reports_along(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-i")
    report = r"\033]7501;state=blocked:kind=permission\007"
    tell(rig, pane, f"sh -c 'printf \"{report}\"; exec sleep 600'")
    comes_to(rig, pane, "blocked", "permission_required")
    assert rig.result("pane", "get", pane)["pane"]["program_status"]["kind"] == "permission"
    rig.cli("pane", "input", pane, "--data", "\x03")
    comes_to(rig, pane, "idle", "none")
    assert "program_status" not in rig.result("pane", "get", pane)["pane"]


def test_a_prompt_mark_of_the_shell_ends_what_ran_but_not_one_a_program_prints(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-i")
    working, prompt = r"\033]7501;state=working\007", r"\033]133;A\007"
    tell(rig, pane, f"sh -c 'printf \"{working}{prompt}\"; exec sleep 600'")
    comes_to(rig, pane, "working", "none")
    rig.cli("pane", "input", pane, "--data", "\x1a")  # stopped: its group lives on, the shell is in the foreground
    tell(rig, pane, f"printf '{prompt}'")
    comes_to(rig, pane, "idle", "none")
    assert rig.result("pane", "explain", pane)["shell"]["mark"] == "A"


def test_the_shells_directory_is_followed_where_it_exists(rig: Rig) -> None:
    pane = rig.new_pane("sh")
    tell(rig, pane, rf"printf '\033]7;file://localhost/no/such\007\033]7;file://{os.uname().nodename}/usr\007'")
    wait_until(lambda: rig.result("pane", "get", pane)["pane"]["cwd"] == "/usr", "the directory")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Start"], 'signaltty: not a status line: "Start"\n'),
        (["a b"], 'signaltty: not a status line: "a b"\n'),
        (["x" * 65], f'signaltty: not a status line: "{"x" * 65}"\n'),
        ([""], 'signaltty: not a status line: ""\n'),
        (["start", "--socket", "/no/such.sock"], "signaltty: no listener at /no/such.sock\n"),
    ],
)
def test_what_cannot_be_sent_is_told_in_one_line(rig: Rig, words: list[str], said: str) -> None:
    done = rig.cli("status-signal", "send", *words, status=1)
    assert (done.stdout, done.stderr) == ("", said)


def test_nothing_is_started_to_take_a_line(rig: Rig) -> None:
    done = rig.cli("status-signal", "send", "start", status=1)
    assert done.stderr == f"signaltty: no listener at {rig.run_dir}/signaltty/status.sock\n"
    assert not rig.socket.exists()


def test_two_hundred_connections_at_once_lose_no_line(rig: Rig) -> None:
    pane = rig.new_pane("sh", "-c", "exec sleep 600")
    path = str(status_socket(rig, pane))
    peers = []
    for number in range(200):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(path)
        peers.append((peer, number))
    for peer, number in reversed(peers):
        peer.sendall(b"start\n" if number % 2 else b"stop\n")
        peer.close()

    def told() -> list[str]:
        written = (rig.state / "signaltty" / "audit.jsonl").read_text().rpartition("\n")[0]
        events = [json.loads(line)["event"] for line in written.splitlines()]
        return [event for event in events if event in ("agent.working", "agent.done")]

    wait_until(lambda: len(told()) >= 200, "every line's transition")
    assert told() == ["agent.done", "agent.working"] * 100
