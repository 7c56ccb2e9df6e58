"""Real repositories for tests, made by the real Git with no configuration but what a test gives."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

PLAIN = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "LC_ALL": "C.UTF-8"}
NAMES = ("-c", "user.email=a@b", "-c", "user.name=n", "-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false")


def git(directory: str | Path, *words: str) -> str:
    """What Git prints; fails when it fails."""
    done = subprocess.run(
        ["git", *NAMES, *words], cwd=directory, env={**os.environ, **PLAIN}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done
    return done.stdout.strip()


def repository(path: str | Path, **files: str | bytes) -> Path:
    """A new repository; with files, those are its first commit."""
    made = Path(path)
    made.mkdir(parents=True)
    git(made, "init", "-q")
    for name, value in (("user.email", "a@b"), ("user.name", "n")):
        git(made, "config", name, value)
    if files:
        write(made, files)
        git(made, "add", "--all")
        git(made, "commit", "-qm", "first")
    return made


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)


def state(root: Path) -> dict[str, str]:
    """Every file of a checkout and of its repository but the object store, with content and mode: what a read must
    leave as it is."""
    found = {}
    for folder, _, names in os.walk(root):
        inside = os.path.relpath(folder, root)
        if inside.startswith(".git/objects"):
            continue
        for name in names:
            path = os.path.join(folder, name)
            facts = os.lstat(path)
            if os.path.islink(path):
                content = os.readlink(path).encode()
            elif os.path.isfile(path):
                content = Path(path).read_bytes()
            else:
                content = b""
            found[os.path.join(inside, name)] = f"{facts.st_mode:o} {hashlib.sha1(content).hexdigest()}"
    return found
