"""Files of a checkout, opened so that nothing outside is reached and nothing blocks; private places for Git's own.

No component of a name is followed when it is a link; every function may block and is for a worker thread.
"""

from __future__ import annotations

import os
import stat

from ..base.errors import IoError
from ..base.limits import CLOSE_ESCALATION_S
from ..keeper.protocol import is_running
from .descent import inhabitant, marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

READ_BYTES = 512 << 10
PLACE_PREFIX = "git-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class GitFiles:
    """directory: private to the user; places for indexes and objects are made there."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        if os.path.isdir(directory):
            for name in os.listdir(directory):
                if name.startswith(PLACE_PREFIX):  # of a server that was killed
                    self.remove_place(os.path.join(directory, name))

    def look(self, root: str, name: str) -> tuple[str, int]:
        """What stands under the name: (kind, size), kind `file`, `folder`, `link`, `special`, `missing` or `unsafe`.

        Raises IoError for a regular file that may not be read.
        """
        found = _lstat(root, name)
        if isinstance(found, str):
            return found, 0
        kind = _kind(found.st_mode)
        if kind == "file":
            with _Opened(root, name) as fd:
                if isinstance(fd, str):
                    return fd, 0
        return kind, found.st_size

    def read(self, root: str, name: str) -> tuple[str, bytes]:
        """(kind, content): at most one byte more than READ_BYTES of a regular file, nothing of anything else.

        Raises IoError for a regular file that cannot be read.
        """
        found = _lstat(root, name)
        if isinstance(found, str):
            return found, b""
        if _kind(found.st_mode) != "file":
            return _kind(found.st_mode), b""
        with _Opened(root, name) as fd:
            if isinstance(fd, str):
                return fd, b""
            opened = os.fstat(fd)
            if _kind(opened.st_mode) != "file":
                return _kind(opened.st_mode), b""
            try:
                return "file", _read(fd, READ_BYTES + 1)
            except OSError as fault:
                raise IoError(f"cannot read {name}: {fault.strerror}") from None

    def count(self, root: str, names: Iterable[str]) -> list[tuple[str, int, bool]]:
        """(name, lines, whether it counts as binary): regular files up to READ_BYTES without NUL have lines."""
        counted = []
        for name in names:
            try:
                kind, data = self.read(root, name)
            except IoError:
                kind, data = "special", b""
            if kind != "file" or len(data) > READ_BYTES or b"\0" in data:
                counted.append((name, 0, True))
            else:
                counted.append((name, data.count(b"\n") + (bool(data) and not data.endswith(b"\n")), False))
        return counted

    def copy_index(self, index_path: str) -> str:
        """A new private place with a copy of the index in it, if there is one; gives the copy's path.

        Raises IoError.
        """
        from shutil import copyfile

        try:
            copy = self.make_place() + "/index"
            try:
                copyfile(index_path, copy)
                seen = os.stat(index_path)
                # Git takes files as young as the index for changed perhaps; with a younger copy it would not look
                os.utime(copy, ns=(seen.st_atime_ns, seen.st_mtime_ns))
            except FileNotFoundError:
                pass  # nothing was ever added
        except OSError as fault:
            raise IoError(f"the index cannot be copied: {fault.strerror}") from None
        return copy

    def make_place(self) -> str:
        """A new private directory."""
        from tempfile import mkdtemp

        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        return mkdtemp(prefix=PLACE_PREFIX, dir=self._directory)

    def remove_place(self, path: str) -> None:
        """The directory, or that of the copy, with all that is in it."""
        from shutil import rmtree

        place = path if os.path.basename(path).startswith(PLACE_PREFIX) else os.path.dirname(path)
        if os.path.dirname(place) == self._directory.rstrip("/"):
            rmtree(place, ignore_errors=True)

    def remove_tree(self, path: str) -> None:
        """A directory that no repository knows any more. Raises IoError."""
        from shutil import rmtree

        try:
            rmtree(path)
        except FileNotFoundError:
            pass
        except OSError as fault:
            raise IoError(f"{path} cannot be deleted: {fault.strerror}") from None

    def exists(self, path: str) -> bool:
        """Whether anything stands there, a dangling link included."""
        return os.path.lexists(path)

    def is_left_over(self, path: str) -> bool:
        """Whether it is what an unfinished `git worktree add` leaves: nothing in it yet, or the file that leads to the
        repository."""
        try:
            return not os.listdir(path) or stat.S_ISREG(os.lstat(os.path.join(path, ".git")).st_mode)
        except OSError:
            return False

    def is_repository(self, path: str) -> bool:
        """Whether the directory is the main checkout of a repository."""
        return os.path.isdir(os.path.join(path, ".git"))

    def is_vacant(self, path: str) -> bool:
        """Whether nothing stands there, or an empty directory."""
        try:
            return not os.listdir(path)
        except FileNotFoundError:
            return not os.path.lexists(path)
        except OSError:
            return False

    def canonical(self, paths: list[str]) -> list[str]:
        """The paths with links resolved."""
        return [os.path.realpath(path) for path in paths]

    def inhabitant(self, directory: str, children: dict[int, str]) -> str | None:
        """The pane one of whose processes works inside. children: pid of a pane's child -> pane."""
        return inhabitant(directory, children)

    def end_left_over(self, pid: int, start_time: int | None) -> None:
        """End a process group that a server before us has started: TERM, and KILL for what is left 2 s later."""
        from signal import SIGKILL, SIGTERM
        from time import monotonic, sleep

        until = monotonic() + CLOSE_ESCALATION_S
        for os_signal in (SIGTERM, SIGKILL):
            if not is_running(pid, start_time):
                return
            try:
                os.killpg(pid, os_signal)
            except (ProcessLookupError, PermissionError):
                return
            while is_running(pid, start_time) and monotonic() < until:
                sleep(0.02)

    def end_marked(self, variable: str, value: str) -> None:
        """End what a server before us has started with this variable: TERM, and KILL for what is left 2 s later."""
        from signal import SIGKILL, SIGTERM
        from time import monotonic, sleep

        until = monotonic() + CLOSE_ESCALATION_S
        os_signal = SIGTERM
        while victims := marked(variable, value):
            for pid in victims:
                try:
                    os.kill(pid, os_signal)
                except (ProcessLookupError, PermissionError):
                    continue
            sleep(0.02)
            if monotonic() >= until:
                if os_signal == SIGKILL:
                    return
                os_signal, until = SIGKILL, monotonic() + CLOSE_ESCALATION_S


class _Opened:
    """A descriptor of the regular file, or the kind of what stands there instead."""

    def __init__(self, root: str, name: str) -> None:
        self._root = root
        self._name = name
        self._fd: int | None = None

    def __enter__(self) -> int | str:
        folder = _open_folder(self._root, self._name)
        if isinstance(folder, str):
            return folder
        try:
            self._fd = os.open(os.path.basename(self._name), _FILE, dir_fd=folder)
        except FileNotFoundError:
            return "missing"
        except PermissionError as fault:
            raise IoError(f"cannot read {self._name}: {fault.strerror}") from None
        except OSError:
            return "special"  # a link or a socket that has just taken its place
        finally:
            os.close(folder)
        return self._fd

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)


def _open_folder(root: str, name: str) -> int | str:
    """A descriptor of the directory the name is in; `unsafe` when a link is on the way, `missing` without one."""
    try:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return "missing"
    for part in name.split("/")[:-1]:
        try:
            inner = os.open(part, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            return "missing"
        except OSError:
            return "unsafe"
        finally:
            os.close(folder)
        folder = inner
    return folder


def _lstat(root: str, name: str) -> os.stat_result | str:
    folder = _open_folder(root, name)
    if isinstance(folder, str):
        return folder
    try:
        return os.stat(os.path.basename(name), dir_fd=folder, follow_symlinks=False)
    except OSError:
        return "missing"
    finally:
        os.close(folder)


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "special"


def _read(fd: int, most_bytes: int) -> bytes:
    parts, left = [], most_bytes
    while left and (data := os.read(fd, min(left, 1 << 16))):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)
