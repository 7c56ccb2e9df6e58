"""What a starting server finds in its state directory: snapshot, journal, numbers; torn ends are mended on the way."""

from __future__ import annotations

import os

from ..base.errors import IoError
from ..journal import retention, sequence
from ..journal.record import parse
from ..journal.retention import Generation
from ..journal.roll import roll_forward, skim
from ..journal.snapshot import empty
from .files import make_directory, read_file, secure_directory, sync_data, write_all, write_file
from .snapshot_file import SnapshotFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..journal.retention import Retention
    from ..journal.roll import Rolled
    from ..state.world import Record

    Tables = dict[str, dict[str, Record]]

CURRENT, PREDECESSOR = "audit.jsonl", "audit.jsonl.1"
RETENTION, SEQUENCE = "audit-retention.json", "event-sequence.json"


class Loaded:
    """What a server continues from. tables: as `World.tables`; history: per pane id {"head": newest line number}.

    last_seq: greatest number on disk. rolled: changes that only the journal held, so that a snapshot is worth writing.
    """

    __slots__ = ("history", "last_seq", "next_seq", "rolled", "tables", "warnings")

    def __init__(self, tables: Tables, history: dict[str, Record], warnings: list[str]) -> None:
        self.tables = tables
        self.history = history
        self.warnings = warnings
        self.next_seq = 1
        self.last_seq = 0
        self.rolled = 0


class Found:
    """What the journal's writer continues from. stored: whether `retention` is what the disk says."""

    __slots__ = ("current", "loaded", "predecessor", "retention", "snapshot", "stored", "uncovered_bytes")

    loaded: Loaded
    current: Generation | None
    predecessor: Generation | None
    retention: Retention
    snapshot: SnapshotFile
    stored: bool
    uncovered_bytes: int


def open_state(state_dir: str) -> Found:
    """Everything on disk as one value. Raises IoError with a sentence when this directory cannot be used."""
    try:
        _check_directory(state_dir)
        return _read(state_dir)
    except OSError as fault:
        where = fault.filename or state_dir
        raise IoError(f"cannot read the state in {where}: {fault.strerror}", path=str(where)) from None


def _check_directory(state_dir: str) -> None:
    if state_dir.startswith("/tmp/"):
        secure_directory(state_dir)
    else:
        make_directory(state_dir)
    if not os.access(state_dir, os.R_OK | os.W_OK | os.X_OK):
        raise IoError(f"the state directory {state_dir} is not writable", path=state_dir)


def _read(state_dir: str) -> Found:
    stored_seq = read_file(os.path.join(state_dir, SEQUENCE))
    reserved = None if stored_seq is None else sequence.parse(stored_seq)
    found = Found()
    found.snapshot = SnapshotFile(state_dir)
    base, warnings = found.snapshot.load()
    is_replaced = base is None and bool(warnings)
    if base is None:
        copy = found.snapshot.load_copy()
        if copy is not None:
            base = copy[0]
            warnings = [*warnings, f"continuing with the former snapshot {copy[1]} and the journal"]
        else:
            base = empty()
    loaded = found.loaded = Loaded(base.tables, base.history, list(warnings))
    older, found.predecessor = _roll(state_dir, PREDECESSOR, loaded, base.through_seq, 0)
    newer, found.current = _roll(state_dir, CURRENT, loaded, base.through_seq, older.last_seq)
    found.uncovered_bytes = found.current.size_bytes if found.current and newer.applied else 0
    loaded.last_seq = max(base.through_seq, older.last_seq, newer.last_seq)
    loaded.next_seq = sequence.start(reserved, loaded.last_seq)
    loaded.rolled = older.applied + newer.applied
    if any(loaded.tables.values()):
        from ..journal.repair import repair  # a first start has nothing to repair

        loaded.warnings += repair(loaded.tables)
    _check_retention(state_dir, found)
    first, proven = older.first_seq or newer.first_seq, found.retention
    is_proven = proven.known_complete and proven.retained_after <= base.through_seq and not is_replaced
    if first > base.through_seq + 1 and not is_proven:
        loaded.warnings.append(f"the journal begins at {first}, the state before it ends at {base.through_seq}")
    return found


def _roll(
    state_dir: str, name: str, loaded: Loaded, through_seq: int, after_seq: int
) -> tuple[Rolled, Generation | None]:
    """Apply one file, whose numbers lie above `after_seq`. A torn end is mended in the file too (persistence §4.5)."""
    path = os.path.join(state_dir, name)
    data = read_file(path)
    if data is None:
        return roll_forward(loaded.tables, through_seq, (), name), None
    body = data.rstrip(b"\0")
    end = body.rfind(b"\n") + 1
    skimmed, start = skim(body[:end], through_seq, after_seq)
    texts = body[start : end - 1].split(b"\n") if end > start else []
    rest = body[end:]
    rolled = roll_forward(loaded.tables, through_seq, texts, name, skimmed, after_seq)
    torn = parse(rest) if rest else None
    if rest and torn is None:
        rolled.lines += 1
        rolled.spoil(name)
        _mend(path, len(data), len(body), b"\n")
        size_bytes = len(body) + 1
    else:
        # A line that lacks nothing but its newline was never published either; finished, it would count as if it had.
        size_bytes = end - sum(len(text) + 1 for text in texts[len(texts) - rolled.open_lines :])
        _mend(path, len(data), size_bytes, b"")
    if torn is not None:
        rolled.saw(torn.seq)
    loaded.warnings += rolled.warnings
    return rolled, Generation(size_bytes, rolled.first_seq, rolled.last_seq, not rolled.corrupt)


def _mend(path: str, found_bytes: int, kept_bytes: int, ending: bytes) -> None:
    """Cut the file to what is kept and end it; nothing is written to a file that needs neither."""
    if found_bytes == kept_bytes and not ending:
        return
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        os.ftruncate(fd, kept_bytes)
        write_all(fd, ending)
        sync_data(fd)
    finally:
        os.close(fd)


def _check_retention(state_dir: str, found: Found) -> None:
    """Judge the files by the record beside them; a new doubt is written down at once, so that it survives restarts."""
    path = os.path.join(state_dir, RETENTION)
    data = read_file(path) or b""
    stored = retention.parse_record(data)
    now = found.retention = retention.check(stored, found.current, found.predecessor, found.loaded.next_seq - 1)
    found.stored = stored is not None and len(data) == retention.RECORD_BYTES
    if stored is None or retention.says_the_same(stored, now):
        return
    if stored.known_complete and not now.known_complete:
        found.loaded.warnings.append("the journal's files are not as recorded: history cannot be replayed from disk")
    write_file(path, retention.encode_record(now), synced=True)
    found.stored = True
