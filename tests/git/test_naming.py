"""Names of branches, refs and worktree paths, as far as they are judged without Git."""

from __future__ import annotations

import subprocess

import pytest

from signaltty_core.git import naming


@pytest.mark.parametrize("name", ["", "-x", "--force", "refs/heads/x", "@{-1}", "a@{1}", "a\0b", "\udc80", "x" * 1025])
def test_names_no_branch_may_have_are_known_without_git(name: str) -> None:
    assert naming.branch_fault(name) is not None


@pytest.mark.parametrize("name", ["main", "feat/é", "a-b", "x" * 1024, "HEAD", "a..b"])
def test_the_rest_is_left_to_git(name: str) -> None:
    assert naming.branch_fault(name) is None
    assert naming.check_branch(name)[-2:] == ["--branch", name]


def test_a_base_ref_is_an_id_or_asked_about() -> None:
    assert [naming.is_object_id(ref) for ref in ("a" * 40, "A" * 40, "a" * 39, "g" * 40, "HEAD")] == [
        *(True, True, False, False, False)
    ]
    assert [naming.ref_fault(ref) is None for ref in ("HEAD", "origin/main", "", "-x", "a\0")] == [
        *(True, True, False, False, False)
    ]


@pytest.mark.parametrize(
    ("label", "branch"),
    [
        (None, "signaltty/task-1234abcd"),
        ("", "signaltty/task-1234abcd"),
        ("Fix it: now", "signaltty/Fix-it--now-1234abcd"),
        ("é_x.y-z/..~", "signaltty/é_x.y-z-.--1234abcd"),
        ("fix the thing...", "signaltty/fix-the-thing.-1234abcd"),
        (".hidden", "signaltty/-hidden-1234abcd"),
        ("....", "signaltty/--1234abcd"),
        ("é" * 200, f"signaltty/{'é' * 80}-1234abcd"),
        ("a.lock", "signaltty/a.lock-1234abcd"),
        ("../../etc", "signaltty/--.-etc-1234abcd"),
    ],
)
def test_a_task_without_a_branch_gets_one_of_its_label(label: str | None, branch: str) -> None:
    assert naming.task_branch(label, "1234abcd") == branch
    run = subprocess.run(naming.check_branch(branch), capture_output=True, text=True, check=True)
    assert run.stdout == branch + "\n"


def test_worktrees_of_repositories_with_one_name_lie_apart() -> None:
    first = naming.worktree_path("/data", "/src/my repo", "signaltty/é-1")
    second = naming.worktree_path("/data", "/other/my repo", "signaltty/é-1")
    assert first == "/data/worktrees/my repo-bb2114e1/signaltty---1"
    assert second.rpartition("/")[0] != first.rpartition("/")[0]
    assert naming.worktree_path("/data", "/", "b").startswith("/data/worktrees/root-")


def test_a_directory_beside_is_not_inside() -> None:
    inside = [naming.is_inside(path, "/a/b") for path in ("/a/b", "/a/b/c", "/a/bc", "/a", "/a/b-other/c")]
    assert inside == [True, True, False, False, False]
    assert naming.is_inside("/x", "/")
