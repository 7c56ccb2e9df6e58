"""`integration …`: agents' own settings files, for agents that are typed into a shell. The work is in cli/local/."""

from __future__ import annotations

from ..spec import PATH, TEXT, Argument, Command, Option, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def install(session: Session, values: dict[str, Any]) -> int:
    from ..local.integration import install as run  # brings every form of settings file along

    return run(session, values["agent"], values.get("home"), values.get("permissions", False))


def uninstall(session: Session, values: dict[str, Any]) -> int:
    from ..local.integration import uninstall as run

    return run(session, values["agent"], values.get("home"))


def status(session: Session, values: dict[str, Any]) -> None:
    from ..local.integration import status as run

    run(session, values.get("home"))


def _check(values: dict[str, Any]) -> None:
    if values.get("permissions") and values["agent"] != "copilot":
        raise Usage("--permissions goes with `integration install copilot` alone")


_AGENT = Argument("AGENT|all", "agent", TEXT)
_HOME = Option("--home", PATH, "Directory that stands for the home directory; the agents' own variables are ignored.")

COMMANDS = (
    Command(
        "integration install",
        "Let an agent report to signaltty wherever it is started.",
        install,
        _AGENT,
        _HOME,
        Option("--permissions", None, "Let signaltty answer copilot's permission requests, every one of them."),
        check=_check,
        example="signaltty integration install codex",
    ),
    Command("integration uninstall", "Take signaltty out of an agent's settings again.", uninstall, _AGENT, _HOME),
    Command("integration status", "Show which agents report to signaltty, and your manifests.", status, _HOME),
)
