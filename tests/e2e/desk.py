"""A client of a real server over real repositories, and words for what tests of diffs ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.rig import Client, Server, is_running, wait_until

Record = dict[str, Any]


class Desk:
    """A client, and words for what these tests ask."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client: Client = server.client()
        self.work = Path(server.work)

    def open(self, cwd: Path) -> str:
        return str(self.client.call("workspace.create", cwd=str(cwd))["workspace"]["id"])

    def diff(self, workspace_id: str, **params: Any) -> Record:
        found: Record = self.client.call("workspace.diff", workspace_id=workspace_id, **params)
        return found

    def file(self, workspace_id: str, path: str, **params: Any) -> Record:
        found: Record = self.client.call("workspace.file_diff", workspace_id=workspace_id, path=path, **params)
        return found

    def content(self, workspace_id: str, path: str, **params: Any) -> Record:
        return dict(self.file(workspace_id, path, **params)["content"])

    def refusal(self, workspace_id: str, path: str, **params: Any) -> str:
        return str(self.client.refusal("workspace.file_diff", workspace_id=workspace_id, path=path, **params)["code"])


def counts(shown: Record) -> dict[str, tuple[int, int, bool, bool]]:
    return {one["path"]: (one["added"], one["removed"], one["untracked"], one["binary"]) for one in shown["files"]}


def lines_of(content: Record) -> list[tuple[str, str, int | None, int | None]]:
    assert content["kind"] == "text", content
    return [
        (line["kind"], line["text"], line["old_line"], line["new_line"])
        for hunk in content["hunks"]
        for line in hunk["lines"]
    ]


def end_is_seen(pid: int) -> None:
    wait_until(lambda: not is_running(pid), f"the end of {pid}")
