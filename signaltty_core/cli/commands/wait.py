"""`wait`: until a pane's agent reaches one of several states."""

from __future__ import annotations

from ...base.limits import WAIT_S
from ...wire.codec import NotJson, decode
from ..session import WAIT_GRACE_S
from ..spec import JSON, NAMES, PANE, SECONDS, Command, LocalError, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def wait(session: Session, values: dict[str, Any]) -> None:
    params = dict(values)
    if "after" in params:
        try:
            params["after"] = decode(params["after"])
        except NotJson as fault:
            raise LocalError(f"--after-baseline is not JSON: {fault}") from None
        # the server takes null for "no baseline" and would answer with an old outcome
        if params["after"] is None:
            raise LocalError("--after-baseline is null: give the wait_baseline of `pane get --json`")
    result = session.call("wait", params, values.get("timeout_s", WAIT_S) + WAIT_GRACE_S)
    session.show(result, f"satisfied: lifecycle={result['lifecycle']} attention={result['attention']}")


COMMANDS = (
    Command(
        "wait",
        "Wait until a pane reaches one of the states.",
        wait,
        Option("--pane", PANE, "The pane.", param="pane_id", required=True),
        Option("--until", NAMES, "States, any of which ends the wait.", required=True),
        Option("--after-baseline", JSON, "Only what happens after this wait_baseline of `pane get`.", param="after"),
        Option("--timeout", SECONDS, "Give up after so long; default 3600.", param="timeout_s"),
        example="signaltty wait --pane PANE --until done,blocked --timeout 600",
        fast=True,
    ),
)
