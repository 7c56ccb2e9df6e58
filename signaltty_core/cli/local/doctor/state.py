"""What `doctor` says of the files that survive a server: the directory, the journal, the snapshot (persistence §2)."""

from __future__ import annotations

import os
import sys
import time

from ....base.errors import IoError
from ....base.paths import cache_dir, state_dir
from ....base.program import is_unpacked
from ....host.files import read_file, secure_directory
from ....host.journal_open import CURRENT, PREDECESSOR, RETENTION, SEQUENCE
from ....host.lock import holder
from ....host.unpacked import builds, size_bytes
from ....journal import retention, sequence
from ....journal.snapshot import BadSnapshot, parse
from ....keeper.protocol import is_running, started_at
from .examined import FAIL, OK, WARN, Finding, count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .examined import Machine

KEPT = (CURRENT, PREDECESSOR, RETENTION, SEQUENCE, "snapshot.json", "server.log")  # no server starts without them
ELSEWHERE = "give it back to yourself, or let XDG_STATE_HOME name another place"
LITTLE_MB, TOO_LITTLE_MB = 200, 20  # a full journal and its predecessor are about 130 MB


def state(machine: Machine) -> Iterator[Finding]:
    path = machine.state
    if not os.path.lexists(path):
        yield Finding("state", OK, f"{path} is not there yet; the first server makes it")
        return
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK) or not os.path.isdir(path):
        yield Finding("state", FAIL, f"{path} is no directory you can write to; {ELSEWHERE}")
        return
    if path.startswith("/tmp/"):
        try:
            secure_directory(path)
        except IoError as fault:
            yield Finding("state", FAIL, f"{fault.message}; {ELSEWHERE}")
            return
    for name in KEPT:
        fault_of_file = _fault_of(f"{path}/{name}")
        if fault_of_file:
            yield Finding(
                "state file", FAIL, f"{path}/{name} {fault_of_file}; no server starts: mend it or move it away"
            )
    disk = os.statvfs(path)
    free_mb = disk.f_bavail * disk.f_frsize // 1_000_000
    status = FAIL if free_mb < TOO_LITTLE_MB else WARN if free_mb < LITTLE_MB else OK
    more = "; without room the server stops" if status != OK else ""
    yield Finding("state", status, f"{path}, writable, {free_mb} MB free{more}")
    yield _holder_of(machine, path)


def cache(machine: Machine) -> Iterator[Finding]:
    """What versions of the program have unpacked (decision 0003)."""
    own = os.path.dirname(sys.path[0]) if is_unpacked() else ""
    path = os.path.dirname(own) or cache_dir(machine.environ, machine.uid)
    found = builds(path, os.path.basename(own))
    spent = sum(one.is_spent(time.time()) for one in found)
    size_mb = sum(size_bytes(f"{path}/{one.name}") for one in found) / 1_000_000
    said = f"{count_of(len(found), 'unpacked version')} in {path}, {size_mb:.1f} MB"
    unused = f"; {spent} unused for a week: the next server deletes what is old" if spent else ""
    yield Finding("cache", OK, said + unused)


def journal(machine: Machine) -> Iterator[Finding]:
    """The record beside the journal, and the reservation of numbers (persistence §4.1, §4.4)."""
    sizes = {name: _size_of(f"{machine.state}/{name}") for name in (CURRENT, PREDECESSOR)}
    try:
        record = read_file(f"{machine.state}/{RETENTION}")
        reserved = read_file(f"{machine.state}/{SEQUENCE}")
    except OSError as fault:
        yield Finding("journal", FAIL, f"{fault.filename} cannot be read: {fault.strerror}")
        return
    if record is None and sizes[CURRENT] is None:
        yield Finding("journal", OK, "none yet")
        return
    said = ", ".join(f"{name} {size} bytes" for name, size in sizes.items() if size is not None)
    kept = retention.parse_record(record or b"")
    if kept is None:
        yield Finding("journal", WARN, f"{said}; {RETENTION} says nothing: old events are not replayed")
    elif not kept.known_complete:
        yield Finding(
            "journal",
            WARN,
            f"{said}; complete only above event {kept.retained_after}: `events --from-seq` begins there",
        )
    elif (sizes[CURRENT] or 0) < kept.current_bytes:
        yield Finding("journal", WARN, f"{said}; it had {kept.current_bytes} bytes: its end is lost")
    else:
        yield Finding("journal", OK, f"{said}, known to be complete")
    yield _reservation(machine, reserved)


def snapshot(machine: Machine) -> Iterator[Finding]:
    path = f"{machine.state}/snapshot.json"
    try:
        data = read_file(path)
    except OSError as fault:
        yield Finding("snapshot", FAIL, f"{path} cannot be read: {fault.strerror}")
        return
    if data is None:
        yield Finding("snapshot", OK, "none yet")
        return
    try:
        loaded = parse(data)
    except BadSnapshot as fault:
        text = f"{path} is no snapshot: {fault}; the next server puts it aside and takes the newest of snapshots/"
        yield Finding("snapshot", FAIL, text)
        return
    said = f"{len(data)} bytes, {count_of(len(loaded.tables['panes']), 'pane')}, up to event {loaded.through_seq}"
    if loaded.warnings:
        yield Finding("snapshot", WARN, f"{said}; {'; '.join(loaded.warnings[:3])}")
    else:
        yield Finding("snapshot", OK, said)


def _holder_of(machine: Machine, path: str) -> Finding:
    pid, _, socket_path = holder(f"{path}/server.lock").partition(" ")
    is_answering = machine.status is not None and str(machine.status.get("pid")) == pid
    if not pid:
        text = "free"
    elif is_answering:
        text = f"held by the server, pid {pid}"
    elif pid.isdigit() and _is_alive(int(pid)):
        if socket_path == machine.socket:
            return Finding("state lock", OK, f"held by pid {pid}, which does not answer now")
        return Finding("state lock", WARN, f"the server at {socket_path} (pid {pid}) works here, not {machine.socket}")
    else:
        text = f"free; its last holder, pid {pid}, is gone"
    if machine.status is not None and not is_answering:
        usual = state_dir(machine.environ, machine.uid)
        return Finding("state lock", WARN, f"{text}; the server that answers keeps its state elsewhere, not in {usual}")
    return Finding("state lock", OK, text)


def _reservation(machine: Machine, data: bytes | None) -> Finding:
    if data is None:
        return Finding("event numbers", WARN, f"{SEQUENCE} is missing; the next server counts on from the journal")
    try:
        stored = sequence.parse(data)
        loaded = parse(read_file(f"{machine.state}/snapshot.json") or b"null")
        sequence.start(stored, loaded.through_seq)
    except IoError as fault:
        return Finding("event numbers", FAIL, f"{fault.message}; no server starts with that")
    except (BadSnapshot, OSError):
        pass
    return Finding("event numbers", OK, f"reserved up to {stored - 1}")


def _fault_of(path: str) -> str:
    """Why a file that is there cannot serve; empty when it can."""
    if not os.path.lexists(path):
        return ""
    if not os.path.isfile(path):
        return "is no file"
    return "" if os.access(path, os.R_OK | os.W_OK) else "cannot be read and written by you"


def _size_of(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _is_alive(pid: int) -> bool:
    start_time = started_at(pid)
    return start_time is not None and is_running(pid, start_time)
