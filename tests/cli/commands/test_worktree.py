"""`worktree …`: requests and sentences."""

from __future__ import annotations

import os

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Asked, Run, asks_once
from ..records import workspace

ASKED: list[Asked] = [
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


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked[0])
def test_a_line_becomes_one_request_and_one_sentence(run: Run, server: ScriptedServer, asked: Asked) -> None:
    asks_once(run, server, asked)
