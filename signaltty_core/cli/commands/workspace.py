"""`workspace …`: directories with tabs and panes."""

from __future__ import annotations

from ..session import absolute, working_directory
from ..show import branch_of
from ..diffs import file_lines, summary_lines
from ..spec import CLOSING_SIGNAL, DIFF_SCOPE, PATH, TEXT, WORKSPACE, Argument, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

_WORKSPACE = Argument("WORKSPACE", "workspace_id", WORKSPACE)


def create(session: Session, values: dict[str, Any]) -> None:
    params = {**values, "cwd": absolute(values["cwd"]) if "cwd" in values else working_directory()}
    result = session.call("workspace.create", params)
    session.show(result, f"workspace {result['workspace']['id']} ({result['workspace']['handle']})")


def list_workspaces(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.list", {})
    rows = ((w["id"], w["handle"], w["name"], w["cwd"], f"branch={branch_of(w)}") for w in result["workspaces"])
    session.show_rows(result, rows, none="no workspaces")


def get(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.get", values)
    workspace, tabs, panes = result["workspace"], len(result["tabs"]), len(result["panes"])
    name = f"{workspace['id']} {workspace['name']} ({workspace['cwd']})"
    session.show(result, f"{name} — {tabs} tabs, {panes} panes")


def rename(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.rename", values)
    session.show(result, f"renamed {result['workspace']['id']} to {result['workspace']['name']}")


def close(session: Session, values: dict[str, Any]) -> None:
    session.show(session.call("workspace.close", values), f"closed {values['workspace_id']}")


def refresh_git(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.refresh_git", values)
    session.show(result, f"branch={branch_of(result['workspace'])}")


def diff(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.diff", values)
    session.show(result, *summary_lines(result))


def file_diff(session: Session, values: dict[str, Any]) -> None:
    result = session.call("workspace.file_diff", values)
    session.show(result, *file_lines(result))


_SCOPE = Option("--scope", DIFF_SCOPE, "Since the last commit (head, the default), or since the newest turn began.")
COMMANDS = (
    Command(
        "workspace create",
        "Make an empty workspace.",
        create,
        Option("--cwd", PATH, "Its directory; default: where you are."),
        Option("--name", TEXT, "Its name; default: the directory's name."),
        example="signaltty workspace create --cwd ~/api --name api",
    ),
    Command("workspace list", "List workspaces.", list_workspaces),
    Command("workspace get", "Show one workspace.", get, _WORKSPACE),
    Command("workspace rename", "Change a workspace's name; its handle stays.", rename, _WORKSPACE, Argument("NAME")),
    Command(
        "workspace close",
        "End every pane of a workspace and remove it.",
        close,
        _WORKSPACE,
        CLOSING_SIGNAL,
    ),
    Command("workspace refresh-git", "Look again at a workspace's branch.", refresh_git, _WORKSPACE),
    Command("workspace diff", "Count what has changed, per file and directory.", diff, _WORKSPACE, _SCOPE),
    Command(
        "workspace file-diff", "Show what has changed in one file.", file_diff, _WORKSPACE, Argument("PATH"), _SCOPE
    ),
)
