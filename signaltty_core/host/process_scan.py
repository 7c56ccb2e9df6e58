"""Which program runs in a pane, and where: looked up from the process table (behaviour §5.7)."""

from __future__ import annotations

import os

from ..keeper.protocol import stat_fields
from . import ps
from .descent import processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DEPTH_MAX = 8
SHELLS = frozenset(("sh", "bash", "zsh", "fish", "dash"))
_VALUED = frozenset(("-r", "--require", "--import", "--loader", "-W", "-X"))
_INLINE = frozenset(("-c", "-e", "-p", "--eval", "--print"))
_RUNNERS = frozenset(("bun", "deno"))
_INTERPRETERS = frozenset(("node", "nodejs", "bun", "deno"))


class Table:
    """The process table as a scan needs it. children: youngest first. words: the command line. directory: cwd."""

    def __init__(
        self,
        children: Callable[[int], list[int]],
        words: Callable[[int], list[str]],
        directory: Callable[[int], str | None],
    ) -> None:
        self.children = children
        self.words = words
        self.directory = directory


def scan(wanted: list[tuple[str, int, int | None, str]]) -> dict[str, tuple[str, str]]:
    """(pane, child, foreground group, directory so far) -> process name and directory per pane; children that are gone
    are left out. A directory that was reached through a link keeps the name it is known by.

    May block: run it as Work.
    """
    table = _proc_table() if ps.has_proc() else ps_table()
    found = {}
    for pane_id, child, group, known in wanted:
        name = process_name(table, child)
        if name is not None:
            directory = (table.directory(group) if group else None) or table.directory(child) or known
            found[pane_id] = (name, known if os.path.realpath(known) == directory else directory)
    return found


def process_name(table: Table, child: int) -> str | None:
    """The deepest program below the child, or the child itself, that is no shell; only shells: the child's own name."""
    own = name_of(table.words(child))
    chosen, pid = own, child
    for _ in range(DEPTH_MAX):
        below = table.children(pid)
        if not below:
            break
        pid = below[0]
        name = name_of(table.words(pid))
        if name is not None and name not in SHELLS:
            chosen = name
    return chosen


def name_of(words: list[str]) -> str | None:
    """What a command line is called: the program's last component; of an interpreter, the stem of its script."""
    if not words or not words[0]:
        return None
    program = words[0].rsplit("/", 1)[-1].lstrip("-") or words[0]
    if program not in _INTERPRETERS and not program.startswith("python"):
        return program
    rest = words[1:]
    if program in _RUNNERS and rest and rest[0] == "run":
        rest = rest[1:]
    while rest:
        word = rest.pop(0)
        if word in _INLINE:
            return program
        if word == "-m":
            return rest[0] if rest else program
        if word in _VALUED:
            del rest[:1]
        elif not word.startswith("-"):
            return _stem(word) or program
    return program


def _stem(path: str) -> str:
    name = path.rstrip("/").rsplit("/", 1)[-1]
    stem, dot, _ending = name.rpartition(".")
    return stem if dot and stem else name


def _proc_table() -> Table:
    own = os.getpid()
    # a kernel may be built without these lists
    children = _proc_children if os.path.exists(f"/proc/{own}/task/{own}/children") else children_by_parents()
    return Table(children, _proc_words, _proc_directory)


def _proc_children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            pids = [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []
    return _youngest_first(pids)


def children_by_parents() -> Callable[[int], list[int]]:
    """The same from what every process says of its parent, read once."""
    below: dict[int, list[int]] = {}
    for pid, parent, _ in processes():
        below.setdefault(parent, []).append(pid)
    return lambda pid: _youngest_first(below.get(pid, []))


def _youngest_first(pids: list[int]) -> list[int]:
    return sorted(pids, key=lambda child: (_proc_started(child), child), reverse=True) if len(pids) > 1 else pids


def _proc_started(pid: int) -> int:
    fields = stat_fields(pid)
    return int(fields[19]) if fields else 0


def _proc_words(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            line = file.read(16384)
    except OSError:
        return []
    words = [os.fsdecode(word) for word in line.rstrip(b"\0").split(b"\0")]
    if len(words) == 1 and " " in words[0] and not words[0].startswith("/"):
        return words[0].split()  # a program that has renamed itself
    return words


def _proc_directory(pid: int) -> str | None:
    try:
        path = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None
    return path if path.startswith("/") and not path.endswith(" (deleted)") else None


def ps_table() -> Table:
    """For systems without /proc: one listing for all questions but directories."""
    from shlex import split

    children: dict[int, list[int]] = {}
    lines: dict[int, str] = {}
    for pid, parent, line in ps.command_lines():
        lines[pid] = line
        children.setdefault(parent, []).append(pid)

    def words(pid: int) -> list[str]:
        try:
            return split(lines.get(pid, ""))
        except ValueError:  # an apostrophe without its partner
            return lines[pid].split()

    def directory(pid: int) -> str | None:
        return next((path for _, path in ps.directories(pid)), None)

    return Table(lambda pid: sorted(children.get(pid, []), reverse=True), words, directory)
