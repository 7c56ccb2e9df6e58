"""`workspace.diff` of a real server, and names and settings that must not matter, over repositories of odd kinds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, counts, lines_of
from tests.e2e.repositories import git, repository, write
from tests.server.rig import running


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with running() as server:
        yield Desk(server)


def test_a_checkout_is_compared_with_its_commit_and_untracked_files_are_named(desk: Desk) -> None:
    root = repository(desk.work / "é pläce/my repo", a="1\n2\n", bin=b"\0\1", **{"sub/b": "x\n"})
    write(root, {"a": "1\nnew\nlines\n", "sub/b": "x\ny\n", "bin": b"\0\2", "sub/new": "one\n", "top": "t"})
    git(root, "add", "sub/b")
    id = desk.open(root / "sub")
    assert desk.diff(id) == {
        "workspace_id": id,
        "scope": "head",
        "branch": "main",
        "files": [
            {"path": "a", "added": 2, "removed": 1, "untracked": False, "binary": False},
            {"path": "bin", "added": 0, "removed": 0, "untracked": False, "binary": True},
            {"path": "sub/b", "added": 1, "removed": 0, "untracked": False, "binary": False},
            {"path": "sub/new", "added": 0, "removed": 0, "untracked": True, "binary": False},
            {"path": "top", "added": 0, "removed": 0, "untracked": True, "binary": False},
        ],
        "dirs": [{"dir": ".", "added": 2, "removed": 1}, {"dir": "sub", "added": 1, "removed": 0}],
        "added": 3,
        "removed": 1,
    }


def test_hunks_have_numbers_on_both_sides(desk: Desk) -> None:
    root = repository(desk.work / "hunks", a="1\n2\n3\n4\n5\n")
    write(root, {"a": "1\n2\n3!\n4\n5"})
    shown = desk.file(desk.open(root), "a")
    assert (shown["path"], shown["untracked"]) == ("a", False)
    (hunk,) = shown["content"].pop("hunks")
    assert shown["content"] == {"kind": "text", "truncated": False, "notice": None}
    assert {key: hunk[key] for key in hunk if key != "lines"} == {
        "old_start": 1,
        "old_count": 5,
        "new_start": 1,
        "new_count": 5,
        "heading": "@@ -1,5 +1,5 @@",
    }
    assert [tuple(line.values()) for line in hunk["lines"]] == [
        ("context", "1", 1, 1),
        ("context", "2", 2, 2),
        ("removed", "3", 3, None),
        ("added", "3!", None, 3),
        ("context", "4", 4, 4),
        ("removed", "5", 5, None),
        ("added", "5", None, 5),
        ("no_newline", "No newline at end of file", None, None),
    ]


def test_before_the_first_commit_everything_staged_counts(desk: Desk) -> None:
    """Edge case 66."""
    root = repository(desk.work / "unborn")
    write(root, {"a": "1\n2\n", "b": "x"})
    git(root, "add", "a")
    id = desk.open(root)
    shown = desk.diff(id)
    assert (shown["branch"], counts(shown)) == ("main", {"a": (2, 0, False, False), "b": (0, 0, True, False)})
    assert lines_of(desk.content(id, "a")) == [("added", "1", None, 1), ("added", "2", None, 2)]


def test_a_detached_checkout_has_no_branch(desk: Desk) -> None:
    root = repository(desk.work / "detached", a="1\n")
    git(root, "checkout", "-q", "--detach")
    assert desk.diff(desk.open(root))["branch"] is None


def test_outside_a_repository_is_a_bad_parameter(desk: Desk) -> None:
    """Edge case 66."""
    outside = desk.work / "outside"
    outside.mkdir()
    bare = desk.work / "bare.git"
    git(desk.work, "init", "-q", "--bare", str(bare))
    for place in (outside, bare):
        id = desk.open(place)
        assert desk.client.refusal("workspace.diff", workspace_id=id)["code"] == "BAD_PARAMS"
        assert desk.client.refusal("workspace.diff", workspace_id=id, scope="turn")["code"] == "BAD_PARAMS"
        assert desk.refusal(id, "a") == "BAD_PARAMS"
    assert desk.client.refusal("workspace.diff", workspace_id=id, scope="all")["code"] == "BAD_PARAMS"
    assert desk.client.refusal("workspace.diff", workspace_id="ws_unknown")["code"] == "NO_SUCH_WORKSPACE"


@pytest.mark.parametrize(
    "name", ["tab\tline\nfeed", "-dash", ":(glob)*", "star*", "ü ö", "--", 'q"uote', "HEAD", "sp/-x"]
)
def test_hostile_names_are_literal(desk: Desk, name: str) -> None:
    """Edge case 59."""
    root = repository(desk.work / f"names{abs(hash(name))}", **{name: "one\n", "starry": "s\n", "sp/y": "y\n"})
    git(root, "config", "diff.relative", "true")
    write(root, {name: "one\ntwo\n", "starry": "changed\n"})
    id = desk.open(root / "sp")
    assert counts(desk.diff(id)) == {name: (1, 0, False, False), "starry": (1, 1, False, False)}
    assert lines_of(desk.content(id, name)) == [("context", "one", 1, 1), ("added", "two", None, 2)]
    git(root, "rm", "-q", "--cached", "--", f":(literal,top){name}")
    git(root, "commit", "-qm", "untrack")
    shown = desk.file(id, name)
    assert (shown["untracked"], lines_of(shown["content"])) == (
        True,
        [("added", "one", None, 1), ("added", "two", None, 2)],
    )


def test_names_that_are_no_utf8_do_not_break_a_summary(desk: Desk) -> None:
    root = repository(desk.work / "latin", a="1\n")
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9")).write_text("x")
    assert counts(desk.diff(desk.open(root))) == {"caf\ufffd": (0, 0, True, False)}


def test_configured_helpers_and_styles_have_no_effect(desk: Desk, tmp_path: Path) -> None:
    """Edge case 60."""
    root = repository(desk.work / "helpers", a="1\n\n3\n", **{".gitattributes": "a diff=custom\n"})
    ran = tmp_path / "ran"
    helper = tmp_path / "helper"
    helper.write_text(f"#!/bin/sh\ntouch {ran}\necho changed\n")
    helper.chmod(0o755)
    settings = {
        "diff.external": helper,
        "diff.custom.command": helper,
        "diff.custom.textconv": helper,
        "core.fsmonitor": helper,
        "core.pager": helper,
        "color.ui": "always",
        "color.diff": "always",
        "diff.suppressBlankEmpty": "true",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.colorMoved": "zebra",
        "diff.orderFile": "/missing",
        "diff.context": "0",
        "diff.interHunkContext": "50",
        "diff.renames": "copies",
        "diff.submodule": "log",
        "diff.outputIndicatorNew": ">",
        "status.showUntrackedFiles": "no",
    }
    for name, value in settings.items():
        git(root, "config", name, str(value))
    write(root, {"a": "1\n\n3!\n"})
    os.rename(root / "a", root / "b")
    write(root, {"a": "1\n\n3!\n"})
    id = desk.open(root)
    assert counts(desk.diff(id)) == {"a": (1, 1, False, False), "b": (0, 0, True, False)}
    assert lines_of(desk.content(id, "a")) == [
        ("context", "1", 1, 1),
        ("context", "", 2, 2),
        ("removed", "3", 3, None),
        ("added", "3!", None, 3),
    ]
    assert not ran.exists()


def test_variables_of_the_server_do_not_lead_elsewhere(tmp_path: Path) -> None:
    hostile = {"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/x", "GIT_DIFF_OPTS": "-u0"}
    with running(started=False) as server:
        server.environ.update(hostile, GIT_OBJECT_DIRECTORY="/x", GIT_EXTERNAL_DIFF="/bin/false")
        server.start()
        desk = Desk(server)
        root = repository(desk.work / "r", a="1\n2\n3\n")
        write(root, {"a": "1\n2\n3!\n"})
        id = desk.open(root)
        assert counts(desk.diff(id)) == {"a": (1, 1, False, False)}
        assert [kind for kind, *_ in lines_of(desk.content(id, "a"))] == ["context", "context", "removed", "added"]
