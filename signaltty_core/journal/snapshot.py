"""The snapshot document: built from tables, put into words, read back (persistence §3)."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.limits import GREATEST_NUMBER
from ..state.world import TABLES, is_live
from ..wire.codec import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..state.world import Record

    Tables = dict[str, dict[str, Record]]

VERSION = 1
LISTS = ("workspaces", "tabs", "panes", "notifications", "tasks")
NEVER_STORED = ("agent_status", "status_signals", "program_status")
_LARGE_BYTES = 256 << 10  # beyond it the wire's check against deep nesting costs more than importing json


class BadSnapshot(ValueError):
    """The text is no snapshot of ours; the sentence says why."""


class Loaded:
    """A snapshot read back. history: per pane id the ring's newest number as {"head": n}."""

    __slots__ = ("history", "tables", "through_seq", "warnings")

    def __init__(self, tables: Tables, through_seq: int, history: dict[str, Record], warnings: list[str]) -> None:
        self.tables = tables
        self.through_seq = through_seq
        self.history = history
        self.warnings = warnings


def empty() -> Loaded:
    """The base when there is nothing to load."""
    return Loaded({name: {} for name in TABLES}, 0, {}, [])


def build(
    tables: Tables,
    *,
    saved_at: str,
    through_seq: int,
    history: Mapping[str, Record],
    activity: Mapping[str, float] | None = None,
    heard: Mapping[str, Record] | None = None,
) -> dict[str, Any]:
    """The document of this moment. Cheap: it lists the records, which never change; `encode_document` does the work.

    activity: the last signs of life, wall seconds per pane, which are no changes and reach the disk here alone.
    heard: the instances of those panes whose process has said what is not journaled (`state.hearing`).
    """
    panes, instances = dict(tables["panes"]), {**tables["instances"], **(heard or {})}
    for id, at in (activity or {}).items():
        if id in panes and (moment := rfc3339(at)) > panes[id]["last_activity_at"]:
            panes[id] = {**panes[id], "last_activity_at": moment}
    return {
        "version": VERSION,
        "saved_at": saved_at,
        "through_seq": through_seq,
        "history": dict(history),
        "instances": {id: row for id, row in instances.items() if id in panes and is_live(panes[id])},
        "baselines": dict(tables["baselines"]),
        "intents": dict(tables["intents"]),
        **{name: list((panes if name == "panes" else tables[name]).values()) for name in LISTS},
    }


def encode_document(document: Mapping[str, Any]) -> bytes:
    """Indented JSON, one record a line: a person can read it, and the C encoder does all but the frame."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list):
            rows = [f"    {encode(without_unstored(row))}" for row in value]
            text = _framed("[", rows, "]")
        elif isinstance(value, dict):
            text = _framed("{", [f"    {encode(id)}: {encode(row)}" for id, row in value.items()], "}")
        else:
            text = encode(value)
        parts.append(f"  {encode(key)}: {text}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("ascii")


def without_unstored(row: Record) -> Record:
    """The record less the fields that never reach the disk (behaviour §3.4)."""
    for name in NEVER_STORED:
        if name in row:
            return {key: value for key, value in row.items() if key not in NEVER_STORED}
    return row


def parse(data: bytes) -> Loaded:
    """Tables of a document; what may be missing gets defaults, what is no record is left out with a warning.

    Raises BadSnapshot for another version, text that is not JSON, trailing bytes.
    """
    document = _decode(data)
    if not isinstance(document, dict):
        raise BadSnapshot("it is not an object")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise BadSnapshot(f"its version is {str(version)[:40]}, this program reads {VERSION}")
    through_seq = document.get("through_seq", 0)
    if type(through_seq) is not int or not 0 <= through_seq <= GREATEST_NUMBER:
        raise BadSnapshot("its through_seq is not a number")
    loaded = empty()
    loaded.through_seq = through_seq
    for table in TABLES:
        given = document.get(table) or ()
        rows = given.values() if isinstance(given, dict) else given if isinstance(given, list) else ()
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                loaded.tables[table][row["id"]] = without_unstored(row)
            else:
                loaded.warnings.append(f"snapshot: an entry of {table} is no record; dropped")
    history = document.get("history")
    if isinstance(history, dict):
        loaded.history = {id: row for id, row in history.items() if _is_head(row)}
    return loaded


def _is_head(row: object) -> bool:
    return isinstance(row, dict) and type(row.get("head")) is int and row["head"] >= 0


def _framed(opening: str, rows: list[str], closing: str) -> str:
    if not rows:
        return opening + closing
    return opening + "\n" + ",\n".join(rows) + "\n  " + closing


def _decode(data: bytes) -> Any:
    try:
        if len(data) <= _LARGE_BYTES:
            return decode(data)
        import json  # only for documents so large that its import no longer counts

        return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except NotJson as fault:
        raise BadSnapshot(str(fault)) from None
    except (ValueError, RecursionError) as fault:
        raise BadSnapshot(f"not JSON: {str(fault)[:200]}") from None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")
