"""The process table of systems without /proc, as `ps` and `lsof` print it; one run answers for all processes."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PRINT_S = 5.0  # lsof asks every process
# -ww: into a pipe, ps would cut its lines after 79 characters


def has_proc() -> bool:
    return os.path.isdir("/proc/self")


def processes() -> Iterator[tuple[int, int, int]]:
    """(pid, parent, session) of every process. macOS prints no sessions, so they are asked for one by one."""
    for pid, parent, _ in _table():
        yield pid, parent, _session(pid)


def parents() -> dict[int, int]:
    return {pid: parent for pid, parent, _ in _table()}


def command_lines() -> Iterator[tuple[int, int, str]]:
    """(pid, parent, command line) of every process."""
    return _rows(_printed(["ps", "-axww", "-o", "pid=,ppid=,command="]))


def own_command_lines() -> bytes:
    """The command lines of this user's processes. Raises OSError when nobody tells; ps itself is always one."""
    listed = _printed(["ps", "-xww", "-o", "command="])
    if not listed:
        raise OSError("ps lists no process")
    return os.fsencode(listed)


def environments() -> dict[int, str]:
    """Command line and environment of every process as one line each; macOS hides those of its own programs."""
    rows = (row.strip().partition(" ") for row in _printed(["ps", "-axwwE", "-o", "pid=,command="]).splitlines())
    return {int(pid): words for pid, _, words in rows if pid.isdigit()}


def directories(pid: int | None = None) -> Iterator[tuple[int, str]]:
    """(pid, working directory) of this user's processes, or of the one that is asked for."""
    whose = ["-u", str(os.getuid())] if pid is None else ["-p", str(pid)]
    at = 0
    for row in _printed(["lsof", "-a", "-d", "cwd", *whose, "-Fpn"]).splitlines():
        if row.startswith("p"):
            at = int(row[1:])
        elif row.startswith("n/"):
            yield at, row[1:]


def _table() -> Iterator[tuple[int, int, str]]:
    return _rows(_printed(["ps", "-ax", "-o", "pid=,ppid="]))


def _rows(printed: str) -> Iterator[tuple[int, int, str]]:
    for row in printed.splitlines():
        pid, parent, *rest = row.split(None, 2)
        yield int(pid), int(parent), "".join(rest)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0  # it has just ended


def _printed(argv: list[str]) -> str:
    from subprocess import SubprocessError, run  # systems without /proc

    try:
        done = run(argv, capture_output=True, timeout=_PRINT_S, check=False, errors="surrogateescape", encoding="utf-8")
    except (OSError, SubprocessError):
        return ""
    return done.stdout
