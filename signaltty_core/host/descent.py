"""Which processes descend from which, and who works inside a directory: read from the process table."""

from __future__ import annotations

import os

from ..keeper.protocol import stat_fields
from . import ps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def descendants(roots: Iterable[int]) -> set[int]:
    """The processes below the roots, and those of the roots' sessions, which a lost parent does not take away."""
    wanted = set(roots)
    below: dict[int, list[int]] = {}
    found: set[int] = set()
    for pid, parent, session in processes():
        below.setdefault(parent, []).append(pid)
        if session in wanted and pid not in wanted:
            found.add(pid)
    queue = [*wanted, *found]
    while queue:
        for child in below.get(queue.pop(), ()):
            if child not in found and child not in wanted:
                found.add(child)
                queue.append(child)
    return found


def inhabitant(directory: str, children: dict[int, str]) -> str | None:
    """The pane one of whose processes works in the directory or below it. children: pid of a pane's child -> pane.

    A process that left its parents and its session is known by the pane its environment names. May block: run it as
    Work.
    """
    inside = [pid for pid, cwd in _directories() if cwd == directory or cwd.startswith(directory.rstrip("/") + "/")]
    if not inside:
        return None
    panes = set(children.values())
    for child, pane_id in children.items():
        family = descendants([child]) | {child}
        if any(pid in family for pid in inside):
            return pane_id
    if ps.has_proc():
        words_of = {pid: _environ(pid) for pid in inside}
    else:
        words_of = {pid: os.fsencode(words).split() for pid, words in ps.environments().items() if pid in inside}
    named = (_named_pane(words) for words in words_of.values())
    return next((pane_id for pane_id in named if pane_id in panes), None)


def marked(variable: str, value: str) -> list[int]:
    """The processes whose environment holds exactly this variable; a zombie has none. May block: run it as Work."""
    mark = f"{variable}={value}"
    if not ps.has_proc():
        return [pid for pid, words in ps.environments().items() if f" {mark} " in f"{words} "]
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and mark.encode() in _environ(int(name))]


def processes() -> Iterator[tuple[int, int, int]]:
    """(pid, parent, session) of every process."""
    if not ps.has_proc():
        yield from ps.processes()
        return
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        fields = stat_fields(int(name))
        if fields:  # else it has just ended
            yield int(name), int(fields[1]), int(fields[3])


def _directories() -> Iterator[tuple[int, str]]:
    if not ps.has_proc():
        yield from ps.directories()
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                yield int(name), os.readlink(f"/proc/{name}/cwd")
            except OSError:
                continue


def _named_pane(environ: list[bytes]) -> str | None:
    mark = b"SIGNALTTY_PANE="
    found = (entry for entry in environ if entry.startswith(mark))
    return next((entry[len(mark) :].decode("utf-8", "replace") for entry in found), None)


def _environ(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read(1 << 20).split(b"\0")
    except OSError:
        return []
