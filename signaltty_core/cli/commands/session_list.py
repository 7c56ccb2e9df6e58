"""`session list`: what agents have said of themselves."""

from __future__ import annotations

from ..spec import PANE, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def list_sessions(session: Session, values: dict[str, Any]) -> None:
    result = session.call("session.list", values)
    rows = (
        ("*" if one["shown"] else " ", one["pane_id"], one["id"], one["name"], one["phase"], one.get("text", ""))
        for one in result["sessions"]
    )
    session.show_rows(result, rows, none="no agent reports sessions")


COMMANDS = (
    Command(
        "session list",
        "List the sessions agents report; the shown one of each pane has a star.",
        list_sessions,
        Option("--pane", PANE, "Only those of this pane.", param="pane_id"),
    ),
)
