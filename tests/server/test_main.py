"""Becoming the server of a socket, being refused, and ending: real processes."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import Refused, Server, Shop, b64, is_running, processes, running, unb64, wait_until


def run_refused(server: Server, *options: str, status: int = 1) -> str:
    """What a server that may not start says."""
    said = subprocess.run(
        server.argv(*options), env=server.environ, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL
    )
    assert (said.returncode, said.stdout) == (status, ""), said
    assert "Traceback" not in said.stderr
    (line,) = said.stderr.splitlines()
    assert line.startswith("signaltty: ")
    return line


def test_the_socket_and_its_directories_are_the_owners_alone() -> None:
    with running() as server:
        assert stat.S_IMODE(os.lstat(server.path).st_mode) == 0o600
        assert stat.S_ISSOCK(os.lstat(server.path).st_mode)
        for directory in (server.runtime, server.state):
            assert stat.S_IMODE(os.lstat(directory).st_mode) == 0o700
        assert Path(server.runtime, "signaltty.lock").read_text().split() == [str(server.pid)]
        assert Path(server.state, "server.lock").read_text().split() == [str(server.pid), server.path]


@pytest.mark.parametrize("kind", ["file", "directory", "link", "dangling link", "fifo"])
def test_a_path_that_is_no_dead_socket_is_refused_and_left_alone(kind: str) -> None:
    """Edge case 136."""
    with running(started=False) as server:
        path = Path(server.path)
        if kind == "file":
            path.write_text("mine")
        elif kind == "directory":
            path.mkdir()
        elif kind == "link":
            Path(server.directory, "target").write_text("mine")
            path.symlink_to(Path(server.directory, "target"))
        elif kind == "dangling link":
            path.symlink_to("nowhere")
        else:
            os.mkfifo(path)
        before = os.lstat(path)
        assert server.path in run_refused(server)
        after = os.lstat(path)
        assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)


def test_a_dead_socket_is_replaced() -> None:
    with running(started=False) as server:
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(server.path)
        dead.close()
        server.start()
        assert server.client().call("server.status")["pid"] == server.pid


def test_a_second_server_on_the_same_socket_leaves_the_first_undisturbed() -> None:
    """Edge case 135; a detached one says nothing, for its starter will reach the first."""
    with running() as server:
        inode = os.lstat(server.path).st_ino
        assert "already answers" in run_refused(server)
        second = server.launch()
        assert second.wait(20) == 0
        assert os.lstat(server.path).st_ino == inode
        assert server.client().call("server.status")["pid"] == server.pid


def test_of_many_servers_started_at_once_one_remains() -> None:
    """Edge case 135."""
    with running(started=False) as server:
        racers = [server.launch() for _ in range(6)]
        try:
            wait_until(server.answers, "a server")
            wait_until(lambda: len([one for one in racers if one.poll() is None]) == 1, "all others to leave")
            (winner,) = [one for one in racers if one.poll() is None]
            assert [one.returncode for one in racers if one is not winner] == [0] * 5
            assert server.client().call("server.status")["pid"] == winner.pid
        finally:
            for one in racers:
                one.kill()
                one.wait()


def test_a_state_directory_in_use_is_refused_by_naming_its_owner() -> None:
    """Edge case 160."""
    with running() as server:
        other = Server.__new__(Server)
        other.__dict__.update(server.__dict__, path=f"{server.directory}/o.sock")
        line = run_refused(other)
        assert server.path in line
        assert f"(pid {server.pid})" in line
        assert server.client().call("server.status")["pid"] == server.pid
        assert not os.path.exists(other.path)


def test_a_runtime_directory_that_others_can_write_is_refused() -> None:
    """Edge case 136."""
    with running(started=False) as server:
        os.mkdir(server.runtime)
        os.chmod(server.runtime, 0o777)
        assert "can be written by others" in run_refused(server)
        os.rmdir(server.runtime)
        os.symlink(server.work, server.runtime)
        assert "is a symbolic link" in run_refused(server)
        os.unlink(server.runtime)
        Path(server.runtime).write_text("")
        assert "is not a directory" in run_refused(server)


def test_a_state_directory_that_is_none_is_refused() -> None:
    with running(started=False) as server:
        Path(server.state).write_text("")
        assert server.state in run_refused(server)


def test_a_socket_path_longer_than_a_socket_may_have_is_refused() -> None:
    with running(started=False) as server:
        long = Path(server.directory, "d" * 100)
        long.mkdir()
        server.path = str(long / "s.sock")
        assert server.path in run_refused(server)


def test_a_directory_that_does_not_exist_is_made_for_the_owner_alone() -> None:
    with running(started=False) as server:
        server.path = f"{server.directory}/new/s.sock"
        server.runtime = f"{server.path}.d"
        server.start()
        assert stat.S_IMODE(os.lstat(f"{server.directory}/new").st_mode) == 0o700


@pytest.mark.parametrize(
    "options",
    [["--bogus"], ["--idle-exit"], ["--idle-exit", "soon"], ["--idle-exit", "-1"], ["--idle-exit=nan"], ["extra"]],
)
def test_faulty_options_are_refused(options: list[str]) -> None:
    with running(started=False) as server:
        assert "server run --help" in run_refused(server, *options, status=2)


def test_a_listener_that_never_answers_is_not_removed() -> None:
    with running(started=False) as server:
        silent = socket.socket(socket.AF_UNIX)
        silent.bind(server.path)
        silent.listen(5)
        assert "already answers" in run_refused(server)
        assert stat.S_ISSOCK(os.lstat(server.path).st_mode)
        silent.close()


def test_a_lost_socket_file_is_bound_anew_and_open_connections_live_on() -> None:
    with running() as server:
        client = server.client()
        client.call("server.status")
        os.unlink(server.path)
        wait_until(server.answers, "the socket", 12)
        assert client.call("server.status")["pid"] == server.pid
        assert server.client().call("server.status")["pid"] == server.pid


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


def test_a_killed_server_is_replaced_and_its_panes_never_notice() -> None:
    """Edge cases 132, 157."""
    with running() as server:
        shop = Shop(server)
        pane = shop.run("i=0; while :; do echo tick $i; i=$((i+1)); sleep 0.05; done")
        quiet = shop.spawn("cat")
        shop.client.call("pane.rename", pane_id=quiet["id"], name="quiet")
        shop.shows(pane["id"], "tick 3")
        pid = shop.pid(pane["id"])
        before = {one["id"]: shop.client.call("pane.get", pane_id=one["id"])["wait_baseline"] for one in (pane, quiet)}
        server.kill()
        wait_until(server.answers, "the server the keeper starts", 5)
        client = server.client()
        status = client.call("server.status")
        assert (status["live_panes"], status["pid"] != server.pid) == (2, True)
        assert is_running(pid)
        for pane_id, baseline in before.items():
            found = client.call("pane.get", pane_id=pane_id)
            assert (found["wait_baseline"], found["pane"]["restore_state"]) == (baseline, "LIVE")
        assert client.call("pane.get", pane_id="quiet")["pane"]["id"] == quiet["id"]
        seen = client.call("pane.wait_for_output", pane_id=pane["id"], match="tick 9", timeout_s=10)["text"]
        numbers = [int(line.split()[1]) for line in seen.split("\n") if line.startswith("tick ")]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        client.call("pane.input", pane_id="quiet", data_b64=b64(b"awake\n"))
        client.call("pane.wait_for_output", pane_id="quiet", match="awake", timeout_s=10)
        client.call("server.shutdown", force=True)
        wait_until(lambda: not server.children() and not server.servers(), "the end of everything")


def test_an_acknowledged_change_survives_a_kill_right_after_its_reply() -> None:
    """Edge case 132."""
    with running() as server:
        for number in range(5):
            client = server.client()
            made = client.call("workspace.create", name=f"kept {number}", cwd=server.work)["workspace"]
            tab = client.call("tab.create", workspace_id=made["id"], title="t")["tab"]
            client.call("notify", title=f"note {number}")
            seq = client.call("server.status")["seq"]
            server.kill()
            server.start()
            client = server.client()
            assert client.call("server.status")["seq"] >= seq
            assert [one["name"] for one in client.call("workspace.list")["workspaces"]][-1] == f"kept {number}"
            assert client.call("workspace.get", workspace_id=made["id"])["tabs"] == [tab]
            assert client.call("notification.list")["notifications"][0]["title"] == f"note {number}"


def test_the_servers_end_alone_leaves_the_panes_to_the_next() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.spawn("cat")
        assert shop.client.call("server.shutdown", keep_panes=True) == {"stopped": True}
        assert server.wait_end(5) == 0
        assert len(server.children()) == 1
        server.start()
        client = server.client()
        client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"same child\n"))
        client.call("pane.wait_for_output", pane_id=pane["id"], match="same child", timeout_s=10)


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


def test_a_lost_keeper_costs_no_child_and_a_new_one_serves_the_next_pane() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.spawn("cat")
        pid = shop.pid(pane["id"])
        (keeper,) = wait_until(server.keepers, "the keeper")
        os.kill(keeper, signal.SIGKILL)
        wait_until(lambda: not is_running(keeper), "the end of the keeper")
        shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"orphan\n"))
        shop.shows(pane["id"], "orphan")
        other = shop.spawn("cat")
        assert shop.client.call("pane.signal", pane_id=pane["id"], signal="KILL") == {"sent": True}
        assert shop.exited(pane["id"])["live"]["state"] == "exited"
        assert not is_running(pid)
        shop.client.call("pane.input", pane_id=other["id"], data_b64=b64(b"child\n"))
        shop.shows(other["id"], "child")


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


def test_full_screen_programs_are_asked_to_repaint_by_the_next_server() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("trap 'echo painted' WINCH; echo up; while :; do sleep 0.05; done")
        shop.shows(pane["id"], "up")
        server.kill()
        wait_until(server.answers, "the next server", 5)
        client = server.client()
        client.call("pane.wait_for_output", pane_id=pane["id"], match="painted", timeout_s=10)
        assert client.call("pane.get", pane_id=pane["id"])["pane"]["pty_size"] == {"cols": 80, "rows": 24}
        attached = client.call("pane.attach", pane_id=pane["id"])
        assert b"painted" in unb64(attached["snapshot_b64"])


def test_an_end_while_no_server_ran_is_told_with_its_code() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("read x; echo late words; exit 9")
        assert shop.client.call("server.shutdown", keep_panes=True) == {"stopped": True}
        server.wait_end(5)
        (child,) = server.children()
        with open(f"/proc/{child}/fd/0", "wb", buffering=0) as terminal:
            tty = os.ttyname(terminal.fileno())
        assert tty.startswith("/dev/pts/")
        os.kill(child, signal.SIGTERM)
        wait_until(lambda: not is_running(child), "the end of the child")
        server.start()
        ended = server.client().call("pane.get", pane_id=pane["id"])["pane"]
        assert (ended["live"], ended["restore_state"]) == (
            {"state": "exited", "code": None, "signal": "TERM"},
            "EXITED",
        )


def test_numbers_go_on_after_every_kind_of_end() -> None:
    """Edge case 83."""
    with running() as server:
        seqs: list[int] = []
        for number in range(3):
            client = server.client()
            client.call("subscribe")
            client.call("notify", title=str(number))
            seqs.append(client.event("notification.created")["seq"])
            if number == 0:
                server.kill()
            elif number == 1:
                client.call("server.shutdown")
                server.wait_end(5)
            server.start() if number < 2 else None
        assert seqs == sorted(set(seqs))


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
