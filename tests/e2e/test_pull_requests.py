"""Pull requests of tasks: a real Git with a real origin, and a `gh` that says what the test lets it say."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.rig import Record, Server, running

URL = "https://github.com/acme/api/pull/17"
GH = """#!/bin/sh
place=$(dirname "$0")
printf '%s\\n' "$GH_PROMPT_DISABLED" "$@" > "$place/asked"
cat "$place/says"
cat "$place/complains" >&2
exit "$(cat "$place/status")"
"""


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Yard:
    """A repository with an origin, and a `gh` in a directory of its own."""

    def __init__(self, server: Server) -> None:
        self.client = server.client()
        place = Path(server.directory)
        self.origin, self.repo, self.gh = place / "origin.git", place / "repo", place / "bin"
        git(place, "init", "-q", "--bare", "-b", "main", str(self.origin))
        git(place, "init", "-q", "-b", "main", str(self.repo))
        for name, value in (("user.email", "t@example.org"), ("user.name", "T")):
            git(self.repo, "config", name, value)
        git(self.repo, "commit", "-q", "--allow-empty", "-m", "first")
        git(self.repo, "remote", "add", "origin", str(self.origin))

    def say(self, text: str = "", complaint: str = "", status: int = 0) -> None:
        for name, content in (("says", text), ("complains", complaint), ("status", str(status))):
            (self.gh / name).write_text(content)

    def asked(self) -> list[str]:
        return (self.gh / "asked").read_text().splitlines()

    def completed(self, label: str = "fix it") -> Record:
        contract = {"objective": "make it so"}
        made = self.client.call("task.start", repo=str(self.repo), contract=contract, argv=["cat"], label=label)["task"]
        params = {"task_id": made["id"], "status": "completed", "summary": "made so"}
        task: Record = self.client.call("task.report", **params)["task"]
        return task


@pytest.fixture
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        gh = Path(server.directory) / "bin"
        gh.mkdir()
        (gh / "gh").write_text(GH)
        (gh / "gh").chmod(0o755)
        for program in ("git", "sh", "cat", "dirname"):  # and no `gh` that the machine may have
            (gh / program).symlink_to(str(shutil.which(program)))
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_INTEGRATION="off")
        server.environ.update(PATH=str(gh), XDG_DATA_HOME=f"{server.directory}/data")
        server.start()
        made = Yard(server)
        made.say()
        yield made


def test_a_pull_request_is_opened_for_the_pushed_branch(yard: Yard) -> None:
    task = yard.completed()
    yard.say(f"Creating pull request\n\n{URL}\n")
    opened = yard.client.call("task.pr_open", task_id=task["id"], draft=True)["task"]
    assert opened["pr"] == {"number": 17, "url": URL, "state": "open", "checks": "none", "review": "none"}
    assert git(yard.origin, "rev-parse", task["branch"]) == git(yard.repo, "rev-parse", task["branch"])
    words = ["--head", task["branch"], "--base", "main", "--title", "fix it", "--body", "made so", "", "make it so"]
    assert yard.asked() == ["1", "pr", "create", *words, "--draft"]
    assert yard.client.call("task.get", task_id=task["id"])["task"] == opened
    again = yard.client.refusal("task.pr_open", task_id=task["id"])
    assert (again["code"], again["details"]["url"]) == ("BAD_PARAMS", URL)


def test_a_pull_request_may_have_words_of_its_own_or_none(yard: Yard) -> None:
    task = yard.completed()
    yard.say(URL)
    yard.client.call("task.pr_open", task_id=task["id"], title="Mend it", body="")
    assert yard.asked()[-4:] == ["--title", "Mend it", "--body", ""]


def test_a_refresh_reads_state_review_and_checks(yard: Yard) -> None:
    task = yard.completed()
    yard.say(URL)
    yard.client.call("task.pr_open", task_id=task["id"])
    rollup = [{"status": "COMPLETED", "conclusion": "SUCCESS"}, {"status": "IN_PROGRESS"}]
    yard.say(json.dumps({"state": "OPEN", "reviewDecision": "CHANGES_REQUESTED", "statusCheckRollup": rollup}))
    pr = yard.client.call("task.pr_refresh", task_id=task["id"])["tasks"][0]["pr"]
    assert (pr["state"], pr["review"], pr["checks"]) == ("open", "changes_requested", "pending")
    assert yard.asked() == ["1", "pr", "view", URL, "--json", "state,reviewDecision,statusCheckRollup"]
    yard.say(complaint="rate limit", status=1)
    assert yard.client.call("task.pr_refresh") == {"tasks": []}
    refused = yard.client.refusal("task.pr_refresh", task_id=task["id"])
    assert (refused["code"], refused["details"]["stderr"]) == ("IO_ERROR", "rate limit")
    yard.say(json.dumps({"state": "MERGED", "reviewDecision": "APPROVED", "statusCheckRollup": rollup[:1]}))
    tasks = yard.client.call("task.pr_refresh")["tasks"]
    assert [(one["pr"]["state"], one["pr"]["review"], one["pr"]["checks"]) for one in tasks] == [
        ("merged", "approved", "passing")
    ]
    assert yard.client.call("task.pr_refresh") == {"tasks": []}  # it is not open any more


def test_what_fails_records_nothing(yard: Yard) -> None:
    task = yard.completed()
    yard.say(complaint="no permission", status=4)
    refused = yard.client.refusal("task.pr_open", task_id=task["id"])
    assert (refused["code"], refused["details"]["stderr"]) == ("IO_ERROR", "no permission")
    assert "pr" not in yard.client.call("task.get", task_id=task["id"])["task"]
    git(yard.repo, "remote", "set-url", "origin", str(yard.repo / "nowhere"))
    yard.say(URL)
    assert yard.client.refusal("task.pr_open", task_id=task["id"])["code"] == "IO_ERROR"
    (yard.gh / "gh").unlink()
    missing = yard.client.refusal("task.pr_open", task_id=task["id"])
    assert missing["code"] == "SPAWN_FAILED"
    assert "pr" not in yard.client.call("task.get", task_id=task["id"])["task"]


def test_only_a_completed_task_gets_one(yard: Yard) -> None:
    contract = {"objective": "make it so"}
    task = yard.client.call("task.start", repo=str(yard.repo), contract=contract, argv=["cat"])["task"]
    assert yard.client.refusal("task.pr_open", task_id=task["id"])["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.pr_refresh", task_id=task["id"])["code"] == "BAD_PARAMS"
    assert yard.client.refusal("task.pr_open", task_id="task_none")["code"] == "NO_SUCH_TASK"
