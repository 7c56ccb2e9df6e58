"""One change as journal lines, and one journal line as a value (persistence §4.2)."""

from __future__ import annotations

from ..state.world import PAYLOAD_TABLES, TABLES
from ..wire.codec import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..state.world import Record

_HEAD = b'{"seq":'
FLEETING = ("sources", "program", "progress")  # of an instance: too frequent for a sync each, the snapshot keeps them


class Line:
    """A line read back. event: None for a record-only line. closes: whether it is the last line of its change."""

    __slots__ = ("closes", "event", "payload", "records", "removed", "seq")

    def __init__(
        self, seq: int, event: str | None, payload: Record, records: dict[str, list[Record]], removed: list[str]
    ) -> None:
        self.seq = seq
        self.event = event
        self.payload = payload
        self.records = records
        self.removed = removed
        self.closes = False


def lines(
    first_seq: int,
    events: Sequence[tuple[str, str]],
    payloads: Sequence[Record],
    records: dict[str, dict[str, Record]],
    removed: Sequence[str],
    at: str,
) -> bytes:
    """The lines of a change, the last one with its records; a change without events is one record-only line.

    events: name and JSON text of each payload; payloads: the same payloads as objects, for a record of the change that
    a payload carries as the very object is not written again.
    """
    rest = _uncarried(payloads, records)
    tail = encode({**rest, "removed": list(removed)} if removed else rest)
    rows = events or (("", "{}"),)
    last = len(rows) - 1
    out = []
    for index, (event, payload) in enumerate(rows):
        name = f'"{event}"' if event else "null"
        ending = f',"records":{tail}}}\n' if index == last else "}\n"
        out.append(f'{{"seq":{first_seq + index},"event":{name},"payload":{payload},"at":"{at}"{ending}')
    return "".join(out).encode("ascii")


def parse(line: bytes) -> Line | None:
    """The value of a line without its newline; None when it is no whole journal line."""
    try:
        value = decode(line)
    except NotJson:
        return None
    if not isinstance(value, dict):
        return None
    seq, event, payload = value.get("seq"), value.get("event"), value.get("payload")
    if type(seq) is not int or seq < 1 or not (event is None or isinstance(event, str)):
        return None
    if not isinstance(payload, dict):
        return None
    found = Line(seq, event, payload, {}, [])
    if "records" in value:
        found.closes = True
        return found if _take_records(found, value["records"]) else None
    return found


def seq_of(line: bytes) -> int | None:
    """The number of a line that has the outward shape of ours, without decoding it; None says: decode it."""
    if line.startswith(_HEAD) and line.endswith(b"}"):
        digits, comma, _ = line[len(_HEAD) : len(_HEAD) + 24].partition(b",")
        if comma and digits.isdigit():
            return int(digits)
    return None


def is_fleeting(before: Record | None, after: Record) -> bool:
    """Whether an instance's change is in fields that wait for the snapshot alone."""
    return before is not None and _lasting(before) == _lasting(after)


def is_record(value: object) -> bool:
    """Whether it can stand in a table."""
    return isinstance(value, dict) and isinstance(value.get("id"), str)


def _uncarried(payloads: Sequence[Record], records: dict[str, dict[str, Record]]) -> dict[str, list[Record]]:
    """What no payload carries. The last payload that speaks of a record decides: roll-forward reads them in order."""
    carried: dict[tuple[str, str], Record] = {}
    for payload in payloads:
        for key, table in PAYLOAD_TABLES.items():
            if is_record(payload.get(key)):
                carried[table, payload[key]["id"]] = payload[key]
    rest = {}
    for table, rows in records.items():
        kept = [row for id, row in rows.items() if carried.get((table, id)) is not row]
        if kept:
            rest[table] = [_lasting(row) for row in kept] if table == "instances" else kept
    return rest


def _lasting(instance: Record) -> Record:
    return {name: value for name, value in instance.items() if name not in FLEETING}


def _take_records(line: Line, given: object) -> bool:
    """Move checked records into the line; False for a shape that is not ours. Unknown tables are ignored."""
    if not isinstance(given, dict):
        return False
    for table in TABLES:
        rows = given.get(table, ())
        if not isinstance(rows, list | tuple) or not all(map(is_record, rows)):
            return False
        if rows:
            line.records[table] = list(rows)
    removed = given.get("removed", [])
    if not isinstance(removed, list) or not all(isinstance(id, str) for id in removed):
        return False
    line.removed = removed
    return True
