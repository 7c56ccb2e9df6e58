"""Open intents of tasks, brought to an end at a server's start (tasks-and-git §9)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reconcile import Row

ROWS: dict[str, Row] = {}
