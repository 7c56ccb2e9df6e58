"""Turn baselines of a real server: what an agent has changed since it began to work (tasks-and-git §8)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.repositories import git, repository, state, write
from tests.server.rig import Client, Server, running

Record = dict[str, Any]


class Turns:
    """A workspace with an agent whose hooks the test sends."""

    def __init__(self, server: Server, root: Path) -> None:
        self.client: Client = server.client()
        self.root = root
        self.id: str = self.client.call("workspace.create", cwd=str(root))["workspace"]["id"]
        self.pane = self.spawn()
        self.client.call("subscribe", events=["agent.*", "workspace.*"])

    def spawn(self) -> str:
        argv = ["sh", "-c", "exec sleep 1000"]
        made = self.client.call("pane.spawn", workspace_id=self.id, argv=argv, agent_hint="claude")
        return str(made["pane"]["id"])

    def hook(self, event: str, pane: str | None = None, **payload: Any) -> None:
        said = {"session_id": "s", **payload}
        self.client.call("hook-event", pane_id=pane or self.pane, agent="claude", event=event, payload=said)

    def begin(self, pane: str | None = None) -> Record:
        """The agent begins a turn; what is told once the checkout is captured."""
        self.hook("UserPromptSubmit", pane)
        told: Record = self.client.event("workspace.turn_started")["payload"]
        return told

    def diff(self) -> Record:
        found: Record = self.client.call("workspace.diff", workspace_id=self.id, scope="turn")
        return found

    def counts(self) -> dict[str, tuple[int, int]]:
        assert not any(one["untracked"] for one in self.diff()["files"])
        return {one["path"]: (one["added"], one["removed"]) for one in self.diff()["files"]}

    def content(self, path: str) -> Record:
        asked = {"workspace_id": self.id, "path": path, "scope": "turn"}
        return dict(self.client.call("workspace.file_diff", **asked)["content"])

    def code(self, method: str = "workspace.diff", **params: Any) -> str:
        return str(self.client.refusal(method, workspace_id=self.id, scope="turn", **params)["code"])


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def turns(server: Server) -> Turns:
    root = repository(Path(server.work) / "my repo", a="1\n2\n", **{"sub/b": "x\n", ".gitignore": "ignored\n"})
    return Turns(server, root)


def test_before_any_turn_there_is_nothing_to_compare(turns: Turns) -> None:
    """Edge case 68."""
    assert turns.diff() == {
        "workspace_id": turns.id,
        "scope": "turn",
        "branch": "main",
        "files": [],
        "dirs": [],
        "added": 0,
        "removed": 0,
        "turn": None,
    }
    assert turns.code("workspace.file_diff", path="a") == "BAD_PARAMS"


def test_a_turn_shows_what_changed_since_it_began_and_nothing_older(turns: Turns) -> None:
    write(turns.root, {"a": "1\n2\nbefore\n", "new": "old\n"})
    told = turns.begin()
    assert (told["workspace_id"], told["pane_id"]) == (turns.id, turns.pane)
    assert turns.diff() == {
        "workspace_id": turns.id,
        "scope": "turn",
        "branch": "main",
        "files": [],
        "dirs": [],
        "added": 0,
        "removed": 0,
        "turn": {"pane_id": turns.pane, "started_at": told["started_at"]},
    }
    write(turns.root, {"a": "1\n2\nbefore\nafter\n", "new": "old\nnew\n", "sub/made": "m\n", "ignored": "i"})
    git(turns.root, "add", "sub/made")
    git(turns.root, "commit", "-qm", "commits of the turn count as well")
    assert turns.counts() == {"a": (1, 0), "new": (1, 0), "sub/made": (1, 0)}
    shown = turns.diff()
    assert (shown["dirs"], shown["added"], shown["removed"]) == (
        [{"dir": ".", "added": 2, "removed": 0}, {"dir": "sub", "added": 1, "removed": 0}],
        3,
        0,
    )
    (hunk,) = turns.content("new")["hunks"]
    assert [(line["kind"], line["text"]) for line in hunk["lines"]] == [("context", "old"), ("added", "new")]
    assert turns.content("sub/b") == {"kind": "unchanged"}
    for path in ("ignored", "missing", "sub", "../x", ".git/config"):
        assert turns.code("workspace.file_diff", path=path) == "BAD_PARAMS", path
    os.mkfifo(turns.root / "pipe")
    assert turns.content("pipe")["kind"] == "unavailable"


def test_a_file_changed_in_the_very_moment_of_the_capture_is_seen(turns: Turns) -> None:
    """Git tells by times and sizes; an index as young as a file proves nothing about it."""
    for round in range(5):
        write(turns.root, {"a": f"{round}\n0\n"})
        git(turns.root, "add", "a")
        write(turns.root, {"a": f"{round}\n1\n"})
        turns.begin()
        assert turns.counts() == {}
        write(turns.root, {"a": f"{round}\n2\n"})
        assert turns.counts() == {"a": (1, 1)}
        turns.hook("Stop")


def test_index_and_refs_stay_as_they_are(turns: Turns, server: Server) -> None:
    write(turns.root, {"a": "changed\n", "new": "x\n"})
    before = state(turns.root)
    turns.begin()
    turns.counts()
    turns.content("a")
    assert state(turns.root) == before
    assert [name for name in os.listdir(server.runtime) if name.startswith("git-")] == []


def test_an_answer_to_a_question_begins_no_turn(turns: Turns) -> None:
    """Edge case 68."""
    turns.begin()
    write(turns.root, {"a": "1\n2\n3\n"})
    turns.hook("PermissionRequest", tool_name="Bash", tool_input={"command": "x"})
    turns.client.event("agent.blocked")
    turns.hook("PostToolUse", tool_name="Bash", tool_input={"command": "x"})
    turns.client.event("agent.working", prev="blocked")
    assert turns.counts() == {"a": (1, 0)}
    assert [frame["event"] for frame in turns.client.settle()] == ["agent.working"]  # the first one


def test_the_newest_turn_of_any_pane_is_the_baseline(turns: Turns) -> None:
    turns.begin()
    write(turns.root, {"a": "1\n2\n3\n"})
    other = turns.spawn()
    turns.begin(other)
    assert (turns.counts(), turns.diff()["turn"]["pane_id"]) == ({}, other)


def test_outside_a_repository_a_turn_is_told_and_its_changes_cannot_be_read(server: Server) -> None:
    outside = Path(server.work) / "outside"
    outside.mkdir()
    turns = Turns(server, outside)
    assert turns.begin()["pane_id"] == turns.pane
    assert turns.code() == "BAD_PARAMS"
    repository(outside / "later")
    shutil.move(outside / "later/.git", outside / ".git")
    assert turns.code() == "IO_ERROR"
    assert turns.code("workspace.file_diff", path="a") == "IO_ERROR"


def test_a_capture_that_fails_is_kept_as_a_failure(turns: Turns) -> None:
    """Edge case 68."""
    git(turns.root, "config", "filter.bad.clean", "false")
    git(turns.root, "config", "filter.bad.required", "true")
    write(turns.root, {".gitattributes": "a filter=bad\n", "a": "changed\n"})
    turns.begin()
    assert turns.code() == "IO_ERROR"
    git(turns.root, "config", "filter.bad.clean", "cat")
    assert turns.code() == "IO_ERROR"
    turns.hook("Stop")
    turns.begin()
    assert turns.counts() == {}


def test_a_restart_keeps_the_baseline_as_long_as_git_has_the_tree(turns: Turns, server: Server) -> None:
    """Edge cases 68 and 174."""
    write(turns.root, {"only here": "content of the baseline alone\n"})
    turn = turns.begin()
    write(turns.root, {"only here": "other\n"})
    server.kill()
    server.start()
    turns.client = server.client()
    assert turns.counts() == {"only here": (1, 1)}
    assert turns.diff()["turn"] == {"pane_id": turns.pane, "started_at": turn["started_at"]}
    git(turns.root, "prune", "--expire=now")
    assert turns.code() == "IO_ERROR"
    assert turns.code("workspace.file_diff", path="a") == "IO_ERROR"
    assert turns.client.call("workspace.close", workspace_id=turns.id) == {"closed": True}
