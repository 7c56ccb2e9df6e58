"""Runs a program to its end: own process group, no input, a deadline that kills the whole group."""

from __future__ import annotations

from ..base.errors import IoError, TimedOut


def run(argv: list[str], cwd: str, env: dict[str, str], timeout_s: float) -> tuple[int, bytes, bytes]:
    """(exit code, stdout, stderr). Blocks: for a worker thread. Raises IoError, TimedOut."""
    import os
    import subprocess
    from signal import SIGKILL

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
    except OSError as fault:
        raise IoError(f"cannot run {argv[0]}: {fault.strerror or fault}") from None
    try:
        out, err = child.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise TimedOut(f"{argv[0]} did not end within {timeout_s:g} s") from None
    finally:
        try:
            os.killpg(child.pid, SIGKILL)  # also what it left behind
        except (ProcessLookupError, PermissionError):
            pass
        child.kill()
        child.wait()
    return child.returncode, out, err
