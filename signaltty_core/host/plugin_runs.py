"""Runs the programs of hooks: each in a thread that waits for it, in a process group of its own, with a deadline."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import Popen

    from .loop import Loop


class PluginRuns:
    """All are called on the loop; so are the callbacks they are given."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._children: set[Popen[bytes]] = set()
        self._ended = False

    def start(
        self,
        argv: list[str],
        cwd: str,
        env: dict[str, str],
        line: bytes,
        timeout_s: float,
        on_start: Callable[[], None],
        on_end: Callable[[str | None], None],
    ) -> None:
        """Run argv with `line` on its standard input. on_end gets what went wrong, None for a good end.

        on_start is called before it, or never when the program could not be started.
        """
        from threading import Thread  # with the first hook

        def run() -> None:
            fault = self._run(argv, cwd, env, line, timeout_s, on_start)
            self._loop.post(lambda: on_end(fault))

        try:
            Thread(target=run, name="hook", daemon=True).start()
        except RuntimeError as fault:
            said = f"cannot start {argv[0]}: {fault}"
            self._loop.post(lambda: on_end(said))

    def stop(self) -> None:
        """Kill what still runs; nothing that starts from now on lives."""
        self._ended = True
        for child in list(self._children):
            _kill_group(child)

    def _run(
        self,
        argv: list[str],
        cwd: str,
        env: dict[str, str],
        line: bytes,
        timeout_s: float,
        on_start: Callable[[], None],
    ) -> str | None:
        from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

        try:
            child = Popen(
                argv, cwd=cwd, env=env, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
            )  # fmt: skip
        except (OSError, ValueError) as fault:
            return f"cannot start {argv[0]}: {getattr(fault, 'strerror', None) or fault}"
        self._children.add(child)
        if self._ended:
            _kill_group(child)
        self._loop.post(on_start)
        with child:
            try:
                child.communicate(line, timeout=timeout_s)
            except TimeoutExpired:
                _kill_group(child)
                child.wait()
                return f"did not end within {timeout_s:g} s and was killed"
            finally:
                self._children.discard(child)
        return _fault_of(child.returncode)


def _fault_of(status: int) -> str | None:
    if status < 0:
        return f"ended by signal {-status}"
    return f"exit status {status}" if status else None


def _kill_group(child: Popen[bytes]) -> None:
    """The program and what it started; its number is its own as long as its body was not taken away."""
    from signal import SIGKILL

    if child.poll() is None:
        try:
            os.killpg(child.pid, SIGKILL)
        except OSError:
            pass  # it ended this very moment
