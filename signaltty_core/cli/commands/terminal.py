"""`attach` and `demo`: what needs a person's terminal. The work itself is in cli/local/."""

from __future__ import annotations

from ..spec import NUMBER, PANE, TEXT, Argument, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def attach(session: Session, values: dict[str, Any]) -> int:
    # terminal modes and a second connection: imported by those who attach
    from ..local.attach import run

    return run(session.settings, values["pane_id"], not values.get("no_mark_seen", False))


def demo(session: Session, values: dict[str, Any]) -> int:
    # brings the recordings along
    from ..local.demo import run

    return run(session.settings, values["scenario"], values["speed"], values.get("keep", False))


ATTACH = Command(
    "attach",
    "Show a pane in this terminal and type into it; Ctrl+] leaves.",
    attach,
    Argument("PANE", "pane_id", PANE),
    Option("--no-mark-seen", None, "Do not count this as having looked."),
    example="signaltty attach PANE",
)

COMMANDS = (
    ATTACH,
    Command(
        "demo",
        "Play the recording of a real agent in a real pane and show what signaltty sees.",
        demo,
        Option("--scenario", TEXT, "Which recording.", default="allow"),
        Option("--speed", NUMBER, "How much faster than it was recorded.", default=1.0),
        Option("--keep", None, "Let a server that the demo started run on."),
        example="signaltty demo",
    ),
)
