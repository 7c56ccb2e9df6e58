"""`worktree …`: requests and sentences."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Run
from ..records import workspace

ASKED: list[tuple[str, str, dict[str, Any], Any, str]] = [
    (
        "worktree list --workspace api",
        "worktree.list",
        {"workspace_id": "api"},
        {
            "worktrees": [
                {"path": "/r", "branch": "main", "main": True, "workspace_id": "ws_1"},
                {"path": "/w", "main": False},
            ]
        },
        "/r  main [main]  ws_1\n/w  (detached)\n",
    ),
    (
        "worktree create --workspace api --path w --branch fix --name Fix",
        "worktree.create",
        {"workspace_id": "api", "path": f"{os.getcwd()}/w", "branch": "fix", "name": "Fix"},
        {"workspace": workspace(), "path": "/w", "reused": False},
        "workspace ws_1 (api) at /w\n",
    ),
    (
        "worktree open --workspace api --path /x/../w",
        "worktree.open",
        {"workspace_id": "api", "path": "/w"},
        {"workspace": workspace(), "path": "/w", "reused": True},
        "workspace ws_1 (api) at /w\n",
    ),
    (
        "worktree remove --workspace api --path /w/",
        "worktree.remove",
        {"workspace_id": "api", "path": "/w"},
        {"removed": True, "path": "/w"},
        "removed /w\n",
    ),
]


@pytest.mark.parametrize(("line", "method", "params", "answer", "said"), ASKED)
def test_a_line_becomes_one_request_and_one_sentence(
    run: Run, server: ScriptedServer, line: str, method: str, params: dict[str, Any], answer: Any, said: str
) -> None:
    server.answers[method] = answer
    assert run(*line.split()) == (0, said, "")
    assert server.asked == [(method, params)]
