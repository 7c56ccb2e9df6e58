"""`doctor`, `completion`, `man`: the program about itself. The work is in cli/local/."""

from __future__ import annotations

from ..spec import Argument, Command, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def doctor(session: Session, values: dict[str, Any]) -> int:
    from ..local.doctor.doctor import run  # brings what it examines along

    return run(session)


def completion(session: Session, values: dict[str, Any]) -> None:
    from ..local.completion.completion import write  # reads every command and method there is

    script = write(values["shell"])
    session.show({"shell": values["shell"], "script": script}) if session.settings.json else session.write(script)


def complete(session: Session, values: dict[str, Any]) -> None:
    from ..local.records import run

    run(session, values["kind"])


def man(session: Session, values: dict[str, Any]) -> None:
    from ..local.man import write  # reads every command there is

    page = write()
    session.show({"page": page}) if session.settings.json else session.write(page)


COMMANDS = (
    Command(
        "doctor",
        "Examine everything signaltty needs and uses; says what to do where something is wrong.",
        doctor,
        example="signaltty doctor",
    ),
    Command(
        "completion",
        "Print a script that lets a shell complete commands, options and ids.",
        completion,
        Argument("bash|zsh|fish", "shell", one_of("bash", "zsh", "fish")),
        example='eval "$(signaltty completion bash)"',
    ),
    Command(
        "complete",
        "Print the ids that a shell offers.",
        complete,
        Argument("KIND", "kind", one_of("pane", "workspace", "tab", "task")),
        hidden=True,
    ),
    Command("man", "Print the manual page, in roff.", man, example="signaltty man | man -l -"),
)
