"""How many tasks at once, where they live, whose they are, and reports that come very early."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.e2e.yard import Yard, git
from tests.server.rig import Record, running, wait_until


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(
            GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MAX_PARALLEL_TASKS="many"
        )
        server.start()
        yield Yard(server)


def idle(yard: Yard, repo: Path, **params: object) -> Record:
    made: Record = yard.client.call(
        "task.start", repo=str(repo), contract={"objective": "x"}, argv=["sleep", "300"], **params
    )
    return made


@pytest.fixture(autouse=True)
def _end_all(yard: Yard) -> Iterator[None]:
    yield
    for task in yard.client.call("task.list", limit=1000)["tasks"]:
        if task["disposition"]["outcome"] == "none":
            yard.client.call("task.finish", task_id=task["id"], mode="discard")


def test_of_two_starts_for_the_last_place_one_succeeds(yard: Yard) -> None:
    """Edge case 70; the variable cannot be read and counts as four."""
    repo = yard.repository()
    for _ in range(3):
        idle(yard, repo)
    codes: list[str] = []

    def start() -> None:
        client = yard.shop.server.client()
        contract = {"objective": "x"}
        reply = client.reply(client.send("task.start", repo=str(repo), contract=contract, argv=["sleep", "300"]))
        codes.append("ok" if reply["ok"] else reply["error"]["code"])

    threads = [Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["RATE_LIMITED", "ok"]
    refused = yard.client.refusal("task.start", repo=str(repo), contract={"objective": "x"}, argv=["true"])
    assert refused["details"] == {"active_tasks": 4, "max_parallel_tasks": 4}
    assert git(repo, "worktree", "list").count("\n") == 4


def test_a_workspace_at_the_worktree_s_path_is_used_though_it_has_no_tabs(yard: Yard) -> None:
    """Edge case 73."""
    path = yard.directory / "waiting"
    path.mkdir()
    workspace = yard.client.call("workspace.create", cwd=str(path))["workspace"]["id"]
    made = idle(yard, yard.repository(), path=str(path))
    assert made["pane"]["workspace_id"] == workspace
    assert [tab["title"] for tab in yard.client.call("workspace.get", workspace_id=workspace)["tabs"]] == ["task"]


def test_a_worker_may_report_before_its_start_has_been_answered(yard: Yard) -> None:
    """Edge case 79."""
    report = '"$SIGNALTTY_PYTHON" "$SIGNALTTY_BIN" report --status completed --summary quick'
    contract = {"objective": "x"}
    made = yard.client.call("task.start", repo=str(yard.repository()), contract=contract, argv=["sh", "-c", report])
    assert yard.task(made["task"]["id"], "completed")["result"]["summary"] == "quick"
    yard.shop.exited(made["pane"]["id"])
    assert yard.task(made["task"]["id"])["state"] == "completed"


def test_a_worker_knows_its_parent_and_the_root_of_all(yard: Yard) -> None:
    root = yard.shop.run("sleep 300")["id"]
    repo = yard.repository()
    first = idle(yard, repo, parent_pane_id=root, label="one")
    second = idle(yard, repo, parent_pane_id=first["pane"]["id"], context_id=first["task"]["context_id"])
    assert [second["task"][name] for name in ("parent_pane_id", "root_pane_id", "relationship")] == [
        first["pane"]["id"],
        root,
        "subagent",
    ]
    assert (first["pane"]["label"], second["pane"]["root_pane_id"]) == ("one", root)
    listed = yard.client.call("task.list", context_id=first["task"]["context_id"])["tasks"]
    assert [task["id"] for task in listed] == [first["task"]["id"], second["task"]["id"]]
    assert yard.client.refusal("task.list", state="over")["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.list", limit=1001)["code"] == "BAD_PARAMS"


def test_odd_repositories_take_tasks(yard: Yard) -> None:
    repo = yard.repository("a b é")
    bare = yard.directory / "bare.git"
    git(repo, "clone", "-q", "--bare", str(repo), str(bare))
    linked = yard.directory / "linked"
    git(bare, "worktree", "add", "-q", str(linked), "main")
    made = idle(yard, linked, branch="deep/er/nameé")
    assert (made["task"]["source_repo"], made["task"]["target_branch"]) == (str(linked), "main")
    assert yard.client.refusal("task.start", repo=str(bare), contract={"objective": "x"}, argv=["true"])["code"] == (
        "BAD_PARAMS"
    )
    inside = repo / "sub dir"
    inside.mkdir()
    assert idle(yard, inside)["task"]["source_repo"] == str(repo)
    unborn = yard.directory / "unborn"
    git(yard.directory, "init", "-q", str(unborn))
    assert yard.client.refusal("task.start", repo=str(unborn), contract={"objective": "x"}, argv=["true"])["code"] == (
        "BAD_PARAMS"
    )


def test_a_report_is_refused_where_there_is_nothing_to_report(yard: Yard) -> None:
    pane = yard.shop.run("sleep 300")["id"]
    said = {"status": "completed", "summary": "x"}
    assert yard.client.refusal("task.report", **said)["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.report", **said, pane_id=pane)["code"] == "NO_SUCH_TASK"
    assert yard.client.refusal("task.report", **said, task_id="task_0")["code"] == "NO_SUCH_TASK"
    for size, code in ((262_142, "NO_SUCH_TASK"), (262_143, "BAD_PARAMS")):  # with its quotes 256 KiB, and a byte more
        assert yard.client.refusal("task.report", **said, pane_id=pane, evidence="x" * size)["code"] == code
    assert wait_until(lambda: yard.shop.get(pane)["live"]["state"] == "live", "the pane")
