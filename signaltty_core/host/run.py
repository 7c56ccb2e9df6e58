"""Runs a program to its end: own process group, no input, a deadline that kills it with all its descendants."""

from __future__ import annotations

import os

from ..base.errors import IoError, TimedOut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import Popen

ERROR_BYTES = 8 << 10
OUTPUT_BYTES = 64 << 20  # the names of a million files; more is no answer but a fault
LOOK_S = 0.02  # how soon an end is noticed where the kernel has no descriptor for a process
ASK_S = 0.25  # the same where `ps` must be asked, while there may still be output; both pipes end with most programs


def run(
    argv: list[str],
    cwd: str,
    env: dict[str, str],
    timeout_s: float,
    most_bytes: int | None = None,
    on_start: Callable[[int], None] | None = None,
) -> tuple[int, bytes, bytes]:
    """(exit code, stdout, the beginning of stderr). Blocks: for a worker thread. Raises IoError, TimedOut.

    most_bytes: a program that prints more is ended; the output then has one byte more.
    """
    import subprocess
    from time import monotonic

    ends_at = monotonic() + timeout_s
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        if getattr(fault, "filename", None) == cwd:
            raise IoError(f"cannot enter {cwd}: {reason}") from None
        raise IoError(f"cannot run {argv[0]}: {reason}") from None
    with child:
        try:
            if on_start is not None:
                on_start(child.pid)
            collected = _collect(child, ends_at, OUTPUT_BYTES if most_bytes is None else most_bytes)
            if collected is None:
                _kill_descendants(child.pid)
        finally:
            _kill_group(child)
    if collected is None:
        raise TimedOut(f"{argv[0]} did not end within {timeout_s:g} s")
    if most_bytes is None and len(collected[0]) > OUTPUT_BYTES:
        raise IoError(f"{argv[0]} printed more than {OUTPUT_BYTES} bytes")
    return child.returncode, *collected


def _collect(child: Popen[bytes], ends_at: float, most_bytes: int) -> tuple[bytes, bytes] | None:
    """What it printed until its end; None when the time has run out. What it left behind may hold the pipes open."""
    import selectors
    from time import monotonic

    assert child.stdout is not None and child.stderr is not None
    out, err = bytearray(), bytearray()
    pipes = {child.stdout.fileno(): out, child.stderr.fileno(): err}
    notice = _open_notice(child.pid)
    look_at = 0.0
    try:
        with selectors.DefaultSelector() as watched:
            for pipe in pipes:
                os.set_blocking(pipe, False)
                watched.register(pipe, selectors.EVENT_READ)
            if notice is not None:
                watched.register(notice, selectors.EVENT_READ)
            while True:
                left_s = ends_at - monotonic()
                if left_s <= 0:
                    return None
                ready = watched.select(left_s if notice is not None else min(left_s, LOOK_S))
                over = False
                if notice is not None or not pipes or monotonic() >= look_at:
                    over = _has_ended(child.pid)
                    look_at = monotonic() + (LOOK_S if hasattr(os, "waitid") else ASK_S)
                for fd in list(pipes) if over else [key.fd for key, _ in ready if key.fd in pipes]:
                    kept = pipes[fd]
                    if not (_drain(fd, out, most_bytes) if kept is out else _heed(fd, err)):
                        watched.unregister(fd)
                        del pipes[fd]
                if over or len(out) > most_bytes:
                    return bytes(out), bytes(err)
    finally:
        if notice is not None:
            os.close(notice)


def _open_notice(pid: int) -> int | None:
    """A descriptor that is readable once the child has ended; None where the system has no such thing."""
    try:
        return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except OSError:  # Linux before 5.3; a filter that does not know the call
        return None


def _drain(fd: int, kept: bytearray, most_bytes: int) -> bool:
    """Take what is there, up to one byte more than wanted; False at the end of the pipe."""
    while len(kept) <= most_bytes:
        try:
            data = os.read(fd, min(1 << 16, most_bytes + 1 - len(kept)))
        except BlockingIOError:
            return True
        if not data:
            return False
        kept += data
    return True


def _heed(fd: int, kept: bytearray) -> bool:
    """Take some of what is there and keep the beginning; False at the end of the pipe."""
    try:
        data = os.read(fd, 1 << 16)
    except BlockingIOError:
        return True
    kept += data[: ERROR_BYTES - len(kept)]
    return bool(data)


def _has_ended(pid: int) -> bool:
    """Whether the child is over, its body left for `wait`: until then its number is nobody else's."""
    if not hasattr(os, "waitid"):
        from subprocess import run as ask  # macOS before Python 3.13

        state = ask(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout
        return not state.strip() or state.startswith(b"Z")
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _kill_group(child: Popen[bytes]) -> None:
    """Also what it left behind; then the body is taken away."""
    from signal import SIGKILL

    try:
        os.killpg(child.pid, SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    child.wait()


def _kill_descendants(pid: int) -> None:
    """Those that made groups of their own."""
    from signal import SIGKILL

    from .descent import descendants

    for victim in descendants([pid]):
        try:
            os.kill(victim, SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
