"""`server …`, `status`, `version` against a server of a few lines, and without one."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from signaltty_core.base.version import VERSION
from signaltty_core.cli.commands.server import server_options

from ...client.scripted import STATUS, ScriptedServer
from ..conftest import Run


def test_the_version_needs_no_server(run: Run) -> None:
    assert run("version") == (0, f"signaltty {VERSION} (signaltty/1)\n", "")
    assert run("--version") == (0, f"signaltty {VERSION} (signaltty/1)\n", "")
    assert run("version", "--json") == (0, f'{{"version":"{VERSION}","protocol":"signaltty/1"}}\n', "")


def test_status_counts_what_the_server_holds(run: Run, server: ScriptedServer) -> None:
    said = f"signaltty {VERSION} (signaltty/1) up 7s — 1 workspaces, 2 tabs, 3 panes (2 live)\n"
    assert run("status") == (0, said, "")
    assert run("server", "status") == (0, said, "")


def test_status_without_a_server_is_a_failure(run: Run) -> None:
    assert run("status") == (1, "", "signaltty: no server is running (NO_SUCH_SERVER)\n")


def test_status_gives_a_mute_server_less_than_two_seconds(run: Run, tmp_path: Path) -> None:
    mute = socket.socket(socket.AF_UNIX)
    mute.bind(str(tmp_path / "s.sock"))
    mute.listen()
    status, _, said = run("status")
    assert (status, said.startswith("signaltty: no answer to server.status within 1.")) == (1, True)
    mute.close()


def test_a_start_finds_the_server_that_runs(run: Run, server: ScriptedServer) -> None:
    said = f"server running (pid {STATUS['pid']}) at {server.path}\n"
    assert [run("server", "start"), run("daemon", "--idle-exit", "0")] == [(0, said, ""), (0, said, "")]


@pytest.mark.parametrize("words", ["server start", "daemon", "server restart"])
@pytest.mark.parametrize("option", ["--idle-exit", "--worker-silent-timeout"])
@pytest.mark.parametrize(("value", "reason"), [("-1", "below 0"), ("1e9", "too long"), ("nan", "no finite number")])
def test_a_time_no_server_takes_is_refused_though_one_runs(
    run: Run, server: ScriptedServer, words: str, option: str, value: str, reason: str
) -> None:
    status, out, said = run(*words.split(), option, value)
    assert (status, out, server.requests) == (2, "", [])
    assert said == f"signaltty: invalid value for '{option}': '{value}' is {reason}; see `signaltty {words} --help`\n"


def test_stop_without_a_server_has_nothing_to_do(run: Run) -> None:
    assert run("server", "stop") == (0, "no server running\n", "")


def test_stop_waits_for_the_servers_end(run: Run, server: ScriptedServer) -> None:
    server.answers["server.shutdown"] = {"stopped": True}
    server.events["server.shutdown"] = []
    assert run("server", "stop", "--force") == (0, "stopped\n", "")
    assert server.asked == [("server.shutdown", {"force": True})]


def test_stop_with_live_panes_hints_at_force(run: Run, server: ScriptedServer) -> None:
    server.answers["server.shutdown"] = Exception("PANES_ALIVE", "2 panes are live", {"live_panes": 2})
    assert run("server", "stop") == (
        1,
        "",
        "signaltty: 2 panes are live; `signaltty server stop --force` ends them (PANES_ALIVE)\n",
    )


def test_restart_keeps_the_panes(run: Run, server: ScriptedServer) -> None:
    server.answers["server.shutdown"] = {"stopped": True}
    server.events["server.shutdown"] = []
    assert run("server", "restart")[0] == 0
    assert server.asked == [("server.shutdown", {"keep_panes": True})]


def test_logs_show_the_end_of_the_log(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "signaltty"
    folder.mkdir(parents=True)
    (folder / "server.log").write_text("".join(f"line {n}\x1b\n" for n in range(200)))
    assert run("server", "logs", "-n", "2") == (0, "line 198\\x1b\nline 199\\x1b\n", "")
    assert len(run("server", "logs")[1].splitlines()) == 100


def test_logs_without_a_log_say_where_it_would_be(run: Run, tmp_path: Path) -> None:
    assert run("server", "logs") == (1, "", f"signaltty: there is no log at {tmp_path}/state/signaltty/server.log\n")


def test_options_of_a_start_reach_the_server_as_words() -> None:
    values = {"state_dir": "/s/../t", "max_tasks": 3, "idle_exit": 0.0, "allow_self_approval": True}
    assert server_options(values) == [
        *("--state-dir", "/t", "--max-tasks", "3", "--idle-exit", "0", "--allow-self-approval")
    ]
