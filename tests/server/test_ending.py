"""How a server ends: told to, by a signal, or because nobody needs it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import Refused, Shop, b64, is_running, processes, running, wait_until


def test_a_shutdown_is_refused_while_a_pane_lives_unless_it_is_forced() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("exec sleep 100")
        pid = shop.pid(pane["id"])
        error = shop.client.refusal("server.shutdown")
        assert (error["code"], error["details"]) == ("PANES_ALIVE", {"live_panes": 1})
        watcher, waiting, bystander = server.client(), server.client(), server.client()
        watcher.call("subscribe", events=["server.*"])
        waiting.send("wait", pane_id=pane["id"], until="done")
        bystander.call("server.status")
        began = time.monotonic()
        assert shop.client.call("server.shutdown", force=True) == {"stopped": True}
        assert server.wait_end(5) == 0
        assert time.monotonic() - began < 3.0
        assert [frame["event"] for frame in watcher.until_closed()] == ["server.will_shutdown"]
        assert (waiting.until_closed(), bystander.until_closed()) == ([], [])
        assert not is_running(pid)
        wait_until(lambda: not server.keepers(), "the end of the keeper")
        assert [name for name in os.listdir(server.runtime) if name.endswith(".sock")] == []
        assert not os.path.exists(server.path)


@pytest.mark.parametrize("script", ["exec yes", "trap '' HUP TERM INT; while :; do sleep 0.1; done", "exec sleep 100"])
def test_a_shutdown_takes_less_than_three_seconds_whatever_runs(script: str) -> None:
    with running() as server:
        shop = Shop(server)
        pids = [shop.pid(shop.run(script)["id"]) for _ in range(3)]
        slow = server.client()
        slow.call("pane.attach", pane_id=shop.client.call("pane.list")["panes"][0]["id"])
        typist = server.client()
        typist.send("pane.input", pane_id=shop.client.call("pane.list")["panes"][1]["id"], data_b64=b64(b"x" * 500_000))
        began = time.monotonic()
        assert shop.client.call("server.shutdown", force=True) == {"stopped": True}
        assert server.wait_end(5) == 0
        assert time.monotonic() - began < 3.0
        wait_until(lambda: not any(is_running(pid) for pid in pids), "the ends of the children")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order_and_panes_restore_as_having_lived(number: signal.Signals) -> None:
    """Edge cases 81, 139."""
    with running() as server:
        shop = Shop(server)
        pane = shop.run("trap 'exit 1' HUP; echo tail text; while :; do sleep 0.05; done")
        shop.shows(pane["id"], "tail text")
        baseline = shop.client.call("pane.get", pane_id=pane["id"])["wait_baseline"]
        os.kill(server.pid, number)
        assert server.wait_end(5) == 0
        assert shop.client.until_closed() == []
        wait_until(lambda: not server.children(), "the end of the child")
        server.start()
        client = server.client()
        restored = client.call("pane.get", pane_id=pane["id"])["pane"]
        assert (restored["live"], restored["restore_state"]) == ({"state": "exited", "code": None}, "RESTORED")
        assert client.call("pane.read", pane_id=pane["id"])["text"] == "tail text"
        error = client.refusal("wait", pane_id=pane["id"], until="exited", after=baseline)
        assert error["code"] == "IDENTITY_CHANGED"


def test_a_detached_server_does_not_hear_the_terminal_hang_up() -> None:
    with running() as server:
        client = server.client()
        os.kill(server.pid, signal.SIGHUP)
        for _ in range(3):
            assert client.call("server.status")["pid"] == server.pid


@pytest.mark.parametrize("has_keeper", [True, False])
def test_a_child_being_born_does_not_outlive_the_shutdown(has_keeper: bool) -> None:
    with running() as server:
        shop = Shop(server)
        if has_keeper:
            shop.run("exec sleep 1000")
        spawners = [server.client() for _ in range(20)]
        for one in spawners:
            one.send("pane.spawn", workspace_id=shop.workspace, argv=["sleep", "1000"])
        shop.client.call("server.shutdown", force=True)
        assert server.wait_end(5) == 0
        wait_until(lambda: not server.children(), "the end of every child")
        if has_keeper:
            wait_until(lambda: not server.keepers(), "the end of the keeper")


def test_an_idle_server_ends_and_takes_its_sockets_along() -> None:
    """Edge case 138."""
    with running("--idle-exit", "0.5") as server:
        client = server.client()
        client.call("subscribe")
        pane = Shop(server).run("sleep 1")
        for shop_client in server.clients[1:]:
            shop_client.close()
        client.event("pane.exited", pane_id=pane["id"])
        client.close()
        assert server.wait_end(10) == 0
        assert not os.path.exists(server.path)
        wait_until(lambda: not server.keepers(), "the end of the keeper")


def test_a_client_or_a_pane_keeps_an_idle_server() -> None:
    """Edge case 138; each is watched for twice the limit."""
    with running("--idle-exit", "0.3") as server:
        client = server.client()
        client.call("subscribe")
        with pytest.raises(AssertionError, match="did not come"):
            client.event("server.will_shutdown", limit_s=0.7)
        shop = Shop(server)
        shop.run("exec sleep 1.2")
        client.close()
        shop.client.close()
        assert server.process is not None
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(0.7)
        assert server.wait_end(10) == 0


def test_a_server_that_may_stay_never_ends_by_itself() -> None:
    with running("--idle-exit", "0") as server:
        assert server.process is not None
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(0.7)
        assert server.client().call("server.status")["pid"] == server.pid


def test_a_wait_survives_nothing_but_its_own_connection() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.spawn("cat")
        waiting = [server.client() for _ in range(3)]
        for client in waiting:
            client.send("wait", pane_id=pane["id"], until="exited")
        waiting[0].close()
        waiting[1].send("server.status")
        assert waiting[1].until_closed() == []
        shop.client.call("pane.close", pane_id=pane["id"])
        assert waiting[2].reply("c1")["error"]["code"] in ("NO_SUCH_PANE",)


def test_no_server_or_keeper_of_ours_is_left() -> None:
    with running() as server:
        Shop(server).spawn("cat")
        words = [server.path, server.runtime]
    assert [pid for pid, said in processes() if any(word in said for word in words)] == []
    assert issubclass(Refused, AssertionError)


def test_the_log_is_plain_text(tmp_path: Path) -> None:
    with running() as server:
        client = server.client()
        client.call("server.shutdown")
        server.wait_end(5)
        text: Any = server.log()
        assert "server ended with status 0" in text
        assert "\x1b" not in text
