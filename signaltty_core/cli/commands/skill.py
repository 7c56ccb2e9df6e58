"""`skill …`: the document an agent in a pane needs. The work is in cli/local/."""

from __future__ import annotations

from ..spec import PATH, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def cat(session: Session, values: dict[str, Any]) -> None:
    from ..local.skill import cat as run  # the text is long

    run(session)


def check(session: Session, values: dict[str, Any]) -> None:
    from ..local.skill import check as run

    run(session)


def install(session: Session, values: dict[str, Any]) -> None:
    from ..local.skill import install as run

    run(session, values.get("home"))


def uninstall(session: Session, values: dict[str, Any]) -> None:
    from ..local.skill import uninstall as run

    run(session, values.get("home"))


def status(session: Session, values: dict[str, Any]) -> None:
    from ..local.skill import status as run

    run(session, values.get("home"))


_HOME = Option("--home", PATH, "Directory that stands for the home directory.")

COMMANDS = (
    Command(
        "skill cat", "Print the document that teaches an agent to use signaltty.", cat, example="signaltty skill cat"
    ),
    Command("skill check", "Say whether this runs inside a pane; exit status 1 when not.", check),
    Command(
        "skill install",
        "Put the document where agents look for skills.",
        install,
        _HOME,
        example="signaltty skill install",
    ),
    Command("skill uninstall", "Take the document away again.", uninstall, _HOME),
    Command("skill status", "Show where the document is installed.", status, _HOME),
)
