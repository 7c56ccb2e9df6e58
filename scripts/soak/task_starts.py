"""Eight `task start` at once on one repository, again and again, also while somebody holds one of Git's lock files.

Usage: python -m scripts.soak.task_starts [--rounds 5] [--starts 8] [--held-s 3]. The second round finds the
configuration locked, the third its packed refs. Every start must succeed, and once the tasks are discarded no branch,
no worktree, no lock file and no process is left.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, Timer

from scripts.soak.scene import check, main, quantile
from tests.e2e.repositories import git, repository
from tests.server.rig import Client, Record, Server, running, wait_until

HELD = {1: "config.lock", 2: "packed-refs.lock"}
REPLY_S = 60.0
WORKER = ["sh", "-c", "printf '\\033]7501;state=working\\033\\\\'; sleep 600"]


class Start(Thread):
    """One client that starts one task. took_s: how long its reply took."""

    def __init__(self, client: Client, repo: Path, label: str) -> None:
        super().__init__()
        self._client = client
        self._params = {"repo": str(repo), "contract": {"objective": "x"}, "argv": WORKER, "label": label}
        self.reply: Record = {}
        self.took_s = 0.0

    def run(self) -> None:
        since = time.monotonic()
        id = self._client.send("task.start", base_ref="origin/main", **self._params)
        self.reply = self._client.reply(id, REPLY_S)
        self.took_s = time.monotonic() - since


@contextmanager
def locked(repo: Path, name: str | None, held_s: float) -> Iterator[None]:
    """Somebody holds the lock file for a while."""
    if name is None:
        yield
        return
    lock = repo / ".git" / name
    lock.write_text("")
    timer = Timer(held_s, lock.unlink)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def play(rounds: int, starts: int, held_s: float) -> dict[str, object]:
    """The figures of one run; raises Failed."""
    with running(started=False) as server:
        server.environ.update(SIGNALTTY_INTEGRATION="off", XDG_DATA_HOME=f"{server.directory}/data")
        server.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1")
        server.start("--max-tasks", str(starts))
        repo = repository(Path(server.directory) / "repo é", **{f"d/f{number}": "x\n" for number in range(500)})
        origin = Path(server.directory) / "origin.git"
        git(repo, "clone", "-q", "--bare", str(repo), str(origin))
        git(repo, "remote", "add", "origin", str(origin))
        git(repo, "fetch", "-q", "origin")
        git(repo, "pack-refs", "--all")
        clients = [server.client() for _ in range(starts)]
        took_s: list[float] = []
        for number in range(rounds):
            with locked(repo, HELD.get(number), held_s):
                running_now = [Start(client, repo, f"r{number}") for client in clients]
                for one in running_now:
                    one.start()
                for one in running_now:
                    one.join()
            took_s += [one.took_s for one in running_now]
            _prove(server, repo, [one.reply for one in running_now])
        return {
            "rounds": rounds,
            "starts, all answered with a task": len(took_s),
            "branches, worktrees, locks left": 0,
            "a start, s (p50)": quantile(took_s, 0.5),
            "a start, s (worst)": max(took_s),
        }


def _prove(server: Server, repo: Path, replies: list[Record]) -> None:
    """Every start made one branch and one worktree; after a discard nothing of them is left."""
    refused = [reply["error"] for reply in replies if not reply["ok"]]
    check(not refused, f"{len(refused)} of {len(replies)} starts failed: {refused[:2]}")
    tasks = [reply["result"]["task"] for reply in replies]
    wanted = sorted(["main", *(task["branch"] for task in tasks)])
    check(_branches(repo) == wanted, f"branches {_branches(repo)}, wanted {wanted}")
    check(_worktrees(repo) == len(tasks) + 1, f"{_worktrees(repo)} worktrees of {len(tasks)} tasks")
    client = server.client()
    for task in tasks:
        done = client.call("task.finish", task_id=task["id"], mode="discard", delete_branch=True)
        check("cleanup_error" not in done, f"{done.get('cleanup_error')}")
    client.close()
    check(_branches(repo) == ["main"], f"branches left: {_branches(repo)}")
    check(_worktrees(repo) == 1, f"{_worktrees(repo) - 1} worktrees left")
    locks = [str(path) for path in (repo / ".git").rglob("*.lock")]
    check(not locks, f"locks left: {locks}")
    wait_until(lambda: not server.children(), "the end of every worker")


def _branches(repo: Path) -> list[str]:
    return sorted(git(repo, "branch", "--format=%(refname:short)").split("\n"))


def _worktrees(repo: Path) -> int:
    return git(repo, "worktree", "list", "--porcelain").count("worktree ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--held-s", type=float, default=3.0)
    given = parser.parse_args()
    main(lambda: play(given.rounds, given.starts, given.held_s))
