"""Manifests: what a TOML file says about an agent, checked (agents §10)."""

from __future__ import annotations

from ..state.attention import LEVELS
from ..state.lifecycle import STATES as LIFECYCLES
from .patterns import compile_pattern
from .regions import LINES_MAX, REGIONS
from .screen_rules import STATES, Rule
from .table import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Pattern
    from typing import Any

    Table = dict[str, Any]

_PRIORITY = 1 << 31


class Manifest:
    """One file. lifecycle: event -> the fields it maps. session_key, resume: None where the file is silent."""

    __slots__ = ("binaries", "display_name", "file", "kind", "lifecycle", "resume", "rules", "session_key")

    def __init__(self, file: str, kind: str) -> None:
        self.file = file
        self.kind = kind
        self.display_name: str | None = None
        self.binaries: tuple[str, ...] = ()
        self.session_key: str | None = None
        self.resume: tuple[str, ...] | None = None
        self.lifecycle: dict[str, dict[str, str]] = {}
        self.rules: tuple[Rule, ...] = ()


def parse(file: str, content: bytes, *, bundled: bool = False) -> Manifest:
    """The manifest in a file's content. Raises ValueError with a sentence for any fault; nothing of it counts then."""
    table = load_toml(content)
    agent = _table(table, "agent")
    kind = _text(agent, "kind", "[agent].kind")
    if kind is None or known(kind) is None:
        raise ValueError(f"[agent].kind: {'missing' if kind is None else f'unknown kind {kind[:40]!r}'}")
    made = Manifest(file, kind)
    made.display_name = _text(agent, "display_name", "[agent].display_name")
    made.binaries = _texts(agent, "binaries", "[agent].binaries") or ()
    if not all(made.binaries):
        raise ValueError("[agent].binaries: an empty name")
    session = _table(table, "session")
    made.session_key = _text(session, "key", "[session].key")
    made.resume = _texts(session, "resume", "[session].resume")
    made.lifecycle = {event: _mapping(event, fields) for event, fields in _table(table, "lifecycle").items()}
    screens = table.get("screen", [])
    if not isinstance(screens, list):
        raise ValueError("screen: expected [[screen]] tables")
    made.rules = tuple(_rule(index, each, None if bundled else file) for index, each in enumerate(screens))
    return made


def load_toml(content: bytes) -> Table:
    """Raises ValueError for what is no TOML in UTF-8."""
    try:
        parser = __import__("tomllib")  # with the first file, not at start
    except ModuleNotFoundError:
        parser = __import__("tomli")  # Python 3.10 has none of its own
    try:
        table: Table = parser.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise ValueError(str(fault)[:300] or "nested too deeply") from None
    return table


def _mapping(event: str, fields: Any) -> dict[str, str]:
    where = f"[lifecycle.{event}]"
    if not isinstance(fields, dict):
        raise ValueError(f"{where}: expected a table")
    found = {name: _text(fields, name, f"{where}.{name}") for name in ("lifecycle", "attention", "message")}
    for name, values in (("lifecycle", LIFECYCLES), ("attention", LEVELS)):
        if found[name] is not None and found[name] not in values:
            raise ValueError(f"{where}.{name}: expected one of {', '.join(values)}")
    return {name: value for name, value in found.items() if value is not None}


def _rule(index: int, fields: Any, file: str | None) -> Rule:
    where = f"[[screen]] {index + 1}"
    if not isinstance(fields, dict):
        raise ValueError(f"{where}: expected a table")
    id, state = _text(fields, "id", f"{where}: id"), _text(fields, "state", f"{where}: state")
    if not id:
        raise ValueError(f"{where}: id is missing")
    if state not in STATES:
        raise ValueError(f"{where}: state: expected one of {', '.join(STATES)}")
    region = _text(fields, "region", f"{where}: region") or "bottom"
    if region not in REGIONS:
        raise ValueError(f"{where}: region: expected one of {', '.join(REGIONS)}")
    any_of, all_of = (_patterns(fields, name, where) for name in ("regex", "all"))
    if not any_of and not all_of:
        raise ValueError(f"{where}: regex or all is required")
    return Rule(
        id,
        state,
        region=region,
        lines=_whole(fields, "lines", where, 1, LINES_MAX),
        any_of=any_of,
        all_of=all_of,
        none_of=_patterns(fields, "not", where),
        priority=_whole(fields, "priority", where, -_PRIORITY, _PRIORITY - 1) or 0,
        release=_flag(fields, "release", where),
        file=file,
    )


def _patterns(fields: Table, name: str, where: str) -> Sequence[Pattern[str]]:
    try:
        return tuple(compile_pattern(source) for source in _texts(fields, name, f"{where}: {name}") or ())
    except ValueError as fault:
        raise ValueError(f"{where}: {name}: {fault}" if "bad pattern" in str(fault) else str(fault)) from None


def _table(table: Table, name: str) -> Table:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise ValueError(f"[{name}]: expected a table")
    return found


def _text(table: Table, name: str, where: str) -> str | None:
    value = table.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{where}: expected a string")
    return value


def _texts(table: Table, name: str, where: str) -> tuple[str, ...] | None:
    value = table.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{where}: expected a list of strings")
    return tuple(value)


def _whole(table: Table, name: str, where: str, least: int, most: int) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{where}: {name}: expected a whole number from {least} to {most}")
    return value


def _flag(table: Table, name: str, where: str) -> bool:
    value = table.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(f"{where}: {name}: expected true or false")
    return value
