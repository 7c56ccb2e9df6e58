"""Diffs against a base, and merges tried dry, in real repositories; what callers see is in tests/e2e."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from signaltty_core.base.errors import BadParams, IoError
from signaltty_core.methods.checkouts import git_diffs
from tests.e2e.repositories import git, repository, state, write
from tests.methods.real_git import RealGit


@pytest.fixture
def stage(tmp_path: Path) -> RealGit:
    return RealGit(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", a="1\n2\n", both="x\n", **{"sub/b": "b\n"})


def objects(root: Path) -> set[str]:
    return {os.path.join(folder, name) for folder, _, names in os.walk(root / ".git/objects") for name in names}


def test_against_a_base_untracked_lines_count(stage: RealGit, root: Path) -> None:
    base = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "-qb", "work")
    write(root, {"a": "1\n2\n3\n"})
    git(root, "commit", "-qam", "committed counts")
    write(root, {"sub/b": "", "sub/new": "1\n2", "nul": b"\0", "empty": "", "big": "x\n" * (256 << 10) + "x"})
    os.symlink("/etc/passwd", root / "link")
    before = state(root)
    found = stage.do(git_diffs.against_base(stage.call(), str(root), base))
    assert found == {
        "branch": "work",
        "files": [
            {"path": path, "added": added, "removed": removed, "untracked": new, "binary": binary}
            for path, added, removed, new, binary in (
                ("a", 1, 0, False, False),
                ("big", 0, 0, True, True),
                ("empty", 0, 0, True, False),
                ("link", 0, 0, True, True),
                ("nul", 0, 0, True, True),
                ("sub/b", 0, 1, False, False),
                ("sub/new", 2, 0, True, False),
            )
        ],
        "dirs": [{"dir": ".", "added": 1, "removed": 0}, {"dir": "sub", "added": 2, "removed": 1}],
        "added": 3,
        "removed": 1,
    }
    assert state(root) == before
    for missing in ("f" * 40, "0" * 40):
        with pytest.raises(IoError):
            stage.do(git_diffs.against_base(stage.call(), str(root), missing))


def test_one_file_against_a_base(stage: RealGit, root: Path) -> None:
    base = git(root, "rev-parse", "HEAD")
    write(root, {"a": "1\n2\n3\n", "new": "n\n", "added": "x\n"})
    git(root, "add", "added")
    git(root, "commit", "-qam", "committed")
    os.unlink(root / "both")

    def show(path: str) -> tuple[bool, list[tuple[str, str]]]:
        untracked, content = stage.do(git_diffs.file_of_checkout(stage.call(), str(root), path, base))
        return untracked, [(line["kind"], line["text"]) for hunk in content["hunks"] for line in hunk["lines"]]

    assert show("a") == (False, [("context", "1"), ("context", "2"), ("added", "3")])
    assert show("added") == (False, [("added", "x")])
    assert show("both") == (False, [("removed", "x")])
    assert show("new") == (True, [("added", "n")])
    with pytest.raises(BadParams):
        show("sub")


def test_a_merge_is_tried_and_leaves_nothing(stage: RealGit, root: Path) -> None:
    git(root, "checkout", "-qb", "clean")
    write(root, {"a": "1\n2\n3\n"})
    git(root, "commit", "-qam", "clean")
    git(root, "checkout", "-qb", "clash", "main")
    write(root, {"both": "theirs\n", "sub/b": "theirs\n"})
    git(root, "commit", "-qam", "clash")
    git(root, "checkout", "-q", "main")
    write(root, {"both": "ours\n", "sub/b": "ours\n"})
    git(root, "commit", "-qam", "ours")
    unrelated = git(root, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "unrelated")
    before, stored = state(root), objects(root)

    def preview(target: str, tip: str) -> object:
        return stage.do(git_diffs.merge_preview(stage.call(), str(root), target, git(root, "rev-parse", tip)))

    assert preview("main", "clean") == {"target": "main", "clean": True, "conflicted": []}
    assert preview("main", "clash") == {"target": "main", "clean": False, "conflicted": ["both", "sub/b"]}
    assert preview("missing", "clean") is None
    assert preview("main", unrelated) is None
    assert (state(root), objects(root)) == (before, stored)
    assert os.listdir(root.parent / "private") == []


def test_a_capture_stores_a_tree_and_nothing_else(stage: RealGit, root: Path) -> None:
    write(root, {"a": "changed\n", "new": "x\n", ".gitignore": "ignored\n", "ignored": "x"})
    before = state(root)
    tree = stage.do(git_diffs.capture(stage.call(), str(root)))
    assert git(root, "ls-tree", "-r", "--name-only", tree).split() == [".gitignore", "a", "both", "new", "sub/b"]
    assert git(root, "show", f"{tree}:a") == "changed"
    assert state(root) == before
    unborn = repository(root.parent / "unborn")
    assert stage.do(git_diffs.capture(stage.call(), str(unborn))) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
