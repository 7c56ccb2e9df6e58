"""The states of panes and tasks, for those who need no more of either than their names."""

from __future__ import annotations

LIFECYCLES = ("unknown", "working", "blocked", "done", "idle", "failed", "exited")
TASK_STATES = ("pending", "working", "input_required", "completed", "failed", "canceled", "rejected")
