"""The modules of a server's start in one file, so that the next start reads one file instead of seventy.

Finding a module, looking at its source's time and opening its code costs more than running it. The folder the single
file unpacks to belongs to one build and never changes, so what is kept there cannot be stale; one file per kind of
interpreter. Only `signaltty_boot.py` installs it, and without it everything works as before, a few milliseconds later.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType
    from typing import Any

    Table = dict[str, tuple[str, bool, CodeType]]

_HEAD = b"signaltty start 1 " + MAGIC_NUMBER
_PACKAGE = "signaltty_core"


class _Start:
    """Finder and loader of the kept modules. table: name -> file, whether a package, code."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        entry = self._table.get(name)
        if entry is None:
            return None
        file, is_package, _ = entry
        loader: Any = self
        spec = ModuleSpec(name, loader, origin=file, is_package=is_package)
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(file.rpartition("/")[0])
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._table[module.__name__][2], module.__dict__)


def run(argv: list[str]) -> int:
    """Serve, started by the boot code from its own folder. argv: the single file, `server run`, its options."""
    import gc

    gc.disable()  # what a start makes stays; `settle_memory` turns the collector on
    install(sys.path[0])
    import os

    from .main import run as serve

    os.environ["SIGNALTTY_PYTHON"] = sys.executable  # whoever runs the file again gets the same interpreter
    argv[0] = os.path.abspath(argv[0])
    return serve(argv[3:])


def install(directory: str) -> bool:
    """Serve imports from what `save` kept there; False when there is nothing for this interpreter."""
    try:
        with open(_path(directory), "rb", buffering=0) as file:
            data = file.readall()
        if not data.startswith(_HEAD):
            return False
        table: Table = loads(data[len(_HEAD) :])
    except (OSError, ValueError, EOFError, TypeError):
        return False
    sys.meta_path.insert(0, _Start(table))
    return True


def save(directory: str, names: Iterable[str]) -> None:
    """Keep those of the named modules that are the package's, unless some are kept already. Failing is no fault."""
    import os

    path = _path(directory)
    if os.path.exists(path):
        return
    table: Table = {}
    for name in names:
        spec = sys.modules[name].__spec__ if name.partition(".")[0] == _PACKAGE else None
        loader: Any = spec.loader if spec is not None else None
        if spec is not None and spec.origin is not None and hasattr(loader, "get_code"):
            code = loader.get_code(name)
            if code is not None:
                table[name] = (spec.origin, spec.submodule_search_locations is not None, code)
    fresh = f"{path}.{os.getpid()}"
    try:
        with open(fresh, "xb") as file:
            file.write(_HEAD + dumps(table))
        os.rename(fresh, path)
    except OSError:
        try:
            os.unlink(fresh)
        except OSError:
            return


def _path(directory: str) -> str:
    return f"{directory}/start.{sys.implementation.cache_tag}.bin"
