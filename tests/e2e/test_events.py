"""Events that are rare: what a subscriber is told of a second life, and of a task from its start to its result."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.rig import Server, Shop, running


@pytest.fixture
def server() -> Iterator[Server]:
    with running(started=False) as made:
        made.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_INTEGRATION="off")
        made.start()
        yield made


def test_an_agent_that_is_resumed_is_unknown_again(server: Server) -> None:
    shop = Shop(server)
    pane = shop.run("read -r line")["id"]
    shop.client.call("report-session", pane_id=pane, agent_session_id="s-1", resume_argv=["cat"])
    shop.client.call("pane.input", pane_id=pane, data_b64="Cg==")
    prev = shop.exited(pane)["lifecycle"]
    shop.client.call("subscribe", events=["agent.*"])
    shop.client.call("pane.resume", pane_id=pane)
    told = shop.client.event("agent.unknown")
    assert told["payload"] == {"pane_id": pane, "lifecycle": "unknown", "prev": prev}


def test_a_task_is_told_from_its_start_to_its_result(server: Server) -> None:
    repo = Path(server.directory) / "repo"
    repo.mkdir()
    identity = ("-c", "user.email=t@example.org", "-c", "user.name=T")
    for words in (("init", "-q"), (*identity, "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(["git", *words], cwd=repo, check=True)
    client = server.client()
    client.call("subscribe", events=["task.*"])
    contract = {"objective": "say so"}
    made = client.call("task.start", repo=str(repo), contract=contract, argv=["cat"], context_id="c-1")["task"]
    created = client.event("task.created")["payload"]
    assert (created["task_id"], created["task"]["state"]) == (made["id"], "pending")
    client.call("task.report", task_id=made["id"], status="failed", summary="there is nothing to say")
    result = client.event("task.result")["payload"]
    assert (result["task_id"], result["context_id"]) == (made["id"], "c-1")
    assert result["result"]["summary"] == "there is nothing to say"
    updated = client.take(
        lambda frame: frame.get("event") == "task.updated" and frame["payload"]["task"]["state"] == "failed",
        "the task's end",
    )
    assert updated["payload"]["task_id"] == made["id"]
