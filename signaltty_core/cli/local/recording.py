"""The recordings that come along: what an agent wrote to its terminal and which hooks it called, at which moment."""

from __future__ import annotations

import os

from ...wire.codec import decode
from ..spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recordings")


class Recording:
    """data: everything it wrote. steps: in order, each with its moment `at` in seconds and one of

    `write` (the offset up to which `data` has been written by then), `hook` with its `stdin`, and `await`: the
    recording goes on once the open permission request has its `verdict`, or Enter came as a `key`.
    """

    __slots__ = ("cols", "data", "name", "rows", "steps", "title")

    def __init__(self, name: str, described: dict[str, Any], data: bytes) -> None:
        self.name = name
        self.title: str = described["title"]
        self.cols: int = described["cols"]
        self.rows: int = described["rows"]
        self.steps: list[dict[str, Any]] = described["steps"]
        self.data = data

    def awaits(self, what: str) -> bool:
        return any(step.get("await") == what for step in self.steps)


def names() -> list[str]:
    return sorted(name[:-5] for name in os.listdir(FOLDER) if name.endswith(".json"))


def load(name: str) -> Recording:
    """Raises LocalError for one that is not there."""
    if name not in names():
        raise LocalError(f"no recording {name!r}; there are {', '.join(names())}")
    with open(os.path.join(FOLDER, f"{name}.json"), encoding="utf-8") as file:
        described = decode(file.read())
    with open(os.path.join(FOLDER, f"{name}.bin"), "rb") as file:
        return Recording(name, described, file.read())
