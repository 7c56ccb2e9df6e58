"""Records as a server sends them, for tests of what people see."""

from __future__ import annotations

from typing import Any


def pane(**changed: Any) -> dict[str, Any]:
    return {
        "id": "pane_1",
        "workspace_id": "ws_1",
        "tab_id": "tab_1",
        "title": "claude",
        "live": {"state": "live"},
        "restore_state": "LIVE",
        "agent": {"kind": "claude"},
        "lifecycle": "working",
        "attention": "none",
        "pty_size": {"cols": 80, "rows": 24},
        **changed,
    }


def workspace(**changed: Any) -> dict[str, Any]:
    return {"id": "ws_1", "name": "Api", "handle": "api", "cwd": "/src/api", "git": {"branch": "main"}, **changed}


def tab(**changed: Any) -> dict[str, Any]:
    return {"id": "tab_1", "workspace_id": "ws_1", "title": "agents", "layout": None, **changed}
