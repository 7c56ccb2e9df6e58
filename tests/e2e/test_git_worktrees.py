"""`worktree.*` of a real server: checkouts made, found, and removed only when nobody and nothing is lost."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.repositories import git, repository, write
from tests.server.rig import Client, Refused, Server, end, running, wait_until

Record = dict[str, Any]


class Yard:
    """A repository with a workspace, and a place for worktrees beside it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client: Client = server.client()
        self.root = repository(Path(server.work) / "é repo", a="1\n")
        self.place = Path(server.work) / "trees"
        self.id: str = self.client.call("workspace.create", cwd=str(self.root))["workspace"]["id"]
        self.client.call("subscribe", events=["workspace.*", "worktree.*"])

    def create(self, place: str, branch: str | None = None, **params: Any) -> Record:
        path = str(self.place / place)
        asked = {"workspace_id": self.id, "path": path, "branch": branch or f"b/{place}", **params}
        made: Record = self.client.call("worktree.create", **asked)
        return made

    def make(self, name: str) -> Path:
        """A worktree without a workspace."""
        self.client.call("workspace.close", workspace_id=self.create(name)["workspace"]["id"])
        self.told()
        return self.place / name

    def registered(self) -> dict[str, Record]:
        listed = self.client.call("worktree.list", workspace_id=self.id)["worktrees"]
        return {one.pop("path"): one for one in listed}

    def remove(self, path: str | Path) -> Record:
        removed: Record = self.client.call("worktree.remove", workspace_id=self.id, path=str(path))
        return removed

    def refusal(self, method: str, **params: Any) -> tuple[str, str]:
        error = self.client.refusal(f"worktree.{method}", workspace_id=self.id, **params)
        return error["code"], error["message"]

    def is_kept(self, path: Path, code: str, reason: str) -> None:
        """The removal is refused for this reason and nothing has changed."""
        before = git(self.root, "worktree", "list", "--porcelain")
        files = sorted(os.listdir(path))
        refused, message = self.refusal("remove", path=str(path))
        assert (refused, reason in message) == (code, True), message
        assert (git(self.root, "worktree", "list", "--porcelain"), sorted(os.listdir(path))) == (before, files)

    def told(self) -> list[Record]:
        return [{frame["event"]: frame["payload"]} for frame in self.client.settle()]


@pytest.fixture
def yard() -> Iterator[Yard]:
    with running() as server:
        yield Yard(server)


def test_a_checkout_is_made_listed_reused_and_removed_and_its_branch_stays(yard: Yard) -> None:
    """Edge case 69."""
    head = git(yard.root, "rev-parse", "HEAD")
    made = yard.create("one", "deep/branch/é", name="One")
    path = str(yard.place / "one")
    workspace = made.pop("workspace")
    assert made == {"path": path, "reused": False}
    assert (workspace["name"], workspace["cwd"], workspace["git"]["branch"]) == ("One", path, "deep/branch/é")
    changed = {"operation": "create", "path": path, "workspace_id": yard.id}
    assert yard.told() == [{"worktree.changed": changed}, {"workspace.created": {"workspace": workspace}}]
    flags = {"bare": False, "locked": False, "prunable": False, "head": head}
    assert yard.registered() == {
        str(yard.root): {"main": True, "branch": "main", "workspace_id": yard.id, **flags},
        path: {"main": False, "branch": "deep/branch/é", "workspace_id": workspace["id"], **flags},
    }
    for given in (path, f"{path}/", f"{yard.place}/x/../one"):
        opened = yard.client.call("worktree.open", workspace_id=yard.id, path=given)
        assert opened == {"workspace": workspace, "path": path, "reused": True}
    assert yard.told() == []
    yard.client.call("workspace.close", workspace_id=workspace["id"])
    opened = yard.client.call("worktree.open", workspace_id=yard.id, path=path)
    assert (opened["reused"], opened["workspace"]["name"]) == (False, "one")
    events = [next(iter(one)) for one in yard.told()]
    assert events == ["workspace.closed", "worktree.changed", "workspace.created"]
    yard.client.call("workspace.close", workspace_id=opened["workspace"]["id"])
    assert yard.remove(path) == {"removed": True, "path": path}
    assert yard.told()[-1] == {"worktree.changed": {"operation": "remove", "path": path, "workspace_id": yard.id}}
    assert not os.path.exists(path)
    assert git(yard.root, "branch", "--list", "--format=%(refname:short)").split() == ["deep/branch/é", "main"]
    assert "branch" not in (yard.root / ".git/config").read_text()


def test_what_is_in_use_or_would_be_lost_is_not_removed(yard: Yard) -> None:
    """Edge case 69."""
    yard.is_kept(yard.root, "BAD_PARAMS", "main checkout")
    path = yard.make("kept")
    write(path, {"untracked": "x"})
    yard.is_kept(path, "BAD_PARAMS", "changes or untracked")
    os.unlink(path / "untracked")
    write(path, {"a": "changed\n"})
    yard.is_kept(path, "BAD_PARAMS", "changes or untracked")
    git(path, "checkout", "-q", "a")
    git(yard.root, "config", "status.showUntrackedFiles", "no")
    write(path, {"untracked": "x"})
    yard.is_kept(path, "BAD_PARAMS", "changes or untracked")
    os.unlink(path / "untracked")
    git(yard.root, "worktree", "lock", str(path))
    yard.is_kept(path, "BAD_PARAMS", "locked")
    git(yard.root, "worktree", "unlock", str(path))
    (path / "sub").mkdir()
    for cwd in (path, path / "sub"):
        id = yard.client.call("workspace.create", cwd=str(cwd))["workspace"]["id"]
        yard.is_kept(path, "BAD_PARAMS", "a workspace is open there")
        yard.client.call("workspace.close", workspace_id=id)
    write(path, {".gitignore": "inner\n"})
    git(path, "add", ".gitignore")
    git(path, "commit", "-qm", "ignore")
    git(yard.root, "worktree", "add", "-q", "-b", "inner", str(path / "inner"))
    yard.is_kept(path, "BAD_PARAMS", "is inside it")
    git(yard.root, "worktree", "remove", str(path / "inner"))
    assert yard.remove(path)["removed"] is True


def test_a_worktree_whose_directory_is_gone_is_named_and_left(yard: Yard) -> None:
    path = yard.make("lost")
    shutil.rmtree(path)
    assert yard.registered()[str(path)]["prunable"] is True
    code, message = yard.refusal("remove", path=str(path))
    assert (code, "its directory is gone" in message) == ("BAD_PARAMS", True)
    assert yard.refusal("open", path=str(path))[0] == "BAD_PARAMS"


@pytest.mark.parametrize(
    "script",
    [
        "sleep 1000",
        "cd /; (cd {path}/sub; exec sleep 1000)",
        "cd /; (cd {path}; sleep 1000 & ) ; exec sleep 1000",
        "cd /; (cd {path}; setsid sleep 1000 & ) ; exec sleep 1000",
    ],
)
def test_a_process_inside_keeps_it(yard: Yard, script: str) -> None:
    """Edge case 69: the pane itself, a child that went there, a grandchild whose parents are gone."""
    path = yard.make("busy")
    (path / "sub").mkdir()
    cwd = str(path) if script == "sleep 1000" else "/"
    argv = ["sh", "-c", script.format(path=path) + "; true"]
    pane = yard.client.call("pane.spawn", workspace_id=yard.id, argv=argv, cwd=cwd)["pane"]["id"]
    wait_until(lambda: _is_inhabited(path), "somebody inside")
    yard.is_kept(path, "PANES_ALIVE", "works in")
    yard.client.call("pane.close", pane_id=pane, signal="KILL")
    for pid in yard.server.children():
        end(pid)
    wait_until(lambda: not _is_inhabited(path), "nobody inside")
    assert yard.remove(path)["removed"] is True


def _is_inhabited(place: Path) -> bool:
    """Whether any process of the machine works there. Linux: the tests' own way to find out."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and Path(os.readlink(f"/proc/{name}/cwd")).is_relative_to(place):
                return True
        except OSError:
            continue
    return False


def test_a_path_through_a_link_is_the_place_it_leads_to(yard: Yard) -> None:
    path = yard.make("real")
    os.symlink(yard.place, yard.place.parent / "link")
    linked = str(yard.place.parent / "link/real")
    opened = yard.client.call("worktree.open", workspace_id=yard.id, path=linked)
    assert (opened["path"], opened["workspace"]["cwd"]) == (str(path), str(path))
    yard.client.call("workspace.close", workspace_id=opened["workspace"]["id"])
    id = yard.client.call("workspace.create", cwd=linked)["workspace"]["id"]
    yard.is_kept(path, "BAD_PARAMS", "a workspace is open there")
    yard.client.call("workspace.close", workspace_id=id)
    assert yard.remove(linked) == {"removed": True, "path": str(path)}


@pytest.mark.parametrize(
    "branch",
    ["", "bad branch", "--force", "-x", "refs/heads/x", "a..b", "@{-1}", "x.lock", "main", "HEAD", "a\0b", "é~1"],
)
def test_a_branch_that_cannot_be_new_is_refused(yard: Yard, branch: str) -> None:
    """Edge case 69."""
    path = yard.place / "never"
    assert yard.refusal("create", path=str(path), branch=branch)[0] == "BAD_PARAMS"
    assert (path.exists(), len(yard.registered()), yard.told()) == (False, 1, [])


@pytest.mark.parametrize("path", ["relative", "", "--force", "/a\0b"])
def test_a_path_that_is_not_absolute_is_refused(yard: Yard, path: str) -> None:
    for method, more in (("create", {"branch": "b"}), ("open", {}), ("remove", {})):
        assert yard.refusal(method, path=path, **more)[0] == "BAD_PARAMS"


def test_places_that_are_taken_or_foreign_are_refused(yard: Yard) -> None:
    """Edge case 69."""
    foreign = repository(yard.place / "foreign", x="1\n")
    os.symlink("/nowhere", yard.place / "dangling")
    (yard.place / "empty").mkdir()
    for name in ("foreign", "dangling", "empty"):
        assert yard.refusal("create", path=str(yard.place / name), branch="b")[0] == "BAD_PARAMS"
    for method in ("open", "remove"):
        assert yard.refusal(method, path=str(foreign))[0] == "BAD_PARAMS"
    git(yard.root, "branch", "a")
    code, _ = yard.refusal("create", path=str(yard.place / "x"), branch="a/b")  # a file and a directory of one name
    assert (code, (yard.place / "x").exists()) == ("IO_ERROR", False)
    assert git(yard.root, "branch", "--list", "--format=%(refname:short)").split() == ["a", "main"]


def test_a_repository_without_commits_or_a_place_without_one_gives_none(yard: Yard) -> None:
    unborn = repository(yard.place / "unborn")
    outside = yard.place / "outside"
    outside.mkdir()
    for place in (unborn, outside):
        id = yard.client.call("workspace.create", cwd=str(place))["workspace"]["id"]
        asked = {"workspace_id": id, "path": str(yard.place / "x"), "branch": "b"}
        assert yard.client.refusal("worktree.create", **asked)["code"] == "BAD_PARAMS"
    assert yard.client.refusal("worktree.list", workspace_id=id)["code"] == "BAD_PARAMS"
    assert yard.client.refusal("worktree.list", workspace_id=7)["code"] == "BAD_PARAMS"
    assert yard.client.refusal("worktree.list", workspace_id="nobody")["code"] == "NO_SUCH_WORKSPACE"


def test_a_bare_repository_with_worktrees_has_them_all(yard: Yard) -> None:
    bare = Path(yard.server.work) / "bare.git"
    git(yard.root, "clone", "-q", "--bare", str(yard.root), str(bare))
    git(bare, "worktree", "add", "-q", str(yard.place / "first"), "main")
    id = yard.client.call("workspace.create", cwd=str(yard.place / "first"))["workspace"]["id"]
    made = yard.client.call("worktree.create", workspace_id=id, path=str(yard.place / "second"), branch="two")
    listed = yard.client.call("worktree.list", workspace_id=id)["worktrees"]
    assert [(one["path"], one["main"], one["bare"]) for one in listed] == [
        (str(bare), True, True),
        (str(yard.place / "first"), False, False),
        (str(yard.place / "second"), False, False),
    ]
    refused = yard.client.refusal("worktree.remove", workspace_id=id, path=str(bare))
    assert refused["code"] == "BAD_PARAMS"
    yard.client.call("workspace.close", workspace_id=made["workspace"]["id"])
    asked = {"workspace_id": id, "path": str(yard.place / "second")}
    assert yard.client.call("worktree.remove", **asked)["removed"] is True


def test_clean_submodules_do_not_keep_a_worktree_and_changed_ones_do(yard: Yard) -> None:
    inner = repository(Path(yard.server.work) / "inner", x="1\n")
    allow = ("-c", "protocol.file.allow=always")
    git(yard.root, *allow, "submodule", "--quiet", "add", str(inner), "sub")
    git(yard.root, "commit", "-qm", "sub")
    path = yard.make("with")
    git(path, *allow, "submodule", "--quiet", "update", "--init")
    write(path / "sub", {"x": "changed\n"})
    yard.is_kept(path, "BAD_PARAMS", "changes or untracked")
    git(path / "sub", "checkout", "-q", "x")
    assert yard.remove(path)["removed"] is True


def test_a_held_lock_file_is_waited_for(yard: Yard) -> None:
    lock = yard.root / ".git/refs/heads/b/late.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    timer = threading.Timer(1.5, lambda: os.unlink(lock))
    timer.start()
    try:
        assert yard.create("late")["path"] == str(yard.place / "late")
    finally:
        timer.join()


def test_a_hook_that_fails_or_hangs_leaves_nothing(yard: Yard) -> None:
    hook = yard.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 3\n")
    hook.chmod(0o755)
    assert yard.refusal("create", path=str(yard.place / "x"), branch="b")[0] == "IO_ERROR"
    assert ((yard.place / "x").exists(), len(yard.registered())) == (False, 1)
    assert git(yard.root, "branch", "--list", "--format=%(refname:short)").split() == ["main"]
    assert yard.told() == []


@pytest.mark.parametrize("other", ["workspace", "pane"])
@pytest.mark.parametrize("first", ["launch", "removal"])
def test_of_a_removal_and_a_launch_that_race_never_do_both_succeed(yard: Yard, other: str, first: str) -> None:
    """Edge case 69."""
    beside = yard.server.client()
    for round in range(6):
        path = yard.make(f"race{round}")
        if other == "workspace":
            method, params = "workspace.create", dict[str, Any](cwd=str(path))
        else:
            argv = ["sleep", "1000"]
            method, params = "pane.spawn", {"workspace_id": yard.id, "argv": argv, "cwd": str(path)}
        if first == "launch":
            launching = beside.send(method, **params)
            removing = yard.client.send("worktree.remove", workspace_id=yard.id, path=str(path))
        else:
            removing = yard.client.send("worktree.remove", workspace_id=yard.id, path=str(path))
            launching = beside.send(method, **params)
        launched, removed = beside.reply(launching), yard.client.reply(removing)
        assert (launched["ok"], removed["ok"]) in ((True, False), (False, True))
        assert path.is_dir() is launched["ok"]
        if launched["ok"]:
            assert removed["error"]["code"] in ("PANES_ALIVE", "BAD_PARAMS")
            yard.client.call(f"{other}.close", **{f"{other}_id": launched["result"][other]["id"]})
        else:
            assert launched["error"]["code"] == "BAD_PARAMS"
        yard.told()


def test_the_server_answers_while_a_checkout_is_made(yard: Yard) -> None:
    hook = yard.root / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    gate = yard.place.parent / "gate"
    hook.write_text(f"#!/bin/sh\nwhile [ ! -e '{gate}' ]; do sleep 0.05; done\n")
    hook.chmod(0o755)
    beside = yard.server.client()
    slow = beside.send("worktree.create", workspace_id=yard.id, path=str(yard.place / "slow"), branch="slow")
    wait_until((yard.place / "slow/a").exists, "the checkout")
    assert yard.client.call("server.status")["workspaces"] == 1
    gate.write_text("")
    assert beside.reply(slow)["ok"] is True


def test_a_missing_directory_of_the_workspace_is_an_error_not_a_crash(yard: Yard) -> None:
    path = yard.create("gone")["path"]
    id = yard.client.call("worktree.open", workspace_id=yard.id, path=path)["workspace"]["id"]
    shutil.rmtree(path)
    with pytest.raises(Refused) as caught:
        yard.client.call("worktree.list", workspace_id=id)
    assert caught.value.code in ("IO_ERROR", "BAD_PARAMS")


@pytest.mark.parametrize("lock", [None, ".git/config.lock", ".git/packed-refs.lock"])
def test_eight_at_once_all_succeed_also_beside_a_held_lock(yard: Yard, lock: str | None) -> None:
    clients = [yard.server.client() for _ in range(8)]
    held = yard.root / lock if lock else None
    if held is not None:
        held.write_text("")
        timer = threading.Timer(3, lambda: os.unlink(yard.root / str(lock)))
        timer.start()
    asked = [
        client.send("worktree.create", workspace_id=yard.id, path=str(yard.place / f"t{index}"), branch=f"b{index}")
        for index, client in enumerate(clients)
    ]
    replies = [client.reply(id, 60) for client, id in zip(clients, asked, strict=True)]
    if held is not None:
        timer.join()
    assert [reply.get("error") for reply in replies] == [None] * 8
    names = [f"b{index}" for index in range(8)]
    assert git(yard.root, "branch", "--format=%(refname:short)").split() == [*names, "main"]
    assert [(yard.place / f"t{index}/a").read_text() for index in range(8)] == ["1\n"] * 8
