"""Worktrees of tasks, with a real Git: made whole or not at all, cleared with proof."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams, IoError
from signaltty_core.git.worktrees import TASK_LOCK_REASON
from signaltty_core.methods import worktree_calls
from tests.e2e.repositories import git, repository, write
from tests.methods.real_git import RealGit


class Yard(RealGit):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.root = repository(directory / "repo", a="1\n")
        self.sha = git(self.root, "rev-parse", "HEAD")
        self.path = str(directory / "trees/one")

    def add(self, branch: str = "work", adopts: bool = True) -> worktree_calls.Added:
        async def procedure() -> worktree_calls.Added:
            call = self.call()
            held = await worktree_calls.repository(call, str(self.root))
            async with held:
                reason = TASK_LOCK_REASON
                return await worktree_calls.add(
                    call, held, self.path, branch, self.sha, lock_reason=reason, task_id="task_1", adopts=adopts
                )

        found: worktree_calls.Added = self.do(procedure())
        return found

    def clear(self) -> str | None:
        async def procedure() -> str | None:
            call = self.call()
            held = await worktree_calls.repository(call, str(self.root))
            async with held:
                return await worktree_calls.clear(call, held, self.path, "task_1", self.nobody_is_inside)

        fault: str | None = self.do(procedure())
        return fault

    async def nobody_is_inside(self) -> None:
        """The last look before a removal finds nobody."""

    def branches(self) -> list[str]:
        return git(self.root, "branch", "--format=%(refname:short)").split()

    def registered(self) -> int:
        return git(self.root, "worktree", "list", "--porcelain").count("worktree ")


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def test_a_new_branch_is_made_locked_and_its_intent_stays_until_it_is_recorded(yard: Yard) -> None:
    added = yard.add()
    assert added.preexisting_branch is False
    intent = dict(yard.world.tables["intents"][added.intent.id])
    pid = intent.pop("pid")
    assert intent == {
        "id": added.intent.id,
        "kind": "worktree_add",
        "repo": f"{yard.root}/.git",
        "task_id": "task_1",
        "path": yard.path,
        "branch": "work",
        "sha": yard.sha,
        "start_time": 1,
    }
    assert pid > 1
    listed = git(yard.root, "worktree", "list", "--porcelain")
    assert f"locked {TASK_LOCK_REASON}" in listed
    added.intent.end()
    added.intent.end()
    assert yard.world.tables["intents"] == {}


def test_an_existing_branch_is_adopted_or_refused(yard: Yard) -> None:
    git(yard.root, "branch", "work")
    with pytest.raises(BadParams, match="exists already"):
        yard.add(adopts=False)
    added = yard.add()
    assert added.preexisting_branch is True
    assert "sha" not in yard.world.tables["intents"][added.intent.id]


def test_taken_places_are_refused_before_anything_is_made(yard: Yard) -> None:
    os.makedirs(yard.path)
    write(Path(yard.path), {"mine": "x"})
    with pytest.raises(BadParams, match="not empty"):
        yard.add()
    (Path(yard.path) / "mine").unlink()
    yard.add().intent.end()
    with pytest.raises(BadParams):
        yard.add("other")
    assert (yard.branches(), yard.world.tables["intents"]) == (["main", "work"], {})


def test_what_fails_leaves_no_branch_no_directory_and_no_intent(yard: Yard) -> None:
    hook = yard.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(IoError):
        yard.add()
    assert (yard.branches(), yard.registered(), os.path.exists(yard.path)) == (["main"], 1, False)
    assert (yard.world.tables["intents"], yard.world.claims.held) == ({}, set())


def test_a_failed_adoption_leaves_the_branch(yard: Yard) -> None:
    git(yard.root, "checkout", "-qb", "busy")
    with pytest.raises(IoError):
        yard.add("busy")
    assert (yard.branches(), yard.registered()) == (["busy", "main"], 1)


def test_a_lock_that_stays_is_given_up_after_a_while(yard: Yard) -> None:
    lock = yard.root / ".git/refs/heads/work.lock"
    lock.write_text("")
    with pytest.raises(IoError, match="lock"):
        yard.add()
    tries = [argv for argv in yard.ran if "add" in argv]
    assert (2 <= len(tries) <= 6, lock.exists(), yard.registered()) == (True, True, 1)


def test_clearing_removes_a_locked_and_dirty_worktree(yard: Yard) -> None:
    yard.add().intent.end()
    write(Path(yard.path), {"a": "dirty", "new": "x"})
    assert yard.clear() is None
    assert (os.path.exists(yard.path), yard.registered(), yard.branches()) == (False, 1, ["main", "work"])
    assert yard.clear() is None
    assert (yard.world.tables["intents"], yard.world.claims.removing) == ({}, set())


def test_a_directory_git_does_not_know_any_more_is_deleted_and_one_it_knows_is_kept(yard: Yard) -> None:
    yard.add().intent.end()
    git(yard.root, "worktree", "unlock", yard.path)
    git(yard.root, "worktree", "remove", "--force", yard.path)
    os.makedirs(yard.path)
    write(Path(yard.path), {"left": "over"})
    assert yard.clear() is None
    assert not os.path.exists(yard.path)
    other = repository(Path(yard.path))
    yard.path = str(yard.root)
    assert "main working tree" in str(yard.clear())
    assert (other.is_dir(), (yard.root / "a").exists()) == (True, True)
