"""Refuse imports that run the wrong way: the table of docs/architecture.md, read from every module's syntax tree.

Usage: check_layers.py [PACKAGE FOLDER]. Prints one line per fault; exit status 1 when there is one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "signaltty_core"

MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "wire": {"base"},
    "terminal": {"base"},
    "status": {"base"},
    "state": {"base", "status"},
    "agents": {"base", "status", "state"},
    "journal": {"base", "status", "state", "wire.codec"},  # records are JSON text
    "git": {"base", "status", "state"},
    "methods": {"base", "wire", "status", "state", "agents", "git"},
    "engine": {"base", "wire", "terminal", "status", "state", "agents", "journal", "git", "methods"},
    "host": {"base", "wire", "terminal", "state", "journal", "keeper.protocol"},  # journal: the pure half of its files
    "keeper": {"base"},
    "client": {"base", "wire"},
    "server": {
        *("base", "wire", "terminal", "status", "state", "agents", "journal", "git", "methods"),
        *("engine", "host", "keeper", "client"),
    },
    # the command line is also where the two other processes begin
    "cli": {"base", "wire", "methods", "client", "cli.local", "server.main", "keeper.main"},
    "cli.local": {
        *("base", "wire", "methods", "client", "cli"),
        *("terminal", "status", "state", "agents", "journal"),
        *("host.config_files", "host.run"),  # settings of agents are edited without a server
        "host.plugin_files",  # `plugin run` neither
        *(
            "host.files",
            "host.journal_open",
            "host.lock",
            "host.unpacked",
            "keeper.protocol",
        ),  # `doctor` looks where no server answers
    },
}
TYPES_ONLY: dict[str, set[str]] = {"methods": {"terminal"}}  # what may stand below TYPE_CHECKING alone

MACHINE = {
    *("socket", "select", "selectors", "subprocess", "threading", "time", "signal", "fcntl", "termios", "pty"),
    *("_socket", "_signal", "_thread", "_posixsubprocess"),
}
PURE_NAMES = {"time": {"gmtime", "strftime", "strptime", "struct_time"}}  # they read no clock
TOUCHES_MACHINE = {"host", "keeper", "client", "server", "cli", "cli.local"}


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent / PACKAGE
    found = list(faults(root))
    for line in found:
        print(line)
    return 1 if found else 0


def faults(root: Path) -> Iterator[str]:
    """One sentence per import that the table forbids."""
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root).with_suffix("").parts
        if len(inside) == 1:
            continue  # the package's own __init__ and the files beside it belong to no layer
        layer = layer_of(inside[:-1])
        if layer not in MAY_IMPORT:
            yield f"{path}:1: there is no layer {layer}"
            continue
        for line, target, types_only in imports(ast.parse(path.read_bytes()), inside):
            fault = fault_of(layer, target, types_only)
            if fault:
                yield f"{path}:{line}: {fault}"


def fault_of(layer: str, target: tuple[str, ...], types_only: bool) -> str | None:
    if target[0] != PACKAGE:
        if target[0] in MACHINE and layer not in TOUCHES_MACHINE:
            return f"{layer} is pure and may not import {target[0]}"
        return None
    if len(target) == 1 or layer_of(target[1:]) == layer:
        return None
    wanted = layer_of(target[1:])
    allowed = MAY_IMPORT[layer] | (TYPES_ONLY.get(layer, set()) if types_only else set())
    if wanted in allowed or ".".join(target[1:3]) in allowed:
        return None
    return f"{layer} may not import {wanted}"


def layer_of(parts: tuple[str, ...]) -> str:
    return "cli.local" if parts[:2] == ("cli", "local") else parts[0]


def imports(tree: ast.Module, inside: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """Every imported module as (line, dotted parts, whether it is for types alone), relative ones made absolute."""
    for node, types_only in walk(tree, False):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, tuple(alias.name.split(".")), types_only
        elif isinstance(node, ast.ImportFrom):
            start = (PACKAGE, *inside)[: -node.level] if node.level else ()
            parts = (*start, *(node.module.split(".") if node.module else ()))
            pure = PURE_NAMES.get(node.module or "", set())
            if not node.level and pure and all(alias.name in pure for alias in node.names):
                continue
            # `from . import rows` and `from ..keeper import protocol` name modules only in their list
            if parts[:1] == (PACKAGE,) and len(parts) <= 2:
                for alias in node.names:
                    yield node.lineno, (*parts, alias.name), types_only
            else:
                yield node.lineno, parts, types_only


def walk(node: ast.AST, types_only: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inner = types_only or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test))
        yield child, inner
        yield from walk(child, inner)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
