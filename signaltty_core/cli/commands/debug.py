"""`debug`: what only those need who look into signaltty itself."""

from __future__ import annotations

from ..spec import Argument, Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def replay(session: Session, values: dict[str, Any]) -> None:
    from ..local.replay.replay import replay as run  # brings the reducers along

    run(values["kind"], values.get("file"))


COMMANDS = (
    Command(
        "debug replay",
        "Run test vectors against the reducers the server uses; one line of results each.",
        replay,
        Argument("KIND"),
        Argument("FILE", required=False),
        hidden=True,
        example="signaltty debug replay agent-status vectors.jsonl",
    ),
)
