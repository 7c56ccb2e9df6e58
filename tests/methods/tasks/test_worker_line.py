"""What a worker in a sandbox may write to besides its worktree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.methods.tasks.worker_line import commit_places, worker_line
from tests.e2e.repositories import git, repository, write
from tests.methods.real_git import RealGit


@pytest.fixture
def stage(tmp_path: Path) -> RealGit:
    return RealGit(tmp_path)


def line(stage: RealGit, tree: Path, branch: str, kind: str = "codex") -> list[str]:
    task = {"worktree_path": str(tree), "branch": branch}
    found: list[str] = stage.do(worker_line(stage.call(), task, ["codex", "fix"], kind))
    return found


def test_codex_may_write_what_a_commit_writes_and_no_more(stage: RealGit, tmp_path: Path) -> None:
    root, tree = repository(tmp_path / "a b é", a="1\n"), tmp_path / "tree"
    git(root, "worktree", "add", "-q", "-b", "signaltty/x-1", str(tree))
    common = f"{root}/.git"
    found = line(stage, tree, "signaltty/x-1")
    places = ["worktrees/tree", "objects", "refs/heads/signaltty", "logs/refs/heads/signaltty"]
    assert found == ["codex", *(word for place in places for word in ("--add-dir", f"{common}/{place}")), "fix"]
    assert line(stage, tree, "signaltty/x-1", "claude") == ["codex", "fix"]
    assert line(stage, tmp_path / "nowhere", "signaltty/x-1") == line(stage, tmp_path, "x") == ["codex", "fix"]


def test_these_places_are_all_a_commit_needs(stage: RealGit, tmp_path: Path) -> None:
    """Everything a commit changed in the repository lies in one of them."""
    root, tree = repository(tmp_path / "repo", a="1\n"), tmp_path / "tree"
    git(root, "worktree", "add", "-q", "-b", "deep/er/name", str(tree))
    common = f"{root}/.git"
    places = commit_places(f"{common}/worktrees/tree", common, "deep/er/name")

    def seen() -> dict[str, tuple[int, int]]:
        files = [Path(folder, name) for folder, _, names in os.walk(common) for name in names]
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}

    before = seen()
    write(tree, {"new/file": "x\n", "a": "2\n"})
    git(tree, "add", "--all")
    git(tree, "commit", "-qm", "work")
    changed = [path for path, state in seen().items() if before.get(path) != state]
    assert len(changed) > 4
    assert [path for path in changed if not any(path.startswith(f"{place}/") for place in places)] == []


def test_a_branch_whose_directory_is_not_there_yet_needs_the_one_above(stage: RealGit, tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", a="1\n")
    common = f"{root}/.git"
    git(root, "branch", "old/work")
    git(root, "pack-refs", "--all")
    assert not os.path.isdir(f"{common}/refs/heads/old")
    places = commit_places(common, common, "old/work")
    assert places == [f"{common}/objects", f"{common}/refs/heads", f"{common}/logs/refs/heads/old"]
