"""A pane's child: born with ptyprocess, signalled as its parent may, and what is kept of it.

ptyprocess does the fork, the window size and the wait for exec. Four things of its `spawn` do not fit a process that
holds every agent, so they are done here: it looks the program up with the keeper's own PATH and puts the result into
argv[0]; it changes directory where a failure lets a copy of the keeper run on; it closes every descriptor number up to
the limit, one by one on some systems (all of ours are close-on-exec); and it leaks two or four descriptors when fork
fails. The last step before exec is therefore ours (`_become`), and it reports `what` failed.
"""

from __future__ import annotations

import _signal
import fcntl
import os
import resource
import sys
import termios
from sys import byteorder

from .buffer import DrainBuffer
from .protocol import GONE, OS_SIGNALS, started_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_SPARE_DESCRIPTORS = 16  # what the C library may open for a moment while it makes a PTY
_IUTF8 = 0o40000  # the same bit on Linux and macOS: erase removes a character, not a byte
ALL_SIGNALS = sorted(_signal.valid_signals())


class SpawnError(Exception):
    """what: cwd, exec or fork."""

    def __init__(self, what: str, number: int, subject: str = "") -> None:
        super().__init__(f"{subject}: {os.strerror(number)}" if subject else os.strerror(number))
        self.what = what
        self.number = number


class Child:
    """One child and its master. master: -1 once closed."""

    __slots__ = (
        "code",
        "drained",
        "forgotten",
        "group_gone",
        "kill_due",
        "master",
        "os_signal",
        "pane_id",
        "pid",
        "running",
        "start_time",
    )

    def __init__(self, pane_id: str, pid: int, start_time: int | None, master: int) -> None:
        self.pane_id = pane_id
        self.pid = pid
        self.start_time = start_time
        self.master = master
        self.drained = DrainBuffer()
        self.running = True
        self.group_gone = False
        self.forgotten = False
        self.kill_due: float | None = None
        self.code: int | None = None
        self.os_signal: str | None = None

    def end(self, status: int) -> None:
        """Note the status that waitpid gave."""
        self.running = False
        if os.WIFSIGNALED(status):
            self.os_signal = name_of(os.WTERMSIG(status))
        else:
            self.code = os.WEXITSTATUS(status)
        self.look_at_group()

    def look_at_group(self) -> None:
        """Note an empty group: its number may belong to anybody from then on."""
        if not self.running and not self.group_gone:
            try:
                os.killpg(self.pid, 0)
            except ProcessLookupError:
                self.group_gone = True
            except PermissionError:
                pass  # a member with another uid

    def signal(self, name: str, group: bool) -> str | None:
        """Send it; None when sent, else why not. Never hits a later process with the same number."""
        if name not in OS_SIGNALS:
            return f"no signal is named {name}"
        number = int(getattr(_signal, f"SIG{name}"))
        self.look_at_group()
        if self.group_gone if group else not self.running:
            return GONE
        try:
            if group:
                os.killpg(self.pid, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            self.look_at_group()
            return GONE
        except OSError as fault:
            return os.strerror(fault.errno or 0)
        return None

    def size(self) -> tuple[int, int]:
        """cols, rows, as the kernel has them; 0, 0 without a master."""
        if self.master < 0:
            return 0, 0
        size = fcntl.ioctl(self.master, termios.TIOCGWINSZ, bytes(8))
        return int.from_bytes(size[2:4], byteorder), int.from_bytes(size[0:2], byteorder)

    def close_master(self) -> None:
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def as_wire(self) -> dict[str, Any]:
        cols, rows = self.size()
        shown: dict[str, Any] = {
            "pane_id": self.pane_id,
            "pid": self.pid,
            "start_time": self.start_time,
            "cols": cols,
            "rows": rows,
            "running": self.running,
            "buffered": len(self.drained),
        }
        if not self.running:
            shown.update(code=self.code, signal=self.os_signal)
        if self.forgotten:
            shown["forgotten"] = True
        return shown


def spawn(
    pane_id: str, argv: list[str], cwd: str, env: dict[str, str], cols: int, rows: int, nofile: tuple[int, int]
) -> Child:
    """Start a program on a new PTY and wait until it runs. Raises SpawnError; then nothing is left of it.

    nofile: soft and hard descriptor limit of the child."""
    _check_cwd(cwd)
    PtyProcess = _load_ptyprocess()
    program = find_program(argv[0], cwd, env.get("PATH", os.defpath))
    born: list[tuple[int, int]] = []

    class Birth(PtyProcess):  # type: ignore[misc, valid-type]
        """Only what `spawn` needs: no buffers, no clean-up that sleeps."""

        def __init__(self, pid: int, fd: int) -> None:
            self.pid, self.fd, self.closed = pid, fd, True
            born.append((pid, fd))

    def become() -> None:
        _become(program, argv, cwd, env, nofile)

    keeper_pid = os.getpid()
    former_limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free: list[int] = []
    former_mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, ALL_SIGNALS)  # none is lost between fork and exec
    try:
        free = _lowest_free(4)
        few = min(free[-1] + _SPARE_DESCRIPTORS, former_limits[0])
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, former_limits[1]))
        Birth.spawn([program], preexec_fn=become, dimensions=(rows, cols))
    except BaseException as fault:
        if os.getpid() != keeper_pid:
            os._exit(127)  # no copy of the keeper runs on, whatever failed
        if not isinstance(fault, Exception):
            raise
        raise _clear_up(fault, born, free, cwd, argv[0]) from None
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, former_limits)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, former_mask)
    pid, master = born[0]
    os.set_inheritable(master, False)
    os.set_blocking(master, False)
    return Child(pane_id, pid, started_at(pid), master)


def find_program(name: str, cwd: str, path: str) -> str:
    """The absolute path of a program as the child would find it (behaviour §8.2). Raises SpawnError."""
    places = [name] if "/" in name else [os.path.join(place, name) for place in path.split(os.pathsep)]
    number = 2  # ENOENT
    for place in places:
        candidate = os.path.join(cwd, place)
        if os.path.isfile(candidate):
            if os.access(candidate, os.X_OK):
                return candidate
            number = 13  # EACCES: there, but not to be run
        elif "/" in name and os.path.isdir(candidate):
            number = 13
    raise SpawnError("exec", number, name)


def name_of(number: int) -> str:
    """`KILL` for 9; real-time signals by number."""
    from signal import Signals  # an enum, loaded with ptyprocess anyway

    try:
        return Signals(number).name.removeprefix("SIG")
    except ValueError:
        return str(number)


def shed(nofile: tuple[int, int]) -> None:
    """In a child, before exec: signals as a program expects them, and the descriptor limit the user has set."""
    for number in ALL_SIGNALS:
        try:
            _signal.signal(number, _signal.SIG_DFL)
        except (OSError, ValueError):
            pass  # KILL, STOP and the C library's own
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    resource.setrlimit(resource.RLIMIT_NOFILE, nofile)


def _become(program: str, argv: list[str], cwd: str, env: dict[str, str], nofile: tuple[int, int]) -> NoReturn:
    """In the child: shed what is the keeper's, then run the program. A failure travels as `what number`."""
    what = "fork"
    try:
        shed(nofile)
        modes = termios.tcgetattr(0)
        modes[0] |= _IUTF8
        termios.tcsetattr(0, termios.TCSANOW, modes)
        what = "cwd"
        os.chdir(cwd)
        what = "exec"
        os.execve(program, argv, env)
    except OSError as fault:
        raise RuntimeError(f"{what} {fault.errno}") from None


def _load_ptyprocess() -> Any:
    """Its class, without shutil: ptyprocess then falls back to a `which` of its own, and 1.6 MiB of modules that a
    keeper never needs (re, zlib, bz2, lzma) stay away. Loaded at the first spawn, when the door is open already."""
    modules: dict[str, Any] = sys.modules
    hidden = modules.setdefault("shutil", None) is None
    try:
        from ptyprocess.ptyprocess import PtyProcess
    finally:
        if hidden:
            del modules["shutil"]
    return PtyProcess


def _check_cwd(cwd: str) -> None:
    """Before the program is looked for in it. The child looks again, with the last word."""
    try:
        directory = os.open(cwd, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        if os.access(cwd, os.X_OK):
            return  # may be entered, not listed
        raise SpawnError("cwd", 13, cwd) from None
    except OSError as fault:
        raise SpawnError("cwd", fault.errno or 2, cwd) from None
    os.close(directory)
    if not os.access(cwd, os.X_OK):
        raise SpawnError("cwd", 13, cwd)


def _clear_up(fault: Exception, born: list[tuple[int, int]], free: list[int], cwd: str, name: str) -> SpawnError:
    """Leave no descriptor and no zombie of a failed start; gives the error to report."""
    for pid, master in born:
        os.close(master)
        os.waitpid(pid, 0)
    if not born:
        for descriptor in free:  # where ptyprocess had its pipe and the PTY; the keeper has one thread, so still free
            try:
                os.close(descriptor)
            except OSError:
                pass
    if isinstance(fault, OSError):
        return SpawnError("fork", fault.errno or 11)
    what, _, number = str(fault).partition(" ")
    if isinstance(fault, RuntimeError) and what in ("cwd", "exec", "fork") and number.isdigit():
        return SpawnError(what, int(number), {"cwd": cwd, "exec": name}.get(what, ""))
    return SpawnError("exec", 22, f"{name}: {fault}")


def _lowest_free(count: int) -> list[int]:
    """The descriptor numbers the next `count` opens will get."""
    taken: list[int] = []
    try:
        for _ in range(count):
            taken.append(os.dup(0))
    finally:
        for descriptor in taken:
            os.close(descriptor)
    return taken
