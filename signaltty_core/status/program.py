"""OSC 7501: what a program says of itself, as reports, records and the one record that speaks (terminal-status §3)."""

from __future__ import annotations

from ..base.text import sanitise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Record = dict[str, Any]

STATES = ("idle", "working", "done", "blocked", "error")
FINISHED = ("done", "error")
RECORDS = 256

_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-")
_VALUE = _NAME | frozenset(b",/=")
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_KINDS = ("permission", "question", "auth")
_TEXTS = {"title": (256, 192), "msg": (2732, 2048)}  # bytes: encoded, decoded


class Discarded(ValueError):
    """The whole report counts for nothing."""


def parse(body: bytes) -> Record | None:
    """A report's fields, `id` always among them; None for one that is discarded (terminal-status §3.2)."""
    try:
        return _read(_pairs(body))
    except Discarded:
        return None


def _pairs(body: bytes) -> dict[bytes, bytes]:
    """Of pairs with one key the last readable one."""
    found: dict[bytes, bytes] = {}
    for pair in body.split(b":"):
        key, equals, value = (part.strip(b" \t") for part in pair.partition(b"="))
        if not equals or not key:
            continue
        if len(key) > 16:
            raise Discarded
        if not _LOWER.issuperset(key):
            continue
        if _VALUE.issuperset(value):
            found[key] = value
        elif key == b"id":
            raise Discarded
    return found


def _read(pairs: dict[bytes, bytes]) -> Record:
    state = pairs.get(b"state", b"").decode("ascii")
    if state not in STATES and state != "clear":
        raise Discarded
    report: Record = {"id": "", "state": state}
    if b"id" in pairs:
        report["id"] = _id(pairs[b"id"])
    app = pairs.get(b"app", b"")
    if len(app) > 32:
        raise Discarded
    if app and _NAME.issuperset(app):
        report["app"] = app.decode("ascii")
    for name, limits in _TEXTS.items():
        text = sanitise(_text(pairs.get(name.encode(), b""), *limits), limits[1])
        if text:
            report[name] = text
    kind = pairs.get(b"kind", b"").decode("ascii")
    if kind in _KINDS and state == "blocked":
        report["kind"] = kind
    number = pairs.get(b"progress", b"")
    if number.isdigit() and len(number) <= 3 and int(number) <= 100 and state in ("working", "blocked"):
        if number == b"0" or number[0] != 0x30:
            report["progress"] = int(number)
    return report


def _id(value: bytes) -> str:
    segments = value.split(b"/")
    if len(value) > 128 or len(segments) > 8:
        raise Discarded
    if not all(0 < len(one) <= 32 and _NAME.issuperset(one) for one in segments):
        raise Discarded
    return value.decode("ascii")


def _text(value: bytes, most_encoded: int, most_decoded: int) -> str:
    """Decoded base64: padding right or missing, no stray bits, UTF-8 without control characters."""
    from binascii import a2b_base64, b2a_base64  # with the first text only

    digits = value.rstrip(b"=")
    padded = digits + b"=" * (-len(digits) % 4)
    if len(value) > most_encoded or not _BASE64.issuperset(digits) or value not in (digits, padded):
        raise Discarded
    if len(digits) % 4 == 1:
        raise Discarded
    raw = a2b_base64(padded)
    if len(raw) > most_decoded or b2a_base64(raw, newline=False) != padded:
        raise Discarded
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Discarded from None
    if any(character < " " or "\x7f" <= character <= "\x9f" for character in text):
        raise Discarded
    return text


class Records:
    """What is known of a program. Texts may quote commands: the snapshot has them, the journal never (§3.7).

    The order of the records is that of their last update. said_at: wall time of the last report.
    due: what a summary that may prove a lost end waits for.
    """

    __slots__ = ("_records", "due", "said_at")

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self.said_at = 0.0
        self.due: Record | None = None

    def __len__(self) -> int:
        return len(self._records)

    def restore(self, saved: Iterable[Record]) -> None:
        """What a former server had saved, in the order of `saved`."""
        self._records = {record["id"]: record for record in saved}

    def saved(self) -> list[Record]:
        """All records whole (§3.3), for `restore`."""
        return list(self._records.values())

    def put(self, report: Record, at: float, group: int | None) -> None:
        """Replace the report's record as a whole. group: the terminal's foreground process group."""
        self._records.pop(report["id"], None)
        self._records[report["id"]] = {**report, "at": at, "group": group}
        if len(self._records) > RECORDS:
            del self._records[next(id for id in self._records if id)]

    def clear(self, id: str) -> None:
        """Remove the record and all below it; the root's id removes everything."""
        self._keep(lambda record: bool(id) and record["id"] != id and not record["id"].startswith(id + "/"))

    def drop_unfinished(self, group: int | None = None) -> bool:
        """Remove what is neither done nor failed. group: only of this process group. True when there was something."""
        return self._keep(lambda record: record["state"] in FINISHED or group not in (None, record["group"]))

    def groups(self) -> set[int]:
        """The process groups whose end would remove something."""
        return {one["group"] for one in self._records.values() if one["group"] and one["state"] not in FINISHED}

    def has_reporter(self, group: int) -> bool:
        """Whether the process group has left a record."""
        return any(record["group"] == group for record in self._records.values())

    def summary(self) -> Record | None:
        """The record that speaks for the pane (§3.4)."""
        return next(self.ranked(), None)

    def ranked(self) -> Iterator[Record]:
        """All records, the one that speaks first; a missing `app` is that of the nearest ancestor."""
        newest_first = [self._with_app(one) for one in reversed(self._records.values())]
        return iter(sorted(newest_first, key=_rank))

    def _with_app(self, record: Record) -> Record:
        above = record["id"]
        while "app" not in record and above:
            above = above.rpartition("/")[0]
            if "app" in self._records.get(above, ()):
                return {**record, "app": self._records[above]["app"]}
        return record

    def _keep(self, keeps: Callable[[Record], bool]) -> bool:
        kept = {id: record for id, record in self._records.items() if keeps(record)}
        changed = len(kept) < len(self._records)
        self._records = kept
        return changed


def _rank(record: Record) -> tuple[int, int, bool]:
    """Blocked by kind, working, then the root, then the others by state; equal ones stay newest first."""
    state, is_root = record["state"], record["id"] == ""
    if state == "blocked":
        kind = record.get("kind")
        return 0, _KINDS.index(kind) if kind else len(_KINDS), not is_root
    if state == "working":
        return 1, 0, not is_root
    return (2, 0, False) if is_root else (3, ("error", "done", "idle").index(state), True)


def value_of(summary: Record | None) -> str:
    """The summary in `pane.explain` (terminal-status §10)."""
    if summary is None:
        return "none"
    value = summary["state"]
    if "kind" in summary:
        value += f":{summary['kind']}"
    if "progress" in summary and value == "working":
        value += f" {summary['progress']}%"
    return f"{value} {summary['app']}" if "app" in summary else value


def shown(record: Record, fields: Iterable[str]) -> Record:
    """Those of the fields that are set, in this order."""
    return {name: record[name] for name in fields if name in record}
