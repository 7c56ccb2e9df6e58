"""What `doctor` finds inside a pane, and what the server has heard from panes without being able to use it."""

from __future__ import annotations

import os
import stat

from ....base.errors import ProtocolError
from .examined import FAIL, OK, SERVER_S, WARN, Finding, count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .examined import Machine

VARIABLES = ("SIGNALTTY_PANE", "SIGNALTTY_SOCKET", "SIGNALTTY_BIN", "SIGNALTTY_PANE_TOKEN", "SIGNALTTY_STATUS_SOCKET")
UNUSED = ("ignored", "oversized", "timed_out")


def inside_pane(machine: Machine) -> Iterator[Finding]:
    pane_id = machine.environ.get("SIGNALTTY_PANE")
    if not pane_id:
        yield Finding("pane", OK, "not inside a pane")
        return
    missing = [name for name in VARIABLES if not machine.environ.get(name)]
    if missing:
        yield Finding("pane", WARN, f"{pane_id}, without {', '.join(missing)}: agents here cannot prove who they are")
    if machine.environ.get("SIGNALTTY_SOCKET", machine.socket) != machine.socket:
        yield Finding(
            "pane", WARN, f"its server listens at {machine.environ['SIGNALTTY_SOCKET']}, not at {machine.socket}"
        )
    if machine.has_server() and machine.ask("pane.get", {"pane_id": pane_id}) is None:
        yield Finding("pane", FAIL, f"the server knows no pane {pane_id}")
    elif not missing:
        yield Finding("pane", OK, f"{pane_id}, with its token")
    if machine.environ.get("SIGNALTTY_HOOKS") == "off":
        yield Finding("pane hooks", WARN, "SIGNALTTY_HOOKS=off: hooks in this pane report nothing")
    yield from _status_socket(machine.environ.get("SIGNALTTY_STATUS_SOCKET"))


def reports(machine: Machine) -> Iterator[Finding]:
    """Status lines and notifications that came to nothing since the server's start, over all panes."""
    connection = machine.connection
    listed = machine.ask("pane.list", {})
    if connection is None or listed is None:
        yield Finding("reports", OK, "no server to ask")
        return
    asked = [connection.send("pane.explain", {"pane_id": pane["id"]}, SERVER_S) for pane in listed["panes"]]
    counted: dict[str, int] = {}
    for id in asked:
        try:
            told = connection.receive(id, SERVER_S, "pane.explain")
        except ProtocolError:
            continue  # closed meanwhile
        for source in told["sources"]:
            for name in UNUSED:
                counted[name] = counted.get(name, 0) + int(source.get(name, 0))
        counted["dropped"] = counted.get("dropped", 0) + int(told["dropped_notifications"])
        if "status_socket_fault" in told:
            yield Finding("reports", WARN, f"{told['pane_id']} has no status socket: {told['status_socket_fault']}")
    lost = {name: number for name, number in counted.items() if number}
    if lost:
        lines = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in lost.items())
        yield Finding("reports", WARN, f"{lines}; `signaltty pane explain PANE` shows where")
    else:
        yield Finding("reports", OK, f"nothing was lost from {count_of(len(asked), 'pane')}")


def _status_socket(path: str | None) -> Iterator[Finding]:
    if not path:
        return
    try:
        is_socket = stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError as fault:
        yield Finding("status socket", WARN, f"{path}: {fault.strerror}; status lines of this pane are not heard")
        return
    status, text = (OK, path) if is_socket else (WARN, f"{path} is no socket")
    yield Finding("status socket", status, text)
