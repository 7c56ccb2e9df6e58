"""The contract as a client sees it: schema, objects, layout, streams, against a real server."""

from __future__ import annotations

import os
import random
import threading
import time
from typing import Any

import pytest

from signaltty_core.base.errors import CODES
from signaltty_core.methods.server import EVENTS
from tests.server.rig import (
    Refused,
    Server,
    Shop,
    b64,
    descriptors,
    is_running,
    processes,
    running,
    unb64,
    wait_until,
)

SEED_METHODS = [
    *("server.status", "server.shutdown", "server.schema", "workspace.create", "workspace.list", "workspace.get"),
    *("workspace.rename", "workspace.close", "workspace.refresh_git", "tab.create", "tab.close", "tab.set_layout"),
    *("tab.set_ratio", "pane.spawn", "pane.split", "pane.rename", "pane.swap", "pane.move", "pane.get", "pane.input"),
    *("pane.resize", "pane.signal", "pane.read", "pane.wait_for_output", "pane.clear", "pane.attach", "pane.detach"),
    *("pane.close", "pane.mark_seen", "decision.answer", "notify", "hook-event", "report-session", "subscribe", "wait"),
    *("focus.next_unread", "attention.pending"),
]
EXTENSIONS = ["layout.apply", "layout.export", "notification.list", "pane.list", "session.list"]


def test_the_schema_is_what_the_router_uses(server: Server) -> None:
    """Edge case 3."""
    client = server.client()
    schema = client.call("server.schema")
    assert (schema["protocol"], schema["codes"], schema["events"]) == ("signaltty/1", list(CODES), EVENTS)
    assert set(SEED_METHODS) - set(schema["methods"]) == set()
    assert set(schema["extensions"]) <= set(schema["methods"])
    assert schema["capabilities"] == {
        "subscribe_replay_coverage": True,
        "wait_baseline": True,
        "wait_multiple_outcomes": True,
    }
    for method in schema["methods"]:
        if method == "server.shutdown":
            continue
        one = server.client()
        frame = one.reply(one.send(method))
        assert frame["ok"] or frame["error"]["code"] == "BAD_PARAMS", (method, frame)
        one.close()


def test_the_status_counts_what_there_is() -> None:
    with running() as server:
        shop = Shop(server)
        pane = shop.run("exec cat")
        shop.exited(shop.run("exit 0")["id"])
        status = shop.client.call("server.status")
        assert {key: status[key] for key in ("workspaces", "tabs", "panes", "live_panes", "pid")} == {
            "workspaces": 1,
            "tabs": 2,
            "panes": 2,
            "live_panes": 1,
            "pid": server.pid,
        }
        assert status["uptime_s"] in range(5)
        shop.client.call("pane.close", pane_id=pane["id"])
        assert shop.client.call("server.status")["seq"] > status["seq"]


def test_eight_workspaces_made_at_once_have_eight_handles(server: Server) -> None:
    clients = [server.client() for _ in range(8)]
    ids = [client.send("workspace.create", name="Same Name!", cwd=server.work) for client in clients]
    made = [client.reply(id)["result"]["workspace"] for client, id in zip(clients, ids, strict=True)]
    assert sorted(one["handle"] for one in made) == ["same-name", *(f"same-name-{number}" for number in range(2, 9))]
    by_handle = clients[0].call("workspace.get", workspace_id="same-name-3")["workspace"]
    assert by_handle["id"] in [one["id"] for one in made]
    assert clients[0].call("workspace.rename", workspace_id="same-name-3", name="Other")["workspace"] == {
        **by_handle,
        "name": "Other",
        "updated_at": clients[0].call("workspace.get", workspace_id="same-name-3")["workspace"]["updated_at"],
    }


def test_a_workspace_without_words_is_the_home_directory(server: Server) -> None:
    """Edge case 145."""
    made = server.client().call("workspace.create")["workspace"]
    assert (made["cwd"], made["name"]) == (server.directory, os.path.basename(server.directory))
    assert (made["tabs"], made["auto_resume"], "active_tab_id" in made) == ([], False, False)


def test_a_repository_is_seen_and_its_branch_change_told(shop: Shop) -> None:
    repo = f"{shop.server.work}/repo-{time.monotonic_ns()}"
    os.mkdir(repo)
    git = "git -c user.email=a@b -c user.name=n -c init.defaultBranch=main"
    assert os.system(f"cd {repo} && {git} init -q && echo x > f && {git} add f && {git} commit -qm one") == 0
    made = shop.client.call("workspace.create", cwd=repo)["workspace"]
    assert made["git"] == {
        "root": repo,
        "name": os.path.basename(repo),
        "branch": "main",
        "detached": False,
        "dirty": False,
    }
    watcher = shop.server.client()
    watcher.call("subscribe", events=["git.*", "workspace.updated"])
    assert os.system(f"cd {repo} && {git} checkout -qb topic && echo y > f && echo z > untracked") == 0
    found = shop.client.call("workspace.refresh_git", workspace_id=made["id"])["workspace"]
    assert (found["git"]["branch"], found["git"]["dirty"]) == ("topic", True)
    assert [frame["event"] for frame in watcher.settle()] == ["workspace.updated", "git.branch_changed"]
    assert os.system(f"cd {repo} && {git} checkout -q --detach && git checkout -q f") == 0
    found = shop.client.call("workspace.refresh_git", workspace_id=made["id"])["workspace"]
    assert (found["git"].get("branch"), found["git"]["detached"]) == (None, True)
    (_, told) = watcher.settle()
    assert told["payload"] == {"workspace_id": made["id"], "branch": None}


def test_a_spawn_makes_a_tab_and_tells_it_in_order(shop: Shop) -> None:
    watcher = shop.server.client()
    watcher.call("subscribe")
    pane = shop.spawn("cat", label="a\x1b[1m label", cols=5000, rows=1)
    frames = watcher.settle()
    assert [frame["event"] for frame in frames] == ["tab.created", "workspace.updated", "pane.created", "tab.updated"]
    assert [frame["seq"] for frame in frames] == list(range(frames[0]["seq"], frames[0]["seq"] + 4))
    assert frames[2]["payload"]["pane"] == pane
    assert {key: pane[key] for key in ("title", "argv", "pty_size", "live", "restore_state", "agent", "label")} == {
        "title": "cat",
        "argv": ["cat"],
        "pty_size": {"cols": 500, "rows": 5},
        "live": {"state": "live"},
        "restore_state": "LIVE",
        "agent": {"kind": "generic"},
        "label": "a label",
    }
    tab = frames[3]["payload"]["tab"]
    assert (tab["title"], tab["layout"], tab["active_pane_id"]) == (
        "agents",
        {"type": "pane", "pane_id": pane["id"]},
        pane["id"],
    )


def test_the_child_is_told_where_it_is(shop: Shop) -> None:
    pane = shop.run("env | sort; tty; pwd", env={"CLAUDE_X": "1", "NO": "1"}, cols=500)
    shop.exited(pane["id"])
    lines = shop.text(pane["id"]).split("\n")
    seen = dict(line.partition("=")[::2] for line in lines if "=" in line)
    assert (seen["SIGNALTTY_PANE"], seen["SIGNALTTY_SOCKET"], seen["TERM"]) == (
        pane["id"],
        shop.server.path,
        "xterm-256color",
    )
    assert (seen["ZENTTY_WINDOW_ID"], seen["ZENTTY_WORKLANE_ID"]) == (pane["tab_id"], shop.workspace)
    assert (seen["CLAUDE_X"], "NO" in seen, len(seen["SIGNALTTY_PANE_TOKEN"])) == ("1", False, 64)
    assert (lines[-2].startswith("/dev/pts/"), lines[-1]) == (True, shop.server.work)


def test_a_child_has_three_descriptors_and_a_clean_signal_mask(shop: Shop) -> None:
    pane = shop.run("echo up; exec sleep 100")
    shop.shows(pane["id"], "up")
    pid = shop.pid(pane["id"])
    assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1", "2"]
    status = dict(line.split(":\t") for line in open(f"/proc/{pid}/status").read().splitlines() if ":\t" in line)
    below_32 = (1 << 31) - 1  # those above are the C library's own
    assert (int(status["SigBlk"], 16) & below_32, int(status["SigIgn"], 16) & below_32) == (0, 0)
    assert os.getpgid(pid) == os.getsid(pid) == pid


@pytest.mark.parametrize(
    ("script", "live", "lifecycle"),
    [
        ("echo x", {"state": "exited", "code": 0}, "done"),
        ("exit 7", {"state": "exited", "code": 7}, "failed"),
        ("kill -KILL $$", {"state": "exited", "code": None, "signal": "KILL"}, "exited"),
        ("kill -USR1 $$", {"state": "exited", "code": None, "signal": "USR1"}, "exited"),
    ],
)
def test_an_exit_is_told_with_its_code(shop: Shop, script: str, live: dict[str, Any], lifecycle: str) -> None:
    """Edge cases 6, 7, 131."""
    watcher = shop.server.client()
    watcher.call("subscribe")
    pane = shop.run(script)
    result = shop.client.call("wait", pane_id=pane["id"], until=["exited"], timeout_s=10)
    assert (result["outcome"], result["lifecycle"], result["attention"]) == ("exited", lifecycle, "unread")
    ended = shop.get(pane["id"])
    assert (ended["live"], ended["lifecycle"], ended["restore_state"]) == (live, lifecycle, "EXITED")
    told = watcher.event("pane.exited", pane_id=pane["id"])
    assert told["payload"] == {"pane_id": pane["id"], **{key: live[key] for key in live if key != "state"}}
    assert result["transition_seq"] >= told["seq"]
    assert shop.client.call("wait", pane_id=pane["id"], until=lifecycle, timeout_s=0)["outcome"] == lifecycle
    assert shop.client.refusal("pane.signal", pane_id=pane["id"], signal="INT")["code"] == "PANE_EXITED"
    error = shop.client.refusal("pane.input", pane_id=pane["id"], data_b64=b64(b"x"))
    assert (error["code"], error["details"]) == ("PANE_EXITED", {"pane_id": pane["id"], "written_bytes": 0})
    assert shop.client.call("pane.close", pane_id=pane["id"]) == {"closed": True}
    assert shop.client.refusal("pane.get", pane_id=pane["id"])["code"] == "NO_SUCH_PANE"


def test_two_hundred_fast_exits_keep_their_last_words_and_codes(shop: Shop) -> None:
    """Edge case 143."""
    shop.exited(shop.run("exit 0")["id"])
    before = descriptors(shop.server.pid)
    panes = []
    for _ in range(10):
        clients = [shop.server.client() for _ in range(20)]
        sent = [
            client.send("pane.spawn", workspace_id=shop.workspace, argv=["sh", "-c", "printf LAST; exit 3"])
            for client in clients
        ]
        for client, id in zip(clients, sent, strict=True):
            panes.append(client.reply(id)["result"]["pane"]["id"])
            client.close()
    for pane_id in panes:
        result = shop.client.call("wait", pane_id=pane_id, until="exited", timeout_s=10)
        assert result["lifecycle"] == "failed"
        assert shop.get(pane_id)["live"] == {"state": "exited", "code": 3}
        assert shop.text(pane_id) == "LAST"
        shop.client.call("pane.close", pane_id=pane_id)
    assert [words for _, words in processes() if "printf LAST; exit 3" in words] == []
    wait_until(lambda: descriptors(shop.server.pid) <= before, "the descriptors to be free")


def test_signals_reach_the_child_or_its_group(shop: Shop) -> None:
    pane = shop.run("trap 'echo got-usr1' USR1; trap 'echo got-int' INT; echo up; while :; do sleep 0.05; done")
    shop.shows(pane["id"], "up")
    for name in ("USR1", "sigusr1", "SIGINT"):
        assert shop.client.call("pane.signal", pane_id=pane["id"], signal=name) == {"sent": True}
        shop.shows(pane["id"], "got-" + name.lower().removeprefix("sig"))
    assert shop.client.refusal("pane.signal", pane_id=pane["id"], signal="STOP")["code"] == "BAD_PARAMS"
    shop.client.call("pane.signal", pane_id=pane["id"], signal="KILL", group=True)
    assert shop.exited(pane["id"])["live"]["signal"] == "KILL"


def test_input_comes_back_from_cat_and_a_viewer_sees_it(shop: Shop) -> None:
    pane = shop.spawn("cat")
    viewer = shop.server.client()
    reply = viewer.call("pane.attach", pane_id=pane["id"], cols=100, rows=30)
    assert (reply["size"], reply["live"], reply["restore_state"], reply["lifecycle"], reply["attention"]) == (
        {"cols": 100, "rows": 30},
        {"state": "live"},
        "LIVE",
        "unknown",
        "none",
    )
    assert shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"ping\n")) == {"written": 5}
    seen = b""
    while seen.count(b"ping") < 2:
        seen += unb64(viewer.event("pty.data")["payload"]["data_b64"])
    shop.client.call("pane.signal", pane_id=pane["id"], signal="KILL")
    shop.exited(pane["id"])
    assert viewer.call("pane.attach", pane_id=pane["id"])["live"]["state"] == "exited"


def test_a_viewer_that_leaves_takes_nothing_with_it(shop: Shop) -> None:
    """Edge cases 8, 13."""
    pane = shop.spawn("cat")
    viewer = shop.server.client()
    viewer.call("pane.attach", pane_id=pane["id"])
    viewer.close()
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"still here\n"))
    shop.shows(pane["id"], "still here")
    again = shop.server.client()
    first = again.call("pane.attach", pane_id=pane["id"])["output_offset"]
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"more\n"))
    assert again.event("pty.data")["payload"]["output_offset"] > first > 0
    assert shop.server.client().call("pane.attach", pane_id=pane["id"])["output_offset"] >= first


def test_an_attach_to_nothing_changes_nothing(shop: Shop) -> None:
    """Edge case 11."""
    before = shop.client.call("server.status")["seq"]
    assert shop.client.refusal("pane.attach", pane_id="pane_x", cols=90, rows=30)["code"] == "NO_SUCH_PANE"
    assert shop.client.call("server.status")["seq"] == before


def test_a_resize_reaches_the_program(shop: Shop) -> None:
    """Edge case 9."""
    pane = shop.run("trap 'stty size' WINCH; echo up; while :; do sleep 0.05; done")
    shop.shows(pane["id"], "up")
    watcher = shop.server.client()
    watcher.call("subscribe", events=["pane.resized"])
    assert shop.client.call("pane.resize", pane_id=pane["id"], cols=5000, rows=1)["pane"]["pty_size"] == {
        "cols": 500,
        "rows": 5,
    }
    shop.shows(pane["id"], "5 500")
    shop.client.call("pane.resize", pane_id=pane["id"], cols=500, rows=5)
    assert len(watcher.settle()) == 1


def test_layouts_are_kept_evened_and_refused(shop: Shop) -> None:
    """Edge cases 26, 27, 28."""
    first = shop.spawn("cat")
    tab = first["tab_id"]
    second = shop.client.call("pane.split", pane_id=first["id"], direction="right", argv=["cat"])["pane"]
    third = shop.client.call("pane.split", pane_id=second["id"], argv=["cat"])["pane"]
    leaf = [{"type": "pane", "pane_id": pane["id"]} for pane in (first, second, third)]
    row = {"type": "split", "dir": "right", "ratio": 1 / 3, "first": leaf[0]}
    tree = {**row, "second": {"type": "split", "dir": "right", "ratio": 0.5, "first": leaf[1], "second": leaf[2]}}

    def shown() -> Any:
        return shop.client.call("layout.export", tab_id=tab)["root"]

    def bare(node: dict[str, Any]) -> dict[str, Any]:
        if node["type"] == "pane":
            return {"type": "pane", "pane_id": node["pane_id"]}
        return {**node, "first": bare(node["first"]), "second": bare(node["second"])}

    assert bare(shown()) == tree
    assert shop.client.refusal("pane.spawn", workspace_id=shop.workspace, tab_id=tab, argv=["cat"])["message"].count(
        "pane.split"
    )
    for path, ratio, code in (
        ([1, 1, 1], 0.5, "BAD_PARAMS"),
        ([2], 0.5, "BAD_PARAMS"),
        ([0], 0.5, "BAD_PARAMS"),
        ([-1], 0.5, "BAD_PARAMS"),
    ):
        assert shop.client.refusal("tab.set_ratio", tab_id=tab, path=path, ratio=ratio)["code"] == code
    made = shop.client.call("tab.set_ratio", tab_id=tab, path=[], ratio=0.99)["tab"]["layout"]
    assert made["ratio"] == 0.95
    for layout in (
        leaf[0],
        {**row, "second": leaf[0]},
        {**tree, "first": {"type": "pane", "pane_id": "pane_alien"}},
        {**tree, "ratio": "0.5"},
        {**tree, "dir": "left"},
        {**tree, "type": "stack"},
        {},
    ):
        assert shop.client.refusal("tab.set_layout", tab_id=tab, layout=layout)["code"] == "BAD_PARAMS"
    assert bare(shown()) == made
    turned = {**tree, "dir": "down", "ratio": 3.0}
    assert shop.client.call("tab.set_layout", tab_id=tab, layout=turned)["tab"]["layout"] == {**turned, "ratio": 0.95}
    swapped = shop.client.call("pane.swap", pane_id=first["id"], target_pane_id=third["id"])["tabs"]
    assert [one["layout"]["first"] for one in swapped] == [leaf[2]]
    shop.client.call("pane.close", pane_id=third["id"])
    assert bare(shown()) == {**tree["second"], "second": leaf[0]}
    other = shop.spawn("cat")
    tabs = shop.client.call("pane.move", pane_id=other["id"], target_pane_id=first["id"], direction="down")["tabs"]
    assert [one["id"] for one in tabs] == [other["tab_id"], tab]
    assert (tabs[0]["layout"], "active_pane_id" in tabs[0], shop.get(other["id"])["tab_id"]) == (None, False, tab)


def test_a_whole_tab_is_applied_or_nothing(shop: Shop) -> None:
    leaf = {"type": "pane", "argv": ["cat"]}
    root = {"type": "split", "dir": "down", "ratio": 0.01, "first": {**leaf, "name": "top"}, "second": leaf}
    made = shop.client.call("layout.apply", workspace_id=shop.workspace, title="both", root=root)
    assert [one["pane"].get("name") for one in made["panes"]] == ["top", None]
    assert (made["tab"]["title"], made["tab"]["layout"]["ratio"]) == ("both", 0.05)
    assert made["tab"]["active_pane_id"] == made["panes"][0]["pane"]["id"]
    before = shop.client.call("workspace.get", workspace_id=shop.workspace)
    watcher = shop.server.client()
    watcher.call("subscribe")
    many: dict[str, Any] = leaf
    for _ in range(32):
        many = {"type": "split", "dir": "right", "first": leaf, "second": many}
    deep: dict[str, Any] = leaf
    for _ in range(300):
        deep = {"type": "split", "dir": "right", "first": deep, "second": leaf}
    for faulty, code in (
        ({**root, "first": {**leaf, "name": "top"}}, "BAD_PARAMS"),
        ({**root, "first": {**leaf, "name": "Bad"}}, "BAD_PARAMS"),
        ({**root, "first": {**leaf, "cwd": "/nowhere"}}, "BAD_PARAMS"),
        ({**root, "first": {**leaf, "cwd": ""}}, "BAD_PARAMS"),
        ({**root, "first": {**leaf, "argv": []}}, "BAD_PARAMS"),
        ({**root, "first": {**leaf, "argv": [1]}}, "BAD_PARAMS"),
        ({**root, "second": None}, "BAD_PARAMS"),
        ({**root, "ratio": None}, "BAD_PARAMS"),
        (many, "BAD_PARAMS"),
        (deep, "BAD_PARAMS"),
        ({}, "BAD_PARAMS"),
        ({**root, "first": leaf, "second": {**leaf, "argv": ["no-such-program"]}}, "SPAWN_FAILED"),
    ):
        error = shop.client.refusal("layout.apply", workspace_id=shop.workspace, root=faulty)
        assert error["code"] == code, (faulty, error)
    assert shop.client.call("workspace.get", workspace_id=shop.workspace) == before
    assert watcher.settle() == []
    wait_until(lambda: len(shop.server.children()) == live(shop), "the undone children to be gone")


def live(shop: Shop) -> int:
    return int(shop.client.call("server.status")["live_panes"])


def test_names_are_unique_and_stand_for_ids(shop: Shop) -> None:
    """Edge case 25."""
    one, other = shop.spawn("cat"), shop.spawn("cat")
    name = f"n{time.monotonic_ns() % 10**12}"
    assert shop.client.call("pane.rename", pane_id=one["id"], name=name)["pane"]["name"] == name
    assert shop.get(name)["id"] == one["id"]
    for bad in (name, "Upper", "x" * 33, "", "1a"):
        assert shop.client.refusal("pane.rename", pane_id=other["id"], name=bad)["code"] == "BAD_PARAMS"
    child = shop.spawn("cat", parent_pane_id=name)
    assert (child["parent_pane_id"], child["root_pane_id"]) == (one["id"], one["id"])
    grandchild = shop.spawn("cat", parent_pane_id=child["id"], relationship="fork")
    assert (grandchild["parent_pane_id"], grandchild["root_pane_id"]) == (child["id"], one["id"])
    shop.client.call("pane.close", pane_id=name)
    assert shop.client.call("pane.rename", pane_id=other["id"], name=name)["pane"]["name"] == name
    assert "name" not in shop.client.call("pane.rename", pane_id=name)["pane"]


def test_closing_a_workspace_tells_every_pane_and_tab_and_ends_every_child(shop: Shop) -> None:
    panes = [shop.run("exec sleep 100") for _ in range(3)]
    split = shop.client.call("pane.split", pane_id=panes[0]["id"], argv=["sleep", "100"])["pane"]
    pids = [shop.pid(pane["id"]) for pane in [*panes, split]]
    watcher = shop.server.client()
    watcher.call("subscribe", events=["pane.closed", "tab.*", "workspace.*"])
    assert shop.client.call("workspace.close", workspace_id=shop.workspace) == {"closed": True}
    told = [
        (frame["event"], frame["payload"].get("pane_id") or frame["payload"].get("tab_id"))
        for frame in watcher.settle()
    ]
    assert told == [
        ("pane.closed", panes[0]["id"]),
        ("pane.closed", split["id"]),
        ("tab.closed", panes[0]["tab_id"]),
        ("pane.closed", panes[1]["id"]),
        ("tab.closed", panes[1]["tab_id"]),
        ("pane.closed", panes[2]["id"]),
        ("tab.closed", panes[2]["tab_id"]),
        ("workspace.closed", None),
    ]
    wait_until(lambda: not any(is_running(pid) for pid in pids), "the ends of the children", 3.0)


def test_spawns_against_closes_leave_nothing_running() -> None:
    """Edge case 16."""
    with running() as server:
        outcomes: list[str] = []

        def spawn(workspace: str, tab: str | None) -> None:
            client = server.client()
            params = {"tab_id": tab} if tab else {}
            try:
                client.call("pane.spawn", workspace_id=workspace, argv=["sleep", "100"], **params)
                outcomes.append("ok")
            except Refused as refused:
                outcomes.append(refused.code)

        def close(method: str, delay_s: float, **params: str) -> None:
            client = server.client()
            time.sleep(delay_s)  # spreads the closes over the spawns; what is asserted does not depend on it
            client.call(method, **params)

        for number in range(24):
            shop = Shop(server)
            tab = shop.client.call("tab.create", workspace_id=shop.workspace)["tab"]["id"] if number % 2 else None
            target = {"tab_id": tab} if tab else {"workspace_id": shop.workspace}
            threads = [
                threading.Thread(target=spawn, args=(shop.workspace, tab)),
                threading.Thread(
                    target=close,
                    args=("tab.close" if tab else "workspace.close", random.random() * 0.02),
                    kwargs=target,
                ),
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert set(outcomes) <= {"ok", "NO_SUCH_WORKSPACE", "NO_SUCH_TAB"}
        assert len(outcomes) == 24
        left = live(shop)
        wait_until(lambda: len(server.children()) == left, "only the children of panes to be left", 5.0)
        assert left == 0


def test_two_spawns_into_one_empty_tab_give_one_pane(shop: Shop) -> None:
    tab = shop.client.call("tab.create", workspace_id=shop.workspace)["tab"]["id"]
    clients = [shop.server.client() for _ in range(4)]
    sent = [
        client.send("pane.spawn", workspace_id=shop.workspace, tab_id=tab, argv=["sleep", "50"]) for client in clients
    ]
    frames = [client.reply(id) for client, id in zip(clients, sent, strict=True)]
    won = [frame for frame in frames if frame["ok"]]
    assert [frame["error"]["code"] for frame in frames if not frame["ok"]] == ["BAD_PARAMS"] * 3
    assert len(won) == 1
    wait_until(lambda: len(shop.server.children()) == live(shop), "the losers' children to be gone")


def test_three_hundred_panes_come_and_go_and_leave_no_descriptor() -> None:
    with running() as server:
        shop = Shop(server)
        shop.client.call("pane.close", pane_id=shop.run("exit 0")["id"])
        (keeper,) = wait_until(server.keepers, "the keeper")
        wait_until(lambda: not server.children(), "the first child to be gone")
        before = descriptors(server.pid), descriptors(keeper)
        clients = [server.client() for _ in range(10)]
        for _ in range(30):
            sent = [
                client.send("pane.spawn", workspace_id=shop.workspace, argv=["sleep", "1000"]) for client in clients
            ]
            for client, id in zip(clients, sent, strict=True):
                assert client.reply(id)["ok"]
        assert live(shop) == 300
        assert descriptors(server.pid) >= before[0] + 300
        shop.client.call("workspace.close", workspace_id=shop.workspace)
        for client in clients:
            client.close()
        wait_until(lambda: not server.children(), "the children to be gone")
        wait_until(
            lambda: (descriptors(server.pid) <= before[0], descriptors(keeper) <= before[1]) == (True, True),
            "the descriptors to be free",
        )
        shop = Shop(server)
        shop.shows(shop.run("echo serves on; exec cat")["id"], "serves on")


def test_what_is_read_is_what_was_written(shop: Shop) -> None:
    pane = shop.run("i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; exec cat")
    shop.shows(pane["id"], "line 299")
    read = shop.client.call("pane.read", pane_id=pane["id"])
    assert (read["text"].split("\n")[0], read["text"].split("\n")[-1], read["truncated"]) == (
        "line 100",
        "line 299",
        True,
    )
    assert shop.client.call("pane.read", pane_id=pane["id"], lines=10**9)["truncated"] is False
    first = shop.client.call("pane.read", pane_id=pane["id"], mode="rendered", lines=5000)
    assert len(first["text"].split("\n")) == 300
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"typed\n"))
    waited = shop.client.call(
        "pane.wait_for_output",
        pane_id=pane["id"],
        match="^typ.d$",
        regex=True,
        mode="rendered",
        after_seq=first["next_seq"],
        timeout_s=5,
    )
    assert waited["matched_line"] == "typed"
    error = shop.client.refusal(
        "pane.wait_for_output",
        pane_id=pane["id"],
        match="line 5",
        mode="rendered",
        after_seq=waited["next_seq"],
        timeout_s=0.2,
    )
    assert error["code"] == "TIMEOUT"
    wait_until(lambda: shop.text(pane["id"]).endswith("typed\ntyped"), "the echo and what cat says")
    ahead = shop.client.call("pane.read", pane_id=pane["id"], mode="rendered", after_seq=10**15)
    newest = shop.client.call("pane.read", pane_id=pane["id"], mode="rendered", lines=1)["next_seq"]
    assert (ahead["dropped"], ahead["next_seq"]) == (True, newest)


def test_a_wait_for_output_of_a_pane_that_ends_is_over_soon(shop: Shop) -> None:
    pane = shop.run("read x; echo last words")
    waiting, failing = shop.server.client(), shop.server.client()
    waiting.send("pane.wait_for_output", pane_id=pane["id"], match="last words")
    failing.send("pane.wait_for_output", pane_id=pane["id"], match="never said")
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"\n"))
    assert waiting.reply("c1")["result"]["matched_line"] == "last words"
    assert failing.reply("c1")["error"]["code"] == "PANE_EXITED"


def test_a_wait_for_output_of_a_pane_that_is_closed_says_so(shop: Shop) -> None:
    pane = shop.spawn("cat")
    waiting = shop.server.client()
    waiting.send("pane.wait_for_output", pane_id=pane["id"], match="x")
    shop.client.call("pane.close", pane_id=pane["id"])
    assert waiting.reply("c1")["error"]["code"] == "NO_SUCH_PANE"


def test_a_soft_wrapped_line_is_found_as_a_whole(shop: Shop) -> None:
    line = "start" + "-" * 100 + "end"
    pane = shop.run(f"echo {line}; exec cat")
    found = shop.client.call("pane.wait_for_output", pane_id=pane["id"], match="start-.*-end$", regex=True, timeout_s=5)
    assert found["matched_line"] == line


def test_baselines_tell_old_outcomes_from_new_ones(shop: Shop) -> None:
    """Edge cases 42, 45."""
    pane = shop.run("read x; printf '\\a'; read x; exit 0")
    baseline = shop.client.call("pane.get", pane_id=pane["id"])["wait_baseline"]
    assert baseline["pane_id"] == pane["id"]
    waiting = shop.server.client()
    waiting.send("wait", pane_id=pane["id"], until=["unread"], after=baseline)
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"\n"))
    seen = waiting.reply("c1")["result"]
    assert (seen["outcome"], seen["attention"], seen["lifecycle"]) == ("unread", "unread", "unknown")
    newer = shop.client.call("pane.get", pane_id=pane["id"])["wait_baseline"]
    assert newer["attention_seq"] == seen["transition_seq"]
    assert (
        shop.client.refusal("wait", pane_id=pane["id"], until="unread", after=newer, timeout_s=0)["code"] == "TIMEOUT"
    )
    assert shop.client.call("wait", pane_id=pane["id"], until="unread", timeout_s=0)["satisfied"] is True
    for until in ([], ["done", 7], "nonsense", 7, {}):
        assert shop.client.refusal("wait", pane_id=pane["id"], until=until, timeout_s=0)["code"] == "BAD_PARAMS"
    for after in (
        True,
        "x",
        {},
        {**newer, "pane_id": "pane_x"},
        {**newer, "process_instance": ""},
        {**newer, "lifecycle_seq": True},
        {**newer, "attention_seq": newer["attention_seq"] + 1},
    ):
        assert (
            shop.client.refusal("wait", pane_id=pane["id"], until="done", after=after, timeout_s=0)["code"]
            == "BAD_PARAMS"
        )
    other = {**newer, "process_instance": "proc_x"}
    assert shop.client.refusal("wait", pane_id=pane["id"], until="done", after=other)["code"] == "IDENTITY_CHANGED"
    for timeout_s in (-1, 604_801, "1", True):
        assert (
            shop.client.refusal("wait", pane_id=pane["id"], until="done", timeout_s=timeout_s)["code"] == "BAD_PARAMS"
        )
    waiting.send("wait", pane_id=pane["id"], until=["exited"], after=newer)
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"\n"))
    assert waiting.reply("c2")["result"]["lifecycle"] == "done"


def test_a_hundred_waits_end_with_one_event(shop: Shop) -> None:
    pane = shop.run("read x; printf '\\a'; exec cat")
    waiting = [shop.server.client() for _ in range(100)]
    for client in waiting:
        client.send("wait", pane_id=pane["id"], until="unread", timeout_s=10)
    shop.client.call("pane.input", pane_id=pane["id"], data_b64=b64(b"\n"))
    assert {client.reply("c1")["result"]["outcome"] for client in waiting} == {"unread"}


def test_a_busy_pane_holds_up_no_request(shop: Shop) -> None:
    panes = [shop.run("exec yes")["id"] for _ in range(3)]
    offsets = []
    for _ in range(2):
        for _ in range(50):
            shop.client.call("server.status")
        viewer = shop.server.client()
        offsets.append([viewer.call("pane.attach", pane_id=pane)["output_offset"] for pane in panes])
        viewer.close()
    assert all(first < last for first, last in zip(*offsets, strict=True))
    shop.client.call("workspace.close", workspace_id=shop.workspace)
