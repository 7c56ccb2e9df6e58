from __future__ import annotations

import os
import signal
import sys
import termios
from typing import Any

import pytest

from tests.cli.local.conftest import Attach
from tests.e2e.rig import Rig, wait_until

TYPED = "stty -echo; printf ready; while read -r line; do printf 'got <%s>' \"$line\"; done"


def pane_of(rig: Rig, pane: str) -> Any:
    return rig.result("pane", "get", pane)["pane"]


def show(rig: Rig, pane: str) -> str:
    return rig.cli("pane", "read", pane, "--mode", "screen").stdout


def modes_off(said: bytes) -> bytes:
    """The part that puts the terminal back: behind the last saving of the main screen's cursor."""
    return said[said.rindex(b"\x1b[?2026l", 0, said.rindex(b"\x1b7\x1b[?1049l")) :]


def test_it_shows_the_screen_and_hands_keys_to_the_program(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", TYPED)
    wait_until(lambda: "ready" in show(rig, pane), "the program")
    screen = attach(pane)
    screen.until(b"ready")
    screen.type(b"hello\r")
    screen.until(b"got <hello>")


def test_the_pane_takes_the_size_of_the_terminal_and_follows_it(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "trap 'stty size' WINCH; printf ready; while :; do sleep 0.05; done")
    wait_until(lambda: "ready" in show(rig, pane), "the program")
    screen = attach(pane, cols=91, rows=27)
    screen.until(b"27 91")
    assert pane_of(rig, pane)["pty_size"] == {"cols": 91, "rows": 27}
    screen.pty.setwinsize(31, 101)
    screen.until(b"31 101")
    assert pane_of(rig, pane)["pty_size"] == {"cols": 101, "rows": 31}


def test_ctrl_bracket_leaves_after_the_keys_before_it_and_the_program_goes_on(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", TYPED)
    screen = attach(pane)
    screen.until(b"ready")
    screen.type(b"last words\r\x1dnever sent\r")
    assert screen.status() == 0
    wait_until(lambda: "got <last words>" in show(rig, pane), "the keys before")
    assert "never" not in show(rig, pane)
    assert pane_of(rig, pane)["live"] == {"state": "live"}
    assert screen.seen.endswith(f"[{pane} detached]\r\n".encode())


@pytest.mark.parametrize("key", [b"\x1b[93;5u", b"\x1b[93;133:1u", b"\x1b[27;5;93~"])
def test_the_key_also_leaves_when_the_program_has_changed_the_keyboard_protocol(
    rig: Rig, attach: Attach, key: bytes
) -> None:
    screen = attach(rig.new_pane("sh", "-c", TYPED))
    screen.until(b"ready")
    screen.type(key)
    assert screen.status() == 0


def test_every_mode_is_put_back_on_leaving(rig: Rig, attach: Attach) -> None:
    on = r"\033[?1049h\033[?1002h\033[?1006h\033[?2004h\033[?1004h\033[>5u\033[?25l\033[?1h\033[4mready"
    screen = attach(rig.new_pane("sh", "-c", f"printf '{on}'; exec sleep 1000"))
    screen.until(b"ready")
    wait_until(lambda: termios.tcgetattr(screen.pty.fd)[3] & termios.ICANON == 0, "raw mode")
    screen.type(b"\x1d")
    assert screen.status() == 0
    assert termios.tcgetattr(screen.pty.fd) == screen.before
    off = modes_off(screen.seen)
    for mode in (b"?1002l", b"?1006l", b"?2004l", b"?1004l", b"<99u", b"?25h", b"?1l", b"0m", b"?1049l"):
        assert b"\x1b[" + mode in off, mode
    assert off.index(b"?1049l") < off.rindex(b"?25h") < off.rindex(b"\r\n")


@pytest.mark.parametrize("os_signal", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_the_terminal_put_back(rig: Rig, attach: Attach, os_signal: signal.Signals) -> None:
    screen = attach(rig.new_pane("sh", "-c", r"printf '\033[?1049h\033[?1000hready'; exec sleep 1000"))
    screen.until(b"ready")
    os.kill(screen.pty.pid, os_signal)
    assert screen.status() == 128 + os_signal
    assert termios.tcgetattr(screen.pty.fd) == screen.before
    assert b"\x1b[?1000l" in modes_off(screen.seen)


def test_the_end_of_the_program_ends_it_and_says_how(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "printf ready; read -r line; printf farewell; exit 3")
    screen = attach(pane)
    screen.until(b"ready")
    screen.type(b"\r")
    assert screen.status() == 0
    assert screen.seen.index(b"farewell") < screen.seen.index(f"[{pane} ended with code 3]".encode())
    assert termios.tcgetattr(screen.pty.fd) == screen.before


def test_closing_the_pane_ends_it(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "printf ready; exec sleep 1000")
    screen = attach(pane)
    screen.until(b"ready")
    rig.cli("pane", "close", pane)
    assert screen.status() == 0
    assert termios.tcgetattr(screen.pty.fd) == screen.before


def test_a_pane_that_has_ended_is_shown_and_left_at_once(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "printf last-picture")
    wait_until(lambda: pane_of(rig, pane)["live"]["state"] == "exited", "the end")
    screen = attach(pane)
    assert screen.status() == 0
    assert b"last-picture" in screen.seen


def test_a_lost_server_is_an_error_and_the_terminal_is_put_back(rig: Rig, attach: Attach) -> None:
    screen = attach(rig.new_pane("sh", "-c", "printf ready; exec sleep 1000"))
    screen.until(b"ready")
    rig.cli("server", "stop", "--force")
    assert screen.status() == 1
    assert b"signaltty: the server closed the connection (IO_ERROR)" in screen.seen
    assert termios.tcgetattr(screen.pty.fd) == screen.before


def test_queries_and_status_reports_never_reach_the_terminal(rig: Rig, attach: Attach) -> None:
    sent = r"\033[c\033[6n\033[?u\033]7501;?\007\033]7501;state=working:app=x\033\\after"
    screen = attach(
        rig.new_pane("sh", "-c", f"stty -echo; printf ready; read -r line; printf '{sent}'; exec sleep 1000")
    )
    screen.until(b"ready")
    start = len(screen.seen)
    screen.type(b"\r")
    screen.until(b"after")
    said = screen.seen[start:]
    assert [part for part in (b"\x1b[c", b"\x1b[6n", b"\x1b[?u", b"7501") if part in said] == []


ASKS = """
import os, tty
tty.setraw(0)
print("ready", end="", flush=True)
os.read(0, 1)
os.write(1, b"\\x1b[c")
said = b""
while not said.endswith(b"c"):
    said += os.read(0, 100)
os.write(1, b"\\x1b[5n")  # what comes before this answer is one to the question before
while not said.endswith(b"n"):
    said += os.read(0, 100)
print(said.hex(), end=".", flush=True)
os.read(0, 1)
"""


def test_a_program_that_asks_the_terminal_is_answered_once_though_two_look_on(rig: Rig, attach: Attach) -> None:
    """Edge case 155: terminals that would answer themselves are not asked."""
    pane = rig.new_pane(sys.executable, "-c", ASKS)
    screens = [attach(pane), attach(pane)]
    for screen in screens:
        screen.until(b"ready")
    screens[0].type(b"x")
    answers = b"\x1b[?62;22c\x1b[0n"
    for screen in screens:
        assert b"\x1b[c" not in screen.until(answers.hex().encode() + b".").partition(b"ready")[2]


def test_looking_counts_as_seen_unless_told_otherwise(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "printf ready; exec sleep 1000")
    hook = ("hook-event", "--agent", "claude", "--pane", pane)
    rig.cli(*hook, "--event", "UserPromptSubmit")
    rig.cli(*hook, "--event", "Stop")
    before = pane_of(rig, pane)["attention"]
    assert before == "unread"
    quiet = attach(pane, "--no-mark-seen")
    quiet.until(b"ready")
    assert pane_of(rig, pane)["attention"] == before
    attach(pane).until(b"ready")
    assert pane_of(rig, pane)["attention"] == "none"


def test_without_a_terminal_nothing_is_done(rig: Rig) -> None:
    said = rig.cli("attach", "anything", status=1)
    assert said.stderr == "signaltty: attach needs a terminal as standard input and output\n"
    assert not rig.socket.exists()


def test_an_unknown_pane_leaves_the_terminal_untouched(rig: Rig, attach: Attach) -> None:
    screen = attach("nobody")
    assert screen.status() == 1
    assert b"NO_SUCH_PANE" in screen.seen
    assert b"\x1b" not in screen.seen


def test_a_terminal_that_stops_reading_gets_the_last_picture_and_the_pane_is_not_slowed(
    rig: Rig, attach: Attach
) -> None:
    pane = rig.new_pane("sh", "-c", "printf ready; read -r line; seq 1 900000; printf finished; exec sleep 1000")
    screen = attach(pane)
    screen.until(b"ready")
    screen.type(b"\r")
    wait_until(lambda: "finished" in show(rig, pane), "the end of the flood")  # nobody reads the terminal meanwhile
    screen.until(b"finished")
    assert len(screen.seen) < 4 << 20  # of some 7 MiB
    assert b"900000" in screen.seen[-4096:]
    screen.type(b"\x1d")
    assert screen.status() == 0


def test_leaving_does_not_wait_for_a_terminal_that_takes_nothing(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", "printf ready; read -r line; seq 1 200000; printf finished; exec sleep 1000")
    screen = attach(pane)
    screen.until(b"ready")
    screen.type(b"\r")
    wait_until(lambda: "finished" in show(rig, pane), "the end of the flood")
    os.kill(screen.pty.pid, signal.SIGTERM)
    wait_until(lambda: not screen.pty.isalive(), "its end")
    assert screen.pty.exitstatus == 128 + signal.SIGTERM
    assert termios.tcgetattr(screen.pty.fd) == screen.before
