"""`plugin …`: the plugins whose hooks the server runs, and the commands they bring. The work is in cli/local/."""

from __future__ import annotations

from ..spec import PATH, TEXT, Argument, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session


def list_plugins(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("plugin.list", values))


def reload(session: Session, values: dict[str, Any]) -> None:
    _show(session, session.call("plugin.reload", values))


def run(session: Session, values: dict[str, Any]) -> None:
    from ..local.plugin import run as run_command  # brings the reader of manifests along

    run_command(session, values["plugin"], values["command"], values["argv"], values.get("plugin_dir"))


def _show(session: Session, result: dict[str, Any]) -> None:
    rows: list[tuple[str, ...]] = [
        (
            f"{plugin['name']} {plugin.get('version', '-')}",
            f"{len(plugin['hooks'])} hooks",
            f"{len(plugin['commands'])} commands",
            *_errors(plugin["hooks"]),
        )
        for plugin in result["plugins"]
    ]
    rows += [(each["dir"], f"BROKEN: {each['error']}") for each in result["failures"]]
    session.show_rows(result, rows, empty=f"no plugins in {result['dir']}")


def _errors(hooks: list[dict[str, Any]]) -> list[str]:
    """What went wrong last, where something did."""
    count = sum(hook["errors"] for hook in hooks)
    newest = [hook["last_error"] for hook in hooks if "last_error" in hook]
    return [f"{count} errors: {newest[-1]}"] if newest else []


COMMANDS = (
    Command("plugin list", "List the plugins of the server, and how their hooks went.", list_plugins),
    Command("plugin reload", "Read the plugins again and count their runs anew.", reload),
    Command(
        "plugin run",
        "Run a command of a plugin here; no server is needed.",
        run,
        Argument("PLUGIN", "plugin", TEXT),
        Argument("COMMAND", "command", TEXT),
        Option("--plugin-dir", PATH, "Where plugins are, instead of $SIGNALTTY_PLUGIN_DIR or the default."),
        rest="ARGS…",
        example="signaltty plugin run handover notes -- --since yesterday",
    ),
)
