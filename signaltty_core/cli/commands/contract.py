"""`schema` and `call`: the server's methods themselves."""

from __future__ import annotations

from ...wire.codec import NotJson, decode
from ..session import read_stdin
from ..spec import JSON, Argument, Command, LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def schema(session: Session, values: dict[str, Any]) -> None:
    result = session.call("server.schema", {})
    session.show(
        result,
        f"signaltty {result['version']} ({result['protocol']})",
        *(f"{name}: {' '.join(result[name])}" for name in ("methods", "events", "codes")),
    )


def call(session: Session, values: dict[str, Any]) -> None:
    params = _params(values.get("params"))
    result = session.call(values["method"], params)
    if session.settings.json:
        session.show(result)
        return
    # indenting is the package's work alone, and this command is for people who explore
    import json

    session.write(json.dumps(result, indent=2) + "\n")


def _params(given: str | None) -> dict[str, Any]:
    if given is None:
        return {}
    try:
        params = decode(read_stdin() if given == "-" else given)
    except NotJson as fault:
        raise LocalError(f"PARAMS is not JSON: {fault}") from None
    if not isinstance(params, dict):
        raise LocalError("PARAMS must be a JSON object")
    return params


COMMANDS = (
    Command("schema", "Print the methods, events and error codes of the server.", schema),
    Command(
        "call",
        "Call one method of the server and print its result.",
        call,
        Argument("METHOD"),
        Argument("PARAMS", "params", JSON, required=False),
        example="""signaltty call pane.get '{"pane_id":"PANE"}'""",
    ),
)
