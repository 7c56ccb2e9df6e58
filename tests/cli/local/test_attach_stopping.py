"""`attach` as a job of a shell: stopped, continued, and drawn anew."""

from __future__ import annotations

import os
import signal
import termios

from tests.cli.local.conftest import Attach
from tests.cli.local.screen import Screen
from tests.cli.local.test_attach import modes_off
from tests.e2e.rig import Rig, wait_until

TYPED = r"""stty -echo; printf '\033[?1002hready'; while read -r line; do printf 'got <%s>' "$line"; done"""


def is_stopped(screen: Screen) -> bool:
    screen.read()
    found, status = os.waitpid(screen.pty.pid, os.WNOHANG | os.WUNTRACED)
    return bool(found) and os.WIFSTOPPED(status)


def shown_again(screen: Screen, start: int) -> bytes:
    """What was drawn from there on, once the picture is whole."""
    wait_until(lambda: b"ready" in screen.read()[start:], "the picture")
    return screen.seen[start:]


def test_stopping_lends_the_terminal_back_and_continuing_draws_the_pane_anew(rig: Rig, attach: Attach) -> None:
    pane = rig.new_pane("sh", "-c", TYPED)
    screen = attach(pane)
    screen.until(b"ready")
    os.kill(screen.pty.pid, signal.SIGTSTP)
    wait_until(lambda: is_stopped(screen), "the stop")
    assert termios.tcgetattr(screen.pty.fd) == screen.before
    assert b"\x1b[?1002l" in modes_off(screen.read())
    start = len(screen.seen)
    rig.cli("pane", "input", pane, "--data", "typed by another\n")
    wait_until(lambda: "by another" in rig.cli("pane", "read", pane).stdout, "the program's answer")
    screen.pty.setwinsize(31, 101)
    os.kill(screen.pty.pid, signal.SIGCONT)
    drawn = shown_again(screen, start)
    assert b"readygot <typed by another>" in drawn and b"\x1b[?1002h" in drawn
    assert termios.tcgetattr(screen.pty.fd)[3] & termios.ICANON == 0
    assert rig.result("pane", "get", pane)["pane"]["pty_size"] == {"cols": 101, "rows": 31}
    screen.type(b"hello\r")
    screen.until(b"got <hello>")
    screen.type(b"\x1d")
    assert screen.status() == 0
    assert termios.tcgetattr(screen.pty.fd) == screen.before


def test_it_draws_anew_after_a_stop_it_could_not_see(rig: Rig, attach: Attach) -> None:
    screen = attach(rig.new_pane("sh", "-c", TYPED))
    screen.until(b"ready")
    os.kill(screen.pty.pid, signal.SIGSTOP)
    wait_until(lambda: is_stopped(screen), "the stop")
    termios.tcsetattr(screen.pty.fd, termios.TCSANOW, screen.before)  # as a shell does for itself
    start = len(screen.read())
    os.kill(screen.pty.pid, signal.SIGCONT)
    assert b"\x1b[?1002h" in shown_again(screen, start)
    assert termios.tcgetattr(screen.pty.fd)[3] & termios.ICANON == 0
