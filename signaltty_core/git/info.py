"""What a workspace shows of its repository (behaviour §3.1): the questions to ask Git, and how to read the answers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OUTSIDE: dict[str, Any] = {"detached": False}
STATUS_TIMEOUT_S = 5.0

# optional locks off: a look must not make another Git wait; no monitor: a look must not start a program
_READ_ONLY = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false")
ROOT = (*_READ_ONLY, "rev-parse", "--show-toplevel")
STATUS = (*_READ_ONLY, "status", "--porcelain=v2", "--branch", "--untracked-files=no", "-z")


def environment(server: Mapping[str, str]) -> dict[str, str]:
    """No prompt, no pager, no repository named from outside."""
    kept = {name: value for name, value in server.items() if not name.startswith("GIT_")}
    kept.update(GIT_TERMINAL_PROMPT="0", GIT_PAGER="cat", LC_ALL="C.UTF-8")
    return kept


def parse(root: bytes, status: bytes | None) -> dict[str, Any]:
    """GitInfo from the output of ROOT and STATUS; status None: it took too long, so `dirty` stays unknown."""
    path = root.decode("utf-8", "replace").rstrip("\n")
    info: dict[str, Any] = {"root": path, "name": path.rstrip("/").rpartition("/")[2] or "/", "detached": False}
    if status is None:
        return info
    dirty = False
    for entry in status.decode("utf-8", "replace").split("\0"):
        if entry.startswith("# branch.head "):
            branch = entry[len("# branch.head ") :]
            if branch == "(detached)":
                info["detached"] = True
            else:
                info["branch"] = branch
        elif entry[:2] in ("1 ", "2 ", "u "):
            dirty = True
    info["dirty"] = dirty
    return info
