"""A server killed while Git works for it: the next one brings what was begun to an end (tasks-and-git §9)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.repositories import git, repository
from tests.server.rig import Server, is_running, running, wait_until


class Site:
    """A repository whose hooks wait at a gate, and a workspace for it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.root = repository(Path(server.work) / "repo", a="1\n")
        self.tree = Path(server.work) / "tree"
        self.pids = Path(server.work) / "pids"
        self.client = server.client()
        self.id: str = self.client.call("workspace.create", cwd=str(self.root))["workspace"]["id"]

    def hang(self) -> None:
        """Let the hook of a new checkout wait for ever."""
        hook = self.root / ".git/hooks/post-checkout"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f"#!/bin/sh\necho $PPID $$ > '{self.pids}.new'\nmv '{self.pids}.new' '{self.pids}'\nsleep 1000\n"
        )
        hook.chmod(0o755)

    def restart(self) -> None:
        self.server.kill()
        self.server.start()
        self.client = self.server.client()

    def changes(self) -> list[tuple[str, str]]:
        """What was ever told about worktrees."""
        self.client.call("subscribe", events=["worktree.*"], from_seq=0)
        told = [frame["payload"] for frame in self.client.settle()]
        return [(one["operation"], one["path"]) for one in told]

    def settled(self) -> None:
        """Whoever waits for the repository has got it: the intents are done with."""
        self.client.call("worktree.create", workspace_id=self.id, path=f"{self.tree}-next", branch="next")


@pytest.fixture
def site() -> Iterator[Site]:
    with running() as server:
        yield Site(server)


def test_a_checkout_that_was_made_stays_and_is_told_and_its_git_is_ended(site: Site) -> None:
    site.hang()
    site.client.send("worktree.create", workspace_id=site.id, path=str(site.tree), branch="b")
    wait_until(site.pids.exists, "the hook")
    pids = [int(pid) for pid in site.pids.read_text().split()]
    os.unlink(site.root / ".git/hooks/post-checkout")
    site.restart()
    site.settled()
    assert [pid for pid in pids if is_running(pid)] == []
    assert site.changes() == [("create", str(site.tree)), ("create", f"{site.tree}-next")]
    assert (site.tree / "a").read_text() == "1\n"
    assert git(site.tree, "status", "--porcelain") == ""


def test_a_checkout_that_git_had_not_finished_goes_with_its_branch(site: Site) -> None:
    filter = site.root / "slow"
    filter.write_text(f"#!/bin/sh\necho $$ > '{site.pids}.new'\nmv '{site.pids}.new' '{site.pids}'\nexec sleep 1000\n")
    filter.chmod(0o755)
    (site.root / ".gitattributes").write_text("a filter=slow\n")
    git(site.root, "add", ".gitattributes")
    git(site.root, "commit", "-qm", "attributes")
    git(site.root, "config", "filter.slow.smudge", str(filter))
    site.client.send("worktree.create", workspace_id=site.id, path=str(site.tree), branch="b")
    wait_until(site.pids.exists, "the filter")
    listed = subprocess.run(["pgrep", "-f", f"worktree add .*{site.tree}"], capture_output=True, text=True, check=False)
    site.server.kill()
    for pid in listed.stdout.split():
        os.kill(int(pid), 9)  # so that Git cannot tidy up by itself
    git(site.root, "config", "--unset", "filter.slow.smudge")
    site.server.start()
    site.client = site.server.client()
    site.settled()
    assert site.changes() == [("create", f"{site.tree}-next")]
    assert not site.tree.exists()
    assert git(site.root, "branch", "--format=%(refname:short)").split() == ["main", "next"]


def test_a_server_without_open_intents_has_none_after_its_work(site: Site) -> None:
    made = site.client.call("worktree.create", workspace_id=site.id, path=str(site.tree), branch="b")
    site.client.call("workspace.close", workspace_id=made["workspace"]["id"])
    site.client.call("worktree.remove", workspace_id=site.id, path=str(site.tree))
    assert site.client.refusal("worktree.create", workspace_id=site.id, path=str(site.tree), branch="b")
    site.restart()
    assert site.changes() == [("create", str(site.tree)), ("remove", str(site.tree))]
    journal = b"".join(path.read_bytes() for path in Path(site.server.state).rglob("*.jsonl"))
    assert journal.count(b'"kind":"worktree_') >= 2
