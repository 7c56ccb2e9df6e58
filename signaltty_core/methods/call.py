"""What a handler gets: the World, the change it composes, and ports to everything that is not pure.

The ports are protocols; engine/ and host/ fulfil them. Tests pass fakes.
"""

from __future__ import annotations

from ..base import ids
from ..state.views import pane_view
from ..state.world import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, Protocol

    from ..state.effects import Effect
    from ..agents.install.setup import Files
    from ..agents.catalog import Catalog
    from ..state.world import Record, World
    from .checkouts.git_calls import GitFiles
    from ..terminal.terminal import Terminal

    class Caller(Protocol):
        """The connection a request came on."""

        pid: int | None
        uid: int

        def hold(self) -> None:
            """From now on single-flight: any further line, end of file or shutdown ends the call (behaviour §7)."""

        def attach(self, pane_id: str, mark_seen: bool) -> None: ...
        def detach(self, pane_id: str) -> bool: ...
        def subscribe(
            self, events: list[str] | None, task_ids: list[str] | None, from_seq: int | None
        ) -> Record | Coroutine[Effect, Any, Record]: ...

    class PaneRuntime(Protocol):
        """What a pane has in memory only."""

        @property
        def terminal(self) -> Terminal: ...

        output_offset: int
        process: str | None

    class Machine(Protocol):
        """Deeds nobody waits for."""

        def runtime(self, pane_id: str) -> PaneRuntime:
            """The pane's terminal; every known pane has one."""

        def is_watched(self, pane_id: str) -> bool:
            """Whether a viewer who counts as a person is attached (agents §5)."""

        def expect(self, pane_id: str) -> None:
            """A child is being started: requests that name this pane wait for `open_runtime` or `give_up`."""

        def is_expected(self, pane_id: str) -> bool:
            """Whether a child is being started for the pane."""

        def open_runtime(self, pane_id: str, cols: int, rows: int) -> None:
            """The pane is published: make its terminal and begin to read its output."""

        def give_up(self, pane_id: str) -> None: ...
        def listen(self, pane_id: str) -> tuple[str | None, str | None]:
            """Bind the pane's status socket: its path, or why there is none (status-signals §1.1)."""

        def mute(self, pane_id: str) -> None:
            """No pane came of it: close the socket again."""

        def resize(self, pane_id: str, cols: int, rows: int) -> None: ...
        def clear(self, pane_id: str) -> None: ...
        def end(self, pane_id: str, os_signal: str) -> None:
            """Signal the child's group, close the PTY here and at the keeper, kill what remains after 2 s."""

        def drop(self, pane_id: str) -> None:
            """The pane is closed: forget its terminal, viewers and status socket."""

        def look_again(self) -> None:
            """The screen rules have changed: look at every live pane."""

        def look_now(self, pane_id: str) -> None:
            """Let the pane's state be what its screen says at this moment."""

        def guard(self, run: Callable[[], Any]) -> Any:
            """run() under the 50 ms limit for patterns of users; raises TimedOut."""

        def directory_fault(self, path: str) -> str | None:
            """None for an existing directory one may enter, else what is wrong; may block, run it as Work."""

        def ancestors(self, pid: int, limit: int) -> list[int]:
            """The process and its parents, nearest first."""

        def now(self) -> float:
            """Seconds on a clock that rests while the machine sleeps."""

        def started_at(self, pid: int) -> int | None:
            """Start stamp of the process under a pid, None without one."""

        def is_running(self, pid: int, start_time: int | None) -> bool:
            """Whether that very process is alive."""

        def note_sessions(self) -> None:
            """Status sessions have changed: the next look at them may be due sooner."""

        def stop(self, keep_panes: bool) -> None: ...

    class Plugins(Protocol):
        """The plugins whose hooks the server runs."""

        def listing(self) -> Record: ...
        def reload(self) -> None:
            """Read the manifests again; raises IoError and keeps the set when they cannot be listed."""

    class Waiters(Protocol):
        """Live native permission waiters: at most one per pane."""

        def open(self, pane_id: str, decision_id: str) -> None: ...
        def answer(self, pane_id: str, decision_id: str, option_id: str) -> bool: ...
        def release(self, pane_id: str, cancelled: str) -> None: ...
        def outcome(self, pane_id: str, decision_id: str) -> Record | None: ...
        def close(self, pane_id: str, decision_id: str) -> None: ...
        def holds(self, pane_id: str, decision_id: str) -> bool: ...


def _nobody(coroutine: Coroutine[Effect, Any, None]) -> None:
    """There is no background: what was to run there must not vanish unheard."""
    coroutine.close()
    raise RuntimeError("this caller runs nothing in the background")


class NoPlugins:
    """Of a caller that runs no hooks."""

    def listing(self) -> Record:
        return {"dir": "", "plugins": [], "failures": []}

    def reload(self) -> None:
        pass


class Call:
    """One request being answered.

    at: wall seconds when it arrived; settings: the server's own facts (paths, options, environment). background: runs
    what goes on after the reply.
    """

    __slots__ = (
        "_commit",
        "at",
        "background",
        "caller",
        "catalog",
        "clock",
        "machine",
        "plugins",
        "random",
        "settings",
        "waiters",
        "world",
    )

    def __init__(
        self,
        world: World,
        *,
        at: float,
        clock: Callable[[], float],
        caller: Caller,
        machine: Machine,
        waiters: Waiters,
        commit: Callable[[Draft], None],
        random: Callable[[int], bytes],
        settings: Settings,
        catalog: Catalog,
        background: Callable[[Coroutine[Effect, Any, None]], None] = _nobody,
        plugins: Plugins | None = None,
    ) -> None:
        self.world = world
        self.at = at
        self.clock = clock
        self.caller = caller
        self.machine = machine
        self.waiters = waiters
        self.random = random
        self.settings = settings
        self.catalog = catalog
        self.background = background
        self.plugins = plugins or NoPlugins()
        self._commit = commit

    def new_id(self, noun: str) -> str:
        return ids.make(noun, self.random(16))

    def draft(self) -> Draft:
        """A new change, at the present time."""
        return Draft(self.world, self.clock())

    def commit(self, draft: Draft) -> None:
        """Number, apply, journal and publish; nothing happens for an empty change."""
        self._commit(draft)

    def pane_view(self, pane_id: str) -> Record:
        return pane_view(self.world, pane_id)


class Settings:
    """The server's own facts, fixed at start.

    config_files: how agents are configured; git_files: how checkouts are read; None where they are not. hook_program:
    the program by a path that a shell takes for one word. data_dir: where worktrees of tasks go.
    """

    __slots__ = (
        "allow_self_approval",
        "config_files",
        "data_dir",
        "environ",
        "git_files",
        "home",
        "hook_program",
        "max_tasks",
        "pid",
        "program",
        "python",
        "runtime_dir",
        "socket_path",
        "started_at",
        "state_dir",
        "token_secret",
    )

    def __init__(
        self,
        *,
        socket_path: str,
        runtime_dir: str,
        state_dir: str,
        pid: int,
        program: str,
        python: str,
        environ: dict[str, str],
        home: str,
        started_at: float,
        token_secret: Callable[[], bytes] = lambda: b"",
        config_files: Callable[[], Files] | None = None,
        allow_self_approval: bool = False,
        hook_program: str = "",
        git_files: Callable[[], GitFiles] | None = None,
        data_dir: str = "",
        max_tasks: int = 4,
    ) -> None:
        self.socket_path = socket_path
        self.runtime_dir = runtime_dir
        self.state_dir = state_dir
        self.pid = pid
        self.program = program
        self.python = python
        self.environ = environ
        self.home = home
        self.started_at = started_at
        self.token_secret = token_secret
        self.config_files = config_files
        self.allow_self_approval = allow_self_approval
        self.hook_program = hook_program or program
        self.git_files = git_files
        self.data_dir = data_dir
        self.max_tasks = max_tasks
