"""`wait`: until a pane's agent reaches one of several states."""

from __future__ import annotations

from time import monotonic

from ...base.errors import IoError
from ...base.limits import WAIT_S
from ...client.conn import REPLY_S
from ...wire.codec import NotJson, decode
from ..session import WAIT_GRACE_S
from ..spec import JSON, NAMES, PANE, SECONDS, Command, LocalError, Option

STATES = (
    "working, blocked, done, failed, idle, exited, unread, warning, input_required, permission_required, error, "
    "none, unknown, seen or attention_cleared"
)
LOST_SERVER_S = 5.0  # how long the keeper may need to bring a lost server back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def wait(session: Session, values: dict[str, Any]) -> None:
    params = {**values, "until": [state for states in values["until"] for state in states]}
    if "after" in params:
        try:
            params["after"] = decode(params["after"])
        except NotJson as fault:
            raise LocalError(f"--after-baseline is not JSON: {fault}") from None
        # the server takes null for "no baseline" and would answer with an old outcome
        if params["after"] is None:
            raise LocalError("--after-baseline is null: give the wait_baseline of `pane get --json`")
    result = _wait_through(session, params, values.get("timeout_s", WAIT_S))
    session.show(result, f"satisfied: lifecycle={result['lifecycle']} attention={result['attention']}")


def _wait_through(session: Session, params: dict[str, Any], timeout_s: float) -> Any:
    """The result of the wait, asked again when its server is lost and its keeper brings it back.

    Without a baseline of the caller's one is taken along: what happens while nobody listens then still counts.
    """
    ends_at = monotonic() + timeout_s
    patience_s = 0.0
    while True:
        connection = session.connection(patience_s)
        if "after" not in params:
            looked = connection.send("pane.get", {"pane_id": params["pane_id"]})
        waiting = connection.send("wait", params, REPLY_S)
        try:
            if "after" not in params:
                params = {**params, "after": connection.receive(looked, REPLY_S, "pane.get")["wait_baseline"]}
            result = connection.receive(waiting, max(0.0, ends_at - monotonic()) + WAIT_GRACE_S, "wait")
        except IoError:
            if not session.has_keeper():
                raise
            session.hang_up()
            patience_s = LOST_SERVER_S
            params = {**params, "timeout_s": max(0.0, ends_at - monotonic())}
            continue
        session.notice_version(connection)
        return result


COMMANDS = (
    Command(
        "wait",
        "Wait until a pane reaches one of the states.",
        wait,
        Option("--pane", PANE, "The pane.", param="pane_id", required=True),
        Option("--until", NAMES, f"Any of these ends the wait: {STATES}; may be repeated.", required=True, many=True),
        Option("--after-baseline", JSON, "Only what happens after this wait_baseline of `pane get`.", param="after"),
        Option("--timeout", SECONDS, "Give up after so long; default 3600.", param="timeout_s"),
        example="signaltty wait --pane PANE --until done,blocked --timeout 600",
    ),
)
