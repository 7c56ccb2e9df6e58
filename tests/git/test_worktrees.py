"""Git's list of worktrees, and what it says about removing one."""

from __future__ import annotations

import pytest

from signaltty_core.git import worktrees

SHA = "a" * 40
PRINTED = (
    f"worktree /r with\nfeed\0HEAD {SHA}\0branch refs/heads/main\0\0"
    f"worktree /w\0HEAD {SHA}\0detached\0locked because\nof me\0\0"
    f"worktree /u\0HEAD {'0' * 40}\0branch refs/heads/deep/x\0prunable gitdir file points to non-existent location\0\0"
    "worktree /b\0bare\0\0"
).encode()


def test_every_field_is_read() -> None:
    flags = {"main": False, "bare": False, "locked": False, "prunable": False}
    assert worktrees.parse(PRINTED) == [
        {"path": "/r with\nfeed", **flags, "main": True, "head": SHA, "branch": "main"},
        {"path": "/w", **flags, "locked": True, "lock_reason": "because\nof me", "head": SHA},
        {"path": "/u", **flags, "prunable": True, "branch": "deep/x"},
        {"path": "/b", **flags, "bare": True},
    ]
    assert worktrees.parse(b"") == []


def test_a_caller_sees_no_reason_of_a_lock() -> None:
    locked = worktrees.parse(PRINTED)[1]
    assert worktrees.shown(locked, "ws_1") == {
        "path": "/w",
        "main": False,
        "bare": False,
        "locked": True,
        "prunable": False,
        "head": SHA,
        "workspace_id": "ws_1",
    }
    assert "workspace_id" not in worktrees.shown(locked, None)


@pytest.mark.parametrize(("index", "word"), [(0, "main"), (1, "locked"), (2, "gone"), (3, "bare")])
def test_main_bare_locked_and_lost_ones_are_not_removed(index: int, word: str) -> None:
    assert word in str(worktrees.removal_fault(worktrees.parse(PRINTED)[index]))


def test_a_worktree_inside_another_is_found() -> None:
    listed = [{"path": path} for path in ("/r", "/w", "/w/in", "/w-beside")]
    assert (worktrees.nested(listed, "/w"), worktrees.nested(listed, "/w/in")) == ("/w/in", None)


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        (b"fatal: Unable to create '/r/.git/refs/heads/b.lock': File exists.", True),
        (b"error: could not lock config file .git/config: File exists", True),
        (b"error: could not lock config file .git/config: Permission denied", False),
        (b"fatal: cannot lock ref 'refs/heads/b': Unable to create '/r/.git/x.lock': File exists.", True),
        (b"fatal: a branch named 'x.lock' already exists", False),
    ],
)
def test_only_lock_files_are_worth_another_try(said: bytes, waits: bool) -> None:
    assert worktrees.is_lock_contention(said) is waits


def test_the_lock_in_the_way_is_named() -> None:
    said = b"fatal: cannot lock ref 'HEAD': Unable to create '/a b/.git/HEAD.lock': File exists.\n\nAnother git process"
    assert worktrees.named_lock(said) == "/a b/.git/HEAD.lock"
    assert worktrees.named_lock(b"fatal: Unable to create '/r/.git/index.lock': Permission denied") is None


def test_a_taken_branch_is_told_from_a_taken_place() -> None:
    assert worktrees.is_taken_branch(b"fatal: a branch named 'b' already exists") is True
    assert worktrees.is_taken_branch(b"fatal: '/trees/b' already exists") is False
