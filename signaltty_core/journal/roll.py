"""Roll-forward: journal lines above a snapshot applied to its tables (persistence §5)."""

from __future__ import annotations

from ..state.world import PAYLOAD_TABLES, World
from .record import is_record, keep_fleeting, lasting, parse, seq_of
from .snapshot import without_unstored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..state.world import Record
    from .record import Line

_WARNINGS = 8  # lines named one by one; a file full of garbage is summed up


class Rolled:
    """lines: how many were read. first_seq, last_seq: smallest and greatest number among them, 0 when there is none.

    applied: changes applied. corrupt: lines that are none of ours. open_lines: whole lines at the end whose change
    lacks its last line.
    """

    __slots__ = ("applied", "corrupt", "first_seq", "last_seq", "lines", "open_lines", "warnings")

    def __init__(self) -> None:
        self.lines = 0
        self.first_seq = 0
        self.last_seq = 0
        self.applied = 0
        self.corrupt = 0
        self.open_lines = 0
        self.warnings: list[str] = []

    def saw(self, seq: int) -> None:
        self.first_seq = min(self.first_seq or seq, seq)
        self.last_seq = max(self.last_seq, seq)

    def spoil(self, file: str, fault: str = "is not a journal line") -> None:
        """The line read last is none of ours, or not in its place."""
        self.corrupt += 1
        if self.corrupt <= _WARNINGS:
            self.warnings.append(f"{file}: line {self.lines} {fault}; skipped")
        elif self.corrupt == _WARNINGS + 1:
            self.warnings.append(f"{file}: more lines are broken; they are skipped too")


def skim(body: bytes, through_seq: int, after_seq: int = 0) -> tuple[Rolled, int]:
    """The lines at the start of a file up to `through_seq`, counted by their outward shape, and their length in bytes.

    after_seq: numbers lie above it.

    Numbers ascend, so bisection finds the place, and three counts at memory speed look at each line: decoding 16 MiB
    would cost a start more than all the rest of it. Anything unexpected gives length 0: read line by line.
    """
    low, high = 0, len(body)
    while low < high:
        start = body.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = body.find(b"\n", start, len(body))
        seq = seq_of(body[start:end]) if end >= 0 else None
        if seq is None:
            return Rolled(), 0
        if seq <= through_seq:
            low = end + 1
        else:
            high = start
    rolled = Rolled()
    rolled.lines = body.count(b"\n", 0, low)
    if not rolled.lines:
        return rolled, 0
    if not rolled.lines == body.count(b"}\n", 0, low) == body.count(b'\n{"seq":', 0, low) + 1:
        return Rolled(), 0
    ends = []
    for start in (0, body.rfind(b"\n", 0, low - 1) + 1):
        seq = seq_of(body[start : body.index(b"\n", start)])
        if seq is None:
            return Rolled(), 0
        ends.append(seq)
    first, last = ends
    if not after_seq < first <= last - rolled.lines + 1:
        return Rolled(), 0
    rolled.first_seq, rolled.last_seq = first, last
    return rolled, low


def roll_forward(
    tables: dict[str, dict[str, Record]],
    through_seq: int,
    lines: Sequence[bytes],
    file: str = "journal",
    skimmed: Rolled | None = None,
    after_seq: int = 0,
) -> Rolled:
    """Apply, in order, every whole change above `through_seq` to `tables`; the same lines twice give the same tables.

    lines: those of one file, without newlines; skimmed: what `skim` found of the lines before them; after_seq: the
    greatest number of the file before. What does not ascend was not written there: an older state must not come last.
    """
    world = World()
    world.tables = tables
    rolled = skimmed or Rolled()
    change: list[Line] = []
    for text in lines:
        rolled.lines += 1
        line = parse(text)
        if line is None:
            rolled.spoil(file)
            change = []
            continue
        newest = rolled.last_seq or after_seq
        if line.seq <= newest:
            rolled.spoil(file, f"has the number {line.seq} behind {newest}")
            change = []
            continue
        rolled.saw(line.seq)
        if line.seq <= through_seq:
            continue
        change.append(line)
        if line.closes:
            _apply(world, change)
            rolled.applied += 1
            change = []
    rolled.open_lines = len(change)
    return rolled


def _apply(world: World, change: list[Line]) -> None:
    """Records in payloads first: those that the last line spells out are the newer ones."""
    for line in change:
        carried = {
            table: [lasting(table, without_unstored(line.payload[key]))]
            for key, table in PAYLOAD_TABLES.items()
            if is_record(line.payload.get(key))
        }
        for row in line.records.get("instances", ()):
            keep_fleeting(world.instances.get(row["id"]), row)
        spelt = {table: [without_unstored(row) for row in rows] for table, rows in line.records.items()}
        world.apply(carried, [])
        world.apply(spelt, line.removed)
