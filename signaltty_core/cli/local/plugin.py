"""Runs a command of a plugin in the caller's terminal (plugins §4)."""

from __future__ import annotations

from ...agents.manifest import load_toml
from ...base import paths
from ...host.plugin_files import read_plugin
from ...state import plugins
from ..session import absolute
from ..spec import LocalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..session import Session


def run(session: Session, name: str, command: str, words: list[str], directory: str | None) -> None:
    """`plugin run`, to the program's end. Raises LocalError for whatever is no good end."""
    environ = session.settings.environ
    place = absolute(directory or paths.plugin_dir(environ, session.settings.uid))
    found = _find(_read(place, name), command)
    own = f"{place}/{name}"
    env = {
        **environ,
        "SIGNALTTY_SOCKET": session.settings.socket,
        "SIGNALTTY_PLUGIN_DIR": own,
        "SIGNALTTY_PLUGIN_NAME": name,
    }
    status = _run_to_end(plugins.argv_in(own, [*found.argv, *words]), own, env)
    if status:
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        raise LocalError(f"{command} of plugin {name} {how}")


def _read(place: str, name: str) -> plugins.Plugin:
    manifest = read_plugin(place, name) if plugins.is_name(name) else None
    if manifest is None:
        raise LocalError(f"there is no plugin {name!r} in {place}")
    try:
        if isinstance(manifest, str):
            raise ValueError(manifest)
        return plugins.read(name, load_toml(manifest))
    except ValueError as fault:
        raise LocalError(f"plugin {name} is broken: {fault}") from None


def _find(plugin: plugins.Plugin, command: str) -> plugins.PluginCommand:
    for one in plugin.commands:
        if one.name == command:
            return one
    known = ", ".join(one.name for one in plugin.commands) or "none"
    raise LocalError(f"plugin {plugin.name} has no command {command!r}; its commands: {known}")


def _run_to_end(argv: list[str], directory: str, env: dict[str, str]) -> int:
    """The exit status, below zero for a signal. An interrupt is the program's business; it is sent to both."""
    import signal
    import subprocess

    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        return subprocess.run(argv, cwd=directory, env=env, check=False).returncode
    except (OSError, ValueError) as fault:
        raise LocalError(f"cannot start {argv[0]}: {getattr(fault, 'strerror', None) or fault}") from None
    finally:
        signal.signal(signal.SIGINT, before)
