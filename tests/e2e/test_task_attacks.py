"""Tasks where something is wrong with the place, the names, the repository or its hooks: a clear refusal, and nothing
lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.yard import COMMIT, REPORT, Yard, git, hook, snapshot
from tests.server.rig import Record, running


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MERGE_TIMEOUT_MS="5000")
        server.start("--max-tasks", "60")
        yield Yard(server)


def start(repo: Path, **params: object) -> Record:
    return {"repo": str(repo), "contract": {"objective": "x"}, "argv": ["sleep", "300"], **params}


def committed(yard: Yard, repo: Path, files: dict[bytes, bytes], **params: object) -> Record:
    """A completed task in whose worktree the files were committed, by us instead of its worker."""
    task: Record = yard.client.call("task.start", **start(repo, **params))["task"]
    tree = task["worktree_path"].encode()
    for name, data in files.items():
        Path(os.fsdecode(os.path.join(tree, name))).write_bytes(data)
    git(task["worktree_path"], "add", "-A")
    git(task["worktree_path"], "commit", "-qm", "work")
    yard.client.call("task.report", task_id=task["id"], status="completed", summary="done")
    return yard.task(task["id"], "completed")


@pytest.mark.parametrize(
    "place", ["file", "pipe", "link to file", "dangling link", "below a file", "very long", "in .git"]
)
def test_a_place_that_can_be_no_worktree_is_refused_and_stays(yard: Yard, place: str) -> None:
    repo = yard.repository()
    base = yard.directory / f"place of {repo.name}"
    base.mkdir()
    (base / "file").write_text("mine")
    os.mkfifo(base / "pipe")
    (base / "link to file").symlink_to("file")
    (base / "dangling link").symlink_to("file/nowhere")
    paths = {"below a file": base / "file/x", "very long": base / ("x" * 300), "in .git": repo / ".git/objects"}
    path = paths.get(place, base / place)
    before = snapshot(repo), sorted(os.listdir(base))
    refused = yard.client.refusal("task.start", **start(repo, path=str(path)))
    assert refused["code"] in ("BAD_PARAMS", "IO_ERROR"), refused
    assert "task_id" not in refused["details"]
    assert (snapshot(repo), sorted(os.listdir(base))) == before
    assert (base / "file").read_text() == "mine" and git(repo, "worktree", "list").count("\n") == 0


def test_a_place_with_a_link_on_the_way_is_where_that_leads(yard: Yard) -> None:
    repo = yard.repository()
    real = yard.directory / "really here"
    real.mkdir()
    link = yard.directory / "looks here"
    link.symlink_to(real)
    task = committed(yard, repo, {b"new": b"x\n"}, path=f"{link}/../looks here/tree")
    assert task["worktree_path"] == str(real / "tree")
    yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert (os.listdir(real), (repo / "new").read_text()) == ([], "x\n")


@pytest.mark.parametrize("what", ["file", "pipe", "missing", "git directory", "link to nowhere"])
def test_a_repository_that_is_none_is_refused_at_once(yard: Yard, what: str) -> None:
    repo = yard.repository()
    os.mkfifo(repo / "pipe")
    (repo / "nowhere").symlink_to("gone")
    path = {"file": repo / "a.txt", "pipe": repo / "pipe", "missing": repo / "none", "git directory": repo / ".git"}
    refused = yard.client.refusal("task.start", **start(path.get(what, repo / "nowhere")))
    assert refused["code"] == "BAD_PARAMS", refused


def test_a_branch_in_the_way_of_the_new_one_is_an_error_that_leaves_nothing(yard: Yard) -> None:
    repo = yard.repository()
    git(repo, "branch", "signaltty")
    git(repo, "branch", "deep/er")
    before = snapshot(repo)
    for params in ({}, {"branch": "deep/er/still"}, {"branch": "deep"}, {"branch": "main"}):
        refused = yard.client.refusal("task.start", **start(repo, **params))
        assert refused["code"] == "IO_ERROR", (params, refused)
    for branch in ("HEAD", "-", "a b", "a\nb", "x.lock", "a//b", "/a", "a/", "a\0b", "x" * 2000):
        assert yard.client.refusal("task.start", **start(repo, branch=branch))["code"] == "BAD_PARAMS", branch
    assert snapshot(repo) == before and git(repo, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize("target", ["--abort", "-m", "", "main~1", "refs/heads/main", "HEAD", "main\n"])
def test_a_target_that_is_not_the_very_branch_is_refused(yard: Yard, target: str) -> None:
    repo = yard.repository()
    task = committed(yard, repo, {b"new": b"x\n"})
    before = snapshot(repo)
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge", target_ref=target)
    assert (refused["code"], refused["details"]) == ("BAD_PARAMS", {"expected": target, "actual": "main"})
    assert snapshot(repo) == before
    yard.client.call("task.finish", task_id=task["id"], mode="discard")


def test_names_that_are_no_utf8_conflict_and_merge_like_any_other(yard: Yard) -> None:
    repo = yard.repository()
    task = committed(yard, repo, {b"\xff\xfe.txt": b"ours\n", b"tab\tand\nline": b"x\n"})
    Path(os.fsdecode(os.path.join(os.fsencode(repo), b"\xff\xfe.txt"))).write_bytes(b"theirs\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "theirs")
    before = snapshot(repo)
    shown = yard.client.call("task.diff", task_id=task["id"])
    assert [file["path"] for file in shown["files"]] == ["tab\tand\nline", "\ufffd\ufffd.txt"]
    assert shown["merge_preview"] == {"target": "main", "clean": False, "conflicted": ["\ufffd\ufffd.txt"]}
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge")
    assert (refused["code"], refused["details"]) == ("MERGE_CONFLICT", {"conflicted": ["\ufffd\ufffd.txt"]})
    assert snapshot(repo) == before
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert (repo / "tab\tand\nline").read_text() == "x\n"


def test_an_untracked_file_of_the_target_is_not_overwritten(yard: Yard) -> None:
    repo = yard.repository()
    task = committed(yard, repo, {b"new": b"theirs\n"})
    (repo / "new").write_text("mine\n")
    before = snapshot(repo)
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge")
    assert (refused["code"], "overwritten" in refused["message"]) == ("IO_ERROR", True)
    assert snapshot(repo) == before
    (repo / "new").unlink()
    yard.client.call("task.finish", task_id=task["id"], mode="merge")


def test_unrelated_histories_are_not_merged(yard: Yard) -> None:
    repo = yard.repository()
    task = committed(yard, repo, {b"new": b"x\n"})
    git(task["worktree_path"], "checkout", "-q", "--orphan", "fresh")
    git(task["worktree_path"], "commit", "-qm", "fresh")
    git(task["worktree_path"], "branch", "-qf", task["branch"], "HEAD")
    git(task["worktree_path"], "checkout", "-q", task["branch"])
    before = snapshot(repo)
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge")
    assert (refused["code"], "unrelated histories" in refused["message"]) == ("IO_ERROR", True)
    assert snapshot(repo) == before


def test_files_of_every_kind_in_a_worktree_are_shown_without_being_opened(yard: Yard) -> None:
    """Edge case 80."""
    repo = yard.repository()
    secret = yard.directory / "secret.txt"
    secret.write_text("SECRET\n")
    task: Record = yard.client.call("task.start", **start(repo))["task"]
    tree = Path(task["worktree_path"])
    os.mkfifo(tree / "pipe")
    (tree / "link").symlink_to(secret)
    (tree / "folder").symlink_to(yard.directory)
    (tree / "a.txt").unlink()
    (tree / "a.txt").symlink_to(secret)
    shown = yard.client.call("task.diff", task_id=task["id"])
    assert {file["path"]: (file["added"], file["binary"]) for file in shown["files"] if file["untracked"]} == {
        "folder": (0, True),
        "link": (0, True),
    }
    seen = [yard.client.call("task.file_diff", task_id=task["id"], path=name) for name in ("pipe", "link", "a.txt")]
    assert [one["content"]["kind"] for one in seen] == ["unavailable", "unavailable", "text"]
    assert "SECRET" not in repr(shown) + repr(seen)
    for path in ("../secret.txt", "folder/secret.txt", ".git", ".git/config", "/etc/passwd", "-x", ":(top)a.txt"):
        reply = yard.client.reply(yard.client.send("task.file_diff", task_id=task["id"], path=path))
        assert "SECRET" not in repr(reply)
        assert (reply["error"]["code"] == "BAD_PARAMS") if not reply["ok"] else (path == "folder/secret.txt"), reply
    yard.client.call("task.finish", task_id=task["id"], mode="discard")
    assert secret.read_text() == "SECRET\n" and not tree.exists()


def test_a_worktree_replaced_by_a_link_costs_nobody_anything(yard: Yard) -> None:
    """The worker has moved its directory away and left a link to somebody's work."""
    repo, theirs = yard.repository(), yard.repository()
    task = committed(yard, repo, {b"new": b"x\n"})
    path = Path(task["worktree_path"])
    path.rename(f"{path}-moved")
    path.symlink_to(theirs)
    before = snapshot(repo), snapshot(theirs)
    assert yard.client.refusal("task.diff", task_id=task["id"])["code"] == "IO_ERROR"
    done = yard.client.call("task.finish", task_id=task["id"], mode="discard", delete_branch=True)
    assert "replaced by a link" in done["cleanup_error"] and done["task"]["disposition"]["branch_deleted"] is False
    assert (snapshot(repo), snapshot(theirs)) == before
    path.unlink()
    Path(f"{path}-moved").rename(path)
    again = yard.client.call("task.finish", task_id=task["id"], mode="discard", delete_branch=True)
    assert "cleanup_error" not in again and not path.exists()


def test_a_submodule_in_a_worktree_is_merged_and_removed_with_it(yard: Yard) -> None:
    repo, part = yard.repository(), yard.repository()
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "part")
    git(repo, "commit", "-qm", "part")
    task: Record = yard.client.call("task.start", **start(repo))["task"]
    tree = task["worktree_path"]
    git(tree, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
    Path(tree, "part/a.txt").write_text("changed\n")
    yard.client.call("task.report", task_id=task["id"], status="completed", summary="done")
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge")
    assert (refused["code"], "not committed" in refused["message"]) == ("BAD_PARAMS", True)
    git(f"{tree}/part", "checkout", "-q", "a.txt")
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert "cleanup_error" not in done and not os.path.exists(tree)
    assert (repo / "part/a.txt").read_text() == "one\n"
    inside = yard.client.call("task.start", **start(repo / "part"))["task"]
    assert inside["source_repo"] == str(repo / "part")
    yard.client.call("task.finish", task_id=inside["id"], mode="discard")


def test_a_shallow_clone_takes_a_task_and_its_merge(yard: Yard) -> None:
    origin = yard.repository()
    git(origin, "commit", "-q", "--allow-empty", "-m", "second")
    shallow = yard.directory / "shallow clone"
    git(yard.directory, "clone", "-q", "--depth", "1", f"file://{origin}", str(shallow))
    for name in ("user.email", "user.name"):
        git(shallow, "config", name, "t@example.org")
    task = committed(yard, shallow, {b"new": b"x\n"}, base_ref="origin/main", fetch_first=True)
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert done["merge"]["sha"] == git(shallow, "rev-parse", "HEAD")


def test_hooks_and_filters_of_the_repository_that_fail_lose_nothing(yard: Yard) -> None:
    repo = yard.repository()
    git(repo, "config", "filter.broken.clean", "cat")
    git(repo, "config", "filter.broken.smudge", "false")
    git(repo, "config", "filter.broken.required", "true")
    (repo / ".gitattributes").write_text("*.bad filter=broken\n")
    (repo / "x.bad").write_text("x\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "broken")
    hook(repo, "reference-transaction", 'test "$1" != prepared || exit 1')
    before = snapshot(repo)
    for _ in range(2):
        assert yard.client.refusal("task.start", **start(repo))["code"] == "IO_ERROR"
        assert snapshot(repo) == before and git(repo, "worktree", "list").count("\n") == 0
        (repo / ".git/hooks/reference-transaction").unlink(missing_ok=True)  # then the filter fails
    git(repo, "config", "--unset", "filter.broken.required")
    done = yard.client.call("task.finish", task_id=committed(yard, repo, {b"new": b"x\n"})["id"], mode="merge")
    assert done["task"]["disposition"]["outcome"] == "merged"


def test_a_task_in_the_worktree_of_a_task_keeps_that_one_until_it_is_gone(yard: Yard) -> None:
    """A worktree made below another; the outer one would take the inner one's work with it."""
    repo = yard.repository()
    outer = committed(yard, repo, {b"new": b"x\n"})
    inner = committed(yard, repo, {b"other": b"y\n"}, path=f"{outer['worktree_path']}/deep/inner")
    yard.client.call("pane.close", pane_id=inner["pane_id"])
    Path(inner["worktree_path"], "unsaved").write_text("u")
    assert yard.client.refusal("task.finish", task_id=outer["id"], mode="merge")["code"] == "BAD_PARAMS"
    done = yard.client.call("task.finish", task_id=outer["id"], mode="discard")
    assert "is inside it" in done["cleanup_error"] and Path(inner["worktree_path"], "unsaved").exists()
    yard.client.call("task.finish", task_id=inner["id"], mode="discard")
    again = yard.client.call("task.finish", task_id=outer["id"], mode="discard")
    assert "cleanup_error" not in again and not Path(outer["worktree_path"]).exists()


def test_a_task_of_a_task_can_be_finished_when_the_outer_one_is_gone(yard: Yard) -> None:
    repo = yard.repository()
    outer = committed(yard, repo, {b"new": b"x\n"})
    inner = committed(yard, Path(outer["worktree_path"]), {b"other": b"y\n"})
    assert inner["target_branch"] == outer["branch"]
    yard.client.call("task.finish", task_id=outer["id"], mode="merge", delete_branch=False)
    assert yard.client.refusal("task.finish", task_id=inner["id"], mode="merge")["code"] == "IO_ERROR"
    assert Path(inner["worktree_path"], "other").exists()
    done = yard.client.call("task.finish", task_id=inner["id"], mode="discard", delete_branch=True)
    assert "cleanup_error" not in done and git(repo, "worktree", "list").count("\n") == 0


def test_a_place_that_cannot_be_told_is_refused(yard: Yard) -> None:
    """Its name is no UTF-8; links lead there that have a name."""
    repo = yard.repository()
    odd = os.fsencode(yard.directory) + b"/\xff odd"
    os.mkdir(odd)
    link = yard.directory / "told"
    link.symlink_to(os.fsdecode(odd))
    assert yard.client.refusal("task.start", **start(repo, path=f"{link}/tree"))["code"] == "BAD_PARAMS"
    git(repo, "clone", "-q", ".", os.fsdecode(odd + b"/repo"))
    assert yard.client.refusal("task.start", **start(link / "repo"))["code"] == "BAD_PARAMS"
    id = yard.client.call("workspace.create", cwd=str(repo))["workspace"]["id"]
    refused = yard.client.refusal("worktree.create", workspace_id=id, path=f"{link}/tree", branch="b")
    assert (refused["code"], os.listdir(odd)) == ("BAD_PARAMS", [b"repo"])


def test_any_label_starts_a_task(yard: Yard) -> None:
    repo = yard.repository()
    for label in ("fix the thing...", "../../etc", ".", "-x", "é" * 300, "a\nb\x1b[31m", "  "):
        made = yard.client.call("task.start", **start(repo, label=label))
        path = Path(made["task"]["worktree_path"])
        assert path.is_dir() and path.parent.parent.name == "worktrees", label
        yard.client.call("task.finish", task_id=made["task"]["id"], mode="discard", delete_branch=True)
    assert git(repo, "branch", "--format=%(refname:short)") == "main"


def test_a_worker_s_work_is_there_after_every_refusal(yard: Yard) -> None:
    """One after the other: wrong branch, dirty target, failing hook, then the merge."""
    repo = yard.repository()
    task = yard.finished(repo, then=f"{COMMIT}; {REPORT}")
    git(repo, "checkout", "-q", "-b", "elsewhere")
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "BAD_PARAMS"
    git(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("changed\n")
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "BAD_PARAMS"
    git(repo, "checkout", "-q", "a.txt")
    hook(repo, "pre-merge-commit", "exit 1")
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "IO_ERROR"
    (repo / ".git/hooks/pre-merge-commit").unlink()
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert "finish_error" not in done["task"] and (repo / "result.txt").read_text() == "done\n"
