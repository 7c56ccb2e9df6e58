"""What concerns the keeper's own process: its session, its descriptors, its log, and a process of the same kind."""

from __future__ import annotations

import _signal
import os
import resource

from .child import ALL_SIGNALS, shed

_DESCRIPTORS = (65_536, 10_240)  # macOS may refuse more than the second, its OPEN_MAX


def detach(keep: set[int]) -> None:
    """Leave the caller's session, directory and descriptors."""
    try:
        os.setsid()
    except PermissionError:
        pass  # already leads a group
    os.chdir("/")
    for descriptor in _open_descriptors():
        if descriptor > 2 and descriptor not in keep:
            try:
                os.close(descriptor)
            except OSError:
                pass  # the listing's own
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    if nowhere > 2:
        os.close(nowhere)


def raise_descriptor_limit(limits: tuple[int, int]) -> None:
    soft, hard = limits
    for most in _DESCRIPTORS:
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if soft == resource.RLIM_INFINITY or soft >= wanted:
            return
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return
        except (OSError, ValueError):
            continue  # the soft limit serves in the end


def _open_descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/dev/fd")]
    except OSError:  # no such view of a process in this container
        return list(range(3, 1024))


def log_to(path: str) -> None:
    try:
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return  # the children matter more
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)


def log(sentence: str) -> None:
    try:
        os.write(2, f"signaltty keeper: {sentence}\n".encode(errors="replace"))
    except OSError:
        pass  # a full disk must not end the keeper


def start_detached(argv: list[str], nofile: tuple[int, int]) -> int:
    """Run a program in its own session, with our log and environment; gives its pid. Raises OSError."""
    former = _signal.pthread_sigmask(_signal.SIG_BLOCK, ALL_SIGNALS)
    try:
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                shed(nofile)
                os.execvp(argv[0], argv)
            except OSError as fault:
                log(f"cannot start {argv[0]}: {fault}")
            finally:
                os._exit(127)  # no copy of the keeper runs on
        return pid
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, former)
