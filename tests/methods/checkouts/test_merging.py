"""A task's branch merged by a real Git: the target is merged or as before, and what others did to it stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams, IoError, TimedOut
from signaltty_core.methods.checkouts import merging, worktree_calls
from tests.e2e.repositories import git, repository, write
from tests.e2e.yard import hook, snapshot
from tests.methods.real_git import RealGit


class Target(RealGit):
    """A repository with a task's worktree in which one commit was made."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.settings.environ["SIGNALTTY_MERGE_TIMEOUT_MS"] = "1500"
        self.root = repository(directory / "repo", a="1\n")
        self.tree = directory / "tree"
        git(self.root, "worktree", "add", "-q", "-b", "work", str(self.tree))
        self.work("result")
        self.pane()
        self.id = self.task("pane_0", state="completed")
        draft = self.draft()
        draft.edit("tasks", self.id).update(
            source_repo=str(self.root), target_branch="main", worktree_path=str(self.tree), branch="work"
        )
        self.commit(draft)

    def work(self, name: str, place: Path | None = None) -> None:
        write(place or self.tree, {name: f"{name}\n"})
        git(place or self.tree, "add", "-A")
        git(place or self.tree, "commit", "-qm", name)

    def plan(self, *, ignore_dirty: bool = False) -> merging.Plan:
        found: merging.Plan = self.do(merging.plan(self.call(), self.world.tasks[self.id], None, ignore_dirty))
        return found

    def merge(self, wanted: merging.Plan) -> str:
        async def procedure() -> str:
            call = self.call()
            held = await worktree_calls.repository(call, str(self.root))
            async with held:
                return await merging.merge(call, held, self.world.tasks[self.id], wanted)

        head: str = self.do(procedure())
        return head


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path)


def test_a_merge_is_recorded_with_the_commit_the_target_is_at(target: Target) -> None:
    head = target.merge(target.plan())
    assert head == git(target.root, "rev-parse", "HEAD")
    disposition = dict(target.world.tasks[target.id]["disposition"])
    del disposition["at"]
    assert disposition == {"outcome": "merged", "target_ref": "main", "merged_sha": head}
    assert target.world.tables["intents"] == {}


@pytest.mark.parametrize(
    ("words", "actual", "shown"),
    [(["-b", "other"], "other", "other"), (["--detach"], None, "a detached HEAD")],
)
def test_a_target_that_is_not_checked_out_is_refused_with_what_is(
    target: Target, words: list[str], actual: str | None, shown: str
) -> None:
    git(target.root, "checkout", "-q", *words)
    with pytest.raises(BadParams, match=f"has {shown} checked out; check the target out there first") as refused:
        target.plan()
    assert refused.value.details == {"expected": "main", "actual": actual}


@pytest.mark.parametrize("side", ["branch", "target"])
def test_a_tip_that_moves_before_the_merge_is_not_merged_and_stays(target: Target, side: str) -> None:
    wanted = target.plan()
    target.work("late", target.tree if side == "branch" else target.root)
    before = snapshot(target.root)
    with pytest.raises(IoError, match="has moved since"):
        target.merge(wanted)
    assert (snapshot(target.root), target.world.tables["intents"]) == (before, {})
    target.merge(target.plan())
    assert (target.root / "late").exists()


def test_what_is_staged_in_the_target_before_the_merge_stays_staged(target: Target) -> None:
    wanted = target.plan()
    write(target.root, {"a": "2\n"})
    git(target.root, "add", "a")
    before = snapshot(target.root)
    with pytest.raises(BadParams, match="changes of its own"):
        target.merge(wanted)
    assert snapshot(target.root) == before and git(target.root, "diff", "--cached", "--name-only") == "a"


def test_a_merge_somebody_has_begun_in_the_target_is_not_aborted(target: Target) -> None:
    git(target.root, "checkout", "-qb", "other")
    target.work("theirs", target.root)
    git(target.root, "checkout", "-q", "main")
    git(target.root, "merge", "-q", "--no-ff", "--no-commit", "-s", "ours", "other")
    assert git(target.root, "status", "--porcelain") == ""
    before = snapshot(target.root)
    assert before["state"] == ["MERGE_HEAD"]
    with pytest.raises(BadParams, match="in the middle of a merge"):
        target.plan()
    assert snapshot(target.root) == before


def test_a_commit_somebody_makes_while_a_merge_hangs_is_not_thrown_away(target: Target) -> None:
    wanted = target.plan()
    theirs = "git -c core.hooksPath=/dev/null commit -q --allow-empty -m theirs"
    hook(target.root, "pre-merge-commit", f"unset GIT_INDEX_FILE; rm .git/MERGE_HEAD; {theirs}; exit 1")
    with pytest.raises(IoError) as caught:
        target.merge(wanted)
    assert (caught.value.details["abort_ok"], caught.value.details["target_dirty"]) == (False, True)
    assert git(target.root, "log", "-1", "--format=%s") == "theirs"


@pytest.mark.parametrize("name", ["pre-merge-commit", "post-merge"])
def test_a_merge_that_is_killed_from_outside_leaves_the_target_as_it_was(target: Target, name: str) -> None:
    hook(target.root, name, "kill -9 $PPID; sleep 5")
    before = snapshot(target.root)
    with pytest.raises(IoError):
        target.merge(target.plan())
    assert (snapshot(target.root), target.world.tables["intents"]) == (before, {})


def test_a_hook_that_hangs_while_refs_are_locked_leaves_no_lock(target: Target) -> None:
    hook(target.root, "reference-transaction", '[ "$1" = prepared ] && grep -q refs/heads/main && sleep 60; exit 0')
    before = snapshot(target.root)
    with pytest.raises(TimedOut):
        target.merge(target.plan())
    assert snapshot(target.root) == before
    assert list((target.root / ".git").rglob("*.lock")) == []
    os.unlink(target.root / ".git/hooks/reference-transaction")
    target.merge(target.plan())


@pytest.mark.parametrize("elsewhere", ["--detach", "-b"])
def test_work_that_was_committed_beside_the_branch_is_not_taken_for_merged(target: Target, elsewhere: str) -> None:
    git(target.tree, "checkout", "-q", elsewhere, *(["aside"] if elsewhere == "-b" else []))
    target.work("aside")
    with pytest.raises(BadParams, match="does not contain"):
        target.plan()
    git(target.tree, "checkout", "-q", "--detach", "work~1")
    assert target.plan().branch == "work"
    git(target.tree, "checkout", "-q", "--detach", "main")
    assert target.plan(ignore_dirty=True).branch == "work"
