"""The options of `server run` (cli §10), read without click: a server start pays for no library."""

from __future__ import annotations

import os

from ..base import paths
from ..base.errors import BadParams
from ..base.limits import IDLE_EXIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TASKS = 4
WORKER_SILENT_S = 600.0
WITH_VALUE = [
    "--socket",
    "--state-dir",
    "--plugin-dir",
    "--agents-dir",
    "--max-tasks",
    "--max-parallel-tasks",
    "--worker-silent-timeout",
    "--idle-exit",
]


class Options:
    """What the server was asked to be. argv: the words again, for whoever must start it anew."""

    __slots__ = (
        "agents_dir",
        "allow_self_approval",
        "argv",
        "data_dir",
        "idle_exit_s",
        "max_tasks",
        "plugin_dir",
        "runtime_dir",
        "socket_path",
        "state_dir",
        "worker_silent_s",
    )

    def __init__(self, argv: list[str], environ: Mapping[str, str], uid: int) -> None:
        given = _parse(argv)
        self.argv = argv
        self.socket_path = os.path.abspath(
            given.get("--socket") or environ.get("SIGNALTTY_SOCKET") or paths.default_socket(environ, uid)
        )
        self.runtime_dir = paths.runtime_dir(self.socket_path, uid)
        self.state_dir = os.path.abspath(given.get("--state-dir") or paths.state_dir(environ, uid))
        self.agents_dir = os.path.abspath(
            given.get("--agents-dir")
            or environ.get("SIGNALTTY_AGENTS_DIR")
            or os.path.join(paths.config_dir(environ, uid), "agents")
        )
        self.plugin_dir = os.path.abspath(given.get("--plugin-dir") or paths.plugin_dir(environ, uid))
        self.idle_exit_s = _seconds(given, "--idle-exit", IDLE_EXIT_S)
        self.data_dir = os.path.abspath(paths.data_dir(environ, uid))
        self.max_tasks = _most_tasks(given, environ)
        self.worker_silent_s = _silence(given, environ)
        self.allow_self_approval = "--allow-self-approval" in given


def _parse(argv: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    rest = list(argv)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name == "--allow-self-approval" and not equals:
            found[name] = ""
        elif name not in WITH_VALUE:
            raise BadParams(f"server run: unknown option {name!r}")
        elif equals:
            found[name] = value
        elif not rest:
            raise BadParams(f"server run: {name} needs a value")
        else:
            found[name] = rest.pop(0)
    return found


def _most_tasks(given: dict[str, str], environ: Mapping[str, str]) -> int:
    """The option, else the variable; one that cannot be read counts as the default (tasks-and-git §2.2)."""
    said = given.get("--max-tasks", given.get("--max-parallel-tasks"))
    try:
        most = int(said if said is not None else environ.get("SIGNALTTY_MAX_PARALLEL_TASKS") or MAX_TASKS)
    except ValueError:
        if said is not None:
            raise BadParams(f"--max-tasks: expected a whole number, got {said!r}") from None
        most = MAX_TASKS
    if most < 1:
        raise BadParams("--max-tasks: at least one task must be allowed")
    return most


def _silence(given: dict[str, str], environ: Mapping[str, str]) -> float:
    """After how long a worker counts as silent; 0 never. An unreadable variable counts as the default."""
    if "--worker-silent-timeout" in given:
        return _seconds(given, "--worker-silent-timeout", WORKER_SILENT_S)
    variable = "SIGNALTTY_WORKER_SILENT_TIMEOUT_S"
    try:
        return _seconds({variable: environ.get(variable) or str(WORKER_SILENT_S)}, variable, WORKER_SILENT_S)
    except BadParams:
        return WORKER_SILENT_S


def _seconds(given: dict[str, str], name: str, default: float) -> float:
    try:
        seconds = float(given.get(name, default))
    except ValueError:
        raise BadParams(f"{name}: expected seconds, got {given[name]!r}") from None
    if not 0 <= seconds < 1e9:
        raise BadParams(f"{name}: expected 0 or more seconds, got {given[name]!r}")
    return seconds
