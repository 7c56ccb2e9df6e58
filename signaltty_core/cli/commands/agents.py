"""`agents …`: the manifests that teach the server about agents."""

from __future__ import annotations

from ..spec import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def list_manifests(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("agents.list", values))


def reload(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("agents.reload", values))


def _show(session: Session, result: dict[str, Any]) -> None:
    rows: list[tuple[str, ...]] = [
        (each["file"], each["kind"], ",".join(each["binaries"]) or "-", f"{each['screen_rules']} rules")
        for each in result["manifests"]
    ]
    rows += [(each["file"], f"BROKEN: {each['error']}") for each in result["failures"]]
    session.show_rows(result, rows, none=f"no manifests in {result['dir']}; the built-in agents need none")


COMMANDS = (
    Command("agents list", "List the agent manifests that are loaded.", list_manifests),
    Command("agents reload", "Read the agent manifests again.", reload, example="signaltty agents reload"),
)
