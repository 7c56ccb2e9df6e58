"""The journal's two generations and the record of what they prove. Used by the journal's writer thread alone.

While append follows append the file has room ahead, NUL bytes until they are written over (persistence §4.5): a sync
that changes no length takes the disk two thirds of the time. In a calm the file ends with its last line.
"""

from __future__ import annotations

import fcntl
import os
import sys

from ..journal.record import seq_of
from ..journal.retention import Generation, Retention, encode_record, rotate
from .files import make_directory, sync_data, sync_directory, write_all, write_file
from .journal_open import CURRENT, PREDECESSOR, RETENTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

    from .journal_open import Found

ROTATE_BYTES = 8 << 20
ROOM_BYTES = 1 << 20
# So many appends within this time: syncs that follow one another with hardly a pause.
QUICK_APPENDS = 500
QUICK_S = 0.25
# With O_DSYNC one call writes and syncs: the writer lets go of the interpreter once less, and need not get it back once
# less from a loop that is busy. Where it may promise less than a sync of its own, that one is asked for.
_ONE_CALL = sys.platform == "linux"
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | (os.O_DSYNC if _ONE_CALL else 0)


class Cut:
    """files: open, with the length to read, the older one first. retained_after: None when they prove nothing."""

    __slots__ = ("files", "retained_after")

    def __init__(self, retained_after: int | None, files: list[tuple[FileIO, int]]) -> None:
        self.retained_after = retained_after
        self.files = files


class AuditFiles:
    """now: monotonic seconds. may_rotate: false while snapshots cannot be written (persistence §10).

    was_lost: somebody took the file away while it was in use, and another was begun; what it had, no file has.
    """

    __slots__ = (
        "_appends",
        "_appends_since",
        "_current",
        "_directory",
        "_fd",
        "_is_quick",
        "_now",
        "_predecessor",
        "_retention",
        "_retention_fd",
        "_room_until",
        "_stored",
        "may_rotate",
        "was_lost",
    )

    def __init__(self, state_dir: str, found: Found, now: Callable[[], float]) -> None:
        self._directory = state_dir
        self._now = now
        self._retention = found.retention
        self._stored = found.stored and found.current is not None
        self._current = found.current or Generation(0)
        self._predecessor = found.predecessor
        self._fd = self._retention_fd = -1
        self._appends = 0
        self._appends_since = 0.0
        self._is_quick = False
        self._room_until = 0  # length of the file in bytes while it has room ahead
        self.may_rotate = True
        self.was_lost = False

    def append(self, last_seq: int, data: bytes) -> None:
        """Write, sync, record the length. Raises OSError, and then the file is as it was."""
        try:
            if self._fd < 0:
                self._open()
            elif self._count_append() and self._is_gone():
                self._begin_anew()
            current = self._current
            self._make_room(len(data))
            write_all(self._fd, data)
            if not _ONE_CALL:
                sync_data(self._fd)
            self._retention.current_bytes = current.size_bytes + len(data)
            os.pwrite(self._retention_fd, encode_record(self._retention), 0)
        except OSError:
            self._cut_back()
            raise
        current.size_bytes += len(data)
        current.first_seq = current.first_seq or seq_of(data.partition(b"\n")[0]) or last_seq
        current.last_seq = last_seq

    def has_room(self) -> bool:
        """Whether the file has room ahead, which `trim` ends."""
        return self._room_until > 0

    def trim(self) -> None:
        """Let the file end with its last line. Raises OSError."""
        if self._room_until:
            if os.fstat(self._fd).st_size < self._room_until:
                self._note_doubt(self._doubted())  # somebody has shortened it; with its old length it would look whole
            self._end_room()

    def rotate_if_covered(self, through_seq: int) -> None:
        """Start a new file at 8 MiB, once a snapshot up to `through_seq` contains what goes (persistence §4.3).

        Raises OSError when there is no file to go on with.
        """
        older, current = self._predecessor, self._current
        if current.size_bytes < ROTATE_BYTES or not self.may_rotate or self._fd < 0:
            return
        if older is not None and through_seq < older.last_seq:
            return
        self.trim()
        former = self._retention
        try:
            self._retention = rotate(self._check_lengths(), current, older)
            self._store_retention()
        except OSError:
            self._retention = former
            self.may_rotate = False  # until the next snapshot has found room
            return
        os.rename(self._path(CURRENT), self._path(PREDECESSOR))
        sync_directory(self._directory)
        os.close(self._fd)
        self._fd = -1
        self._fd = os.open(self._path(CURRENT), _FLAGS, 0o600)
        sync_directory(self._directory)
        self._predecessor, self._current = current, Generation(0)

    def retained_after(self) -> int | None:
        """From which number on the files are known to hold everything; None when they prove nothing. Any thread."""
        retention = self._retention
        return retention.retained_after if retention.known_complete else None

    def cut(self) -> Cut:
        """The files of this moment, checked and opened for somebody else to read."""
        retention = self._check_lengths()
        if retention.known_complete:
            try:
                return Cut(retention.retained_after, self._open_to_read())
            except OSError:
                retention = self._doubted()
        self._note_doubt(retention)
        return Cut(None, [])

    def doubt(self) -> None:
        """Somebody who read the files found them broken; that survives restarts."""
        self._note_doubt(self._doubted())

    def close(self) -> None:
        try:
            self.trim()
        except OSError:
            pass  # the next start cuts the room off
        for fd in (self._fd, self._retention_fd):
            if fd >= 0:
                os.close(fd)
        self._fd = self._retention_fd = -1

    def _count_append(self) -> bool:
        """Whether it is the first one for a while."""
        self._appends += 1
        now = self._now()
        if now - self._appends_since <= QUICK_S:
            return False
        self._is_quick = self._appends > QUICK_APPENDS and now - self._appends_since < 2 * QUICK_S
        self._appends, self._appends_since = 1, now
        return True

    def _is_gone(self) -> bool:
        """Whether the file that is written to has no name any more, or the name another file."""
        try:
            return not os.path.samestat(os.fstat(self._fd), os.stat(self._path(CURRENT)))
        except FileNotFoundError:
            return True

    def _begin_anew(self) -> None:
        """Go on in a new file; what stands in its place is kept beside it. Nothing can be proved for now."""
        make_directory(self._directory)
        self._note_doubt(self._doubted())
        os.close(self._fd)
        self._fd, self._room_until = -1, 0
        try:
            os.rename(self._path(CURRENT), self._path(f"{CURRENT}.foreign"))
        except FileNotFoundError:
            pass
        self._current = Generation(0)
        self._open()
        sync_directory(self._directory)
        self.was_lost = True

    def _make_room(self, size_bytes: int) -> None:
        """Before an append: room for it and for many more, if there are many and the disk gives it."""
        if self._current.size_bytes + size_bytes <= self._room_until:
            return
        self.trim()
        if self._is_quick or self._appends >= QUICK_APPENDS:
            try:
                self._room_until = self._current.size_bytes + os.write(self._fd, bytes(ROOM_BYTES))
                os.lseek(self._fd, self._current.size_bytes, os.SEEK_SET)
                self._set_append(False)
            except OSError:
                self._is_quick, self._appends = False, 0  # asked for again when as many have come without
            if self._current.size_bytes + size_bytes > self._room_until:
                self._end_room()

    def _end_room(self) -> None:
        self._room_until = 0
        self._set_append(True)
        os.ftruncate(self._fd, self._current.size_bytes)

    def _set_append(self, on: bool) -> None:
        """Whether what is written goes to the end of the file, which is the safe way without room ahead."""
        flags = fcntl.fcntl(self._fd, fcntl.F_GETFL)
        fcntl.fcntl(self._fd, fcntl.F_SETFL, flags | os.O_APPEND if on else flags & ~os.O_APPEND)

    def _open(self) -> None:
        """The file, and a record that the disk has; a new record's sync covers a new file's name as well."""
        self._fd = os.open(self._path(CURRENT), _FLAGS, 0o600)
        if self._retention_fd >= 0:
            return
        if self._stored:
            self._retention_fd = os.open(self._path(RETENTION), os.O_WRONLY | os.O_CLOEXEC)
        else:
            self._store_retention()

    def _store_retention(self) -> None:
        write_file(self._path(RETENTION), encode_record(self._retention), synced=True)
        fd = os.open(self._path(RETENTION), os.O_WRONLY | os.O_CLOEXEC)
        if self._retention_fd >= 0:
            os.close(self._retention_fd)
        self._retention_fd = fd

    def _cut_back(self) -> None:
        """Nobody was told of these lines; without them the file is as it was."""
        self._retention.current_bytes = self._current.size_bytes
        if self._fd >= 0:
            try:
                self._end_room()
                os.fsync(self._fd)
            except OSError:
                pass  # the failure that brought us here is the one to report

    def _check_lengths(self) -> Retention:
        """What holds now: a file that lost something behind our back ends what can be proved."""
        least = {CURRENT: self._retention.current_bytes}
        if self._retention.predecessor:
            least[PREDECESSOR] = self._retention.predecessor_bytes
        if any(self._length(name) < size_bytes for name, size_bytes in least.items()):
            return self._doubted()
        return self._retention

    def _doubted(self) -> Retention:
        """The record of now with a doubt: only what is written from here on can be proved."""
        now = self._retention
        after = max(now.retained_after, self._current.last_seq, self._predecessor.last_seq if self._predecessor else 0)
        return Retention(after, now.predecessor, now.current_bytes, now.predecessor_bytes, known_complete=False)

    def _note_doubt(self, doubted: Retention) -> None:
        if self._retention.known_complete:
            self._retention = doubted
            try:
                self._store_retention()
            except OSError:
                pass  # the next append overwrites the record, and the next start looks for itself

    def _open_to_read(self) -> list[tuple[FileIO, int]]:
        wanted = [(CURRENT, self._current)]
        if self._predecessor is not None and self._retention.predecessor:
            wanted.insert(0, (PREDECESSOR, self._predecessor))
        return [
            (open(self._path(name), "rb", buffering=0), found.size_bytes) for name, found in wanted if found.size_bytes
        ]

    def _length(self, name: str) -> int:
        try:
            return os.stat(self._path(name)).st_size
        except FileNotFoundError:
            return 0

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)
