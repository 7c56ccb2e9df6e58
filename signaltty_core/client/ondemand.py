"""Starts a server when there is none, so that of any number of simultaneous starts one remains (cli §3)."""

from __future__ import annotations

import errno
import os
from time import monotonic, sleep

from ..base.errors import Forbidden, IoError, NoSuchServer, ProtocolError, TimedOut
from ..base.paths import runtime_dir
from .conn import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .conn import Connection

LOCK_S = 10.0
LOCK_PAUSE_S = 0.005
START_S = 5.0
QUICK_S, QUICK_PAUSE_S, SLOW_PAUSE_S = 1.0, 0.002, 0.1
KEEPER_PAUSE_S = 0.05
LOG_BYTES = 4 << 20  # persistence §2
LOG_NAME = "server.log"
FORMAT, DIRECTORY = 0o170000, 0o040000  # S_IFMT, S_IFDIR; `stat` in Python form costs an import


class Refused(ProtocolError):
    """A server that would not start; the message is its own sentence."""

    code = ""


class Launch:
    """What it takes to start a server: its whole command line and where its output goes."""

    __slots__ = ("argv", "state_dir")

    def __init__(self, argv: list[str], state_dir: str) -> None:
        self.argv = argv
        self.state_dir = state_dir


def open_server(socket_path: str, uid: int, launch: Launch | None, patience_s: float = 0.0) -> Connection:
    """A connection to the server at `socket_path`, which is started by `launch` when nobody listens.

    launch: None means never start one. patience_s: how long a lost server is waited for while its keeper lives.
    Raises NoSuchServer, Refused (the server's own sentence), TimedOut, Forbidden, IoError.
    """
    runtime = runtime_dir(socket_path, uid)
    try:
        return _connect_patiently(socket_path, f"{runtime}/keeper.sock", patience_s)
    except NoSuchServer:
        if launch is None:
            raise
    _own_directory(runtime, strict=True)
    release = _take_start_lock(f"{runtime}/start.lock")
    try:
        try:
            return connect(socket_path)
        except NoSuchServer:
            return _start(socket_path, launch)
    finally:
        release()


def _take_start_lock(path: str) -> Callable[[], None]:
    """Hold the lock around a start; gives what lets go of it. Raises TimedOut after 10 s, IoError.

    A free lock is taken directly, with the very call filelock makes: importing it costs as much as starting the server.
    Who must wait has the time for it.
    """
    import fcntl

    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lambda: os.close(fd)
        except BlockingIOError:
            os.close(fd)
    except OSError as fault:
        raise IoError(f"cannot lock {path}: {fault.strerror}") from None
    from filelock import FileLock, Timeout

    make_lock: Any = FileLock
    lock = make_lock(path, mode=0o600)
    try:
        lock.acquire(timeout=LOCK_S, poll_interval=LOCK_PAUSE_S)
    except Timeout:
        raise TimedOut(f"another command has been starting a server for {LOCK_S:g} seconds") from None
    except OSError as fault:
        raise IoError(f"cannot lock {path}: {fault.strerror}") from None
    return lambda: lock.release()


def _connect_patiently(socket_path: str, keeper_path: str, patience_s: float) -> Connection:
    until = monotonic() + patience_s
    while True:
        try:
            return connect(socket_path)
        except NoSuchServer:
            if monotonic() >= until or not os.path.exists(keeper_path):
                raise
        sleep(KEEPER_PAUSE_S)


def _start(socket_path: str, launch: Launch) -> Connection:
    log_path = f"{launch.state_dir}/{LOG_NAME}"
    log = _open_log(launch.state_dir, log_path)
    try:
        said_before = os.fstat(log).st_size
        child = _spawn(launch.argv, log)
    finally:
        os.close(log)
    began = monotonic()
    running = True
    while True:
        try:
            return connect(socket_path)
        except NoSuchServer:
            pass
        if running:
            ended, status = os.waitpid(child, os.WNOHANG)
            running = ended == 0
            # one that ends quietly has left the place to another server, which the next looks will find
            if not running and status != 0:
                return _connect_or_explain(socket_path, log_path, said_before)
        waited_s = monotonic() - began
        if waited_s > START_S:
            raise TimedOut(f"the server did not answer within {START_S:g} seconds, see {log_path}")
        sleep(QUICK_PAUSE_S if waited_s < QUICK_S else SLOW_PAUSE_S)


def _connect_or_explain(socket_path: str, log_path: str, said_before: int) -> Connection:
    try:
        return connect(socket_path)
    except NoSuchServer:
        pass
    with open(log_path, encoding="utf-8", errors="replace") as log:
        log.seek(said_before)
        lines = log.read().split("\n")
    sentences = [line.partition(": ")[2] for line in lines if line.startswith("signaltty: ")]
    raise Refused(sentences[-1] if sentences else f"the server ended at once, see {log_path}")


def _spawn(argv: list[str], log: int) -> int:
    """Start argv in a session of its own, standard input from nowhere, output to `log`, no other descriptor."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        # shells hand on what their own redirections opened; a caller's `$(…)` waits for every copy of its pipe
        for number in _open_descriptors():
            if number > 2:
                try:
                    os.set_inheritable(number, False)
                except OSError:
                    pass
        os.chdir("/")
        os.execv(argv[0], argv)
    except OSError as fault:
        os.write(2, f"signaltty: cannot run {argv[0]}: {fault.strerror}\n".encode("utf-8", "backslashreplace"))
    finally:
        os._exit(127)


def _open_descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd")]
    except OSError:  # no such view of a process in this container
        return list(range(3, 1024))


def _open_log(state_dir: str, log_path: str) -> int:
    try:
        _own_directory(state_dir, strict=state_dir.startswith("/tmp/"))
        try:
            if os.stat(log_path).st_size >= LOG_BYTES:
                os.replace(log_path, log_path + ".1")
        except FileNotFoundError:
            pass
        log = os.open(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        # descriptors 0 to 2 may be closed in the caller; the child puts the log there itself
        if log < 3:
            import fcntl

            lifted = fcntl.fcntl(log, fcntl.F_DUPFD_CLOEXEC, 3)
            os.close(log)
            log = lifted
        return log
    except OSError as fault:
        raise IoError(f"cannot write {log_path}: {fault.strerror}") from None


def _own_directory(path: str, strict: bool) -> None:
    """Make a directory for this user alone; strict: refuse one that others could have laid there (behaviour §13)."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        facts = os.lstat(path) if strict else os.stat(path)
    except OSError as fault:
        if fault.errno in (errno.EEXIST, errno.ENOTDIR):
            raise Forbidden(f"{path} is no directory", path=path) from None
        raise IoError(f"cannot make the directory {path}: {fault.strerror}", path=path) from None
    if facts.st_mode & FORMAT != DIRECTORY:
        raise Forbidden(f"{path} is no real directory", path=path)
    if strict and facts.st_uid != os.geteuid():
        raise Forbidden(f"{path} belongs to another user", path=path)
    if strict and facts.st_mode & 0o022:
        raise Forbidden(f"{path} is writable by others", path=path)
