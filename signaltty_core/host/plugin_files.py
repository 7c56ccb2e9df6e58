"""Manifests of plugins, found and read from disk (plugins §1)."""

from __future__ import annotations

import os

from ..base.errors import IoError
from ..base.limits import MANIFEST_BYTES

MANIFEST = "plugin.toml"


def read_plugins(directory: str) -> list[tuple[str, bytes | str]]:
    """All plugins in name order, each with its manifest or what is wrong with it; none without the directory.

    Raises IoError when the directory cannot be listed.
    """
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError:
        return []
    except OSError as fault:
        raise IoError(f"cannot list {directory}: {fault.strerror}", path=directory) from None
    found = [(name, read_plugin(directory, name)) for name in names]
    return [(name, manifest) for name, manifest in found if manifest is not None]


def read_plugin(directory: str, name: str) -> bytes | str | None:
    """The manifest of one plugin, or what is wrong with it; None when there is no such plugin."""
    path = os.path.join(directory, name, MANIFEST)
    try:
        os.stat(path)
        if not os.path.isfile(path):
            return f"{MANIFEST} is no regular file"  # reading a pipe would wait for ever
        with open(path, "rb") as file:
            manifest = file.read(MANIFEST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        return f"{MANIFEST}: {fault.strerror or 'cannot be read'}"
    return manifest if len(manifest) <= MANIFEST_BYTES else f"{MANIFEST} is larger than {MANIFEST_BYTES} bytes"
