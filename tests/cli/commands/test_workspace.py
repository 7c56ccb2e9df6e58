"""`workspace …`: requests and sentences."""

from __future__ import annotations

import os

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Asked, Run, asks_once
from ..records import workspace

ASKED: list[Asked] = [
    (
        "workspace create --name Api",
        "workspace.create",
        {"name": "Api", "cwd": os.getcwd()},
        {"workspace": workspace()},
        "workspace ws_1 (api)\n",
    ),
    (
        "workspace create --cwd /x/../y",
        "workspace.create",
        {"cwd": "/y"},
        {"workspace": workspace()},
        "workspace ws_1 (api)\n",
    ),
    (
        "workspace list",
        "workspace.list",
        {},
        {"workspaces": [workspace(), workspace(id="ws_2", handle="b", git={"detached": True})]},
        "ws_1  api  Api  /src/api  branch=main\nws_2  b  Api  /src/api  branch=-\n",
    ),
    (
        "workspace get api",
        "workspace.get",
        {"workspace_id": "api"},
        {"workspace": workspace(), "tabs": [{}], "panes": [{}, {}]},
        "ws_1 Api (/src/api) — 1 tabs, 2 panes\n",
    ),
    (
        "workspace rename api Web",
        "workspace.rename",
        {"workspace_id": "api", "name": "Web"},
        {"workspace": workspace(name="Web")},
        "renamed ws_1 to Web\n",
    ),
    (
        "workspace close api --signal TERM",
        "workspace.close",
        {"workspace_id": "api", "signal": "TERM"},
        {"closed": True},
        "closed api\n",
    ),
    (
        "workspace refresh-git api",
        "workspace.refresh_git",
        {"workspace_id": "api"},
        {"workspace": workspace()},
        "branch=main\n",
    ),
    (
        "workspace diff api --scope head",
        "workspace.diff",
        {"workspace_id": "api", "scope": "head"},
        {
            "files": [
                {"path": "a\tb", "added": 2, "removed": 1, "untracked": False, "binary": False},
                {"path": "p.png", "added": 0, "removed": 0, "untracked": False, "binary": True},
                {"path": "src/new", "added": 0, "removed": 0, "untracked": True, "binary": False},
            ],
            "dirs": [{"dir": ".", "added": 2, "removed": 1}],
            "added": 2,
            "removed": 1,
        },
        "+2 -1 a\\x09b\nbin p.png\n?? src/new\n./ +2 -1\ntotal +2 -1\n",
    ),
    (
        "workspace file-diff api src/a",
        "workspace.file_diff",
        {"workspace_id": "api", "path": "src/a"},
        {
            "path": "src/a",
            "untracked": False,
            "content": {
                "kind": "text",
                "hunks": [
                    {
                        "heading": "@@ -1,2 +1,2 @@ def",
                        "lines": [
                            {"kind": "context", "text": "one"},
                            {"kind": "removed", "text": "two"},
                            {"kind": "added", "text": "\x1b[31m"},
                            {"kind": "no_newline", "text": "No newline at end of file"},
                        ],
                    }
                ],
                "truncated": False,
                "notice": None,
            },
        },
        "diff src/a\n@@ -1,2 +1,2 @@ def\n one\n-two\n+\\x1b[31m\n\\ No newline at end of file\n",
    ),
    (
        "workspace file-diff api new --scope turn",
        "workspace.file_diff",
        {"workspace_id": "api", "path": "new", "scope": "turn"},
        {"path": "new", "untracked": True, "content": {"kind": "unavailable", "reason": "it is a symbolic link"}},
        "untracked new\n(unavailable: it is a symbolic link)\n",
    ),
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked[0])
def test_a_line_becomes_one_request_and_one_sentence(run: Run, server: ScriptedServer, asked: Asked) -> None:
    asks_once(run, server, asked)
