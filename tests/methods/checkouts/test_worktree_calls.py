"""Worktrees of tasks, with a real Git: made whole or not at all, cleared with proof."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams, IoError, TimedOut
from signaltty_core.git.worktrees import TASK_LOCK_REASON
from signaltty_core.methods.checkouts import worktree_calls
from tests.e2e.repositories import git, repository, write
from tests.methods.real_git import RealGit
from tests.server.rig import is_running


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

    def stand_in(self, directory: Path, before: str) -> str:
        """A `git` that does something first; gives the path of the real one."""
        real = str(shutil.which("git"))
        program = directory / "bin/git"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{before}\nexec '{real}' \"$@\"\n")
        program.chmod(0o755)
        self.settings.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        return real

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


def test_a_place_that_became_a_link_is_left_alone_and_so_is_what_it_leads_to(yard: Yard) -> None:
    yard.add().intent.end()
    precious = repository(Path(yard.path).parent / "precious", mine="x")
    os.rename(yard.path, f"{yard.path}-moved")
    for leads_to in (precious, precious / "nowhere"):
        os.symlink(leads_to, yard.path)
        assert "replaced by a link" in str(yard.clear())
        assert (precious / "mine").exists() and Path(yard.path).is_symlink()
        os.unlink(yard.path)
    os.rename(f"{yard.path}-moved", yard.path)
    assert yard.clear() is None and yard.registered() == 1


def test_a_repository_somebody_made_at_the_place_is_left_alone(yard: Yard) -> None:
    yard.add().intent.end()
    git(yard.root, "worktree", "remove", "--force", "--force", yard.path)
    mine = repository(yard.path, mine="x")
    assert "repository of its own" in str(yard.clear())
    assert git(mine, "status", "--porcelain") == ""


def test_a_worktree_with_another_inside_stays_until_that_is_gone(yard: Yard) -> None:
    yard.add().intent.end()
    outer, yard.path = yard.path, f"{yard.path}/inner"
    yard.add("inner").intent.end()
    write(Path(yard.path), {"unsaved": "x"})
    inner, yard.path = yard.path, outer
    assert f"{inner} is inside it" in str(yard.clear())
    assert os.path.exists(f"{inner}/unsaved")
    yard.path = inner
    assert yard.clear() is None
    yard.path = outer
    assert yard.clear() is None and yard.registered() == 1


def test_a_worktree_whose_place_was_moved_behind_a_link_is_removed_there(yard: Yard) -> None:
    yard.add().intent.end()
    trees = Path(yard.path).parent
    os.rename(trees, f"{trees}-moved")
    os.symlink(f"{trees}-moved", trees)
    assert yard.clear() is None
    assert os.listdir(f"{trees}-moved") == [] and yard.registered() == 1


def test_what_appears_at_the_place_while_git_runs_is_not_deleted(yard: Yard, tmp_path: Path) -> None:
    """Another program is quicker than Git; its directory and its branch are its own."""
    yard.stand_in(
        tmp_path, f"case \" $* \" in *' worktree add '*) mkdir -p '{yard.path}'; touch '{yard.path}/mine';; esac"
    )
    with pytest.raises(IoError, match="already exists"):
        yard.add()
    assert (os.listdir(yard.path), yard.branches(), yard.registered()) == (["mine"], ["main"], 1)


def test_a_branch_that_appears_while_git_runs_is_not_deleted(yard: Yard, tmp_path: Path) -> None:
    real = yard.stand_in(tmp_path, "")
    make = f"'{real}' -C '{yard.root}' branch work"
    yard.stand_in(tmp_path, f"case \" $* \" in *' worktree add '*) {make};; esac")
    with pytest.raises(IoError, match="already exists"):
        yard.add()
    assert (yard.branches(), os.path.exists(yard.path), yard.world.tables["intents"]) == (["main", "work"], False, {})


def test_a_branch_that_cannot_be_taken_back_at_once_is_adopted_by_the_next_try(yard: Yard) -> None:
    """The first try makes the branch and fails; the lock on packed refs keeps it from being deleted for a while."""
    packed, held = yard.root / ".git/packed-refs.lock", yard.root / ".git/config.lock"
    said = f"fatal: Unable to create '{held}': File exists."
    flag = yard.root / ".git/tried"
    hook = yard.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    second = f"[ -e '{flag}' ] && rm -f '{packed}' && exit 0"
    hook.write_text(f"#!/bin/sh\n{second}\ntouch '{flag}' '{packed}'\necho \"{said}\" >&2\nexit 1\n")
    hook.chmod(0o755)
    git(yard.root, "config", "core.packedRefsTimeout", "100")
    added = yard.add()
    added.intent.end()
    assert (added.preexisting_branch, yard.branches(), yard.registered()) == (False, ["main", "work"], 2)


def test_a_hook_that_hangs_is_ended_in_time_with_all_it_started_and_leaves_nothing(yard: Yard, tmp_path: Path) -> None:
    yard.settings.environ["SIGNALTTY_GIT_TIMEOUT_MS"] = "700"
    pids = tmp_path / "pids"
    hook = yard.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nsleep 300 & echo $! $$ >> '{pids}'\nwait\n")
    hook.chmod(0o755)
    with pytest.raises(TimedOut, match=r"0\.7 s"):
        yard.add()
    assert (yard.branches(), yard.registered(), os.path.exists(yard.path)) == (["main"], 1, False)
    assert (yard.world.tables["intents"], yard.world.claims.held) == ({}, set())
    assert [pid for pid in pids.read_text().split() if is_running(int(pid))] == []
