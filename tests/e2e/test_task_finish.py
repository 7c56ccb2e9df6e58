"""Finished tasks: merged or discarded, or everything exactly as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.yard import COMMIT, REPORT, Yard, git, hook, snapshot
from tests.server.rig import is_running, running


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MERGE_TIMEOUT_MS="1500")
        server.start("--max-tasks", "12")
        yield Yard(server)


def test_a_finished_task_is_merged_and_everything_of_it_goes(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo)
    diff = yard.client.call("task.diff", task_id=task["id"])
    assert [file["path"] for file in diff["files"]] == ["result.txt"]
    assert diff["merge_preview"] == {"target": "main", "clean": True, "conflicted": []}
    content = yard.client.call("task.file_diff", task_id=task["id"], path="result.txt")["content"]
    assert content["hunks"][0]["lines"][0]["text"] == "done"
    listener = yard.shop.server.client()
    listener.call("subscribe", events=["task.updated", "workspace.closed", "attention.cleared"])
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert done["merge"] == {"target": "main", "sha": git(repo, "rev-parse", "HEAD")}
    assert (repo / "result.txt").read_text() == "done\n"
    assert git(repo, "log", "-1", "--format=%s") == f"Merge branch '{task['branch']}'"
    disposition = done["task"]["disposition"]
    assert (disposition["outcome"], disposition["target_ref"], disposition["branch_deleted"]) == (
        "merged",
        "main",
        True,
    )
    assert done["task"]["state"] == "completed" and "finish_error" not in done["task"]
    assert listener.event("task.updated")["payload"]["task_id"] == task["id"]
    listener.event("workspace.closed")
    assert not Path(task["worktree_path"]).exists()
    assert git(repo, "branch", "--list", task["branch"]) == "" and git(repo, "worktree", "list").count("\n") == 0
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "BAD_PARAMS"


@pytest.mark.parametrize("mode", ["merge", "discard"])
def test_a_branch_that_was_there_before_is_never_deleted(yard: Yard, mode: str) -> None:
    repo = yard.repository()
    git(repo, "branch", "topic")
    task = yard.finished(repo, branch="topic")
    done = yard.client.call("task.finish", task_id=task["id"], mode=mode, delete_branch=True)
    assert (done["task"]["disposition"]["branch_deleted"], done.get("cleanup_error")) == (False, None)
    assert git(repo, "branch", "--list", "topic").strip() == "topic"
    assert not Path(task["worktree_path"]).exists()


def test_a_tag_of_the_branch_s_name_is_not_merged_instead(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo)
    git(repo, "tag", task["branch"], task["base_sha"])
    yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert (repo / "result.txt").exists()


def test_looking_at_a_task_writes_nothing(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo, then=f"{COMMIT}; echo 2 >> a.txt; echo n > new.txt; {REPORT}")
    tree = Path(task["worktree_path"])
    index = Path(git(tree, "rev-parse", "--path-format=absolute", "--git-path", "index"))
    os.utime(tree / "a.txt", (1, 1))  # so that the index has something to refresh
    before = (index.read_bytes(), snapshot(repo), git(repo, "count-objects", "-v"))
    files = yard.client.call("task.diff", task_id=task["id"])["files"]
    assert [(file["path"], file["added"], file["untracked"]) for file in files] == [
        ("a.txt", 1, False),
        ("new.txt", 1, True),
        ("result.txt", 1, False),
    ]
    for name in ("a.txt", "new.txt", "result.txt"):
        assert yard.client.call("task.file_diff", task_id=task["id"], path=name)["content"]["kind"] == "text"
    assert (index.read_bytes(), snapshot(repo), git(repo, "count-objects", "-v")) == before
    (tree / "pipe").unlink(missing_ok=True)
    os.mkfifo(tree / "pipe")
    (tree / "link").symlink_to("/etc/passwd")
    (tree / "big").write_text("x\n" * 300_000)
    odd = {file["path"]: file for file in yard.client.call("task.diff", task_id=task["id"])["files"]}
    assert all(odd[name]["binary"] and odd[name]["added"] == 0 for name in ("link", "big"))


def conflicting(repo: Path) -> None:
    (repo / "result.txt").write_text("theirs\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "theirs")


def dirty(repo: Path) -> None:
    (repo / "a.txt").write_text("changed\n")


def elsewhere(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "elsewhere")


def refusing_hook(repo: Path) -> None:
    hook(repo, "pre-merge-commit", "echo no such thing >&2; exit 1")


def refusing_message(repo: Path) -> None:
    hook(repo, "commit-msg", "exit 1")


def hanging_hook(repo: Path) -> None:
    hook(repo, "pre-merge-commit", "sleep 60 & sleep 60")


def hanging_end(repo: Path) -> None:
    hook(repo, "post-merge", "sleep 60")


@pytest.mark.parametrize(
    ("spoil", "code", "alive"),
    [
        (conflicting, "MERGE_CONFLICT", False),
        (dirty, "BAD_PARAMS", True),
        (elsewhere, "BAD_PARAMS", True),
        (refusing_hook, "IO_ERROR", False),
        (refusing_message, "IO_ERROR", False),
        (hanging_hook, "TIMEOUT", False),
        (hanging_end, "TIMEOUT", False),
    ],
)
def test_a_merge_that_fails_leaves_the_target_exactly_as_it_was(yard: Yard, spoil: Any, code: str, alive: bool) -> None:
    """Edge cases 78 and 151."""
    repo = yard.repository()
    task = yard.finished(repo)
    spoil(repo)
    before = snapshot(repo)
    refused = yard.client.refusal("task.finish", task_id=task["id"], mode="merge")
    assert refused["code"] == code, refused
    assert snapshot(repo) == before
    assert (yard.shop.get(task["pane_id"])["live"]["state"] == "live") is alive
    assert Path(task["worktree_path"], "result.txt").exists()
    found = yard.task(task["id"])
    assert found["disposition"] == {"outcome": "none"} and found["state"] == "completed"
    if code == "MERGE_CONFLICT":
        assert refused["details"] == {"conflicted": ["result.txt"]} == found["finish_error"]
    if spoil is elsewhere:
        assert refused["details"] == {"expected": "main", "actual": "elsewhere"}
    done = yard.client.call("task.finish", task_id=task["id"], mode="discard", delete_branch=True)
    assert done["task"]["disposition"]["outcome"] == "discarded" and "cleanup_error" not in done


def test_a_status_that_fails_never_counts_as_clean(yard: Yard) -> None:
    """Edge case 151."""
    repo = yard.repository()
    task = yard.finished(repo)
    index = Path(git(task["worktree_path"], "rev-parse", "--path-format=absolute", "--git-path", "index"))
    kept = index.read_bytes()
    index.write_bytes(b"broken")
    before = snapshot(repo)
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "IO_ERROR"
    assert snapshot(repo) == before and yard.shop.get(task["pane_id"])["live"]["state"] == "live"
    index.write_bytes(kept)
    yard.client.call("task.finish", task_id=task["id"], mode="merge")


def test_work_that_was_not_committed_and_other_panes_keep_a_task_from_finishing(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.finished(repo, then=f"{COMMIT}; echo more > more.txt; {REPORT}")
    path = Path(task["worktree_path"])
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="merge")["code"] == "BAD_PARAMS"
    link = yard.directory / f"link-{task['id']}"
    link.symlink_to(path)
    sibling = Path(f"{path}-beside")
    sibling.mkdir()
    beside = yard.shop.run("sleep 300", cwd=str(sibling))["id"]
    inside = yard.shop.run("sleep 300", cwd=str(link))["id"]
    for mode in ("merge", "discard"):
        refused = yard.client.refusal("task.finish", task_id=task["id"], mode=mode)
        assert (refused["code"], refused["details"]["pane_ids"]) == ("PANES_ALIVE", [inside])
    yard.client.call("pane.close", pane_id=inside)
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge", ignore_dirty=True, delete_branch=False)
    assert done["task"]["disposition"]["branch_deleted"] is False and not path.exists()
    assert git(repo, "branch", "--list", task["branch"]) != ""
    yard.client.call("pane.close", pane_id=beside)


def test_the_worker_s_whole_group_is_gone_before_the_merge(yard: Yard, tmp_path: Path) -> None:
    noted, seen = tmp_path / "grandchild", tmp_path / "at-the-merge"
    repo = yard.repository()
    hook(repo, "post-merge", f"if kill -0 $(cat {noted}); then echo there; else echo gone; fi >{seen} 2>/dev/null")
    made, _ = yard.begin(repo, then=f"(sleep 298 & echo $! >{noted}); {COMMIT}; {REPORT}")
    task = yard.task(made["task"]["id"], "completed")
    assert is_running(int(noted.read_text()))
    yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert seen.read_text() == "gone\n"


def test_clean_up_is_repeated_by_a_second_finish_without_a_second_merge(yard: Yard) -> None:
    """Edge case 78: a worktree that cannot be removed, and later can."""
    repo = yard.repository()
    task = yard.finished(repo)
    registration = next((repo / ".git/worktrees").iterdir())
    hook(repo, "post-merge", f"touch '{registration}/index.lock'; echo late > '{task['worktree_path']}/late.txt'")
    done = yard.client.call("task.finish", task_id=task["id"], mode="merge")
    assert done["cleanup_error"] == done["task"]["finish_error"]["cleanup_error"]
    assert done["task"]["disposition"]["outcome"] == "merged" and Path(task["worktree_path"]).exists()
    head = git(repo, "rev-parse", "HEAD")
    (registration / "index.lock").unlink()
    Path(task["worktree_path"], "late.txt").unlink()
    again = yard.client.call("task.finish", task_id=task["id"], mode="discard")
    assert again["task"]["disposition"]["outcome"] == "merged" and "finish_error" not in again["task"]
    assert git(repo, "rev-parse", "HEAD") == head and not Path(task["worktree_path"]).exists()


@pytest.mark.parametrize("how", ["discarded", "lost by hand"])
def test_what_a_later_task_does_in_the_same_place_is_not_cleaned_up(yard: Yard, how: str) -> None:
    repo = yard.repository()
    first = yard.begin(repo, branch="same")[0]["task"]
    if how == "discarded":
        yard.client.call("task.finish", task_id=first["id"], mode="discard")
    else:
        yard.client.call("task.cancel", task_id=first["id"])
        git(repo, "worktree", "remove", "--force", "--force", first["worktree_path"])
    later = yard.begin(repo, branch="same")[0]
    place = Path(later["task"]["worktree_path"])
    assert str(place) == first["worktree_path"]
    yard.client.call("pane.close", pane_id=later["pane"]["id"])
    (place / "precious.txt").write_text("not committed yet\n")
    again = yard.client.reply(yard.client.send("task.finish", task_id=first["id"], mode="discard", delete_branch=True))
    if how == "discarded":
        assert (again["error"]["code"], again["error"]["message"]) == ("BAD_PARAMS", "the task is discarded already")
    else:
        assert again["result"]["task"]["disposition"]["outcome"] == "discarded"
    assert yard.client.refusal("task.diff", task_id=first["id"])["message"] == (
        "the task is discarded, and its worktree is gone"
    )
    assert (place / "precious.txt").read_text() == "not committed yet\n"
    assert git(repo, "branch", "--list", "same") == "+ same"
    yard.client.call("task.finish", task_id=later["task"]["id"], mode="discard")
    assert not place.exists()


def test_a_worktree_that_somebody_makes_in_the_place_of_a_finished_task_is_theirs(yard: Yard) -> None:
    repo = yard.repository()
    task = yard.begin(repo, branch="same")[0]["task"]
    yard.client.call("task.finish", task_id=task["id"], mode="discard")
    git(repo, "worktree", "add", "-q", task["worktree_path"], "same")
    precious = Path(task["worktree_path"], "precious.txt")
    precious.write_text("x\n")
    assert yard.client.refusal("task.finish", task_id=task["id"], mode="discard")["code"] == "BAD_PARAMS"
    assert precious.exists()


def test_a_discard_ends_a_task_that_was_not_over(yard: Yard) -> None:
    repo = yard.repository()
    made, _ = yard.begin(repo)
    done = yard.client.call("task.finish", task_id=made["task"]["id"], mode="discard")
    assert (done["task"]["state"], done["task"]["disposition"]["branch_deleted"]) == ("canceled", False)
    assert git(repo, "branch", "--list", made["task"]["branch"]) != ""
