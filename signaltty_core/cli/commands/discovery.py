"""`doctor`, `completion`, `man`: the program about itself. The work is in cli/local/."""

from __future__ import annotations

from ..spec import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def doctor(session: Session, values: dict[str, Any]) -> int:
    from ..local.doctor import run  # brings what it examines along

    return run(session)


COMMANDS = (
    Command(
        "doctor",
        "Examine everything signaltty needs and uses; says what to do where something is wrong.",
        doctor,
        example="signaltty doctor",
    ),
)
