"""The snapshot on disk: loading the best one there is, replacing it whole, keeping former ones (persistence §3)."""

from __future__ import annotations

import os
import time

from ..journal.snapshot import BadSnapshot, encode_document, parse
from .files import make_directory, read_file, sync_directory, write_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..journal.snapshot import Loaded

COPIES_KEPT = 48
COPY_EVERY_S = 15 * 60
_COPY_NAME = "snapshot-%Y%m%dT%H%M%SZ.json"
_CORRUPT_NAME = "snapshot.corrupt-%Y%m%dT%H%M%S"


class SnapshotFile:
    """`snapshot.json` and the former ones in `snapshots/`. through_seq: what the one on disk contains."""

    __slots__ = ("_copies", "_directory", "_next_copy_at", "_path", "_worth_a_copy", "through_seq")

    def __init__(self, state_dir: str) -> None:
        self._directory = state_dir
        self._path = os.path.join(state_dir, "snapshot.json")
        self._copies = os.path.join(state_dir, "snapshots")
        self._worth_a_copy = False
        self._next_copy_at = 0.0
        self.through_seq = 0

    def load(self) -> tuple[Loaded | None, list[str]]:
        """The snapshot, with what was wrong with it. None: there is none that can be read. Raises OSError."""
        data = read_file(self._path)
        if data is None:
            return None, []
        try:
            loaded = parse(data)
        except BadSnapshot as fault:
            aside = os.path.join(self._directory, time.strftime(_CORRUPT_NAME, time.gmtime()))
            os.rename(self._path, aside)
            return None, [f"{self._path} is not loaded: {fault}; it is kept as {aside}"]
        self._worth_a_copy = bool(loaded.tables["workspaces"])
        self.through_seq = loaded.through_seq
        return loaded, loaded.warnings

    def load_copy(self) -> tuple[Loaded, str] | None:
        """The newest former snapshot that can be read, and its path."""
        for name in reversed(self._listed()):
            path = os.path.join(self._copies, name)
            try:
                return parse(read_file(path) or b""), path
            except (BadSnapshot, OSError):
                continue
        return None

    def stage(self, document: dict[str, Any]) -> str:
        """Serialise and write the document beside the file; gives the temporary name. Raises OSError."""
        return write_beside(self._path, encode_document(document), synced=True)

    def install(self, staged: str, document: dict[str, Any]) -> None:
        """Let the staged file take the place, once the journal is synced up to its `through_seq`. Raises OSError."""
        if self._worth_a_copy:
            self._keep_former()
        os.rename(staged, self._path)
        sync_directory(self._directory)
        self._worth_a_copy = bool(document["workspaces"])
        self.through_seq = document["through_seq"]

    def _keep_former(self) -> None:
        """A second name for the former file, which the rename then leaves alone.

        Names ascend even when the clock was set back, for the newest copy is the one to continue with. Until it has
        caught up, only this process's own clock tells how long ago a copy was made.
        """
        at, now = time.time(), time.monotonic()
        name, recent = (time.strftime(_COPY_NAME, time.gmtime(moment)) for moment in (at, at - COPY_EVERY_S))
        names = self._listed()
        if names and name < names[-1]:
            if now < self._next_copy_at:
                return
            name = _one_second_after(names[-1])
        elif names and recent < names[-1]:
            return
        make_directory(self._copies)
        path = os.path.join(self._copies, name)
        try:
            os.link(self._path, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            os.rename(write_beside(path, read_file(self._path) or b"", synced=False), path)
        self._next_copy_at = now + COPY_EVERY_S
        for old in [*names, name][:-COPIES_KEPT]:
            os.unlink(os.path.join(self._copies, old))

    def _listed(self) -> list[str]:
        """Names of the copies, oldest first."""
        try:
            names = os.listdir(self._copies)
        except OSError:
            return []
        return sorted(name for name in names if _is_copy(name))


def _is_copy(name: str) -> bool:
    digits = name.removeprefix("snapshot-").removesuffix("Z.json")
    return (
        len(name) == len("snapshot-YYYYmmddTHHMMSSZ.json") and digits.replace("T", "", 1).isdigit() and digits[8] == "T"
    )


def _one_second_after(name: str) -> str:
    from calendar import timegm  # only for a clock that was set back

    try:
        return time.strftime(_COPY_NAME, time.gmtime(timegm(time.strptime(name, _COPY_NAME)) + 1))
    except ValueError:  # no date that ever was: nothing can be named behind it
        return name
