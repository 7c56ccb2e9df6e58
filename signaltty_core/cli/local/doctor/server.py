"""The processes `doctor` looks at: this program, the server with its socket, the keeper, and their limits."""

from __future__ import annotations

import os
import stat
import sys
from _socket import AF_UNIX, SOCK_STREAM
from _socket import socket as Socket

from ....base.errors import IoError
from ....base.limits import SOCKET_PATH_BYTES
from ....base.version import PROTOCOL, VERSION
from ....host.files import secure_directory
from ....keeper.protocol import SOCKET_NAME as KEEPER_SOCKET
from ....keeper.protocol import FrameBuffer
from ....wire.codec import decode
from .examined import FAIL, OK, WARN, Finding, count_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .examined import Machine

KEEPER_S = 1.0
ORPHANS = "they end with the server"
FEW_DESCRIPTORS = 256  # a pane holds four at most, and a viewer one


def program(machine: Machine) -> Iterator[Finding]:
    path = os.path.abspath(sys.argv[0])
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield Finding("program", OK, f"signaltty {VERSION} ({PROTOCOL}) at {path}")
    name = sys.implementation.name
    if name != "cpython":
        yield Finding("interpreter", WARN, f"{name} {version}; signaltty is tried on CPython alone")
    else:
        yield Finding("interpreter", OK, f"CPython {version} at {sys.executable}")


def runtime(machine: Machine) -> Iterator[Finding]:
    path = machine.runtime
    if not os.path.lexists(path):
        above = os.path.dirname(path)
        while not os.path.lexists(above):
            above = os.path.dirname(above)
        if os.access(above, os.W_OK | os.X_OK):
            yield Finding("runtime", OK, f"{path} is not there yet; the first server makes it")
        else:
            text = f"{path} cannot be made: you cannot write in {above}; set XDG_RUNTIME_DIR or use --socket"
            yield Finding("runtime", FAIL, text)
        return
    try:
        secure_directory(path)
    except IoError as fault:
        yield Finding("runtime", FAIL, f"{fault.message}; move it away or choose another --socket")
        return
    yield Finding("runtime", OK, f"{path}, mode {stat.S_IMODE(os.stat(path).st_mode):04o}, yours")


def socket(machine: Machine) -> Iterator[Finding]:
    path = machine.socket
    length = len(os.fsencode(path))
    if length > SOCKET_PATH_BYTES:
        yield Finding("socket", FAIL, f"{path} has {length} bytes, at most {SOCKET_PATH_BYTES} work; use --socket")
        return
    try:
        seen = os.lstat(path)
    except FileNotFoundError:
        yield Finding("socket", OK, f"{path} is not there: no server listens")
        return
    except OSError as fault:
        yield Finding("socket", FAIL, f"{path}: {fault.strerror}")
        return
    mode = stat.S_IMODE(seen.st_mode)
    if not stat.S_ISSOCK(seen.st_mode):
        yield Finding("socket", FAIL, f"{path} is no socket; move it away or choose another --socket")
    elif seen.st_uid != machine.uid:
        yield Finding("socket", FAIL, f"{path} belongs to user {seen.st_uid}, not to you")
    elif machine.lacks_server():
        yield Finding("socket", WARN, f"nobody answers at {path}: its server was killed; the next command replaces it")
    elif mode & 0o077:
        yield Finding("socket", WARN, f"{path} has mode {mode:04o}; the server lets in nobody but you all the same")
    else:
        yield Finding("socket", OK, f"{path}, {length} bytes, mode {mode:04o}")


def server(machine: Machine) -> Iterator[Finding]:
    status = machine.status
    if status is None:
        if machine.lacks_server():
            yield Finding("server", OK, "none runs; the next command starts one")
        else:
            yield Finding("server", FAIL, f"{machine.silence}; see `signaltty server logs`")
        return
    held = f"{count_of(status['panes'], 'pane')} ({status['live_panes']} live)"
    said = f"version {status['version']}, pid {status.get('pid')}, up {status['uptime_s']} s, {held}"
    if status["version"] == VERSION:
        yield Finding("server", OK, said)
    else:
        yield Finding("server", WARN, f"{said}; this program is {VERSION}: `signaltty server restart` keeps the panes")


def keeper(machine: Machine) -> Iterator[Finding]:
    path = f"{machine.runtime}/{KEEPER_SOCKET}"
    live = (machine.status or {}).get("live_panes", 0)
    hello = _greeting_of(path)
    if hello is None:
        if live:
            text = (
                f"nobody answers at {path}, but {count_of(live, 'pane')} live: {ORPHANS}; the next pane brings a keeper"
            )
            yield Finding("keeper", FAIL, text)
        elif os.path.lexists(path):
            yield Finding("keeper", WARN, f"nobody answers at {path}: it was killed, and its panes with it")
        else:
            yield Finding("keeper", OK, "none runs; the first pane starts one")
        return
    children = _children_of(hello.get("pid"))
    orphans = 0 if children is None else live - children
    if machine.status is not None and orphans <= 0:
        children = live  # a pane that was closed just now still ends
    held = "its children cannot be counted" if children is None else f"{children} running"
    said = f"version {hello.get('version')}, pid {hello.get('pid')}, {held}"
    if machine.lacks_server():
        yield Finding("keeper", WARN, f"{said}, without a server; the next command brings one")
    elif orphans > 0:
        text = f"{said}; the keeper of {count_of(orphans, 'more pane')} was killed: {ORPHANS}"
        yield Finding("keeper", WARN, text)
    elif hello.get("version") != VERSION:
        yield Finding("keeper", OK, f"{said}; it stays until its last child ends and works with every server")
    else:
        yield Finding("keeper", OK, said)


def start_lock(machine: Machine) -> Iterator[Finding]:
    import fcntl

    path = f"{machine.runtime}/start.lock"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield Finding("start lock", OK, "free")
        return
    except OSError as fault:
        yield Finding("start lock", FAIL, f"{path}: {fault.strerror}; no server can be started")
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Finding("start lock", OK, "free")
    except BlockingIOError:
        yield Finding("start lock", WARN, "another command is starting a server at this moment")
    finally:
        os.close(fd)


def descriptors(machine: Machine) -> Iterator[Finding]:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    words = ["unlimited" if limit == resource.RLIM_INFINITY else str(limit) for limit in (soft, hard)]
    said = f"{words[0]} open files, {words[1]} at most"
    few = soft != resource.RLIM_INFINITY and soft < FEW_DESCRIPTORS
    yield (
        Finding("descriptors", WARN, f"{said}; raise it with `ulimit -n`") if few else Finding("descriptors", OK, said)
    )


def _greeting_of(path: str) -> dict[str, Any] | None:
    """The keeper's first message; it sends that to whoever comes, and nothing is sent back, so nothing changes."""
    plug = Socket(AF_UNIX, SOCK_STREAM)
    plug.settimeout(KEEPER_S)
    frames = FrameBuffer()
    try:
        plug.connect(path)
        while data := plug.recv(4096):
            for body in frames.add(data):
                hello = decode(body)
                return hello if isinstance(hello, dict) else None
    except (OSError, ValueError):
        return None
    finally:
        plug.close()
    return None


def _children_of(pid: object) -> int | None:
    """How many processes it has started that still live; None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
            return len(listed.read().split())
    except OSError:
        return None
