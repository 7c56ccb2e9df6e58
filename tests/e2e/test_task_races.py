"""Calls about one task that come at the same moment, and workers that end at an awkward one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.yard import COMMIT, REPORT, Yard, git, hook, snapshot
from tests.server.rig import Record, running, wait_until


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MERGE_TIMEOUT_MS="1500")
        server.environ["SIGNALTTY_GIT_TIMEOUT_MS"] = "3000"
        server.start("--max-tasks", "40")
        yield Yard(server)


def is_clear(yard: Yard, repo: Path, task: Record) -> None:
    """Neither a worktree nor anybody in it is left."""
    assert not os.path.lexists(task["worktree_path"])
    assert git(repo, "worktree", "list").count("\n") == 0
    live = [pane for pane in yard.client.call("pane.list")["panes"] if pane["live"]["state"] == "live"]
    assert [pane["id"] for pane in live if pane["cwd"].startswith(task["worktree_path"])] == []


def test_a_discard_in_the_very_moment_of_the_start_leaves_nobody_behind(yard: Yard) -> None:
    """Asked for as soon as the task is known, which is before its worker runs."""
    for _ in range(6):
        repo = yard.repository()
        beside = yard.shop.server.client()
        beside.call("subscribe", events=["task.created"])
        start = {"repo": str(repo), "contract": {"objective": "x"}, "argv": ["sleep", "300"]}
        asked = yard.client.send("task.start", **start)
        task = beside.event("task.created")["payload"]["task"]
        beside.call("task.finish", task_id=task["id"], mode="discard", delete_branch=True)
        started = yard.client.reply(asked)
        found = yard.task(task["id"])
        assert started["ok"] and (found["state"], found["disposition"]["outcome"]) == ("canceled", "discarded")
        is_clear(yard, repo, task)
        assert git(repo, "branch", "--format=%(refname:short)") == "main"


def test_a_cancel_in_the_very_moment_of_the_start_ends_the_worker(yard: Yard) -> None:
    repo = yard.repository()
    beside = yard.shop.server.client()
    beside.call("subscribe", events=["task.created"])
    start = {"repo": str(repo), "contract": {"objective": "x"}, "argv": ["sleep", "300"]}
    asked = yard.client.send("task.start", **start)
    task = beside.event("task.created")["payload"]["task"]
    assert beside.call("task.cancel", task_id=task["id"])["task"]["state"] == "canceled"
    pane = yard.client.reply(asked)["result"]["pane"]
    assert yard.shop.exited(pane["id"])["live"]["signal"] == "TERM"
    assert Path(task["worktree_path"]).is_dir()


def test_of_two_merges_at_once_one_is_done(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo)
    clients = [yard.shop.server.client() for _ in range(2)]
    asked = [client.send("task.finish", task_id=task["id"], mode="merge") for client in clients]
    replies = [client.reply(id) for client, id in zip(clients, asked, strict=True)]
    assert sorted(reply["ok"] for reply in replies) == [False, True]
    refused = next(reply["error"] for reply in replies if not reply["ok"])
    assert (refused["code"], "merged already" in refused["message"]) == ("BAD_PARAMS", True)
    assert git(repo, "rev-list", "--count", "--merges", "HEAD") == "1"
    is_clear(yard, repo, task)


def test_of_a_merge_and_a_discard_at_once_one_is_done(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo)
    clients = [yard.shop.server.client() for _ in range(2)]
    asked = [
        client.send("task.finish", task_id=task["id"], mode=mode)
        for client, mode in zip(clients, ("merge", "discard"), strict=True)
    ]
    replies = [client.reply(id) for client, id in zip(clients, asked, strict=True)]
    assert sorted(reply["ok"] for reply in replies) == [False, True]
    outcome = yard.task(task["id"])["disposition"]["outcome"]
    assert git(repo, "rev-list", "--count", "--merges", "HEAD") == ("1" if outcome == "merged" else "0")
    is_clear(yard, repo, task)


def test_a_worker_may_finish_its_own_task_from_inside_the_worktree(yard: Yard) -> None:
    """The worker is ended by its own request, which is carried out all the same."""
    repo = yard.repository()
    finish = "$SIGNALTTY_BIN_CALL task finish $SIGNALTTY_TASK --merge"
    made, _ = yard.begin(repo, then=f"{COMMIT}; {REPORT}; {finish}")

    def merged() -> Record | None:
        task = yard.task(made["task"]["id"])
        return task if "branch_deleted" in task["disposition"] else None

    task = wait_until(merged, "the merge")
    assert task["disposition"]["merged_sha"] == git(repo, "rev-parse", "HEAD")
    is_clear(yard, repo, task)


def test_a_shell_of_nobody_inside_the_worktree_does_not_hinder(yard: Yard) -> None:
    """Called from a shell that stands in the worktree, but in no pane."""
    repo = yard.repository()
    task = yard.finished(repo)
    there = os.open(task["worktree_path"], os.O_RDONLY)
    try:
        yard.client.call("task.finish", task_id=task["id"], mode="merge")
    finally:
        os.close(there)
    is_clear(yard, repo, task)


@pytest.mark.parametrize("at", ["ready", "paste", "work"])
def test_a_worker_that_is_killed_fails_its_task_and_keeps_its_work(yard: Yard, at: str) -> None:
    repo = yard.repository()
    made, _ = yard.begin(repo, {"ready": "trust", "paste": "plain", "work": "plain"}[at], **_pace(at))
    task_id, pane_id = made["task"]["id"], made["pane"]["id"]
    if at == "ready":
        yard.state(pane_id, "blocked")
    elif at == "paste":
        yard.shop.shows(pane_id, "You are the worker")
    else:
        yard.task(task_id, "working")
    Path(made["task"]["worktree_path"], "half.txt").write_text("half")
    yard.client.call("pane.signal", pane_id=pane_id, signal="KILL")
    task = yard.task(task_id, "failed")
    reason = task["status_reason"]
    assert (reason["reason"], reason["signal"], reason["exit_code"]) == ("pane_exited", "KILL", None)
    assert reason.get("stage") == (None if at == "work" else "ready_timeout")
    assert Path(task["worktree_path"], "half.txt").read_text() == "half"
    refused = yard.client.refusal("task.finish", task_id=task_id, mode="merge")
    assert (refused["code"], refused["details"]) == ("BAD_PARAMS", {"state": "failed"})
    yard.client.call("task.finish", task_id=task_id, mode="discard")
    is_clear(yard, repo, task)


def _pace(at: str) -> Record:
    return {"submit_delay_ms": 20_000} if at == "paste" else {}


def test_a_worker_killed_while_its_task_is_merged_changes_nothing_of_the_merge(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo)
    mark = yard.directory / "merging"
    hook(repo, "pre-merge-commit", f"touch '{mark}'; sleep 0.5")
    asked = yard.client.send("task.finish", task_id=task["id"], mode="merge")
    wait_until(mark.exists, "the merge")
    beside = yard.shop.server.client()
    assert beside.call("pane.get", pane_id=task["pane_id"])["pane"]["live"]["state"] == "exited"
    beside.call("pane.close", pane_id=task["pane_id"])
    assert yard.client.reply(asked)["result"]["merge"]["sha"] == git(repo, "rev-parse", "HEAD")
    is_clear(yard, repo, task)


def test_a_checkout_that_hangs_is_given_up_and_leaves_nothing(yard: Yard) -> None:
    """The limit of one call of Git, made shorter for this server."""
    repo = yard.repository()
    hook(repo, "post-checkout", "sleep 297 & sleep 297")
    before = snapshot(repo)
    refused = yard.client.refusal("task.start", repo=str(repo), contract={"objective": "x"}, argv=["sleep", "300"])
    assert refused["code"] == "TIMEOUT"
    assert snapshot(repo) == before and git(repo, "worktree", "list").count("\n") == 0
    assert [
        task for task in yard.client.call("task.list", limit=1000)["tasks"] if task["source_repo"] == str(repo)
    ] == []
    wait_until(lambda: b"sleep\x00297" not in _command_lines(), "the end of the hook")


def _command_lines() -> bytes:
    found = b""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found += Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
    return found
