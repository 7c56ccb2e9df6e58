"""One change as journal lines, and one journal line as a value (persistence §4.2)."""

from __future__ import annotations

from ..base.limits import GREATEST_NUMBER
from ..state.world import PAYLOAD_TABLES, TABLES
from ..wire.codec import NotJson, decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..state.world import Record

_HEAD = b'{"seq":'
_FLEETING = ("sources", "program", "progress", "hearing")  # of an instance: too frequent for a sync each


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
    if type(seq) is not int or not 0 < seq <= GREATEST_NUMBER or not (event is None or isinstance(event, str)):
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


def is_fleeting(table: str, before: Record | None, after: Record, *, replied: bool = True) -> bool:
    """Whether a record's change is in what waits for the snapshot alone (persistence §4.2).

    replied: whether somebody is told of it.
    """
    if before is None or table not in _LASTING:
        return False
    if table == "instances" and not replied:
        return bool(before.get("process_instance") == after.get("process_instance"))
    former, now = lasting(table, before), lasting(table, after)
    if table == "panes":
        former, now = ({**row, "last_activity_at": ""} for row in (former, now))
    return former == now


def lasting(table: str, row: Record) -> Record:
    """What lines keep of a record: of an instance no words of its sources, of a pane no percentage."""
    keep = _LASTING.get(table)
    return row if keep is None else keep(row)


def keep_fleeting(before: Record | None, row: Record) -> None:
    """What lines leave out of an instance stays as the snapshot has it, while the process is the same."""
    if before is None or before.get("process_instance") != row.get("process_instance"):
        return
    progress = {**_percents(before), **_counts(row)}
    row.update({name: before[name] for name in _FLEETING if name in before})
    if "progress" in before or progress:
        row["progress"] = progress


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
            rest[table] = [lasting(table, row) for row in kept]
    return rest


def _lasting_instance(instance: Record) -> Record:
    """Counters are journaled with the sessions that sent them, percentages are not."""
    kept = {name: value for name, value in instance.items() if name not in _FLEETING}
    counts = _counts(instance)
    return {**kept, "progress": counts} if counts else kept


def _lasting_pane(pane: Record) -> Record:
    if _is_percent(pane.get("progress")):
        return {name: value for name, value in pane.items() if name != "progress"}
    return pane


def _counts(instance: Record) -> Record:
    return {source: told for source, told in instance.get("progress", {}).items() if not _is_percent(told)}


def _percents(instance: Record) -> Record:
    return {source: told for source, told in instance.get("progress", {}).items() if _is_percent(told)}


def _is_percent(progress: object) -> bool:
    return isinstance(progress, dict) and progress.get("kind") == "percent"


_LASTING: dict[str, Callable[[Record], Record]] = {"instances": _lasting_instance, "panes": _lasting_pane}


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
