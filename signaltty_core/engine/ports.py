"""What the engine needs from outside, as protocols: host/ and server/ fulfil them, tests pass fakes. Types only."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from ..state.effects import Effect

    Done = Callable[[Any, "Exception | None"], None]
    Cancel = Callable[[], None]

    class Timer(Protocol):
        def cancel(self) -> None: ...

    class Clock(Protocol):
        """Time, randomness and timers."""

        def wall(self) -> float:
            """Seconds since the epoch."""

        def now(self) -> float:
            """Monotonic seconds when this pass of the loop began."""

        def exact(self) -> float:
            """Monotonic seconds of this very moment: to see how long something takes."""

        def random(self, count: int) -> bytes: ...
        def after(self, seconds: float, run: Callable[[], None]) -> Timer: ...

    class Journal(Protocol):
        """The disk side of the ledger."""

        limit: int

        def ensure(self, next_seq: int) -> None:
            """Have numbers reserved; afterwards `next_seq < limit`."""

        def append(self, last_seq: int, lines: bytes) -> None: ...

    class Channel(Protocol):
        """The transport of one connection; the outbox is pulled from it."""

        def wake(self) -> None:
            """Something may be ready to send."""

        def pause(self) -> None:
            """Stop reading lines until `resume`."""

        def resume(self) -> None: ...
        def close(self) -> None:
            """At once; unsent bytes are lost."""

        def close_when_sent(self) -> None: ...

    class Host(Protocol):
        """The operating system, as the engine sees it."""

        def perform(self, effect: Effect, done: Done) -> Cancel | None:
            """Start the work of Spawn, SendSignal, WriteInput, Work or Run; call done once, later or at once."""

        def open_pty(self, pane_id: str) -> None:
            """Begin reading the master of a spawned or adopted child."""

        def answer(self, pane_id: str, data: bytes) -> None:
            """Write a terminal's answer to the program, behind no queued input."""

        def resize(self, pane_id: str, cols: int, rows: int) -> None: ...
        def end(self, pane_id: str, os_signal: str) -> None: ...
        def forget(self, pane_id: str) -> None:
            """The child's end is recorded: drop master and exit status."""

        def guard(self, run: Callable[[], Any]) -> Any: ...
        def directory_fault(self, path: str) -> str | None: ...
        def ancestors(self, pid: int, limit: int) -> list[int]: ...
        def started_at(self, pid: int) -> int | None:
            """Start stamp of the process under a pid, None without one."""

        def is_running(self, pid: int, start_time: int | None) -> bool:
            """Whether the process with that stamp is alive; a zombie is not."""

        def load_history(self, pane_id: str) -> tuple[list[str], bytes | None, tuple[int, int] | None]:
            """Saved tail lines, saved screen snapshot, and the size it belongs to."""

        def stop(self, keep_panes: bool) -> None: ...

    class Processes(Protocol):
        """The process table, and the foreground of our terminals."""

        def foreground(self, pane_id: str) -> int | None:
            """The process group in the foreground of the pane's terminal."""

        def has_members(self, group: int) -> bool: ...
        def is_running(self, pid: int, start_time: int | None) -> bool: ...
        def is_own_name(self, host: str) -> bool:
            """Whether a URL's host is this machine."""

    class Ears(Protocol):
        """The status sockets of panes."""

        def listen(self, pane_id: str) -> tuple[str | None, str | None]:
            """Bind a socket for the pane: its path, or why there is none."""

        def mute(self, pane_id: str) -> None:
            """The pane is closed or never came to be: close its socket."""
