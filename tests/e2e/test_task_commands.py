"""Tasks on the command line: pull requests with a stand-in for `gh`, the example script, sentences, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.composers.rig import PROGRAM
from tests.e2e.rig import ROOT, Rig, wait_until

GH = """#!{python}
import json, os, sys
call = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "prompt": os.environ.get("GH_PROMPT_DISABLED")}}
with open({log!r}, "a") as log:
    log.write(json.dumps(call) + "\\n")
if os.path.exists({log!r} + ".fail"):
    sys.exit("gh: not logged in")
if sys.argv[1:3] == ["pr", "create"]:
    print("Warning: 1 uncommitted change\\n\\nhttps://github.com/o/r/pull/12\\n")
else:
    print(json.dumps({{"state": "MERGED", "reviewDecision": "APPROVED",
                      "statusCheckRollup": [{{"status": "COMPLETED", "conclusion": "SUCCESS"}}]}}))
"""


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Desk:
    """A rig with a repository, an origin, a `gh` on PATH and a worker that does what its task says."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.bin = rig.place / "bin"
        self.bin.mkdir()
        self.log = rig.place / "gh.jsonl"
        self.install("gh", GH.format(python=sys.executable, log=str(self.log)))
        self.install("signaltty", f'#!/bin/sh\nexec {sys.executable} {ROOT}/signaltty.py "$@"\n')
        rig.environment["PATH"] = f"{self.bin}:{rig.environment['PATH']}"
        rig.environment.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        self.origin = rig.place / "origin.git"
        git(rig.place, "init", "-q", "--bare", str(self.origin))
        self.repo = rig.place / "project"
        git(rig.place, "init", "-q", "-b", "main", str(self.repo))
        for name, value in (
            ("user.email", "t@example.org"),
            ("user.name", "T"),
            ("remote.origin.url", str(self.origin)),
        ):
            git(self.repo, "config", name, value)
        git(self.repo, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        git(self.repo, "commit", "-q", "--allow-empty", "-m", "first")

    def install(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def worker(self, then: str) -> list[str]:
        script = f"export COMPOSER_THEN='{then}'; exec {sys.executable} {PROGRAM} plain,report /dev/null"
        return ["sh", "-c", script]

    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def completed(self, then: str = "") -> dict[str, Any]:
        work = "echo x > x.txt; git add -A; git commit -qm x; signaltty report --status completed --summary ready"
        words = ["task", "start", "--repo", str(self.repo), "--objective", "win", "--label", "the work"]
        said = self.rig.cli(*words, "--", *self.worker(then or work)).stdout.split()
        assert said[0] == "task" and said[2] == "pane" and said[4] == "(state=pending)"
        assert self.rig.cli("task", "wait", said[1], "--until", "terminal").stdout == "satisfied: 1 tasks\n"
        found: dict[str, Any] = self.rig.result("task", "get", said[1])["task"]
        return found


@pytest.fixture
def desk(rig: Rig) -> Iterator[Desk]:
    yield Desk(rig)


def test_a_pull_request_is_opened_once_and_asked_about(desk: Desk) -> None:
    task = desk.completed()
    (desk.rig.place / "gh.jsonl.fail").touch()
    refused = desk.rig.cli("task", "pr", task["id"], status=1)
    assert "IO_ERROR" in refused.stderr and "not logged in" in refused.stderr
    assert "pr" not in desk.rig.result("task", "get", task["id"])["task"]
    (desk.rig.place / "gh.jsonl.fail").unlink()
    desk.log.write_text("")
    said = desk.rig.cli("task", "pr", task["id"], "--draft").stdout
    assert said == f"opened pull request #12 for task {task['id']}: https://github.com/o/r/pull/12\n"
    words = [
        "pr",
        "create",
        "--head",
        task["branch"],
        "--base",
        "main",
        "--title",
        "the work",
        "--body",
        "ready\n\nwin",
    ]
    assert desk.calls() == [{"argv": [*words, "--draft"], "cwd": task["worktree_path"], "prompt": "1"}]
    assert git(desk.origin, "rev-parse", task["branch"]) == git(desk.repo, "rev-parse", task["branch"])
    found = desk.rig.result("task", "get", task["id"])["task"]["pr"]
    assert found == {
        "number": 12,
        "url": "https://github.com/o/r/pull/12",
        "state": "open",
        "checks": "none",
        "review": "none",
    }
    assert "BAD_PARAMS" in desk.rig.cli("task", "pr", task["id"], status=1).stderr
    assert "BAD_PARAMS" in desk.rig.cli("task", "finish", task["id"], "--merge", status=1).stderr
    said = desk.rig.cli("task", "pr-refresh").stdout.splitlines()
    assert said == [
        "refreshed 1 pull request(s)",
        f"{task['id']} #12 state=merged checks=passing review=approved",
    ]
    assert desk.calls()[-1]["argv"] == ["pr", "view", found["url"], "--json", "state,reviewDecision,statusCheckRollup"]
    assert desk.rig.cli("task", "pr-refresh").stdout == "refreshed 0 pull request(s)\n"


def test_without_gh_nothing_is_pushed(desk: Desk) -> None:
    """The machine of this test has no `gh` but the stand-in."""
    (desk.bin / "gh").rename(desk.bin / "gone")
    task = desk.completed()
    assert "SPAWN_FAILED" in desk.rig.cli("task", "pr", task["id"], status=1).stderr
    assert git(desk.origin, "branch") == ""


def test_the_words_of_every_command(desk: Desk) -> None:
    task = desk.completed()
    id = task["id"]
    said = desk.rig.cli("task", "get", id).stdout
    assert said == f"{id} state=completed repo={desk.repo} branch={task['branch']}\n"
    said = desk.rig.cli("task", "list").stdout
    assert said == f"{id}  state=completed  label=the work  context={task['context_id']}\n"
    assert desk.rig.cli("task", "list", "--state", "failed").stdout == "(no tasks)\n"
    said = desk.rig.cli("task", "diff", id).stdout
    assert "+1 -0 x.txt" in said and said.endswith("total +1 -0\nmerge into main: clean\n")
    said = desk.rig.cli("task", "file-diff", id, "x.txt").stdout
    assert said.splitlines()[0] == "diff x.txt" and said.endswith("+x\n")
    assert "give either" in desk.rig.cli("task", "finish", id, status=2).stderr
    desk.rig.cli("task", "finish", id, "--discard", "--keep-branch", status=2)
    said = desk.rig.cli("task", "finish", id, "--merge").stdout
    assert said == f"finished task {id}: merged into main ({git(desk.repo, 'rev-parse', 'HEAD')})\n"
    assert "already" in desk.rig.cli("task", "finish", id, "--merge", status=1).stderr
    started = desk.rig.cli("task", "start", "--repo", str(desk.repo), "--objective", "x", "--", "sleep", "300").stdout
    other = started.split()[1]
    assert desk.rig.cli("task", "cancel", other).stdout == f"canceled task {other}\n"
    desk.rig.cli("task", "start", "--repo", ".", status=2)
    desk.rig.cli("task", "wait", status=2)
    wait_until(lambda: desk.rig.result("task", "get", other)["task"]["state"] == "canceled", "the end")


def test_a_prompt_can_be_submitted_from_the_command_line(desk: Desk) -> None:
    log = desk.rig.place / "log"
    pane = desk.rig.new_pane(sys.executable, PROGRAM, "plain", str(log))
    wait_until(lambda: desk.rig.call("pane.get", pane_id=pane)["pane"]["lifecycle"] == "idle", "a ready composer")
    said = desk.rig.cli("pane", "submit", pane, "--text", "- do it").stdout
    assert said.startswith("submitted: outcome=working seq=")
    wait_until(lambda: desk.rig.call("pane.get", pane_id=pane)["pane"]["lifecycle"] == "done", "the end of the turn")
    desk.rig.cli("pane", "submit", pane, "--stdin", "--stall-timeout", "3", stdin="zwei\nZeilen é\n".encode())
    lines = [json.loads(line)["submitted"] for line in log.read_text().splitlines()]
    assert lines == ["- do it", "zwei\nZeilen é"]
    desk.rig.cli("pane", "submit", pane, status=2)
    desk.rig.cli("pane", "submit", pane, "--text", "a", "--stdin", status=2)


def test_the_example_fans_work_out_and_brings_it_back(desk: Desk) -> None:
    work = (
        "name=$(git branch --show-current | tr -c a-z0-9 -); echo work > $name.md; git add -A; git commit -qm work; "
        "signaltty report --status completed --summary written"
    )
    environment = {**desk.rig.environment, "FANOUT_TIMEOUT_S": "60"}
    done = subprocess.run(
        [str(ROOT / "examples/fanout.sh"), str(desk.repo), *desk.worker(work)],
        env=environment,
        cwd=desk.rig.home,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "satisfied: 3 tasks" in done.stdout and done.stdout.count("merged into main") == 3
    assert len([name for name in os.listdir(desk.repo) if name.endswith(".md")]) == 3
    assert git(desk.repo, "worktree", "list").count("\n") == 0


def test_a_diff_after_the_end_says_that_the_work_has_gone(desk: Desk) -> None:
    task = desk.completed()
    desk.rig.cli("task", "finish", task["id"], "--merge")
    refused = desk.rig.cli("task", "diff", task["id"], status=1)
    assert refused.stderr == "signaltty: the task is merged, and its worktree is gone (IO_ERROR)\n"


def test_an_unknown_kind_of_worker_is_refused_with_those_there_are(desk: Desk) -> None:
    refused = desk.rig.cli(
        "task", "start", "--repo", str(desk.repo), "--objective", "win", "--agent", "nope", status=1
    ).stderr
    assert refused.startswith("signaltty: agent: unknown kind 'nope'; known: claude, codex, ")
