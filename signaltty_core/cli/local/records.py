"""The ids a shell offers for the word under the cursor, each with a few words about what it names (cli §12)."""

from __future__ import annotations

from ...base.text import visible
from ..show import kind_of, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..session import Session

    Record = dict[str, Any]

ANSWER_S = 1.0  # a shell stands still meanwhile


def run(session: Session, kind: str) -> None:
    """One line per id: the id, a tab, the words. A server is never started for this."""
    session.settings.no_start = True
    session.write("".join(f"{id}\t{visible(about)}\n" for id, about in _READERS[kind](session)))


def _panes(session: Session) -> Iterator[tuple[str, str]]:
    for pane in session.call("pane.list", {}, ANSWER_S)["panes"]:
        about = f"{kind_of(pane)}, {state_of(pane)}: {pane['title']}"
        if pane.get("name"):
            yield pane["name"], about
        yield pane["id"], about


def _workspaces(session: Session) -> Iterator[tuple[str, str]]:
    for workspace in session.call("workspace.list", {}, ANSWER_S)["workspaces"]:
        yield workspace["handle"], f"{workspace['name']} in {workspace['cwd']}"
        yield workspace["id"], f"{workspace['name']} in {workspace['cwd']}"


def _tabs(session: Session) -> Iterator[tuple[str, str]]:
    for workspace in session.call("workspace.list", {}, ANSWER_S)["workspaces"]:
        for tab in session.call("workspace.get", {"workspace_id": workspace["id"]}, ANSWER_S)["tabs"]:
            yield tab["id"], f"{tab['title']} of {workspace['handle']}"


def _tasks(session: Session) -> Iterator[tuple[str, str]]:
    for task in session.call("task.list", {}, ANSWER_S)["tasks"]:
        yield task["id"], f"{task['state']}: {task.get('label') or task['contract']['objective']}"[:100]


_READERS = {"pane": _panes, "workspace": _workspaces, "tab": _tabs, "task": _tasks}
