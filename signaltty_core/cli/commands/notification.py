"""`notify` and `notification list`."""

from __future__ import annotations

from ..session import KEEPER_PATIENCE_S
from ..spec import PANE, POSITIVE, SEVERITY, TEXT, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def notify(session: Session, values: dict[str, Any]) -> None:
    pane = session.own_pane(values.get("pane_id"))
    params = {**values, "pane_id": pane} if pane else values
    session.connection(KEEPER_PATIENCE_S)
    result = session.call("notify", params)
    session.show(result, f"notification {result['notification']['id']}")


def list_notifications(session: Session, values: dict[str, Any]) -> None:
    result = session.call("notification.list", values)
    rows = (
        (note["created_at"], note["severity"], note.get("pane_id") or "-", note["title"], note["body"])
        for note in result["notifications"]
    )
    session.show_rows(result, rows, none="no notifications")


COMMANDS = (
    Command(
        "notify",
        "Leave a notification on a pane, or on none.",
        notify,
        Option("--title", TEXT, "What happened.", required=True),
        Option("--body", TEXT, "More about it."),
        Option("--pane", PANE, "The pane; default: the one this runs in.", param="pane_id"),
        Option("--severity", SEVERITY, "How urgent it is.", default="info"),
        example="signaltty notify --title 'tests are green'",
    ),
    Command(
        "notification list",
        "List notifications, newest first.",
        list_notifications,
        Option("--pane", PANE, "Only those of this pane.", param="pane_id"),
        Option("--unread", None, "Only those nobody has seen."),
        Option("--limit", POSITIVE, "At most so many.", default=50),
    ),
)
