"""What the next server finds: living panes, missed ends, kept words."""

from __future__ import annotations

import os
import signal

from tests.server.rig import Shop, b64, is_running, running, unb64, wait_until


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
