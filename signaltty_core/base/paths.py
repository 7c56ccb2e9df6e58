"""Where files stand (persistence §1): the runtime directory from the socket's path alone, the rest from XDG variables.

The hot words compute the same runtime directory from their own copy; a test holds the two against each other.
"""

from __future__ import annotations

import os
from .limits import SOCKET_PATH_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SOCKET_NAME = "signaltty.sock"
_LONGEST_NAME = "/s/" + 16 * "0" + ".sock"


def default_socket(environ: Mapping[str, str], uid: int) -> str:
    """The socket used when nobody names one."""
    base = environ.get("XDG_RUNTIME_DIR") or ""
    if base.startswith("/"):
        directory = base.rstrip("/") + "/signaltty"
        if len(os.fsencode(directory)) + len(_LONGEST_NAME) <= SOCKET_PATH_BYTES:
            return f"{directory}/{SOCKET_NAME}"
    return f"/tmp/signaltty-{uid}/{SOCKET_NAME}"


def runtime_dir(socket_path: str, uid: int) -> str:
    """The directory of locks, keeper socket and status sockets that belongs to this socket."""
    directory, name = os.path.split(socket_path)
    if name == SOCKET_NAME and (directory.endswith("/signaltty") or directory == f"/tmp/signaltty-{uid}"):
        return directory
    beside = socket_path + ".d"
    if len(os.fsencode(beside)) + len(_LONGEST_NAME) <= SOCKET_PATH_BYTES:
        return beside
    from zlib import crc32  # for this rare case alone

    return f"/tmp/signaltty-{uid}/{crc32(os.fsencode(socket_path)):08x}.d"


def state_dir(environ: Mapping[str, str], uid: int, can_make: Callable[[str], bool] | None = None) -> str:
    """Where journal and snapshot stand. Without a home, or with one that takes no new directory, below /tmp.

    can_make: whether a directory that does not exist could be made; default: ask the disk.
    """
    chosen = _xdg(environ, "XDG_STATE_HOME", ".local/state")
    if chosen is not None and (os.path.isdir(chosen) or (can_make or _can_make)(chosen)):
        return chosen
    return f"/tmp/signaltty-state-{uid}"


def _can_make(directory: str) -> bool:
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    return os.access(directory, os.W_OK | os.X_OK)


def config_dir(environ: Mapping[str, str], uid: int) -> str:
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") or f"/tmp/signaltty-config-{uid}"


def data_dir(environ: Mapping[str, str], uid: int) -> str:
    return _xdg(environ, "XDG_DATA_HOME", ".local/share") or f"/tmp/signaltty-data-{uid}"


def plugin_dir(environ: Mapping[str, str], uid: int) -> str:
    """Where plugins are when no option says so (plugins §1)."""
    named = environ.get("SIGNALTTY_PLUGIN_DIR")
    if not named:
        return os.path.join(config_dir(environ, uid), "plugins")
    # what a plugin itself starts is given the place of that plugin alone under this name
    return os.path.dirname(named) if environ.get("SIGNALTTY_PLUGIN_NAME") else named


def cache_dir(environ: Mapping[str, str], uid: int) -> str:
    return _xdg(environ, "XDG_CACHE_HOME", ".cache") or f"/tmp/signaltty-cache-{uid}"


def _xdg(environ: Mapping[str, str], variable: str, below_home: str) -> str | None:
    base = environ.get(variable) or ""
    if base.startswith("/"):
        return base.rstrip("/") + "/signaltty"
    home = environ.get("HOME") or ""
    if home.startswith("/"):
        return f"{home.rstrip('/')}/{below_home}/signaltty"
    return None
