"""`worktree …`: the checkouts of a workspace's repository."""

from __future__ import annotations

from ..session import absolute
from ..spec import PATH, TEXT, WORKSPACE, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

_SOURCE = Option("--workspace", WORKSPACE, "A workspace of the repository.", param="workspace_id", required=True)
_CHECKOUT = Option("--path", PATH, "The checkout.", required=True)
_NAME = Option("--name", TEXT, "The workspace's name; default: the directory's name.")


def list_worktrees(session: Session, values: dict[str, Any]) -> None:
    result = session.call("worktree.list", values)
    session.show_rows(result, (_row(one) for one in result["worktrees"]), none="no worktrees")


def create(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("worktree.create", {**values, "path": absolute(values["path"])}))


def open_worktree(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("worktree.open", {**values, "path": absolute(values["path"])}))


def remove(session: Session, values: dict[str, Any]) -> None:
    result = session.call("worktree.remove", {**values, "path": absolute(values["path"])})
    session.show(result, f"removed {result['path']}")


def _row(worktree: dict[str, Any]) -> list[str]:
    name = worktree.get("branch") or "(detached)"
    row = [worktree["path"], f"{name} [main]" if worktree["main"] else name]
    return [*row, worktree["workspace_id"]] if worktree.get("workspace_id") else row


def _show(session: Session, result: dict[str, Any]) -> None:
    workspace = result["workspace"]
    session.show(result, f"workspace {workspace['id']} ({workspace['handle']}) at {result['path']}")


COMMANDS = (
    Command("worktree list", "List a repository's checkouts.", list_worktrees, _SOURCE),
    Command(
        "worktree create",
        "Make a checkout with a new branch, and a workspace for it.",
        create,
        _SOURCE,
        Option("--path", PATH, "Where; nothing may be there yet.", required=True),
        Option("--branch", TEXT, "Name of the new branch.", required=True),
        _NAME,
        example="signaltty worktree create --workspace api --path ../api-fix --branch fix",
    ),
    Command(
        "worktree open",
        "Give a checkout a workspace, or find the one it has.",
        open_worktree,
        _SOURCE,
        _CHECKOUT,
        _NAME,
    ),
    Command("worktree remove", "Remove a clean checkout nobody uses; its branch stays.", remove, _SOURCE, _CHECKOUT),
)
