"""kill -9 of the server again and again while tasks are started, reported, canceled, merged and discarded.

Usage: task_loop.py [--rounds N] [--seed N]. After every loss: no task is forgotten or in an impossible state, the
target is clean and merged at most once per task, no worktree and no branch is left that no task knows.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scripts.soak.scene import Steady, check, kill_server, main, start_next
from tests.server.rig import Record, Refused, Server, running, wait_until

STATES = ("pending", "working", "input_required", "completed", "failed", "canceled", "rejected")
WORKER = (
    "printf '\\033]7501;state=idle\\033\\\\'; stty raw -echo; head -c 300 >/dev/null; "
    "printf '\\033]7501;state=working\\033\\\\'; sleep 600"
)
MOST_LIVING = 6
SETTLE_S = 20.0


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Loop:
    """known: tasks whose start was answered, with the outcomes that were acknowledged."""

    def __init__(self, server: Server, seed: int) -> None:
        self.server = server
        self.chance = random.Random(seed)
        self.repo = Path(server.directory) / "repo"
        git(Path(server.directory), "init", "-q", "-b", "main", str(self.repo))
        for name in ("user.email", "user.name"):
            git(self.repo, "config", name, "t@example.org")
        for number in range(200):
            (self.repo / f"f{number}").write_text("x\n")
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "first")
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
            argv = ["sh", "-c", WORKER]
            deeds += [("task.start", {"repo": str(self.repo), "contract": {"objective": "x"}, "argv": argv})] * 3
        for task in living:
            named = {"task_id": task["id"]}
            if task["state"] in ("pending", "working", "input_required"):
                deeds.append(("task.report", {**named, "status": "completed", "summary": "done"}))
                deeds.append(("task.cancel", named))
            deeds.append(("task.finish", {**named, "mode": "discard", "delete_branch": True}))
            if task["state"] == "completed":
                deeds += [("task.finish", {**named, "mode": "merge"})] * 3
        method, params = self.chance.choice(deeds)
        if method == "task.finish" and params["mode"] == "merge":
            self._commit(params["task_id"])
        try:
            result = self.steady.attempt(method, **params)
        except Refused as refused:
            check(refused.code in ("BAD_PARAMS", "IO_ERROR", "RATE_LIMITED"), f"{method}: {refused}")
            return
        if result is None:
            self.lost += 1
        else:
            task = result["task"]
            self.known[task["id"]] = task["disposition"]["outcome"]

    def _commit(self, task_id: str) -> None:
        tree = Path(next(task["worktree_path"] for task in self.tasks() if task["id"] == task_id))
        if (tree / ".git").exists() and not (tree / task_id).exists():
            (tree / task_id).write_text("work\n")
            git(tree, "add", "-A")
            git(tree, "commit", "-qm", f"work of {task_id}")

    def prove(self) -> None:
        """What must hold once everything that was begun has found its end."""
        wait_until(lambda: not self.faults(), f"order; {self.faults()}", SETTLE_S)

    def faults(self) -> list[str]:
        tasks = {task["id"]: task for task in self.tasks()}
        found = [f"{id} is forgotten" for id in self.known if id not in tasks]
        found += [f"{id} lost its {self.known[id]}" for id in self.known if self._regressed(tasks.get(id), id)]
        found += [f"{id} is {task['state']}" for id, task in tasks.items() if task["state"] not in STATES]
        if (self.repo / ".git/MERGE_HEAD").exists() or git(self.repo, "status", "--porcelain", "-uno"):
            found.append("the target is not clean")
        subjects = Counter(git(self.repo, "log", "--format=%s", "--merges").splitlines())
        found += [f"{subject} came {count} times" for subject, count in subjects.items() if count > 1]
        merged = [task for task in tasks.values() if task["disposition"]["outcome"] == "merged"]
        found += (
            [] if len(merged) == sum(subjects.values()) else [f"{len(merged)} merged, {sum(subjects.values())} found"]
        )
        trees = set(git(self.repo, "worktree", "list", "--porcelain").splitlines())
        placed = {f"worktree {task['worktree_path']}" for task in tasks.values()} | {f"worktree {self.repo}"}
        found += [f"{line} is nobody's" for line in trees if line.startswith("worktree ") and line not in placed]
        branches = set(git(self.repo, "branch", "--format=%(refname:short)").splitlines()) - {"main"}
        found += [f"branch {name} is nobody's" for name in branches - {task["branch"] for task in tasks.values()}]
        return found

    def _regressed(self, task: Record | None, id: str) -> bool:
        return task is not None and self.known[id] not in ("none", task["disposition"]["outcome"])


def play(rounds: int, seed: int) -> dict[str, object]:
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", SIGNALTTY_MAX_PARALLEL_TASKS="8")
        server.start()
        loop = Loop(server, seed)
        for number in range(rounds):
            ends_at = time.monotonic() + loop.chance.uniform(0.05, 0.9)
            acting = threading.Thread(target=_act_until, args=(loop, ends_at))
            acting.start()
            time.sleep(max(0.0, ends_at - time.monotonic()))
            kill_server(server)
            acting.join()
            loop.steady.close()
            start_next(server)  # the keeper would take longer and longer after so many losses
            loop.prove()
            if number % 10 == 9:
                print(f"{number + 1} rounds, {len(loop.known)} tasks", flush=True)
        states = Counter((task["state"], task["disposition"]["outcome"]) for task in loop.tasks())
        loop.steady.close()
        return {"rounds": rounds, "tasks": len(loop.known), "replies lost": loop.lost, "at the end": dict(states)}


def _act_until(loop: Loop, ends_at: float) -> None:
    while time.monotonic() < ends_at:
        loop.act()


def run() -> dict[str, object]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    return play(options.rounds, options.seed)


if __name__ == "__main__":
    main(run)
