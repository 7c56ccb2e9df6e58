"""Full disks, too few descriptors, slow programs: what a server does when the machine refuses."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.server.rig import LIMIT_S, PROGRAM, PYTHON, Client, Server, Shop, b64, descriptors, running, wait_until


def start_limited(server: Server, limit: Callable[[], None]) -> None:
    """Start a server whose process begins with `limit`, which must not meet what is unpacked once."""
    subprocess.run([PYTHON, PROGRAM, "--version"], env=server.environ, stdout=subprocess.DEVNULL, check=True)
    with open(f"{server.directory}/log", "ab") as log:
        server.process = subprocess.Popen(
            server.argv(),
            cwd=server.directory,
            env=server.environ,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=limit,
        )
    wait_until(server.answers, "the server")


def test_a_disk_that_is_full_stops_the_server_and_takes_back_nothing_it_said() -> None:
    """Edge case 134; a limit on the size of files stands for the disk."""
    with running(started=False) as server:
        start_limited(server, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)))
        client = server.client()
        acknowledged = 0
        while client.is_open and acknowledged < 5000:
            id = client.send("notify", title=f"note {acknowledged}", body="b" * 500)
            try:
                assert client.reply(id)["ok"]
            except AssertionError:
                break
            acknowledged += 1
        assert 10 < acknowledged < 5000
        assert server.wait_end() == 1
        assert [
            path.name for path in Path(server.state).iterdir() if path.suffix == ".json" and not path.stat().st_size
        ] == []
        server.start()
        newest = server.client().call("notification.list")["notifications"][0]["title"]
        assert newest == f"note {acknowledged - 1}"


def test_children_outlive_a_server_whose_disk_is_full() -> None:
    with running(started=False) as server:
        start_limited(server, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 1 << 30)))
        shop = Shop(server)
        pane = shop.spawn("cat")
        try:
            for number in range(5000):
                shop.client.call("notify", title=str(number), body="b" * 500)
        except (AssertionError, OSError):
            pass
        assert server.wait_end() == 1
        assert len(server.children()) == 1

        def answer() -> Client | None:
            try:
                client = server.client()
                client.call("server.status")
            except (AssertionError, OSError):
                return None
            return client

        client = wait_until(answer, "the server the keeper starts")
        assert client.call("pane.get", pane_id=pane["id"])["pane"]["restore_state"] == "LIVE"


def test_callers_get_half_of_few_descriptors_and_the_rest_is_the_journals() -> None:
    with running(started=False) as server:
        start_limited(server, lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80)))
        first = server.client()
        first.call("server.status")
        crowd = [server.client() for _ in range(60)]
        for one in crowd[39:]:
            assert [frame["error"]["code"] for frame in one.until_closed()] == ["RATE_LIMITED"]
        for one in crowd[:39]:
            assert one.call("server.status")["pid"] == server.pid
        before = processor_s(server.pid)
        for _ in range(10):
            first.call("notify", title="written all the same")
            time.sleep(0.03)
        assert processor_s(server.pid) - before < 0.25
        for one in crowd:
            one.close()
        wait_until(lambda: descriptors(server.pid) < 20, "free places")
        assert server.client().call("server.status")["pid"] == server.pid


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_git_that_takes_seconds_holds_up_its_own_caller_alone() -> None:
    """Edge case 5."""
    with running(started=False) as server:
        tools = Path(server.directory, "bin")
        tools.mkdir()
        go = Path(server.directory, "go")
        (tools / "git").write_text(f"#!/bin/sh\nwhile [ ! -e {go} ]; do sleep 0.05; done\nexit 128\n")
        (tools / "git").chmod(0o755)
        server.environ["PATH"] = f"{tools}:{server.environ['PATH']}"
        server.start()
        slow = [server.client() for _ in range(20)]
        for one in slow:
            one.send("workspace.create", cwd=server.work)
        quick = server.client()
        for _ in range(20):
            quick.call("server.status")
        go.touch()  # no git has ended before this
        assert len({one.reply("c1")["result"]["workspace"]["id"] for one in slow}) == 20


def test_input_that_waits_ends_with_its_pane() -> None:
    """Behaviour §8.6: what was written is told, and nothing reaches a later process."""
    with running() as server:
        shop = Shop(server)
        panes = [shop.run("stty raw -echo; echo deaf; exec sleep 100") for _ in range(2)]
        typists = [server.client() for _ in panes]
        for pane, typist in zip(panes, typists, strict=True):
            shop.shows(pane["id"], "deaf")
            typist.send("pane.input", pane_id=pane["id"], data_b64=b64(b"x" * 300_000))
        shop.client.call("pane.close", pane_id=panes[0]["id"])
        shop.client.call("pane.signal", pane_id=panes[1]["id"], signal="KILL")
        for typist in typists:
            error = typist.reply("c1", LIMIT_S)["error"]
            assert error["code"] == "PANE_EXITED"
            assert 0 < error["details"]["written_bytes"] < 300_000


def test_a_child_that_leaves_a_grandchild_on_the_terminal_still_ends() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("(trap '' HUP; sleep 50; echo never) & echo parent; exit 4")
        ended = shop.exited(pane["id"])
        assert ended["live"] == {"state": "exited", "code": 4}
        assert shop.text(pane["id"]) == "parent"


def test_a_child_that_closes_its_terminal_and_lives_on_is_live_until_it_ends() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("exec <&- >&- 2>&-; while [ ! -e go ]; do sleep 0.02; done; exit 6")
        before = processor_s(server.pid)
        for _ in range(10):
            assert shop.get(pane["id"])["live"] == {"state": "live"}
            time.sleep(0.03)
        assert processor_s(server.pid) - before < 0.25
        Path(server.work, "go").touch()
        assert shop.exited(pane["id"])["live"]["code"] == 6
