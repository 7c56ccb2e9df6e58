"""The journal on disk. One writer thread appends, syncs and reports; what arrives during a sync shares the next one.

Loop and writer meet in a queue of jobs. An append is bytes; every other job is a function, run after the appends before
it are on disk: so a snapshot, serialised by a thread of its own, never takes its place ahead of the journal.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from ..base.errors import IoError
from ..journal import sequence
from .audit_files import AuditFiles
from .files import write_file
from .journal_open import CURRENT, SEQUENCE, open_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from queue import SimpleQueue
    from threading import Thread
    from typing import Any

    from .audit_files import Cut
    from .journal_open import Loaded
    from .snapshot_file import SnapshotFile

    Job = tuple[int, bytes] | Callable[[], None] | None

# After so many seconds without a line the room ahead is given back.
CALM_S = 0.5


class JournalFile:
    """limit: numbers below it may be issued.

    post: runs a function on the loop's thread. on_synced(seq): everything appended up to `seq` is on disk.
    on_failure: once, when journal or reservation cannot be written; nothing is reported synced afterwards.
    on_snapshot: after each snapshot, None or why it was not written. on_lost(path): the file was taken away while it
    was in use, so that a snapshot must hold what it held. now: monotonic seconds.
    """

    def __init__(
        self,
        state_dir: str,
        post: Callable[[Callable[[], None]], None],
        on_synced: Callable[[int], None],
        on_failure: Callable[[Exception], None],
        on_snapshot: Callable[[Exception | None], None] | None = None,
        on_lost: Callable[[str], None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = state_dir
        self._post = post
        self._on_synced = on_synced
        self._on_failure = on_failure
        self._on_snapshot = on_snapshot or _ignore
        self._on_lost = on_lost or _ignore
        self._now = now
        self.limit = 0
        self._reserving = allocate_lock()
        self._first_failure = allocate_lock()
        self._asked = False
        self._closed = False
        self._unsaved_bytes = 0
        self._waiting_snapshot: dict[str, Any] | None = None
        self._stager: Thread | None = None
        self._jobs: SimpleQueue[Job] | None = None
        self._thread: Thread | None = None
        self._snapshot: SnapshotFile
        self._audit: AuditFiles

    def open(self) -> Loaded:
        """Read the state and prepare to append. Starts no thread; raises IoError with a sentence."""
        found = open_state(self._directory)
        self._snapshot = found.snapshot
        self._audit = AuditFiles(self._directory, found, self._now)
        self._unsaved_bytes = found.uncovered_bytes
        self.limit = found.loaded.next_seq
        return found.loaded

    def ensure(self, next_seq: int) -> None:
        """Have `next_seq < limit`. Waits for the disk only when nothing is left; raises IoError when that fails."""
        if next_seq >= self.limit:
            try:
                self._reserve(next_seq)
            except OSError as fault:
                raise self._fail(SEQUENCE, fault) from None
        elif not self._asked and sequence.is_short(next_seq, self.limit):
            self._asked = True
            self._put(self._reserve_ahead)

    def append(self, last_seq: int, lines: bytes) -> None:
        """Queue the lines of one change, whose last number is `last_seq`."""
        self._unsaved_bytes += len(lines)
        self._put((last_seq, lines))

    def bytes_since_snapshot(self) -> int:
        """Journal bytes that no snapshot has been asked to cover."""
        return self._unsaved_bytes

    def save_snapshot(self, document: dict[str, Any], through_seq: int) -> None:
        """Write the document (`journal.snapshot.build`) without holding up anything.

        What it contains up to `through_seq` has been appended before. While one is being written the newest further one
        waits. on_snapshot reports each.
        """
        document["through_seq"] = through_seq
        self._unsaved_bytes = 0
        self._waiting_snapshot = document
        if self._stager is None:
            self._stage_next()

    def retained_after(self) -> int | None:
        """From which number on the files are known to hold everything; None when they prove nothing."""
        return self._audit.retained_after()

    def cut(self, done: Callable[[Cut], None]) -> None:
        """done(files, as they are once everything appended before is in them) on the loop."""

        def make() -> None:
            cut = self._audit.cut()
            self._post(lambda: done(cut))

        self._put(make)

    def doubt(self, done: Callable[[], None]) -> None:
        """A reader found the files broken: write that down, then done() on the loop."""

        def write_down() -> None:
            self._audit.doubt()
            self._post(done)

        self._put(write_down)

    def close(self, document: dict[str, Any] | None) -> None:
        """Drain, write the last snapshot unless something failed, end the threads. The caller waits for the disk.

        What is appended later is nobody's: it happens to a World that ends with the process.
        """
        self._waiting_snapshot = None
        if self._stager is not None:
            self._stager.join()
        if self._thread is not None:
            self._put(None)
            self._thread.join()
        self._closed = True
        if document is not None and not self._has_failed():
            try:
                self._snapshot.install(self._snapshot.stage(document), document)
                self._on_snapshot(None)
            except OSError as fault:
                self._on_snapshot(fault)
        self._audit.close()

    def _put(self, job: Job) -> None:
        if self._closed:
            return
        if self._jobs is None:
            from queue import SimpleQueue  # a start without a change is spared these two imports
            from threading import Thread

            self._jobs = SimpleQueue()
            self._thread = Thread(target=self._write, args=(self._jobs,), name="journal", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def _stage_next(self) -> None:
        """Begin the snapshot that waits, on a thread that ends with it."""
        document, self._waiting_snapshot = self._waiting_snapshot, None
        self._stager = None
        if document is not None:
            from threading import Thread

            self._put(_nothing)  # the writer runs before the stager hands it the result
            self._stager = Thread(target=self._stage, args=(document,), name="snapshot", daemon=True)
            self._stager.start()

    def _stage(self, document: dict[str, Any]) -> None:
        """Snapshot thread: everything up to the rename, which is the writer's."""
        try:
            staged = self._snapshot.stage(document)
        except Exception as fault:  # the thread's edge: whatever it is, the next snapshot must be possible
            failure = fault
            self._put(lambda: self._end_snapshot(failure))
        else:
            self._put(lambda: self._install(staged, document))

    def _install(self, staged: str, document: dict[str, Any]) -> None:
        try:
            self._snapshot.install(staged, document)
        except OSError as fault:
            self._end_snapshot(fault)
        else:
            self._end_snapshot(None)

    def _end_snapshot(self, fault: Exception | None) -> None:
        self._audit.may_rotate = fault is None
        self._post(self._stage_next)
        self._post(lambda: self._on_snapshot(fault))
        self._audit.rotate_if_covered(self._snapshot.through_seq)

    def _write(self, jobs: SimpleQueue[Job]) -> None:
        """Writer thread: everything that waits is one batch. In a calm the room ahead is given back."""
        from queue import Empty

        ended = False
        while not ended:
            batch: list[Job]
            try:
                batch = [jobs.get(timeout=CALM_S if self._audit.has_room() else None)]
            except Empty:
                batch = [self._audit.trim]
            while not jobs.empty():
                batch.append(jobs.get())
            ended = batch[-1] is None
            try:
                self._work_off(batch)
            except Exception as fault:  # the thread's edge: a writer that dies in silence would hang every reply
                self._fail(CURRENT, fault)

    def _work_off(self, batch: list[Job]) -> None:
        """Appends together, the other jobs after the appends that came before them. Nothing at all after a failure."""
        chunks: list[bytes] = []
        last_seq = 0
        for job in (*batch, None):
            if self._has_failed():
                return
            if isinstance(job, tuple):
                last_seq = job[0]
                chunks.append(job[1])
                continue
            if chunks:
                self._commit(last_seq, b"".join(chunks))
                chunks = []
            if job is not None:
                job()

    def _commit(self, last_seq: int, data: bytes) -> None:
        self._audit.append(last_seq, data)
        if self._audit.was_lost:
            self._audit.was_lost = False
            self._post(lambda: self._on_lost(self._path(CURRENT)))
        self._post(lambda: self._on_synced(last_seq))
        self._audit.rotate_if_covered(self._snapshot.through_seq)

    def _reserve(self, next_seq: int) -> None:
        """Either thread: write the new limit down, then let it hold. Raises OSError."""
        with self._reserving:
            if next_seq >= self.limit:
                limit = sequence.extend(next_seq, self.limit)
                write_file(self._path(SEQUENCE), b"%d\n" % limit, synced=True)
                self.limit = limit

    def _reserve_ahead(self) -> None:
        try:
            self._reserve(self.limit)
        except OSError as fault:
            self._fail(SEQUENCE, fault)
        self._asked = False

    def _fail(self, name: str, fault: Exception) -> IoError:
        """Tell the loop, once."""
        path = self._path(name)
        failure = IoError(f"cannot write {path}: {getattr(fault, 'strerror', None) or fault}", path=path)
        if self._first_failure.acquire(False):
            self._post(lambda: self._on_failure(failure))
        return failure

    def _has_failed(self) -> bool:
        return self._first_failure.locked()

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)


def _ignore(_told: object) -> None:
    return None


def _nothing() -> None:
    return None
