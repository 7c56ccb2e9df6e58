"""`events`: what happens, one JSON line each, as it happens."""

from __future__ import annotations

from ...base.errors import IoError
from ...wire.codec import encode
from ..session import wait_beside_output
from ..spec import ID, INTEGER, NAMES, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...client.conn import Connection
    from ..session import Session


def follow(session: Session, values: dict[str, Any]) -> None:
    """Until interrupted, or the server has said goodbye. Raises IoError when it is lost without that."""
    params = {name: value for name, value in values.items() if name != "events"}
    wanted = [glob for globs in values.get("events", []) for glob in globs]
    # its own end must be seen whatever is asked for
    if wanted:
        params["events"] = [*wanted, GOODBYE]
    result = session.call("subscribe", params)
    if session.settings.json:
        session.show(result)
    if result.get("subscribed") is not True:
        replay = result.get("replay") or {}
        raise LocalError(
            f"the events after {replay.get('requested_after')} cannot be replayed: {replay.get('status')}; "
            f"recovery: {replay.get('recovery')}"
        )
    connection = session.connection()
    leaving = False
    while (frame := _next(connection)) is not None:
        leaving = leaving or frame.get("event") == GOODBYE
        if frame.get("event") != GOODBYE or not wanted or _asked_for_goodbye(wanted):
            session.write(encode(frame) + "\n")
    if not leaving:
        raise IoError("the server closed the connection")


def _next(connection: Connection) -> dict[str, Any] | None:
    if not connection.has_more:
        wait_beside_output(connection.fileno())
    return connection.next_event()


def _asked_for_goodbye(wanted: list[str]) -> bool:
    return any(glob in ("*", "server.*", GOODBYE) for glob in wanted)


GOODBYE = "server.will_shutdown"
COMMANDS = (
    Command(
        "events",
        "Print events as they happen, a JSON line each, until interrupted.",
        follow,
        Option("--filter", NAMES, "Only these events: names, prefix.* or *.", param="events", many=True),
        Option("--from-seq", INTEGER, "First those after this number."),
        Option("--task", ID, "Of the task.* events only this task's; may be repeated.", param="task_ids", many=True),
        example="signaltty events --filter 'agent.*,decision.*'",
    ),
)
