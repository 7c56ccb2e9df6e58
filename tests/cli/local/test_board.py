"""`board` and `attention --watch` on a real server, in real terminals."""

from __future__ import annotations

import os
import signal
import termios

import pyte
import pytest

from tests.cli.local.screen import Screen
from tests.e2e.rig import Rig, wait_until

LEFT = b"\x1b[?7h\x1b[?25h\x1b[?1049l"


@pytest.fixture
def boss(rig: Rig) -> Rig:
    """A machine with a pane called boss, which works."""
    pane = rig.result("new", "--name", "api", "--", "/bin/cat")["pane_id"]
    rig.cli("pane", "rename", pane, "boss")
    report(rig, "UserPromptSubmit")
    return rig


def report(rig: Rig, event: str) -> None:
    rig.cli("hook-event", "--agent", "claude", "--event", event, "--pane", "boss")


def shown(screen: Screen, cols: int, rows: int) -> list[str]:
    """What stands in the terminal now."""
    drawn = pyte.Screen(cols, rows)
    pyte.ByteStream(drawn).feed(screen.read())
    return [line.rstrip() for line in drawn.display]


def test_without_a_terminal_it_is_plain_and_once(boss: Rig) -> None:
    for words in (["board"], ["board", "--watch"]):
        lines = boss.cli(*words).stdout.splitlines()
        assert lines[0] == "nobody needs you  (1 pane, 1 workspace)"
        assert lines[1].split("  ")[:3] == ["> boss", "generic", "working"]
        assert lines[2:] == [
            "",
            "workspaces",
            f"  api  -  1 pane  {boss.home}",
            "",
            "signaltty wait --pane PANE",
        ]
    assert "\x1b" not in boss.cli("board").stdout


def test_json_holds_the_records(boss: Rig) -> None:
    found = boss.result("board")
    assert [pane["name"] for pane in found["panes"]] == ["boss"]
    assert (found["tasks"], [one["handle"] for one in found["workspaces"]]) == ([], ["api"])
    assert boss.result("board", "--watch")["panes"][0]["name"] == "boss"


@pytest.mark.parametrize("cols", [40, 80, 200])
def test_watching_follows_what_changes_and_leaves_with_q(boss: Rig, cols: int) -> None:
    screen = Screen(boss, "board", "--watch", cols=cols, rows=12)
    try:
        wait_until(lambda: shown(screen, cols, 12)[1].startswith("> boss"), "the working pane")
        report(boss, "Stop")
        wait_until(lambda: shown(screen, cols, 12)[1].startswith("* boss"), "its end")
        assert shown(screen, cols, 12)[11].startswith("q leaves; ")
        assert not termios.tcgetattr(screen.pty.fd)[3] & termios.ECHO
        screen.type(b"q")
        assert screen.status() == 0
        assert screen.seen.endswith(LEFT)
        # the screen is cleared once, for its first size, and never again
        assert screen.seen.count(b"\x1b[2J") == 1
    finally:
        screen.end()


def test_a_new_size_is_drawn_anew(boss: Rig) -> None:
    screen = Screen(boss, "board", "--watch", cols=100, rows=12)
    try:
        screen.until(b"q leaves")
        before = len(screen.seen)
        screen.pty.setwinsize(6, 50)
        wait_until(lambda: b"\x1b[2J" in screen.read()[before:], "a whole new screen")
        wait_until(lambda: b"\x1b[6;1Hq leaves; " in screen.read()[before:], "the last line in the last row")
    finally:
        screen.end()


def test_it_outlives_its_server(boss: Rig) -> None:
    screen = Screen(boss, "board", "--watch", cols=80, rows=12)
    try:
        screen.until(b"q leaves")
        first = boss.result("status")["pid"]
        os.kill(first, signal.SIGKILL)
        screen.until(b"the server is gone")
        wait_until(lambda: shown(screen, 80, 12)[11].startswith("q leaves"), "the next server")
        report(boss, "Stop")
        wait_until(lambda: shown(screen, 80, 12)[1].startswith("* boss"), "what the next server says")
        assert boss.result("status")["pid"] != first
    finally:
        screen.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(boss: Rig, number: int) -> None:
    screen = Screen(boss, "board", "--watch", cols=80, rows=12)
    try:
        screen.until(b"q leaves")
        screen.pty.kill(number)
        assert screen.status() == 128 + number
        assert screen.seen.endswith(LEFT)
    finally:
        screen.end()


def test_ctrl_z_does_not_leave_a_shell_on_its_screen(boss: Rig) -> None:
    screen = Screen(boss, "board", "--watch", cols=80, rows=12)
    try:
        screen.until(b"q leaves")
        screen.type(b"\x1aq")
        assert screen.status() == 0
        assert screen.seen.endswith(LEFT)
    finally:
        screen.end()


def test_ctrl_c_ends_it_with_130(boss: Rig) -> None:
    screen = Screen(boss, "board", "--watch", cols=80, rows=12)
    try:
        screen.until(b"q leaves")
        screen.type(b"\x03")
        assert screen.status() == 130
        assert screen.seen.endswith(LEFT)
    finally:
        screen.end()


def test_more_than_fits_is_counted(boss: Rig) -> None:
    for _ in range(4):
        boss.cli("pane", "spawn", "--workspace", "api", "--", "/bin/cat")
    screen = Screen(boss, "board", "--watch", cols=80, rows=5)
    try:
        wait_until(lambda: shown(screen, 80, 5)[3].startswith("…"), "what is left out")
        lines = shown(screen, 80, 5)
        # a heading, five panes, a blank, a heading, a workspace: nine lines, of which three are seen
        assert (lines[0], lines[1][:6], lines[3]) == (
            "nobody needs you  (5 panes, 1 workspace)",
            "> boss",
            "… 6 more lines",
        )
    finally:
        screen.end()


def test_attention_is_watched_too(boss: Rig) -> None:
    assert boss.cli("attention", "--watch").stdout == "no panes require attention\n"
    screen = Screen(boss, "attention", "--watch", cols=80, rows=5)
    try:
        screen.until(b"no panes require attention")
        report(boss, "Stop")
        wait_until(lambda: shown(screen, 80, 5)[0].startswith("unread"), "the pane that has news")
        screen.type(b"q")
        assert screen.status() == 0
    finally:
        screen.end()
