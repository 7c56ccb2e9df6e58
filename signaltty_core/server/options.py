"""The options of `server run` (cli §10), read without click: a server start pays for no library."""

from __future__ import annotations

import os

from ..base import paths
from ..base.errors import BadParams
from ..base.limits import IDLE_EXIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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

    __slots__ = ("agents_dir", "allow_self_approval", "argv", "idle_exit_s", "runtime_dir", "socket_path", "state_dir")

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
        self.idle_exit_s = _seconds(given, "--idle-exit", IDLE_EXIT_S)
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


def _seconds(given: dict[str, str], name: str, default: float) -> float:
    try:
        seconds = float(given.get(name, default))
    except ValueError:
        raise BadParams(f"{name}: expected seconds, got {given[name]!r}") from None
    if not 0 <= seconds < 1e9:
        raise BadParams(f"{name}: expected 0 or more seconds, got {given[name]!r}")
    return seconds
