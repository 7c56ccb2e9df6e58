"""What a handler may wait for. An effect is awaited; the engine performs it and sends the reply in.

Deeds nobody waits for are calls on `call.machine` or a draft's `then`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any


class Effect:
    """Base of all effects; `await effect` gives the reply or raises the failure."""

    __slots__: tuple[str, ...] = ()

    def __await__(self) -> Generator[Effect, Any, Any]:
        return (yield self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.__slots__)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


class Spawn(Effect):
    """Start a child through the keeper. Reply: {"pid", "start_time"}; raises SpawnFailed or BadParams (cwd)."""

    __slots__ = ("argv", "cols", "cwd", "env", "pane_id", "rows")

    def __init__(self, pane_id: str, argv: list[str], cwd: str, env: dict[str, str], cols: int, rows: int) -> None:
        self.pane_id = pane_id
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.cols = cols
        self.rows = rows


class SendSignal(Effect):
    """Signal a pane's child, or its process group. Reply: True when it was sent, False when the child is gone."""

    __slots__ = ("group", "name", "pane_id")

    def __init__(self, pane_id: str, name: str, group: bool) -> None:
        self.pane_id = pane_id
        self.name = name
        self.group = group


class WriteInput(Effect):
    """Write to a pane's PTY. Reply: bytes written; raises TimedOut, PaneExited, IoError with `written_bytes`."""

    __slots__ = ("budget_s", "data", "pane_id")

    def __init__(self, pane_id: str, data: bytes, budget_s: float) -> None:
        self.pane_id = pane_id
        self.data = data
        self.budget_s = budget_s


class Work(Effect):
    """Run a function in a worker thread. Reply: its result; raises what it raises."""

    __slots__ = ("args", "function")

    def __init__(self, function: Callable[..., Any], *args: Any) -> None:
        self.function = function
        self.args = args


class Run(Effect):
    """Run a program to its end in its own process group. Reply: (exit code, stdout, stderr) as (int, bytes, bytes).

    Raises TimedOut after `timeout_s`, when the group and all its descendants are killed, and IoError when it cannot be
    started. most_bytes: a program that prints more is ended; the output has one byte more, then. Of stderr 8 KiB are
    kept. on_start(pid, start stamp): called on the loop once it runs.
    """

    __slots__ = ("argv", "cwd", "env", "most_bytes", "on_start", "timeout_s")

    def __init__(
        self,
        argv: list[str],
        cwd: str,
        env: dict[str, str],
        timeout_s: float,
        most_bytes: int | None = None,
        on_start: Callable[[int, int | None], None] | None = None,
    ) -> None:
        self.argv = argv
        self.cwd = cwd
        self.env = env
        self.timeout_s = timeout_s
        self.most_bytes = most_bytes
        self.on_start = on_start


class Together(Effect):
    """Run and Work side by side. Reply: their replies in order; raises the first failure once all have ended."""

    __slots__ = ("effects",)

    def __init__(self, *effects: Run | Work) -> None:
        self.effects = effects


class Sleep(Effect):
    """Some seconds pass. Reply: None."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Until(Effect):
    """Look on every change and at least every `every_s`. Reply: the first result of `check` that is not None.

    Raises TimedOut after `timeout_s`, or what `check` raises.
    """

    __slots__ = ("check", "every_s", "timeout_s")

    def __init__(self, check: Callable[[], Any], timeout_s: float, every_s: float) -> None:
        self.check = check
        self.timeout_s = timeout_s
        self.every_s = every_s


class ReadBack(Effect):
    """Find the events in (after, through] that wants(event, task_id) in the journal's files. Reply: a `Replayed`.

    through: the newest number at the moment of asking. most: how many are asked for.
    """

    __slots__ = ("after", "most", "through", "wants")

    def __init__(self, after: int, through: int, wants: Callable[[str, str | None], bool], most: int) -> None:
        self.after = after
        self.through = through
        self.wants = wants
        self.most = most


class Synced(Effect):
    """Everything committed so far is on disk. Reply: None."""
