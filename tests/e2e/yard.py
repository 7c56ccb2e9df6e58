"""A server with real repositories beside it, and workers that behave like agents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.composers.rig import PROGRAM, Composers
from tests.server.rig import Record, Server, wait_until

COMMIT = "echo done > result.txt && git add result.txt && git commit -qm work"
REPORT = "$SIGNALTTY_BIN_CALL report --status completed --summary finished"


def git(directory: str | Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Yard(Composers):
    """A server with repositories beside it, and workers that commit and report when they are told."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self.directory = Path(server.directory)
        self._made = 0

    def repository(self, name: str | None = None) -> Path:
        self._made += 1
        made = self.directory / (name or f"repo {self._made}é")
        made.mkdir()
        git(made, "init", "-q", "-b", "main")
        git(made, "config", "user.email", "t@example.org")
        git(made, "config", "user.name", "T")
        (made / "a.txt").write_text("one\n")
        git(made, "add", "-A")
        git(made, "commit", "-qm", "first")
        return made

    def worker(self, modes: str = "plain", then: str = "") -> tuple[list[str], Path]:
        """argv of a composer, and its log."""
        self._made += 1
        log = self.directory / f"worker-{self._made}.jsonl"
        log.touch()
        if not then:
            return [sys.executable, PROGRAM, modes, str(log)], log
        program = " ".join(self.shop.server.argv()[:2])
        script = f"export COMPOSER_THEN='{then.replace('$SIGNALTTY_BIN_CALL', program)}'; exec \"$@\""
        return ["sh", "-c", script, "sh", sys.executable, PROGRAM, f"{modes},report", str(log)], log

    def begin(self, repo: Path, modes: str = "plain", then: str = "", **params: Any) -> tuple[Record, Path]:
        """A started task, and the log of its worker."""
        argv, log = self.worker(modes, then)
        contract = params.pop("contract", {"objective": "make it so"})
        made = self.client.call("task.start", repo=str(repo), contract=contract, argv=argv, **params)
        return made, log

    def task(self, task_id: str, *states: str) -> Record:
        """The task, once it is in one of the states."""

        def look() -> Record | None:
            task: Record = self.client.call("task.get", task_id=task_id)["task"]
            return task if not states or task["state"] in states else None

        found: Record = wait_until(look, f"task {states}")
        return found

    def finished(self, repo: Path, then: str = f"{COMMIT}; {REPORT}", **wish: Any) -> Record:
        """A task whose worker has committed and reported."""
        made, _ = self.begin(repo, then=then, **wish)
        return self.task(made["task"]["id"], "completed")


def read(log: Path) -> list[Record]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def snapshot(repo: Path) -> Record:
    """Everything of a checkout that must be as before."""
    files = {
        str(path.relative_to(repo)): path.read_bytes()
        for path in sorted(repo.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(repo).parts
    }
    state = [name for name in ("MERGE_HEAD", "index.lock") if (repo / ".git" / name).exists()]
    return {
        "files": files,
        "refs": git(repo, "for-each-ref"),
        "head": git(repo, "rev-parse", "HEAD"),
        "status": git(repo, "status", "--porcelain"),
        "state": state,
    }


def hook(repo: Path, name: str, script: str) -> None:
    path = repo / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
