"""The command line against the real server: real processes from the first command to the last."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.e2e.rig import COMMAND, LIMIT_S, Rig, wait_until


def test_from_the_first_command_to_the_last(rig: Rig) -> None:
    new = rig.result("new", "--name", "My Api", "--", "sh", "-c", "echo ready; read x; echo got $x; exit 3")
    pane = new["pane_id"]
    assert new["handle"] == "my-api"
    wait_until(lambda: rig.cli("pane", "read", pane).stdout == "ready\n", "the program's first line")
    assert rig.cli("pane", "rename", pane, "boss").stdout == f"renamed {pane} to boss\n"
    assert rig.cli("ls").stdout.startswith(f"my-api  My Api  {rig.home}  -\n  agents *\n    {pane}  boss  generic  ")
    assert rig.cli("pane", "input", "boss", "--data", "you\n").stdout == "wrote 4 bytes\n"
    waited = rig.cli("wait", "--pane", "boss", "--until", "exited,failed", "--timeout", "20")
    assert (waited.stdout.startswith("satisfied: lifecycle="), waited.stderr) == (True, "")
    assert rig.cli("pane", "read", "boss").stdout == "ready\nyou\ngot you\n"
    assert f"{pane}  boss  generic  exited 3  " in rig.cli("pane", "list").stdout
    assert rig.cli("pane", "close", "boss").stdout == "closed boss\n"
    assert rig.cli("ls").stdout.splitlines()[-1] == "    (empty)"
    assert rig.cli("server", "stop").stdout == "stopped\n"
    assert rig.cli("status", status=1).stderr == "signaltty: no server is running (NO_SUCH_SERVER)\n"


def test_twenty_first_commands_at_once_find_one_server(rig: Rig) -> None:
    callers = [rig.begin("call", "server.status", "--json") for _ in range(20)]
    answers = [caller.communicate(timeout=LIMIT_S) for caller in callers]
    assert ([caller.returncode for caller in callers], [said for _, said in answers]) == ([0] * 20, [""] * 20)
    assert len({json.loads(answer)["pid"] for answer, _ in answers}) == 1


def test_a_shells_substitution_returns_while_the_server_lives_on(rig: Rig) -> None:
    shell = ["sh", "-c", 'x=$("$@" 2>&1); echo "[$x]"', "sh", *COMMAND, "new", "--", "sleep", "60"]
    done = subprocess.run(shell, env=rig.environment, cwd=rig.home, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.stdout.startswith("[workspace ws_")
    assert rig.cli("status").stdout.endswith("(1 live)\n")


def test_a_program_that_does_not_exist_leaves_nothing(rig: Rig) -> None:
    failed = rig.cli("new", "--", "no-such-program", status=1)
    assert (failed.stdout, failed.stderr.endswith("(SPAWN_FAILED)\n")) == ("", True)
    assert rig.cli("ls").stdout == "no workspaces\n"


def test_watching_events_ends_in_peace_with_the_server(rig: Rig) -> None:
    pane = rig.new_pane("sleep", "60")
    watcher = rig.begin("events", "--filter", "pane.*")
    assert watcher.stdout is not None
    out = watcher.stdout.fileno()
    os.set_blocking(out, False)
    names = iter(range(1000))

    def watches() -> bool:
        """Once it has subscribed, the next change arrives."""
        rig.cli("pane", "rename", pane, f"n{next(names)}")
        try:
            return b'"pane.updated"' in os.read(out, 1 << 16)
        except BlockingIOError:
            return False

    wait_until(watches, "an event")
    rig.cli("server", "stop", "--force")
    assert watcher.wait(LIMIT_S) == 0


@pytest.mark.parametrize("words", [("events",), ("events", "--from-seq", "0"), ("server", "logs", "-f")])
def test_what_goes_on_and_on_ends_with_its_reader_though_nothing_more_is_said(rig: Rig, words: tuple[str, ...]) -> None:
    rig.cli("server", "start")
    going = rig.begin(*words)
    assert going.stdout is not None and going.stderr is not None
    going.stdout.close()
    assert (going.wait(LIMIT_S), going.stderr.read()) == (0, "")


def test_a_second_server_on_the_same_state_is_refused_with_its_sentence(rig: Rig) -> None:
    first = rig.cli("server", "start").stdout
    refused = rig.cli("ls", "--socket", str(rig.place / "other.sock"), status=1).stderr
    assert refused.startswith(f"signaltty: the state directory {rig.state}/signaltty is in use by the server at ")
    assert rig.cli("server", "start").stdout == first


def test_a_file_at_the_sockets_path_is_neither_used_nor_removed(rig: Rig) -> None:
    path = rig.place / "file.sock"
    path.write_text("mine")
    refused = rig.cli("ls", "--socket", str(path), status=1)
    assert (refused.stderr.startswith(f"signaltty: {path} exists and is no socket"), path.read_text()) == (True, "mine")


def test_a_restart_keeps_the_panes(rig: Rig) -> None:
    pane = rig.new_pane("sleep", "60")
    before = rig.result("status")["pid"]
    rig.cli("server", "restart")
    after = rig.result("status")
    assert (after["pid"] != before, after["live_panes"]) == (True, 1)
    assert "live=live" in rig.cli("pane", "get", pane).stdout


def test_a_layout_travels_through_a_file(rig: Rig) -> None:
    first = rig.new_pane("sleep", "60")
    second = rig.result("pane", "split", first, "--direction", "down", "--", "sleep", "61")["pane"]["id"]
    tab = rig.result("pane", "get", first)["pane"]["tab_id"]
    assert rig.cli("tab", "set-ratio", tab, "7").stdout == "ratio 0.95\n"
    (rig.home / "tree.json").write_text(rig.cli("tab", "export", tab).stdout)
    made = rig.cli("tab", "apply", "tree.json", "--workspace", "e2e").stdout.splitlines()
    assert (made[0].startswith("tab tab_"), len(made), {first, second} & set(made)) == (True, 3, set())
    layout = rig.result("tab", "export", made[0][4:])["root"]
    assert (layout["dir"], layout["ratio"], layout["second"]["argv"]) == ("down", 0.95, ["sleep", "61"])


def test_notifications_reach_the_list_and_the_pane(rig: Rig) -> None:
    pane = rig.new_pane("sleep", "60")
    rig.cli("notify", "--title", "tests are\x1b[31m red", "--severity", "error", "--pane", pane)
    rig.cli("notify", "--title", "nobody's")
    listed = [line.split("  ")[1:4] for line in rig.cli("notification", "list").stdout.splitlines()]
    assert listed == [["info", "-", "nobody's"], ["error", pane, "tests are red"]]
    assert rig.cli("attention").stdout.startswith(f"{pane}  error  -  tests are red")
    assert rig.cli("focus", "next-unread").stdout == f"{pane}\n"
    rig.cli("pane", "mark-seen", pane)
    assert rig.cli("attention").stdout == "no panes require attention\n"
