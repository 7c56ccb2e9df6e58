"""Tasks from their start to the report of a worker that behaves like an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.e2e.yard import COMMIT, REPORT, Yard, git, read
from tests.server.rig import Record, running, wait_until


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MERGE_TIMEOUT_MS="1500")
        server.start("--max-tasks", "12")
        yield Yard(server)


def test_a_worker_gets_the_objective_and_its_report_ends_the_task(yard: Yard) -> None:
    repo = yard.repository()
    contract = {
        "objective": "make it so",
        "constraints": "no new files",
        "acceptance_criteria": ["tests pass", "docs say so"],
        "output_format": "one line",
    }
    made, log = yard.begin(repo, then=f"{COMMIT}; {REPORT}", contract=contract, label="fix it")
    task = made["task"]
    short = task["id"][-8:]
    assert (task["state"], task["branch"], task["label"]) == ("pending", f"signaltty/fix-it-{short}", "fix it")
    assert (task["target_branch"], task["base_sha"]) == ("main", git(repo, "rev-parse", "HEAD"))
    assert task["worktree_path"].startswith(str((yard.directory / "data/signaltty/worktrees").resolve()))
    assert made["pane"]["task_id"] == task["id"] and made["pane"]["cwd"] == task["worktree_path"]
    done = yard.task(task["id"], "completed")
    assert done["result"]["summary"] == "finished" and done["worker_pid"] > 0
    (prompt,) = [line["submitted"] for line in read(log)]
    assert prompt.startswith(f"You are the worker of task {task['id']}.") and task["branch"] in prompt
    assert prompt.endswith(
        "## Objective\n\nmake it so\n\n## Constraints\n\nno new files\n\n## Acceptance Criteria\n\n"
        "- tests pass\n- docs say so\n\n## Expected Output Format\n\none line"
    )
    again = yard.client.refusal("task.report", task_id=task["id"], status="failed", summary="no")
    assert again["code"] == "BAD_PARAMS"


def test_a_turn_without_a_report_parks_and_a_further_prompt_resumes(yard: Yard) -> None:
    """Edge case 75; the composer's OSC 7501 `done` ends its turn."""
    made, log = yard.begin(yard.repository())
    task = yard.task(made["task"]["id"], "input_required")
    assert task["status_reason"]["reason"] == "turn_ended_without_report"
    subscribed = yard.shop.server.client()
    subscribed.call("subscribe", events=["task.*"], task_ids=[task["id"]])
    yard.submit(made["pane"]["id"], "report please")
    moved = subscribed.event("task.updated")["payload"]
    assert (moved["prev_state"], moved["task"]["state"]) == ("input_required", "working")
    reported = yard.client.call("task.report", pane_id=made["pane"]["id"], status="completed", summary="done")
    assert reported["task"]["state"] == "completed" and "status_reason" not in reported["task"]
    assert len([line for line in read(log) if "submitted" in line]) == 2


def test_bad_starts_leave_nothing(yard: Yard) -> None:
    """Edge case 71."""
    repo = yard.repository()
    before = git(repo, "for-each-ref") + git(repo, "worktree", "list")
    count = len(yard.client.call("task.list")["tasks"])
    argv = ["cat"]
    good: Record = {"repo": str(repo), "contract": {"objective": "x"}, "argv": argv}
    for wrong in (
        {"contract": {"objective": " \n"}},
        {"contract": {"objective": "x" * 32_769}},
        {"contract": {"objective": "x", "constraints": "y" * 40_000}},
        {"base_ref": "a..b"},
        {"base_ref": "HEAD~1"},
        {"base_ref": "--upload-pack=cat"},
        {"base_ref": "nowhere"},
        {"branch": "--malicious-flag"},
        {"branch": "a..b"},
        {"branch": "refs/heads/x"},
        {"branch": "@{-1}"},
        {"argv": None},
        {"argv": None, "agent": "generic"},
        {"agent": "nobody"},
        {"repo": str(yard.directory)},
        {"repo": "relative"},
        {"path": "relative"},
        {"path": str(repo)},
        {"context_id": ""},
        {"context_id": "x" * 129},
        {"ready_timeout_s": 0.5},
        {"stall_timeout_s": 0},
        {"submit_delay_ms": 60_001},
    ):
        refused = yard.client.refusal("task.start", **{**good, **wrong})
        assert refused["code"] == "BAD_PARAMS", (wrong, refused)
    assert len(yard.client.call("task.list", limit=1000)["tasks"]) == count
    assert git(repo, "for-each-ref") + git(repo, "worktree", "list") == before


def test_an_existing_branch_is_adopted_and_a_path_is_taken_once(yard: Yard) -> None:
    """Edge case 72."""
    repo = yard.repository()
    git(repo, "branch", "topic")
    path = str(yard.directory / "own place")
    made, _ = yard.begin(repo, branch="topic", path=path)
    assert made["task"]["preexisting_branch"] is True and made["task"]["worktree_path"] == path
    argv, _ = yard.worker()
    refused = yard.client.refusal("task.start", repo=str(repo), contract={"objective": "x"}, argv=argv, path=path)
    assert refused["code"] == "BAD_PARAMS"
    git(repo, "checkout", "-q", "--detach")
    detached, _ = yard.begin(repo)
    assert "target_branch" not in detached["task"]
    for one in (made, detached):
        yard.client.call("task.cancel", task_id=one["task"]["id"])


def test_the_same_request_is_answered_with_the_same_task(yard: Yard) -> None:
    repo = yard.repository()
    argv, _ = yard.worker()
    params = {"repo": str(repo), "contract": {"objective": "x"}, "argv": argv, "client_request_id": "r1"}
    found: list[str] = []

    def start() -> None:
        client = yard.shop.server.client()
        found.append(client.call("task.start", **params)["task"]["id"])

    threads = [Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 3
    assert git(repo, "worktree", "list").count("\n") == 1
    yard.client.call("pane.close", pane_id=yard.task(found[0])["pane_id"])
    assert yard.client.call("task.start", **params)["pane"] is None


def test_a_failed_spawn_keeps_a_failed_task_and_its_worktree(yard: Yard) -> None:
    repo = yard.repository()
    params = {"repo": str(repo), "contract": {"objective": "x"}, "argv": ["/no/such/program"]}
    refused = yard.client.refusal("task.start", **params)
    assert (refused["code"], refused["details"]["stage"]) == ("SPAWN_FAILED", "spawn")
    task = yard.task(refused["details"]["task_id"])
    assert (task["state"], task["status_reason"]["stage"]) == ("failed", "spawn")
    assert Path(task["worktree_path"], "a.txt").exists() and "pane_id" not in task
    refused = yard.client.refusal("task.start", **{**params, "argv": ["cat"]}, parent_pane_id="pane_nobody")
    assert (refused["code"], refused["details"]["stage"]) == ("NO_SUCH_PANE", "parent")
    assert "locked" not in git(repo, "worktree", "list", "--porcelain")
    assert yard.client.call("task.finish", task_id=task["id"], mode="discard")["task"]["state"] == "failed"
    assert not Path(task["worktree_path"]).exists()


def test_a_worker_at_a_trust_dialog_gets_its_prompt_after_the_answer(yard: Yard) -> None:
    """Edge case 149."""
    made, log = yard.begin(yard.repository(), "trust", ready_timeout_s=1)
    pane = made["pane"]["id"]
    yard.state(pane, "blocked")
    began = yard.client.call("server.status")["uptime_s"]
    wait_until(lambda: yard.client.call("server.status")["uptime_s"] > began + 2, "more than the ready time")
    assert yard.task(made["task"]["id"])["state"] == "pending"
    assert yard.refusal(pane, "x")["code"] == "AGENT_NOT_READY"
    yard.client.call("pane.input", pane_id=pane, data_b64="DQ==")
    yard.task(made["task"]["id"], "input_required")
    assert [list(line) for line in read(log)] == [["picked"], ["submitted"]]


def test_a_worker_whose_hook_says_it_started_is_not_typed_at_before_its_dialog_is_answered(yard: Yard) -> None:
    """Qwen reports its start and then asks whether it may trust the folder."""
    made, log = yard.begin(yard.repository(), "untold,trust", agent="claude", ready_timeout_s=60)
    pane = made["pane"]["id"]
    yard.state(pane, "blocked")
    hook = {"agent": "claude", "event": "SessionStart", "pane_id": pane, "payload": {"session_id": "s1"}}
    yard.client.call("hook-event", **hook)
    yard.state(pane, "idle")
    assert yard.refusal(pane, "x")["code"] == "AGENT_NOT_READY"
    began = yard.client.call("server.status")["uptime_s"]
    wait_until(lambda: yard.client.call("server.status")["uptime_s"] > began + 2, "several looks")
    assert (yard.task(made["task"]["id"])["state"], read(log)) == ("pending", [])
    yard.client.call("pane.input", pane_id=pane, data_b64="DQ==")
    wait_until(lambda: len(read(log)) == 2, "the prompt")
    assert [list(line) for line in read(log)] == [["picked"], ["submitted"]]


def test_a_worker_that_is_never_ready_and_one_that_is_closed_fail(yard: Yard) -> None:
    """Edge case 74."""
    repo = yard.repository()
    params = {"repo": str(repo), "contract": {"objective": "x"}, "argv": ["sh", "-c", "echo hello; sleep 300"]}
    late = yard.client.call("task.start", **params, ready_timeout_s=1)["task"]
    closed = yard.client.call("task.start", **params)["task"]
    yard.client.call("pane.close", pane_id=closed["pane_id"])
    assert yard.task(late["id"], "failed")["status_reason"] == {"stage": "ready_timeout", "screen_tail": "hello"}
    reason = yard.task(closed["id"], "failed")["status_reason"]
    assert (reason["stage"], reason["reason"]) == ("ready_timeout", "pane_closed")
    exited = yard.client.call("task.start", **{**params, "argv": ["sh", "-c", "exit 3"]})["task"]
    reason = yard.task(exited["id"], "failed")["status_reason"]
    assert (reason["stage"], reason["reason"], reason["exit_code"]) == ("ready_timeout", "pane_exited", 3)


def test_a_dialog_in_the_way_of_the_first_prompt_waits_for_a_person(yard: Yard) -> None:
    made, log = yard.begin(yard.repository(), "dialog")
    task = yard.task(made["task"]["id"], "input_required", "working")
    assert task["status_reason"] == {"reason": "decision_required", "decision_id": None}
    assert read(log) == []


def test_a_prompt_nobody_confirms_is_resumed_by_the_worker_itself(yard: Yard) -> None:
    made, _ = yard.begin(yard.repository(), "stuck", stall_timeout_s=0.5)
    task = yard.task(made["task"]["id"], "input_required")
    assert (task["status_reason"]["reason"], task["status_reason"]["stage"]) == ("submit_unconfirmed", "activity_gate")


def test_a_canceled_task_ends_its_worker_and_keeps_the_rest(yard: Yard) -> None:
    made, _ = yard.begin(yard.repository())
    task = made["task"]
    assert yard.client.call("task.cancel", task_id=task["id"])["task"]["state"] == "canceled"
    pane = yard.shop.exited(task["pane_id"])
    wait_until(lambda: yard.shop.get(task["pane_id"])["attention"] == "none", "no attention")
    assert pane["live"]["state"] == "exited" and Path(task["worktree_path"]).exists()
    assert yard.client.refusal("task.cancel", task_id=task["id"])["code"] == "BAD_PARAMS"
    assert "status_reason" not in yard.task(task["id"])


def test_waiting_for_tasks(yard: Yard) -> None:
    """Edge case 77."""
    assert yard.client.call("task.wait", context_id="nothing here") == {"satisfied": True, "tasks": []}
    assert yard.client.refusal("task.wait")["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.wait", task_id="task_x")["code"] == "NO_SUCH_TASK"
    assert yard.client.refusal("task.wait", context_id="c", until=[])["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.wait", context_id="c", until="over")["code"] == "BAD_PARAMS"
    repo = yard.repository()
    for _ in range(2):
        yard.begin(repo, then=f"{COMMIT}; {REPORT}", context_id="both")
    waiting = yard.shop.server.client()
    done = waiting.call("task.wait", context_id="both", until="terminal")
    assert [task["state"] for task in done["tasks"]] == ["completed", "completed"]
    assert yard.client.refusal("task.wait", context_id="both", until="failed", timeout_s=0)["code"] == "TIMEOUT"


def test_eight_starts_at_once_all_succeed(yard: Yard) -> None:
    """Edge case 150, once with a configuration that somebody holds locked for a while."""
    repo = yard.repository()
    origin = yard.directory / f"{repo.name}.git"
    git(yard.directory, "clone", "-q", "--bare", str(repo), str(origin))
    git(repo, "remote", "add", "origin", str(origin))
    git(repo, "fetch", "-q", "origin")
    for one in yard.client.call("task.list", limit=1000)["tasks"]:
        if one["state"] in ("pending", "working", "input_required"):
            yard.client.call("task.cancel", task_id=one["id"])
    lock = repo / ".git/config.lock"
    lock.touch()
    codes: list[Any] = []

    def start() -> None:
        client = yard.shop.server.client()
        argv = ["sleep", "300"]
        reply = client.reply(
            client.send("task.start", repo=str(repo), contract={"objective": "x"}, argv=argv, base_ref="origin/main"),
            60,
        )
        codes.append(reply["result"]["task"]["id"] if reply["ok"] else reply["error"])

    threads = [Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    threads[0].join(3)
    lock.unlink(missing_ok=True)
    for thread in threads:
        thread.join()
    assert all(isinstance(code, str) for code in codes), codes
    assert git(repo, "branch", "--list", "signaltty/*").count("\n") == 7
    for task_id in codes:
        yard.client.call("task.finish", task_id=task_id, mode="discard", delete_branch=True)
    assert git(repo, "branch", "--list", "signaltty/*") == ""
    assert git(repo, "worktree", "list").count("\n") == 0
