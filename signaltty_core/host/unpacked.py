"""The folders below the cache that hold unpacked programs, one per build; those nobody needs any more are deleted.

A build is never in the way of another one: a folder goes only when it has not been used for a week and no process runs
from it. Who asks for it later unpacks it anew.
"""

from __future__ import annotations

import os
import stat

from . import ps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIX = "signaltty_"
UNUSED_S = 7 * 86400.0
INSIDE = ("", "/site-packages", "/site-packages/__pycache__")


class Build:
    """What one build has unpacked, or left half-way. used_at: wall time of its last sign of use."""

    __slots__ = ("in_use", "name", "used_at")

    def __init__(self, name: str, used_at: float, in_use: bool) -> None:
        self.name = name
        self.used_at = used_at
        self.in_use = in_use

    def is_spent(self, at: float) -> bool:
        return not self.in_use and at - self.used_at > UNUSED_S


def builds(root: str, own: str = "", running: Callable[[], bytes] | None = None) -> list[Build]:
    """All builds below the cache's folder. own: the name of the one that must stay. May block: run it as Work."""
    try:
        names = sorted(name for name in os.listdir(root) if name.startswith(PREFIX))
    except OSError:
        return []
    lines = (running or command_lines)() if any(name != own for name in names) else b""
    found = []
    for name in names:
        used_at = _used_at(f"{root}/{name}")
        if used_at is not None:
            found.append(Build(name, used_at, name == own or os.fsencode(f"/{name}/") in lines))
    return found


def prune(folder: str, at: float, running: Callable[[], bytes] | None = None) -> list[str]:
    """Delete builds nobody needs, and note that the own one is used; gives the names of the deleted ones.

    folder: the own `site-packages`. at: wall time. May block: run it as Work.
    """
    own = os.path.dirname(folder)
    root = os.path.dirname(own)
    try:
        os.utime(own)
    except OSError:
        return []  # not ours, or gone: then nothing below it is ours to judge
    spent = [one.name for one in builds(root, os.path.basename(own), running) if one.is_spent(at)]
    return [name for name in spent if _delete(root, name)] if spent else []


def size_bytes(path: str) -> int:
    """What the files below it hold."""
    return sum(os.lstat(f"{place}/{name}").st_size for place, _, names in os.walk(path) for name in names)


def command_lines() -> bytes:
    """The command lines of all processes of this user. Raises OSError when the system does not tell them."""
    if not ps.has_proc():
        return ps.own_command_lines()
    return b"\n".join(_lines())


def _lines() -> Iterator[bytes]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb", buffering=0) as file:
                    yield file.readall()
            except OSError:
                continue  # it has just ended


def _used_at(path: str) -> float | None:
    """The newest time at which something was written there; None when it is no folder of this user."""
    times = []
    for inside in INSIDE:
        try:
            found = os.lstat(path + inside)
        except OSError:
            continue
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return None
        times.append(found.st_mtime)
    return max(times, default=None)


def _delete(root: str, name: str) -> bool:
    """Out of the way in one step, so that nobody meets half of it; under the lock of those who unpack."""
    import fcntl
    import shutil

    gone = name if ".gone-" in name else f"{name}.gone-{os.getpid()}"
    lock = -1
    try:
        lock = os.open(root, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False  # somebody unpacks; the next server tries again
        os.rename(f"{root}/{name}", f"{root}/{gone}")
    except OSError:
        return False
    finally:
        if lock >= 0:
            os.close(lock)
    shutil.rmtree(f"{root}/{gone}", ignore_errors=True)
    return True
