"""What a workspace shows of its repository, from what a real Git answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from signaltty_core.git import info


def git(directory: Path, *words: str) -> bytes:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    names = ["-c", "user.email=a@b", "-c", "user.name=n", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *names, *words], cwd=directory, env=environ, check=True, capture_output=True).stdout


def look(directory: Path) -> dict[str, object]:
    environ = info.environment(dict(os.environ))
    root, status = (
        subprocess.run(words, cwd=directory, env=environ, check=True, capture_output=True).stdout
        for words in (info.ROOT, info.STATUS)
    )
    return info.parse(root, status)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "my repo"
    made.mkdir()
    git(made, "init", "-q")
    (made / "file").write_text("one")
    git(made, "add", "file")
    git(made, "commit", "-qm", "one")
    return made


def test_a_clean_checkout(repository: Path) -> None:
    assert look(repository) == {
        "root": str(repository),
        "name": "my repo",
        "branch": "main",
        "detached": False,
        "dirty": False,
    }


def test_a_subdirectory_shows_its_root(repository: Path) -> None:
    (repository / "sub").mkdir()
    assert look(repository / "sub")["root"] == str(repository)


def test_untracked_paths_are_not_dirty_and_changed_ones_are(repository: Path) -> None:
    (repository / "new").write_text("x")
    assert look(repository)["dirty"] is False
    (repository / "file").write_text("two")
    assert look(repository)["dirty"] is True


@pytest.mark.parametrize("change", [["mv", "file", "other"], ["rm", "-q", "file"]])
def test_staged_renames_and_deletions_are_dirty(repository: Path, change: list[str]) -> None:
    git(repository, *change)
    assert look(repository)["dirty"] is True


def test_without_a_commit_there_is_a_branch_all_the_same(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert look(tmp_path)["branch"] == "main"


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    found = look(repository)
    assert (found["detached"], "branch" in found) == (True, False)


def test_odd_branch_names_are_kept(repository: Path) -> None:
    git(repository, "checkout", "-qb", "fix/ä-1")
    assert look(repository)["branch"] == "fix/ä-1"


def test_a_conflict_is_dirty(repository: Path) -> None:
    git(repository, "checkout", "-qb", "a")
    (repository / "file").write_text("a")
    git(repository, "commit", "-qam", "a")
    git(repository, "checkout", "-q", "main")
    (repository / "file").write_text("b")
    git(repository, "commit", "-qam", "b")
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "-q", "a")
    assert look(repository)["dirty"] is True


def test_a_status_that_took_too_long_leaves_dirty_unknown() -> None:
    assert info.parse(b"/r\n", None) == {"root": "/r", "name": "r", "detached": False}


def test_a_name_with_a_line_break_at_the_root_is_survived() -> None:
    assert info.parse(b"/\n", b"")["name"] == "/"


def test_a_repository_named_by_the_environment_is_not_looked_at(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    environ = info.environment({**os.environ, "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)})
    assert [name for name in environ if name.startswith("GIT_")] == ["GIT_TERMINAL_PROMPT", "GIT_PAGER"]
    said = subprocess.run(info.ROOT, cwd=repository, env=environ, capture_output=True, check=True).stdout
    assert said.decode().strip() == str(repository)
