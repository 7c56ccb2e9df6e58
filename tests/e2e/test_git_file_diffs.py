"""`workspace.file_diff` of a real server: limits, links, pipes, filters, and reads that change nothing."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desk import Desk, counts, end_is_seen, lines_of
from tests.e2e.repositories import git, repository, state, write
from tests.server.rig import is_running, running, wait_until

NOT_THERE = "never from outside"


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with running() as server:
        yield Desk(server)


def test_what_only_line_endings_change_is_unchanged_and_what_is_marked_is_binary(desk: Desk) -> None:
    """Edge case 61."""
    root = repository(
        desk.work / "crlf", a="1\n2\n", dat="text\n", **{".gitattributes": "a text\n*.dat -diff\ndat -diff\n"}
    )
    write(root, {"a": "1\r\n2\r\n", "dat": "other\n", "new.dat": "text\n"})
    id = desk.open(root)
    assert desk.content(id, "a") == {"kind": "unchanged"}
    assert desk.content(id, "dat") == {"kind": "binary"}
    assert desk.content(id, "new.dat") == {"kind": "binary"}
    assert desk.content(id, ".gitattributes") == {"kind": "unchanged"}


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../outside", "./ok", "sub/../ok", ".git/config", "sub/.git/config", "sub/.GIT/x", "missing",
     "ignored", "ok\0", "sub", "sub/", "sub//x", "empty", "\udc80"],
)  # fmt: skip
def test_paths_that_name_no_file_of_the_checkout_are_refused(desk: Desk, path: str) -> None:
    """Edge case 62."""
    root = desk.work / "paths"
    if not root.exists():
        repository(root, ok="1\n", **{"sub/x": "x\n", ".gitignore": "ignored\n"})
        write(root, {"ignored": "x", "sub/new": "x"})
        (root / "empty").mkdir()
        desk.open(root)
    id = next(one["id"] for one in desk.client.call("workspace.list")["workspaces"] if one["cwd"] == str(root))
    assert desk.refusal(id, path) == "BAD_PARAMS"


def test_files_above_the_limits_are_not_shown_whole(desk: Desk) -> None:
    """Edge case 63."""
    half = 512 << 10
    root = repository(desk.work / "limits", tracked="x\n" * 10, was="y" * (half + 1), long="", odd="a\n")
    write(root, {"tracked": "z" * (half + 1), "was": "small\n", "new": "z" * (half + 1), "fits": "z" * half})
    write(root, {"long": "l\n" * 10_001, "new_long": "l\n" * 10_001, "just": "l\n" * 10_000, "odd": b"\xff\xfe\n"})
    write(root, {"new_odd": b"\xff\xfe\n"})
    id = desk.open(root)
    for name in ("tracked", "was", "new"):
        content = desk.content(id, name)
        assert (content["kind"], "512 KiB" in content["reason"]) == ("unavailable", True), name
    for name in ("long", "new_long"):
        content = desk.content(id, name)
        assert (len(lines_of(content)), content["truncated"], bool(content["notice"])) == (10_000, True, True), name
        assert lines_of(content)[-1] == ("added", "l", None, 10_000)
    assert [len(lines_of(desk.content(id, name))) for name in ("just", "fits")] == [10_000, 2]
    assert desk.content(id, "just")["truncated"] is False
    for name in ("odd", "new_odd"):
        assert desk.content(id, name)["kind"] == "unavailable", name


def test_nothing_outside_is_shown_through_a_link(desk: Desk) -> None:
    """Edge case 64."""
    outside = desk.work / "secrets"
    outside.mkdir()
    write(outside, {"x": NOT_THERE, "file": NOT_THERE})
    root = repository(desk.work / "links", a="1\n", **{"dir/x": "x\n"})
    os.unlink(root / "a")
    os.symlink(outside / "file", root / "a")
    os.unlink(root / "dir/x")
    os.rmdir(root / "dir")
    os.symlink(outside, root / "dir")
    os.symlink(outside / "file", root / "new")
    id = desk.open(root)
    assert lines_of(desk.content(id, "a")) == [
        ("removed", "1", 1, None),
        ("added", f"{outside}/file", None, 1),
        ("no_newline", "No newline at end of file", None, None),
    ]
    shown = [desk.content(id, name) for name in ("dir/x", "new", "dir", "dir/file")]
    assert lines_of(shown[0]) == [("removed", "x", 1, None)]
    assert [one["kind"] for one in shown[1:]] == ["unavailable"] * 3
    assert NOT_THERE not in str(shown)
    assert counts(desk.diff(id))["dir"] == (0, 0, True, False)


def test_a_pipe_is_answered_at_once(desk: Desk) -> None:
    """Edge case 64."""
    root = repository(desk.work / "pipes", a="1\n")
    os.mkfifo(root / "new")
    os.unlink(root / "a")
    os.mkfifo(root / "a")
    id = desk.open(root)
    assert [desk.content(id, name)["kind"] for name in ("new", "a")] == ["unavailable", "unavailable"]


def test_what_has_no_lines_says_so(desk: Desk) -> None:
    root = repository(desk.work / "modes", a="1\n", was="")
    (root / "a").chmod(0o755)
    os.unlink(root / "was")
    write(root, {"new": "", "staged": ""})
    git(root, "add", "staged")
    id = desk.open(root)
    shown = {name: desk.content(id, name) for name in ("a", "was", "new", "staged")}
    assert {name: one["notice"] for name, one in shown.items()} == {
        "a": "only the mode changed: 100644 to 100755",
        "was": "the file was empty and is deleted",
        "new": "the file is empty",
        "staged": "the file is new and empty",
    }
    assert [(one["kind"], one["hunks"], one["truncated"]) for one in shown.values()] == [("text", [], False)] * 4


def test_staged_deleted_and_mixed_states_show_the_same_as_git(desk: Desk) -> None:
    names = ("plain", "staged", "mixed", "mode", "gone", "unstaged gone", "crlf", "marked", "undone", "new")
    attributes = "crlf text\nmarked -diff\n"
    root = repository(desk.work / "states", **{name: "1\n2\n" for name in names[:-1]}, **{".gitattributes": attributes})
    write(root, {name: "1\n2!\n" for name in ("plain", "staged", "mixed", "marked", "undone", "new")})
    write(root, {"crlf": "1\r\n2!\r\n"})
    (root / "mode").chmod(0o755)
    git(root, "add", "staged", "mixed", "mode", "crlf", "marked", "undone", "new")
    git(root, "rm", "-q", "gone")
    os.unlink(root / "unstaged gone")
    write(root, {"mixed": "1\n2!\n3\n", "undone": "1\n2\n"})
    id = desk.open(root)
    for name in names:
        content = desk.content(id, name)
        printed = git(root, "diff", "HEAD", "--", name).split("\n")
        hunks = [line for line in printed[next((i for i, line in enumerate(printed) if line[:3] == "@@ "), 99) :]]
        if name == "marked":
            assert content == {"kind": "binary"}
        elif not any(printed):
            assert (name, content) == ("undone", {"kind": "unchanged"})
        else:
            shown = [one["heading"] for one in content["hunks"]]
            signs = {"context": " ", "added": "+", "removed": "-"}
            shown += [signs[kind] + text for kind, text, *_ in lines_of(content)]
            assert (name, shown) == (name, hunks)


def test_a_submodule_is_shown_as_the_commit_it_is_at(desk: Desk) -> None:
    inner = repository(desk.work / "inner", x="1\n")
    root = repository(desk.work / "outer", a="1\n")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "-qm", "sub")
    first = git(root / "sub", "rev-parse", "HEAD")
    write(root / "sub", {"x": "2\n"})
    git(root / "sub", "commit", "-qam", "two")
    second = git(root / "sub", "rev-parse", "HEAD")
    id = desk.open(root)
    assert counts(desk.diff(id)) == {"sub": (1, 1, False, False)}
    assert lines_of(desk.content(id, "sub")) == [
        ("removed", f"Subproject commit {first}", 1, None),
        ("added", f"Subproject commit {second}", None, 1),
    ]
    assert desk.refusal(id, "sub/x") == "BAD_PARAMS"


def test_a_linked_and_a_shallow_checkout_are_checkouts(desk: Desk) -> None:
    root = repository(desk.work / "origin", a="1\n")
    write(root, {"a": "2\n"})
    git(root, "commit", "-qam", "two")
    git(root, "worktree", "add", "-q", "-b", "deep/branch/name", str(desk.work / "linked"))
    git(desk.work, "clone", "-q", "--depth=1", f"file://{root}", str(desk.work / "shallow"))
    for name, branch in (("linked", "deep/branch/name"), ("shallow", "main")):
        write(desk.work / name, {"a": "3\n"})
        shown = desk.diff(desk.open(desk.work / name))
        assert (shown["branch"], counts(shown)) == (branch, {"a": (1, 1, False, False)})


def test_a_conflicted_file_is_listed_once(desk: Desk) -> None:
    root = repository(desk.work / "conflict", a="1\n")
    git(root, "checkout", "-qb", "other")
    write(root, {"a": "2\n"})
    git(root, "commit", "-qam", "two")
    git(root, "checkout", "-q", "main")
    write(root, {"a": "3\n"})
    git(root, "commit", "-qam", "three")
    subprocess.run(["git", "merge", "-q", "other"], cwd=root, capture_output=True, check=False)
    assert list(counts(desk.diff(desk.open(root)))) == ["a"]


def test_a_filter_that_sleeps_is_ended_with_its_children(desk: Desk, tmp_path: Path) -> None:
    """Edge cases 5 and 65."""
    root = repository(desk.work / "filter", a="1\n", **{".gitattributes": "a filter=slow\n"})
    script = tmp_path / "slow"
    script.write_text(
        f"#!/bin/sh\nsleep 300 &\necho $$ $! > {tmp_path}/pids.new\nmv {tmp_path}/pids.new {tmp_path}/pids\nwait\n"
    )
    script.chmod(0o755)
    git(root, "config", "filter.slow.clean", str(script))
    write(root, {"a": "2\n"})
    id = desk.open(root)  # its own look at the files has run the filter, too
    (tmp_path / "pids").unlink(missing_ok=True)
    slow = desk.client.send("workspace.file_diff", workspace_id=id, path="a")
    wait_until((tmp_path / "pids").exists, "the filter")
    beside = desk.server.client()
    beside.call("server.status")
    assert is_running(int((tmp_path / "pids").read_text().split()[0]))
    until = time.monotonic() + 10
    reply = desk.client.reply(slow)
    assert (reply["error"]["code"], time.monotonic() < until) == ("TIMEOUT", True)
    for pid in (tmp_path / "pids").read_text().split():
        end_is_seen(int(pid))


def test_reads_change_nothing_and_tell_nobody(desk: Desk) -> None:
    """Edge case 67."""
    root = repository(desk.work / "still", a="1\n", b="2\n", **{"sub/c": "3\n"})
    write(root, {"b": "changed\n", "new": "x\n"})
    os.utime(root / "a", (1, 1))  # the index would be refreshed for it
    id = desk.open(root / "sub")
    before, seq = state(root), desk.client.call("server.status")["seq"]
    desk.diff(id)
    for name in ("a", "b", "new", "sub/c"):
        desk.file(id, name)
    desk.diff(id, scope="turn")
    desk.client.call("worktree.list", workspace_id=id)
    assert state(root) == before
    assert desk.client.call("server.status")["seq"] == seq
    assert [name for name in os.listdir(desk.server.runtime) if name.startswith("git-")] == []
