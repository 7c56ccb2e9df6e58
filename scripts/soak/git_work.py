"""Tasks and worktrees that are made, ended and removed all the time, and what must be true of them after any loss.

Tasks: none is forgotten or in an impossible state, the target is clean and merged at most once per task, no worktree
and no branch is left that no task knows. Worktrees: what was acknowledged is so, what was not is whole or absent.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from typing import Any

from scripts.soak.scene import Steady, check
from tests.e2e.repositories import git, repository
from tests.server.rig import Record, Refused, Server, wait_until

STATES = ("pending", "working", "input_required", "completed", "failed", "canceled", "rejected")
OPEN = STATES[:3]
_IDLE = "printf '\\033]7501;state=idle\\033\\\\'; stty raw -echo; head -c 300 >/dev/null; "
_WORKING = "printf '\\033]7501;state=working\\033\\\\'; "
WORKERS = (
    f"{_IDLE}{_WORKING}sleep 600",
    f"{_IDLE}{_WORKING}sleep 0.1; printf '\\033]7501;state=done\\033\\\\'; sleep 600",  # a turn without a report
    f"{_IDLE}{_WORKING}sleep 0.2; exit 3",
    "sleep 600",  # never ready: its task stays pending
)
READY_S = 600.0
MOST_LIVING = 6
MOST_TREES = 4
SETTLE_S = 30.0
MAY_REFUSE = ("BAD_PARAMS", "IO_ERROR", "RATE_LIMITED")


def environ(server: Server) -> dict[str, str]:
    """What a server that does this work is started with."""
    return {
        "SIGNALTTY_INTEGRATION": "off",
        "XDG_DATA_HOME": f"{server.directory}/data",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "SIGNALTTY_MAX_PARALLEL_TASKS": "8",
    }


class TaskDeeds:
    """known: tasks whose start was answered, with the outcomes that were acknowledged."""

    def __init__(self, server: Server, repo: Path, chance: random.Random) -> None:
        self.repo = repo
        self.chance = chance
        self.steady = Steady(server)
        self.known: dict[str, str] = {}
        self.lost = 0

    def tasks(self) -> list[Record]:
        found: list[Record] = self.steady.ask("task.list", limit=1000)["tasks"]
        return found

    def act(self) -> None:
        """One change; its reply may be lost with the server."""
        living = [task for task in self.tasks() if task["disposition"]["outcome"] == "none"]
        deeds: list[tuple[str, dict[str, Any]]] = []
        if len(living) < MOST_LIVING:
            argv = ["sh", "-c", self.chance.choice(WORKERS)]
            start = {"repo": str(self.repo), "contract": {"objective": "x"}, "argv": argv, "ready_timeout_s": READY_S}
            deeds += [("task.start", start)] * 4
        for task in living:
            named = {"task_id": task["id"]}
            if task["state"] in OPEN:
                status = self.chance.choice(("completed", "completed", "failed", "rejected"))
                deeds.append(("task.report", {**named, "status": status, "summary": "done"}))
                deeds.append(("task.cancel", named))
            else:
                deeds.append(("task.finish", {**named, "mode": "discard", "delete_branch": True}))
            if task["state"] == "completed":
                deeds += [("task.finish", {**named, "mode": "merge"})] * 3
        method, params = self.chance.choice(deeds)
        if method == "task.finish" and params["mode"] == "merge":
            self._commit(params["task_id"])
        try:
            result = self.steady.attempt(method, **params)
        except Refused as refused:
            check(refused.code in MAY_REFUSE, f"{method}: {refused}")
            return
        if result is None:
            self.lost += 1
        else:
            task = result["task"]
            self.known[task["id"]] = task["disposition"]["outcome"]

    def faults(self) -> list[str]:
        tasks = {task["id"]: task for task in self.tasks()}
        found = [f"{id} is forgotten" for id in self.known if id not in tasks]
        found += [f"{id} lost its {self.known[id]}" for id in self.known if self._regressed(tasks.get(id), id)]
        found += [f"{id} is {task['state']}" for id, task in tasks.items() if task["state"] not in STATES]
        if (self.repo / ".git/MERGE_HEAD").exists() or git(self.repo, "status", "--porcelain", "-uno"):
            found.append("the target is not clean")
        subjects = Counter(git(self.repo, "log", "--format=%s", "--merges").splitlines())
        found += [f"{subject} came {count} times" for subject, count in subjects.items() if count > 1]
        merged = sum(task["disposition"]["outcome"] == "merged" for task in tasks.values())
        found += [] if merged == sum(subjects.values()) else [f"{merged} merged, {sum(subjects.values())} found"]
        places = {task["worktree_path"] for task in tasks.values()}
        found += [
            f"{path} is nobody's" for path in _registered(self.repo) if "/worktrees/" in path and path not in places
        ]
        known = {task["branch"] for task in tasks.values()}
        branches = git(self.repo, "branch", "--list", "signaltty/*", "--format=%(refname:short)").splitlines()
        return found + [f"branch {name} is nobody's" for name in branches if name not in known]

    def _commit(self, task_id: str) -> None:
        tree = Path(next(task["worktree_path"] for task in self.tasks() if task["id"] == task_id))
        if (tree / ".git").exists() and not (tree / task_id).exists():
            (tree / task_id).write_text("work\n")
            git(tree, "add", "-A")
            git(tree, "commit", "-qm", f"work of {task_id}")

    def _regressed(self, task: Record | None, id: str) -> bool:
        return task is not None and self.known[id] not in ("none", task["disposition"]["outcome"])


class TreeDeeds:
    """there, gone: paths of worktrees whose making or removal was acknowledged. open: those of lost replies."""

    def __init__(self, server: Server, repo: Path, chance: random.Random) -> None:
        self.repo = repo
        self.chance = chance
        self.steady = Steady(server)
        self.workspace: str = self.steady.ask("workspace.create", cwd=str(repo), name="trees")["workspace"]["id"]
        self.place = repo.parent / "trees"
        self.there: set[str] = set()
        self.gone: set[str] = set()
        self.open: set[str] = set()
        self.made = 0
        self.lost = 0

    def act(self) -> None:
        """One worktree made, opened or removed."""
        if not self.there or (len(self.there) < MOST_TREES and self.chance.random() < 0.6):
            self.made += 1
            path = str(self.place / f"t{self.made}")
            self._change("worktree.create", path, self.there, branch=f"tree-{self.made}")
            return
        path = self.chance.choice(sorted(self.there))
        if self.chance.random() < 0.3:
            self.steady.attempt("worktree.open", workspace_id=self.workspace, path=path)
            return
        for workspace in self.steady.ask("workspace.list")["workspaces"]:
            if workspace["cwd"] == path:
                self._close(workspace["id"])
        self.there.discard(path)
        self._change("worktree.remove", path, self.gone)

    def faults(self) -> list[str]:
        """Also finds out what became of those whose replies were lost."""
        registered = set(_registered(self.repo))
        found = [f"{path} is gone" for path in self.there if path not in registered]
        found += [f"{path} is back" for path in self.gone if path in registered or os.path.lexists(path)]
        ours = {path for path in registered if path.startswith(f"{self.place}/")}
        found += [f"{path} is nobody's" for path in ours - self.there - self.open]
        for path in self.open | self.there:
            if path in registered and not _is_whole(path):
                found.append(f"{path} is not whole")
            elif path not in registered and os.path.lexists(path):
                found.append(f"{path} was left over")
        return found

    def settle(self) -> None:
        """What the faults have found in order is a fact from now on."""
        registered = set(_registered(self.repo))
        self.there |= self.open & registered
        self.gone |= self.open - registered
        self.open.clear()

    def _change(self, method: str, path: str, then: set[str], **params: Any) -> None:
        self.open.add(path)
        if self.steady.attempt(method, workspace_id=self.workspace, path=path, **params) is None:
            self.lost += 1
            return
        self.open.discard(path)
        then.add(path)

    def _close(self, workspace_id: str) -> None:
        try:
            self.steady.attempt("workspace.close", workspace_id=workspace_id)
        except Refused as refused:
            check(refused.code == "NO_SUCH_WORKSPACE", f"workspace.close: {refused}")


class GitWork:
    """Both kinds of deeds on one repository, each in a thread of its own between `begin` and `pause`."""

    def __init__(self, server: Server, seed: int) -> None:
        self.chance = random.Random(seed)
        self.repo = repository(Path(server.directory) / "repo", **{f"f{number}": "x\n" for number in range(200)})
        self.tasks = TaskDeeds(server, self.repo, random.Random(seed + 1))
        self.trees = TreeDeeds(server, self.repo, random.Random(seed + 2))
        self.met: Counter[str] = Counter()
        self._faults: list[str] = []
        self._threads: list[Thread] = []

    def begin(self, for_s: float) -> None:
        ends_at = time.monotonic() + for_s
        self._threads = [Thread(target=self._act, args=(one, ends_at)) for one in (self.tasks, self.trees)]
        for thread in self._threads:
            thread.start()

    def pause(self) -> None:
        """Wait for the deeds that are on their way; each ends with a reply, or with the server."""
        for thread in self._threads:
            thread.join()
        for one in (self.tasks, self.trees):
            one.steady.close()
        check(not self._faults, "; ".join(self._faults))

    def prove(self) -> None:
        """What must hold once everything that was begun has found its end."""
        wait_until(lambda: not self.faults(), f"order; {self.faults()}", SETTLE_S)
        self.trees.settle()
        self.met.update({task["state"] for task in self.tasks.tasks()})

    def faults(self) -> list[str]:
        return self.tasks.faults() + self.trees.faults()

    def figures(self) -> dict[str, object]:
        found = Counter(f"{task['state']} {task['disposition']['outcome']}" for task in self.tasks.tasks())
        return {
            "tasks started, replies lost": f"{len(self.tasks.known)}, {self.tasks.lost}",
            "worktrees made, replies lost": f"{self.trees.made}, {self.trees.lost}",
            "losses met by tasks in each state": dict(sorted(self.met.items())),
            "tasks at the end": dict(sorted(found.items())),
        }

    def check_events(self, events: Iterable[tuple[str, Any]]) -> None:
        """Every task is created once and moves as it says; every worktree is told as often as it was made."""
        states: dict[str, str] = {}
        told: Counter[tuple[str, str]] = Counter()
        for event, payload in events:
            if event == "worktree.changed" and payload["operation"] in ("create", "remove"):
                told[payload["operation"], payload["path"]] += 1
            elif event == "task.created":
                check(payload["task_id"] not in states, f"{payload['task_id']} was created twice")
                states[payload["task_id"]] = payload["task"]["state"]
            elif event == "task.updated":
                before, after = states[payload["task_id"]], payload["task"]["state"]
                check(
                    payload.get("prev_state", after) == before, f"{payload['task_id']}: {before} became {after} untold"
                )
                states[payload["task_id"]] = after
        now = {task["id"]: task["state"] for task in self.tasks.tasks()}
        check({id: states.get(id) for id in now} == now, "events and tasks differ")
        wrong = [path for path in self.trees.there | self.trees.gone if told["create", path] > 1]
        wrong += [path for path in self.trees.there if told["create", path] != 1 or told["remove", path]]
        wrong += [path for path in self.trees.gone if told["remove", path] != told["create", path]]
        check(not wrong, f"told wrongly: {[(path, told['create', path], told['remove', path]) for path in wrong[:3]]}")

    def _act(self, deeds: TaskDeeds | TreeDeeds, ends_at: float) -> None:
        try:
            while time.monotonic() < ends_at:
                deeds.act()
        except Exception as fault:  # the thread's edge: told by the main thread
            self._faults.append(f"{type(deeds).__name__}: {type(fault).__name__}: {fault}")


def _is_whole(path: str) -> bool:
    done = subprocess.run(["git", "-C", path, "status", "--porcelain"], capture_output=True, check=False)
    return done.returncode == 0 and not done.stdout and os.path.exists(f"{path}/f0")


def _registered(repo: Path) -> list[str]:
    lines = git(repo, "worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]
