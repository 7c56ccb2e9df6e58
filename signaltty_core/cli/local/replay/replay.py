"""`debug replay`: test vectors, run against the reducers the server itself uses (agent-status §17).

A kind is a module with `play(vector) -> results`; it makes its own clock and process table.
"""

from __future__ import annotations

import os

from ....wire.codec import NotJson, decode, encode
from ...session import read_stdin, write_output
from ...spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

KINDS = {
    "agent-status": "agent_status",
    "status-signals": "signals",
    "osc7501": "program",
    "terminal": "terminal",
    "screen": "screen",
}


def replay(kind: str, path: str | None) -> None:
    """Print one line per vector of the file, or of standard input: its name and all results."""
    module = KINDS.get(kind)
    if module is None:
        raise LocalError(f"unknown kind {kind!r}; known: {', '.join(sorted(KINDS))}")
    play = __import__(f"{__package__}.{module}", fromlist=["play"]).play
    for vector in _vectors(path):
        # `name` may also be a result, a session's name, and then it stands for that; the order is that of the vectors
        write_output(encode({"vector": vector.get("name"), "name": vector.get("name"), **_played(play, vector)}) + "\n")


def _played(play: Callable[[dict[str, Any]], dict[str, Any]], vector: dict[str, Any]) -> dict[str, Any]:
    """The results; a vector that cannot be played says so and does not keep the others from being played."""
    try:
        return play(vector)
    except Exception as fault:
        return {"fault": f"{type(fault).__name__}: {fault}"}


def _vectors(path: str | None) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_content(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            vector = decode(line)
        except NotJson as fault:
            raise LocalError(f"line {number} is not JSON: {fault}") from None
        if not isinstance(vector, dict) or not isinstance(vector.get("steps"), list):
            raise LocalError(f"line {number} is no vector: it has no steps")
        if path not in (None, "-"):
            vector["folder"] = os.path.dirname(os.path.abspath(str(path)))
        yield vector


def _content(path: str | None) -> bytes:
    if path in (None, "-"):
        return read_stdin()
    try:
        with open(str(path), "rb") as file:
            return file.read()
    except OSError as fault:
        raise LocalError(f"cannot read {path}: {fault.strerror}") from None
