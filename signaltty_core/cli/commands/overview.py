"""`ls`, `attention`, `focus next-unread`: what there is, and who wants something."""

from __future__ import annotations

from time import time

from ...base.errors import NoSuchWorkspace
from ...client.conn import REPLY_S
from ..show import age, branch_of, kind_of, state_of, table, terminal_width
from ..spec import POSITIVE, WORKSPACE, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def list_everything(session: Session, values: dict[str, Any]) -> None:
    """Workspaces, their tabs and panes, in stored order (cli §5)."""
    trees = [_tree(found) for found in _workspaces(session, values.get("workspace_id"))]
    result = {"workspaces": trees}
    if session.settings.json:
        session.show(result)
        return
    lines: list[str] = []
    at = time()
    for tree in trees:
        workspace = tree["workspace"]
        lines += table([(workspace["handle"], workspace["name"], workspace["cwd"], branch_of(workspace))])
        for branch in tree["tabs"]:
            tab = branch["tab"]
            active = " *" if tab["id"] == workspace.get("active_tab_id") else ""
            lines += table([(f"{tab['title']}{active}",)], indent="  ")
            lines += table([_pane_row(pane, at) for pane in branch["panes"]] or [("(empty)",)], indent="    ")
    session.write("".join(line + "\n" for line in lines or ["no workspaces"]))


def list_attention(session: Session, values: dict[str, Any]) -> int | None:
    if values.pop("watch", False) and not session.settings.json and terminal_width() is not None:
        from ..local.board import watch_attention  # modes of the terminal: for those who stay

        return watch_attention(session, values.get("limit"))
    result = session.call("attention.pending", values)
    rows = (
        (pane["pane_id"], pane["attention"], pane.get("task_id") or "-", pane.get("last_message") or "")
        for pane in result["panes"]
    )
    session.show_rows(result, rows, empty="no panes require attention")
    return None


def focus_next_unread(session: Session, values: dict[str, Any]) -> None:
    result = session.call("focus.next_unread", {})
    session.show(result, result.get("pane_id") or "(none)")


def _workspaces(session: Session, only: str | None) -> list[dict[str, Any]]:
    """The `workspace.get` results; all are asked for before the first is read. One closed meanwhile is left out."""
    if only is not None:
        return [session.call("workspace.get", {"workspace_id": only})]
    listed = session.call("workspace.list", {})["workspaces"]
    connection = session.connection()
    asked = [connection.send("workspace.get", {"workspace_id": workspace["id"]}) for workspace in listed]
    found = []
    for id in asked:
        try:
            found.append(connection.receive(id, REPLY_S, "workspace.get"))
        except NoSuchWorkspace:
            continue
    return found


def _tree(found: dict[str, Any]) -> dict[str, Any]:
    tabs = [{"tab": tab, "panes": [p for p in found["panes"] if p["tab_id"] == tab["id"]]} for tab in found["tabs"]]
    return {"workspace": found["workspace"], "tabs": tabs}


def _pane_row(pane: dict[str, Any], at: float) -> tuple[str, ...]:
    return (
        pane["id"],
        pane.get("name") or "-",
        kind_of(pane),
        state_of(pane),
        pane["attention"],
        age(pane.get("lifecycle_since"), at),
        pane.get("last_message") or "",
    )


COMMANDS = (
    Command(
        "ls",
        "Show workspaces, tabs and panes with the state of every agent.",
        list_everything,
        Option("--workspace", WORKSPACE, "Only this workspace.", param="workspace_id"),
        example="signaltty ls",
    ),
    Command(
        "attention",
        "List the panes that want somebody, the most urgent first.",
        list_attention,
        Option("--limit", POSITIVE, "At most so many panes."),
        Option("--watch", None, "Stay and follow what changes, until q; once where there is no terminal."),
        example="signaltty attention --limit 5",
    ),
    Command(
        "focus next-unread",
        "Name the pane to look at next.",
        focus_next_unread,
        example='signaltty attach "$(signaltty focus next-unread)"',
    ),
)
