"""Settings files of other programs: read with suspicion, changed under a lock and in one step (agents §8.3)."""

from __future__ import annotations

import os
import stat

from ..base.errors import IoError
from .files import make_directory, read_file, sync_directory, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

READ_BYTES = 4 << 20
LOCK_S = 0.1
LOCK_EVERY_S = 0.005


class ConfigFiles:
    """launch_dir: where the files stand that single launches are given. All of it blocks: for a worker thread.

    versions: what is known of programs, by what `program` says of their files.
    """

    __slots__ = ("_launch_dir", "versions")

    def __init__(self, launch_dir: str) -> None:
        self._launch_dir = launch_dir
        self.versions: dict[tuple[str, int, int], tuple[int, ...] | None] = {}

    def read(self, path: str) -> bytes | None:
        """All of a regular file; None when there is none. Raises IoError for anything else."""
        try:
            return _read(path)
        except FileNotFoundError:
            if os.path.islink(path):
                raise IoError(f"{path} is a link to nothing", path=path) from None
            return None
        except OSError as fault:
            raise _io_error(path, fault) from None

    def edit(self, path: str, change: Callable[[bytes | None], bytes | None]) -> bool:
        """Have the file hold what `change` makes of it, None deletes it; False when that is what it holds.

        A link is followed and stays. Raises IoError and whatever `change` raises; then the file is as it was.
        """
        present = self.read(path)
        if change(present) == present:
            return False
        real = os.path.realpath(path)
        try:
            make_directory(os.path.dirname(real))
            with _Lock(real):
                present = self.read(path)
                wanted = change(present)
                if wanted == present:
                    return False
                if wanted is None:
                    os.unlink(real)
                else:
                    _replace(real, wanted)
        except OSError as fault:
            raise _io_error(path, fault) from None
        return True

    def keep(self, agent: str, files: Mapping[str, bytes]) -> str:
        """The directory that holds exactly these files; one per content. Raises IoError."""
        from hashlib import sha256  # for those who start agents

        print_of = sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
        directory = os.path.join(self._launch_dir, f"{agent}-{print_of}")
        try:
            make_directory(directory)
            for name, data in files.items():
                path = os.path.join(directory, name)
                if read_file(path) != data:
                    _replace(path, data)
        except OSError as fault:
            raise _io_error(directory, fault) from None
        return directory

    def program(self, name: str, search: str | None, cwd: str) -> tuple[str, int, int] | None:
        """The file that a launch of `name` runs, its size and time of change; None when there is none.

        search: PATH of the launch.
        """
        from shutil import which

        found = which(name, path=search if search is not None else os.defpath)
        if found is None:
            return None
        real = os.path.realpath(os.path.join(cwd, found))
        try:
            seen = os.stat(real)
        except OSError:
            return None
        return real, seen.st_size, seen.st_mtime_ns

    def is_executable(self, path: str) -> bool:
        """Whether the path is a program that this user may run."""
        return os.path.isfile(path) and os.access(path, os.X_OK)


class _Lock:
    """Held by whoever changes the file, against others of us (agents §8.3)."""

    def __init__(self, path: str) -> None:
        directory, name = os.path.split(path)
        self._path = path
        self._beside = os.path.join(directory, f".{name}.signaltty.lock")

    def __enter__(self) -> None:
        from fcntl import LOCK_EX, LOCK_NB, flock
        from time import monotonic, sleep

        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        self._fd = os.open(self._beside, flags, 0o600)
        until = monotonic() + LOCK_S
        while True:
            try:
                flock(self._fd, LOCK_EX | LOCK_NB)
                return
            except BlockingIOError:
                if monotonic() >= until:
                    os.close(self._fd)
                    raise IoError(f"{self._path} is being changed by another signaltty", path=self._path) from None
                sleep(LOCK_EVERY_S)
            except OSError:
                os.close(self._fd)
                raise

    def __exit__(self, *_fault: object) -> None:
        os.close(self._fd)


def _read(path: str) -> bytes:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise IoError(f"{path} is not a regular file", path=path)
    # looked at again, for it may be another one by now; a FIFO must not hold us up
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        seen = os.fstat(fd)
        if not stat.S_ISREG(seen.st_mode):
            raise IoError(f"{path} is not a regular file", path=path)
        if seen.st_size > READ_BYTES:
            raise IoError(f"{path} has more than 4 MiB", path=path)
        with open(fd, "rb", buffering=0, closefd=False) as file:
            return file.readall()
    finally:
        os.close(fd)


def _replace(path: str, data: bytes) -> None:
    """The data under that name in one step, synced; mode and owner of what stood there are kept. Raises OSError."""
    directory, name = os.path.split(path)
    fresh = os.path.join(directory, f".{name}.signaltty.{os.getpid()}.{os.urandom(4).hex()}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            _take_over(path, fd)
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise
    sync_directory(directory)


def _take_over(path: str, fd: int) -> None:
    """Mode and owner of the file that is about to be replaced. Raises IoError for one its owner may not write."""
    try:
        before = os.lstat(path)
    except FileNotFoundError:
        return
    if not before.st_mode & stat.S_IWUSR:
        raise IoError(f"{path} is read-only", path=path)
    made = os.fstat(fd)
    if (before.st_uid, before.st_gid) != (made.st_uid, made.st_gid):
        os.fchown(fd, before.st_uid, before.st_gid)
    os.fchmod(fd, stat.S_IMODE(before.st_mode))


def _io_error(path: str, fault: OSError) -> IoError:
    return IoError(f"cannot use {path}: {fault.strerror or fault}", path=path)
