"""`wait`: until a pane's agent reaches one of several states."""

from __future__ import annotations

from ...base.limits import WAIT_S
from ...client.conn import REPLY_S
from ...wire.codec import NotJson, decode
from ..lasting import ask_through
from ..session import reply_limit_s
from ..spec import JSON, NAMES, PANE, SECONDS, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...client.conn import Connection
    from ..session import Session

STATES = (
    "working, blocked, done, failed, idle, exited, unread, warning, input_required, permission_required, error, "
    "none, unknown, seen or attention_cleared"
)


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
    """The result of the wait, also where its server is lost meanwhile.

    Without a baseline of the caller's one is taken along: what happens while nobody listens then still counts.
    """

    def ask(connection: Connection, left_s: float | None) -> Any:
        nonlocal params
        if left_s is not None:
            params = {**params, "timeout_s": left_s}
        if "after" not in params:
            looked = connection.send("pane.get", {"pane_id": params["pane_id"]})
        waiting = connection.send("wait", params, REPLY_S)
        if "after" not in params:
            params = {**params, "after": connection.receive(looked, REPLY_S, "pane.get")["wait_baseline"]}
        return connection.receive(waiting, reply_limit_s("wait", params), "wait")

    return ask_through(session, timeout_s, ask)


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
