"""What a plugin is, and how its manifest's table is read (plugins §1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Table = dict[str, Any]

TIMEOUT_S = 10
TIMEOUT_MAX_S = 300
NAME_LENGTH_MAX = 64
_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


class Hook:
    """A program for events. events: patterns as `subscribe` takes them."""

    __slots__ = ("argv", "env", "events", "timeout_s")

    def __init__(self, events: list[str], argv: list[str], timeout_s: int, env: dict[str, str]) -> None:
        self.events = events
        self.argv = argv
        self.timeout_s = timeout_s
        self.env = env


class PluginCommand:
    """A program for the command line."""

    __slots__ = ("argv", "description", "name")

    def __init__(self, name: str, description: str | None, argv: list[str]) -> None:
        self.name = name
        self.description = description
        self.argv = argv


class Plugin:
    """One manifest."""

    __slots__ = ("commands", "description", "hooks", "name", "version")

    def __init__(self, name: str, version: str | None, description: str | None) -> None:
        self.name = name
        self.version = version
        self.description = description
        self.hooks: tuple[Hook, ...] = ()
        self.commands: tuple[PluginCommand, ...] = ()


def is_name(text: str) -> bool:
    """Whether plugins and their commands may be called so."""
    return 0 < len(text) <= NAME_LENGTH_MAX and _NAME_LETTERS.issuperset(text)


def read(directory_name: str, table: Table) -> Plugin:
    """The plugin of a manifest's table. Raises ValueError with a sentence for any fault; nothing of it counts then."""
    head = _table(table.get("plugin"), "[plugin]")
    name = _text(head, "name", "[plugin].name")
    if name is None:
        raise ValueError("[plugin].name: missing")
    if not is_name(name):
        raise ValueError("[plugin].name: expected 1 to 64 of a-z, 0-9, '_' and '-'")
    if name != directory_name:
        raise ValueError(f"[plugin].name: {name!r} is not the directory's name")
    plugin = Plugin(
        name,
        _text(head, "version", "[plugin].version"),
        _text(head, "description", "[plugin].description"),
    )
    plugin.hooks = tuple(_hook(fields, where) for fields, where in _tables(table, "hook"))
    plugin.commands = tuple(_command(fields, where) for fields, where in _tables(table, "command"))
    names = [command.name for command in plugin.commands]
    for number, command in enumerate(names, 1):
        if command in names[: number - 1]:
            raise ValueError(f"[[command]] {number}: name: there is another {command!r}")
    return plugin


def argv_in(directory: str, argv: list[str]) -> list[str]:
    """The words to run: a relative path stands for a file of the plugin, a bare name is left to PATH."""
    program = argv[0]
    if "/" in program and not program.startswith("/"):
        program = f"{directory}/{program}"
    return [program, *argv[1:]]


def _hook(fields: Table, where: str) -> Hook:
    timeouts = [_timeout(fields, name, where) for name in ("timeout_secs", "timeout")]
    env = _table(fields.get("env"), f"{where}: env")
    for name in env:
        _text(env, name, f"{where}: env.{name}")
        if not name or "=" in name:
            raise ValueError(f"{where}: env: {name!r} is no name of a variable")
    return Hook(
        _texts(fields, "events", where),
        _argv(fields, "command", where),
        next((seconds for seconds in timeouts if seconds is not None), TIMEOUT_S),
        dict(env),
    )


def _command(fields: Table, where: str) -> PluginCommand:
    name = _text(fields, "name", f"{where}: name")
    if name is None or not is_name(name):
        raise ValueError(f"{where}: name: expected 1 to 64 of a-z, 0-9, '_' and '-'")
    return PluginCommand(name, _text(fields, "description", f"{where}: description"), _argv(fields, "run", where))


def _tables(table: Table, name: str) -> list[tuple[Table, str]]:
    found = table.get(name, [])
    if not isinstance(found, list):
        raise ValueError(f"{name}: expected [[{name}]] tables")
    return [
        (_table(each, f"[[{name}]] {number}"), f"[[{name}]] {number}")
        for number, each in enumerate(found, 1)
    ]  # fmt: skip


def _table(value: Any, where: str) -> Table:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected a table")
    return value


def _text(table: Table, name: str, where: str) -> str | None:
    value = table.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{where}: expected a string")
    return value


def _texts(table: Table, name: str, where: str) -> list[str]:
    value = table.get(name)
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{where}: {name}: expected a list of strings that is not empty")
    return value


def _argv(table: Table, name: str, where: str) -> list[str]:
    words = _texts(table, name, where)
    if not words[0]:
        raise ValueError(f"{where}: {name}: the program has no name")
    if any("\0" in word for word in words):
        raise ValueError(f"{where}: {name}: no program can be given a NUL character")
    return words


def _timeout(table: Table, name: str, where: str) -> int | None:
    value = table.get(name)
    if value is not None and (type(value) is not int or not 1 <= value <= TIMEOUT_MAX_S):
        raise ValueError(f"{where}: {name}: expected a whole number from 1 to {TIMEOUT_MAX_S}")
    return value
