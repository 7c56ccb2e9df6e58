"""Tasks of a server that was lost: its successor finds each in the state it was in (tasks-and-git §2.5, §9)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.e2e.yard import COMMIT, REPORT, Yard, git, hook, read, snapshot
from tests.server.rig import Client, Record, Refused, Server, running, wait_until


@pytest.fixture
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        server.start("--max-tasks", "12", "--worker-silent-timeout", "2")
        yield Yard(server)


def lose(yard: Yard) -> None:
    """kill -9, and a client of whoever serves next."""
    server = yard.shop.server
    server.kill()
    server.start("--max-tasks", "12", "--worker-silent-timeout", "2")
    yard.client = yard.shop.client = reach(server)


def replace(yard: Yard) -> None:
    """An end that leaves the panes alone, and a client of the successor."""
    server = yard.shop.server
    yard.client.call("server.shutdown", keep_panes=True)
    assert server.wait_end() == 0
    server.start("--max-tasks", "12", "--worker-silent-timeout", "2")
    yard.client = yard.shop.client = reach(server)


def reach(server: Server) -> Client:
    def look() -> Client | None:
        try:
            client = server.client()
            client.call("server.status")
        except (OSError, AssertionError):
            return None
        return client

    found: Client = wait_until(look, "a server")
    return found


def test_a_prompt_that_was_not_pasted_is_given_by_the_next_server_once(yard: Yard) -> None:
    """Edge case 172, first half."""
    made, log = yard.begin(yard.repository(), "trust", then=f"{COMMIT}; {REPORT}")
    yard.state(made["pane"]["id"], "blocked")
    lose(yard)
    assert yard.task(made["task"]["id"])["state"] == "pending"
    yard.client.call("pane.input", pane_id=made["pane"]["id"], data_b64="DQ==")
    yard.task(made["task"]["id"], "completed")
    assert [list(line) for line in read(log)] == [["picked"], ["submitted"]]


def test_a_prompt_that_was_pasted_is_not_typed_again(yard: Yard) -> None:
    """Edge case 172, second half."""
    made, log = yard.begin(yard.repository(), "plain", submit_delay_ms=5_000)
    pane = made["pane"]["id"]
    yard.shop.shows(pane, "You are the worker")
    lose(yard)
    task = yard.task(made["task"]["id"], "input_required")
    assert (task["status_reason"]["reason"], task["status_reason"]["stage"]) == ("submit_unconfirmed", "activity_gate")
    assert read(log) == []
    yard.client.call("pane.input", pane_id=pane, data_b64="DQ==")
    resumed = yard.task(task["id"], "working", "input_required")
    wait_until(lambda: len(read(log)) == 1, "the prompt, submitted by a person")
    assert resumed["id"] == task["id"]


def test_tasks_in_every_state_survive_with_their_workers(yard: Yard) -> None:
    repo = yard.repository()
    parked, _ = yard.begin(repo)
    done, _ = yard.begin(repo, then=f"{COMMIT}; {REPORT}")
    canceled, _ = yard.begin(repo)
    yard.client.call("task.cancel", task_id=canceled["task"]["id"])
    yard.task(parked["task"]["id"], "input_required")
    yard.task(done["task"]["id"], "completed")
    before = {task["id"]: task for task in yard.client.call("task.list")["tasks"]}
    lose(yard)
    assert {task["id"]: task for task in yard.client.call("task.list")["tasks"]} == before
    yard.submit(parked["pane"]["id"], "go on")
    assert yard.client.call("task.finish", task_id=done["task"]["id"], mode="merge")["merge"]["target"] == "main"


def test_tasks_without_a_worker_have_failed_and_others_are_left_alone(yard: Yard) -> None:
    repo = yard.repository()
    open_one, _ = yard.begin(repo, "trust")
    done, _ = yard.begin(repo, then=f"{COMMIT}; {REPORT}")
    finished = yard.task(done["task"]["id"], "completed")
    yard.client.call("server.shutdown", force=True)
    assert yard.shop.server.wait_end() == 0
    yard.shop.server.start()
    yard.client = yard.shop.client = reach(yard.shop.server)
    assert yard.task(open_one["task"]["id"])["status_reason"] == {"stage": "restart", "reason": "server_restarted"}
    assert yard.task(finished["id"]) == finished
    yard.client.call("task.finish", task_id=finished["id"], mode="merge")


def test_a_silent_worker_is_handed_to_a_person(yard: Yard) -> None:
    made, _ = yard.begin(yard.repository(), then="sleep 30")
    task = yard.task(made["task"]["id"], "input_required")
    assert task["status_reason"] == {"reason": "worker_silent", "timeout_s": 2.0}


@pytest.mark.parametrize("end", [lose, replace])
@pytest.mark.parametrize("name", ["pre-merge-commit", "post-merge"])
def test_a_server_that_ends_in_a_merge_leaves_the_target_merged_or_as_it_was(
    yard: Yard, name: str, end: Callable[[Yard], None]
) -> None:
    """Edge case 173."""
    repo = yard.repository()
    task = yard.finished(repo)
    mark = yard.directory / "in-hook"
    hook(repo, name, f"touch '{mark}'; sleep 60")
    before = snapshot(repo)
    answered: list[Record] = []

    def finish() -> None:
        try:
            answered.append(yard.shop.server.client().call("task.finish", task_id=task["id"], mode="merge"))
        except (AssertionError, OSError, Refused):
            pass

    thread = Thread(target=finish)
    thread.start()
    wait_until(mark.exists, "the hook")
    end(yard)
    thread.join()
    assert answered == []
    if name == "post-merge":
        found = wait_until(lambda: _disposed(yard, task["id"]), "the merge, recorded")
        assert found["disposition"]["merged_sha"] == git(repo, "rev-parse", "HEAD") != before["head"]
    else:
        found = wait_until(lambda: "finish_error" in yard.task(task["id"]) and yard.task(task["id"]), "its end")
        assert found["disposition"] == {"outcome": "none"} and snapshot(repo) == before
        hook(repo, name, "exit 0")
        yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert not (repo / ".git/MERGE_HEAD").exists() and git(repo, "status", "--porcelain") == ""


def _disposed(yard: Yard, task_id: str) -> Record | None:
    task = yard.task(task_id)
    return task if task["disposition"]["outcome"] == "merged" else None


def test_a_server_lost_in_a_start_leaves_no_worktree_and_no_branch(yard: Yard) -> None:
    """Edge case 173; a filter that takes its time holds Git in the checkout."""
    repo = yard.repository()
    mark = yard.directory / "in-filter"
    (repo / ".gitattributes").write_text("slow.txt filter=slow\n")
    (repo / "slow.txt").write_text("x\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "slow")
    git(repo, "config", "filter.slow.smudge", f"touch '{mark}'; sleep 30; cat")
    argv, _ = yard.worker()

    def start() -> None:
        try:
            yard.shop.server.client().call("task.start", repo=str(repo), contract={"objective": "x"}, argv=argv)
        except (AssertionError, OSError):
            pass

    thread = Thread(target=start)
    thread.start()
    wait_until(mark.exists, "the filter")
    lose(yard)
    thread.join()
    wait_until(lambda: git(repo, "branch", "--list", "signaltty/*") == "", "no branch")
    assert git(repo, "worktree", "list").count("\n") == 0
    assert list((yard.directory / "data/signaltty/worktrees").glob("*/*")) == []
    assert yard.client.call("task.list")["tasks"] == []
    _end_sleepers(str(mark))


def _end_sleepers(mark: str) -> None:
    """The filter's shell, should it have outlived its Git."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue
