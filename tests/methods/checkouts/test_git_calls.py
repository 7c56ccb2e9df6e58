"""Questions to a real Git."""

from __future__ import annotations

from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams, IoError
from signaltty_core.methods.checkouts import git_calls
from tests.e2e.repositories import git, repository, write
from tests.methods.real_git import RealGit


@pytest.fixture
def stage(tmp_path: Path) -> RealGit:
    return RealGit(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> str:
    return str(repository(tmp_path / "a\nb é", a="1\n", **{"sub/x": "x\n"}))


def test_root_and_repository_are_found_from_anywhere_inside(stage: RealGit, root: str, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert stage.do(git_calls.top_level(stage.call(), f"{root}/sub")) == root
    for place in (root, f"{root}/sub", str(tmp_path / "linked"), f"{root}/.git"):
        assert stage.do(git_calls.common_directory(stage.call(), place)) == f"{root}/.git"
    for place in (str(tmp_path), f"{root}/.git"):
        with pytest.raises(BadParams):
            stage.do(git_calls.top_level(stage.call(), place))
    with pytest.raises(IoError):
        stage.do(git_calls.top_level(stage.call(), "/nowhere"))


def test_refs_are_resolved_or_refused(stage: RealGit, root: str) -> None:
    head = git(root, "rev-parse", "HEAD")
    git(root, "tag", "-a", "v1", "-m", "one")
    git(root, "update-ref", "refs/remotes/origin/main", head)
    for ref in ("HEAD", "main", "origin/main", "v1", head, "refs/heads/main"):
        assert stage.do(git_calls.resolve_commit(stage.call(), root, ref)) == head
    tree = git(root, "rev-parse", "HEAD^{tree}")
    for ref in (
        "",
        "-x",
        "--all",
        "HEAD~1",
        "a..b",
        "missing",
        "f" * 40,
        tree,
        "main^{}",
        "@{-1}",
        ":/first",
        "main:a",
    ):
        with pytest.raises(BadParams):
            stage.do(git_calls.resolve_commit(stage.call(), root, ref))


def test_branches_are_looked_up_and_checked(stage: RealGit, root: str) -> None:
    head = git(root, "rev-parse", "HEAD")
    git(root, "tag", "only-a-tag")
    assert stage.do(git_calls.head_branch(stage.call(), root)) == "main"
    assert [stage.do(git_calls.branch_tip(stage.call(), root, one)) for one in ("main", "only-a-tag")] == [head, None]
    stage.do(git_calls.check_branch(stage.call(), root, "feat/é"))
    for name in ("@{-1}", "HEAD", "bad branch", "refs/heads/x", "-", "a..b", "x.lock"):
        with pytest.raises(BadParams, match="invalid branch"):
            stage.do(git_calls.check_branch(stage.call(), root, name))
    git(root, "checkout", "-q", "--detach")
    assert stage.do(git_calls.head_branch(stage.call(), root)) is None


def test_clean_is_what_git_says_and_a_failure_is_never_clean(stage: RealGit, root: str) -> None:
    def clean(**params: bool) -> bool:
        return bool(stage.do(git_calls.is_clean(stage.call(), root, **params)))

    assert (clean(), clean(tracked_only=True)) == (True, True)
    write(Path(root), {"new": "x"})
    assert (clean(), clean(tracked_only=True)) == (False, True)
    write(Path(root), {"a": "2\n"})
    assert clean(tracked_only=True) is False
    (Path(root) / ".git/index").write_bytes(b"broken")
    with pytest.raises(IoError):
        clean()


def test_a_branch_is_deleted_only_while_it_is_where_it_was_and_nobody_has_it(stage: RealGit, root: str) -> None:
    head = git(root, "rev-parse", "HEAD")
    git(root, "branch", "moved")
    git(root, "branch", "spare")
    write(Path(root), {"a": "2\n"})
    git(root, "commit", "-qam", "two")
    git(root, "branch", "-f", "moved")
    deleted = {
        name: stage.do(git_calls.delete_branch(stage.call(), root, name, head))
        for name in ("moved", "spare", "main", "x")
    }
    assert deleted == {"moved": False, "spare": True, "main": False, "x": False}
    assert git(root, "branch", "--format=%(refname:short)").split() == ["main", "moved"]
    new = git(root, "rev-parse", "HEAD")
    assert stage.do(git_calls.contains(stage.call(), root, head, new)) is True
    assert stage.do(git_calls.contains(stage.call(), root, new, head)) is False
    with pytest.raises(IoError):
        stage.do(git_calls.contains(stage.call(), root, "f" * 40, head))


def test_one_procedure_at_a_time_holds_a_key(stage: RealGit) -> None:
    async def hold() -> bool:
        async with git_calls.Held(stage.call(), "k"):
            return stage.world.claims.take("k") is None

    assert (stage.do(hold()), stage.world.claims.take("k")) == (True, True)
