"""What is done to an agent's file, whatever its form: install, uninstall, look. Bytes in, bytes out."""

from __future__ import annotations

from .agent_files import TARGETS, plugin_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[["bytes | None"], "bytes | None"]


def installing(
    agent: str, program: str, version: tuple[int, ...] | None = None, *, permissions: bool = False
) -> Change:
    """The change that makes a file report to `program`. It may raise Refused."""
    plugin = plugin_of(agent)
    if plugin is not None:
        return lambda data: plugin.install(data, program)
    target = TARGETS[agent]
    wanted, optional = target.entries(program, version, permissions=permissions)
    return lambda data: target.file.install(data, wanted, optional)


def uninstalling(agent: str) -> Change:
    """The change that takes us out again; it gives None when nothing is left to keep. It may raise Refused."""
    file = plugin_of(agent) or TARGETS[agent].file
    return lambda data: None if data is None else file.uninstall(data)


def is_installed(agent: str, data: bytes | None) -> bool:
    """Whether something of ours stands in the file. Raises Refused when that cannot be told."""
    return (plugin_of(agent) or TARGETS[agent].file).is_installed(data)
