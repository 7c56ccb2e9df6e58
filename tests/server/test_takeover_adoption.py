"""What a server takes over from the one before: panes that live on, panes that do not, and what was asked of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.server.rig import ROOT, Client, Record, Server, Shop, b64, end, is_running, running, wait_until

QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]}
REQUEST = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}


def revive(server: Server) -> Client:
    """kill -9, and the next server, whoever starts it."""
    pid = int(server.client().call("server.status")["pid"])
    os.kill(pid, signal.SIGKILL)
    if pid == server.pid:
        server.wait_end()

    def find() -> Client | None:
        """Threads of a killed process end one by one; while they do, its socket still takes connections."""
        try:
            client = server.client()
            return client if client.call("server.status")["pid"] != pid else None
        except (OSError, AssertionError):
            return None

    found: Client = wait_until(find, "the server the keeper starts")
    return found


def stop(server: Server) -> None:
    """SIGTERM; the panes end with the server."""
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait_end() == 0
    wait_until(lambda: not server.children(), "the end of the children")


def hook(client: Client, pane_id: str, event: str, agent: str = "claude", **more: Any) -> Record:
    taken: Record = client.call("hook-event", agent=agent, event=event, pane_id=pane_id, **more)
    return taken


def facts(client: Client, pane_id: str) -> Record:
    """All that is known of a pane, less what grows by itself."""
    found: Record = client.call("pane.get", pane_id=pane_id)
    del found["pane"]["last_activity_at"]
    return found


def test_everything_known_of_a_living_pane_is_known_to_the_next_server() -> None:
    """keeper §3.2: identity, session, lifecycle, attention, decision."""
    with running() as server:
        shop = Shop(server)
        asking, working, quiet = (shop.spawn("cat")["id"] for _ in range(3))
        hook(shop.client, asking, "UserPromptSubmit", payload={"session_id": "s1", "prompt": "go"})
        hook(shop.client, asking, "Notification", payload={"session_id": "s1"}, decision=QUESTION)
        hook(shop.client, working, "UserPromptSubmit", payload={"session_id": "s2", "prompt": "go"})
        shop.client.call("pane.rename", pane_id=quiet, name="quiet")
        before = {pane_id: facts(shop.client, pane_id) for pane_id in (asking, working, quiet)}
        assert before[asking]["pane"]["pending_decision"]["id"] == "d1"
        for _ in range(2):
            client = revive(server)
            assert {pane_id: facts(client, pane_id) for pane_id in before} == before


def test_a_decision_of_a_living_pane_can_still_be_answered_and_a_dead_waiter_is_told() -> None:
    """keeper §3.6."""
    with running() as server:
        shop = Shop(server)
        asking, waiting = shop.spawn("cat")["id"], shop.spawn("cat")["id"]
        hook(shop.client, asking, "PermissionRequest", "codex", payload={"session_id": "s9"}, decision=QUESTION)
        waiter = server.client()
        asked = {"agent": "claude", "event": "PermissionRequest", "pane_id": waiting, "payload": REQUEST}
        waiter.send("hook-event", **asked, wait_for_answer=True)
        pending = wait_until(lambda: shop.get(waiting).get("pending_decision"), "the question")
        assert pending["answerable"]
        seq = shop.client.call("server.status")["seq"]
        client = revive(server)
        pane = client.call("pane.get", pane_id=waiting)["pane"]
        assert (pane["lifecycle"], "pending_decision" in pane) == ("blocked", False)
        client.call("subscribe", from_seq=seq)
        cleared = client.event("decision.cleared", pane_id=waiting)["payload"]
        assert cleared == {"pane_id": waiting, "decision_id": pending["id"], "reason": "native_cancelled"}
        assert client.call("decision.answer", pane_id=asking, decision_id="d1", option_id="a")["answered"]


def test_a_decision_of_a_pane_that_ended_with_the_server_is_shown_and_not_answerable() -> None:
    """Edge case 147; persistence §7."""
    with running() as server:
        shop = Shop(server)
        own, native = shop.spawn("cat")["id"], shop.spawn("cat")["id"]
        hook(shop.client, own, "Notification", payload={"session_id": "s1"}, decision=QUESTION)
        hook(shop.client, native, "PermissionRequest", payload={**REQUEST, "session_id": "s2"})
        before = {pane_id: shop.get(pane_id) for pane_id in (own, native)}
        stop(server)
        server.start()
        client = server.client()
        for pane_id, pane in before.items():
            found = client.call("pane.get", pane_id=pane_id)["pane"]
            assert found["pending_decision"] == {**pane["pending_decision"], "answerable": False}
            assert (found["lifecycle"], found["attention"]) == (pane["lifecycle"], pane["attention"])
            assert (found["live"], found["restore_state"]) == ({"state": "exited", "code": None}, "RESUMABLE")
            id, option = found["pending_decision"]["id"], found["pending_decision"]["options"][0]["id"]
            error = client.refusal("decision.answer", pane_id=pane_id, decision_id=id, option_id=option)
            assert error["code"] == "PANE_EXITED"


def test_restarting_five_times_changes_nothing_further() -> None:
    """persistence §7."""
    with running() as server:
        shop = Shop(server)
        lived = shop.run("echo some text; exec cat")["id"]
        ended = shop.run("echo bye; exit 3")["id"]
        shop.shows(lived, "some text")
        shop.exited(ended)
        shop.client.call("pane.mark_seen", pane_id=ended)
        shop.client.call("notify", title="kept", pane_id=lived)
        worlds = []
        for _ in range(5):
            stop(server)
            server.start()
            client = server.client()
            world = {
                "workspaces": client.call("workspace.list")["workspaces"],
                "tabs": client.call("workspace.get", workspace_id=shop.workspace)["tabs"],
                "panes": client.call("pane.list")["panes"],
                "notes": client.call("notification.list")["notifications"],
                "texts": [client.call("pane.read", pane_id=one)["text"] for one in (lived, ended)],
            }
            worlds.append(world)
        assert worlds[1:] == worlds[:1] * 4
        assert worlds[0]["texts"] == ["some text", "bye"]
        panes = {pane["id"]: pane for pane in worlds[0]["panes"]}
        assert (panes[lived]["restore_state"], panes[ended]["restore_state"]) == ("RESTORED", "EXITED")
        assert panes[ended]["live"] == {"state": "exited", "code": 3}


def test_every_older_cursor_reads_as_dropped_however_often_a_server_was_lost() -> None:
    """Edge case 153: also when nothing but output happened in between, so that no event led to a snapshot."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("while read x; do echo got $x; done")["id"]
        client = shop.client
        cursors = []
        for number in range(4):
            for line in range(5):
                client.call("pane.input", pane_id=pane_id, data_b64=b64(b"%d-%d\n" % (number, line)))
            client.call("pane.wait_for_output", pane_id=pane_id, match=f"got {number}-4", timeout_s=10)
            cursors.append(client.call("pane.read", pane_id=pane_id, mode="rendered")["next_seq"])
            client = revive(server)
            for cursor in cursors:
                read = client.call("pane.read", pane_id=pane_id, mode="rendered", after_seq=cursor)
                assert read["dropped"], (number, cursors, read["seq"])
        assert cursors == sorted(set(cursors))


def test_what_was_printed_while_no_server_ran_follows_what_was_saved() -> None:
    """keeper §3.3."""
    with running() as server:
        shop = Shop(server)
        script = "echo before; while [ ! -e go ]; do sleep 0.01; done; seq 1 300; echo after; exec cat"
        pane_id = shop.run(script, cwd=server.work)["id"]
        shop.shows(pane_id, "before")
        assert shop.client.call("server.shutdown", keep_panes=True) == {"stopped": True}
        assert server.wait_end() == 0
        Path(server.work, "go").touch()
        server.start()
        client = server.client()
        client.call("pane.wait_for_output", pane_id=pane_id, match="after", timeout_s=10)
        text = client.call("pane.read", pane_id=pane_id, lines=5000)["text"]
        assert text.split("\n") == ["before", *(str(number) for number in range(1, 301)), "after"]


@pytest.mark.parametrize("ending", ["kill", "stop"])
def test_ends_that_happened_while_no_server_ran_have_their_real_codes(ending: str) -> None:
    """keeper §3.4."""
    with running() as server:
        shop = Shop(server)
        wait = "while [ ! -e go ]; do sleep 0.01; done; "
        scripts = {0: "exit 0", 7: "echo last words; exit 7", None: "kill -KILL $$"}
        panes = {code: shop.run(wait + script, cwd=server.work)["id"] for code, script in scripts.items()}
        seq = shop.client.call("server.status")["seq"]
        if ending == "kill":
            os.kill(server.keepers()[0], signal.SIGSTOP)  # it may not start another one yet
            server.kill()
        else:
            shop.client.call("server.shutdown", keep_panes=True)
            server.wait_end()
        Path(server.work, "go").touch()
        if ending == "kill":
            os.kill(server.keepers()[0], signal.SIGCONT)
        wait_until(lambda: not server.children(), "the ends of the children")
        server.start()
        client = server.client()
        client.call("subscribe", from_seq=seq)
        for code, pane_id in panes.items():
            told = client.event("pane.exited", pane_id=pane_id)["payload"]
            assert told == {"pane_id": pane_id, "code": code, **({} if code is not None else {"signal": "KILL"})}
            pane = client.call("pane.get", pane_id=pane_id)["pane"]
            lifecycle = {0: "done", 7: "failed", None: "exited"}[code]
            assert (pane["restore_state"], pane["lifecycle"]) == ("EXITED", lifecycle)
        assert client.call("pane.read", pane_id=panes[7])["text"] == "last words"


def test_a_child_that_the_state_does_not_know_is_closed() -> None:
    """keeper §3.5."""
    with running() as server:
        shop = Shop(server)
        stray = shop.pid(shop.spawn("cat")["id"])
        shop.client.call("server.shutdown", keep_panes=True)
        server.wait_end()
        shutil.rmtree(server.state)
        server.start()
        wait_until(lambda: not is_running(stray), "the end of the child nobody knows")
        assert server.client().call("pane.list")["panes"] == []


def test_a_pane_whose_keeper_died_with_the_server_is_restored() -> None:
    """keeper §3.5, persistence §7."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("echo a word; exec cat")["id"]
        shop.shows(pane_id, "a word")
        tail = Path(server.state, "history", f"{pane_id}.tail")
        wait_until(lambda: tail.exists() and tail.read_text() == "a word", "the saved tail")
        end(server.keepers()[0])
        server.kill()
        wait_until(lambda: not server.children(), "the hang-up of the child")
        server.start()
        client = server.client()
        pane = client.call("pane.get", pane_id=pane_id)["pane"]
        assert (pane["live"], pane["restore_state"]) == ({"state": "exited", "code": None}, "RESTORED")
        assert client.call("pane.read", pane_id=pane_id)["text"] == "a word"


def test_an_orphans_end_is_seen_without_a_code() -> None:
    """keeper §4: kill -9 of the keeper."""
    with running() as server:
        shop = Shop(server)
        pane_id = shop.run("read x; echo heard $x; exit 5")["id"]
        (keeper,) = wait_until(server.keepers, "the keeper")
        end(keeper)
        shop.client.call("pane.input", pane_id=pane_id, data_b64=b64(b"you\n"))
        pane = shop.exited(pane_id)
        assert (pane["live"], pane["lifecycle"]) == ({"state": "exited", "code": None}, "exited")
        assert "heard you" in shop.text(pane_id)


def test_panes_outlive_an_upgrade_and_the_old_keeper_serves_the_new_server(tmp_path: Path) -> None:
    """keeper §1, version skew: a server and keeper of another version string, then ours."""
    for name in ("signaltty.py", "signaltty_words.py"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "signaltty_core", tmp_path / "signaltty_core", ignore=shutil.ignore_patterns("__pycache__"))
    version = tmp_path / "signaltty_core" / "base" / "version.py"
    text = version.read_text()
    version.write_text(text.replace('VERSION = "', 'VERSION = "99.'))
    assert version.read_text() != text
    with running(started=False) as server:
        argv = [sys.executable, str(tmp_path / "signaltty.py"), *server.argv()[2:]]
        old = subprocess.Popen(argv, env=server.environ, stdin=subprocess.DEVNULL, start_new_session=True)
        wait_until(server.answers, "the old server")
        shop = Shop(server)
        assert shop.client.call("server.status")["version"].startswith("99.")
        pane_id = shop.spawn("cat")["id"]
        child, (keeper,) = shop.pid(pane_id), server.keepers()
        assert shop.client.call("server.shutdown", keep_panes=True) == {"stopped": True}
        assert old.wait(20) == 0
        server.start()
        shop.client = server.client()
        assert not shop.client.call("server.status")["version"].startswith("99.")
        shop.client.call("pane.input", pane_id=pane_id, data_b64=b64(b"same child\n"))
        shop.shows(pane_id, "same child")
        other = shop.run("exit 4")["id"]
        assert shop.exited(other)["live"] == {"state": "exited", "code": 4}
        assert (is_running(child), server.keepers()) == (True, [keeper])
        shop.client = revive(server)  # now the old keeper starts our server again
        assert not shop.client.call("server.status")["version"].startswith("99.")
        assert shop.get(pane_id)["restore_state"] == "LIVE"
        shop.client.call("server.shutdown", force=True)
        wait_until(lambda: not server.keepers(), "the end of the old keeper")


def test_a_child_has_no_descriptor_of_ours() -> None:
    """keeper §4."""
    with running() as server:
        shop = Shop(server)
        child = shop.pid(shop.spawn("cat")["id"])
        assert sorted(os.listdir(f"/proc/{child}/fd")) == ["0", "1", "2"]


def test_a_server_that_was_told_to_stop_is_not_started_again() -> None:
    """Edge case 158."""
    with running() as server:
        shop = Shop(server)
        shop.spawn("cat")
        shop.client.call("server.shutdown", keep_panes=True)
        server.wait_end()
        assert len(server.keepers()) == 1
        with pytest.raises(AssertionError, match="was not seen"):
            wait_until(server.answers, "a server", 1.0)


def test_the_history_of_a_closed_pane_goes_while_the_server_runs() -> None:
    """persistence §2."""
    with running() as server:
        shop = Shop(server)
        kept, closed = (shop.run(f"echo {word}; exec cat")["id"] for word in ("kept", "closed"))

        def saved() -> set[str]:
            return {path.name for path in Path(server.state).glob("history/*")}

        both = {f"{pane_id}.{kind}" for pane_id in (kept, closed) for kind in ("tail", "screen")}
        wait_until(lambda: saved() == both, "the files of both")
        shop.client.call("pane.close", pane_id=closed)
        wait_until(lambda: saved() == {f"{kept}.tail", f"{kept}.screen"}, "the files of the one that is left")
