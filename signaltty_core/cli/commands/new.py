"""`new`: a workspace with one pane in it."""

from __future__ import annotations

from ...base.errors import ProtocolError
from ..launch import environment_for, program_of
from ..session import absolute, working_directory
from ..spec import PATH, TEXT, VARIABLE, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def create(session: Session, values: dict[str, Any]) -> None:
    cwd = absolute(values["cwd"]) if "cwd" in values else working_directory()
    environ = session.settings.environ
    asked = {"cwd": cwd, **({"name": values["name"]} if "name" in values else {})}
    workspace = session.call("workspace.create", asked)["workspace"]
    pane: dict[str, Any] = {
        "workspace_id": workspace["id"],
        "cwd": cwd,
        "argv": values["argv"] or program_of(environ),
        "env": environment_for(environ, values.get("env", [])),
    }
    try:
        if "tab" in values:
            tab = session.call("tab.create", {"workspace_id": workspace["id"], "title": values["tab"]})["tab"]
            pane["tab_id"] = tab["id"]
        spawned = session.call("pane.spawn", pane)
    except ProtocolError:
        # a failed start leaves nothing behind, as for pane.spawn itself
        session.call("workspace.close", {"workspace_id": workspace["id"]})
        raise
    result = {"workspace_id": workspace["id"], "handle": workspace["handle"], "pane_id": spawned["pane"]["id"]}
    if "integration" in spawned:
        result["integration"] = spawned["integration"]
    session.show(result, f"workspace {workspace['id']} ({workspace['handle']}) pane {spawned['pane']['id']}")


COMMANDS = (
    Command(
        "new",
        "Make a workspace and start a program in a pane of it.",
        create,
        Option("--cwd", PATH, "Directory of the workspace; default: where you are."),
        Option("--name", TEXT, "Name of the workspace; default: the directory's name."),
        Option("--tab", TEXT, "Title of the pane's tab; default: agents."),
        Option("--env", VARIABLE, "A variable for the program; may be repeated.", many=True),
        rest="CMD…",
        example="signaltty new --cwd ~/api -- claude",
    ),
)
