"""`board`: one screen of everything, ordered by who needs somebody. The work is in cli/local/."""

from __future__ import annotations

from ..spec import Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def board(session: Session, values: dict[str, Any]) -> int:
    from ..local.board import run  # layouts for every width

    return run(session, "watch" in values)


COMMANDS = (
    Command(
        "board",
        "Show panes, tasks and workspaces on one screen, those that need you first.",
        board,
        Option("--watch", None, "Stay and follow what changes, until q; plain and once where there is no terminal."),
        example="signaltty board --watch",
    ),
)
