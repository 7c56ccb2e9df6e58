"""Plugins as the server knows them: which hook hears which event, whose turn it is, and how it went (plugins §2, §3).

A hook's runs start in the order of their events, at most eight run at the same time, the others wait in one queue.
Programs are started elsewhere and side by side; so a hook whose last run is not known to have started is passed over.
"""

from __future__ import annotations

from collections import deque

from ..agents.manifest import load_toml
from ..base.clock import rfc3339
from ..base.errors import IoError
from ..state import plugins
from ..wire.codec import encode
from ..wire.envelope import event_line
from .hub import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from ..state.world import Record

    class Programs(Protocol):
        """Starts programs of hooks and waits for them elsewhere."""

        def start(
            self,
            argv: list[str],
            cwd: str,
            env: dict[str, str],
            line: bytes,
            timeout_s: float,
            on_start: Callable[[], None],
            on_end: Callable[[str | None], None],
        ) -> None: ...
        def stop(self) -> None: ...


RUNS_MAX = 8
WAITING_MAX = 1024
ERROR_CHARACTERS = 500
# they speak of the pane from which somebody happened to start the server
_OF_A_PANE = (
    "SIGNALTTY_PANE",
    "SIGNALTTY_PANE_TOKEN",
    "SIGNALTTY_PARENT_PANE",
    "SIGNALTTY_STATUS_SOCKET",
    "SIGNALTTY_TASK",
)


class _Listening:
    """A hook and its record. key: what makes it the same hook after a reload."""

    __slots__ = ("errors", "hook", "key", "last_error", "last_run", "plugin", "runs", "wanted")

    def __init__(self, plugin: str, hook: plugins.Hook) -> None:
        self.plugin = plugin
        self.hook = hook
        self.key = (plugin, *hook.events, "", *hook.argv, "", str(hook.timeout_s), *sorted(hook.env.items()))
        self.wanted = Filter(hook.events, None)
        self.runs = 0
        self.errors = 0
        self.last_error: str | None = None
        self.last_run: str | None = None

    def fail(self, error: str) -> None:
        self.errors += 1
        self.last_error = error[:ERROR_CHARACTERS]

    def shown(self) -> Record:
        shown: Record = {
            "events": self.hook.events,
            "command": self.hook.argv,
            "timeout_secs": self.hook.timeout_s,
            "runs": self.runs,
            "errors": self.errors,
        }
        if self.last_error is not None:
            shown["last_error"] = self.last_error
        if self.last_run is not None:
            shown["last_run"] = self.last_run
        return shown


class _Run:
    __slots__ = ("event", "line", "listening")

    def __init__(self, listening: _Listening, event: str, line: bytes) -> None:
        self.listening = listening
        self.event = event
        self.line = line


class Plugins:
    """read: the plugins of the directory in name order, each with its manifest or what is wrong with it; it raises
    IoError when the directory cannot be listed. when_synced(run): run once all that has happened is on disk.
    """

    def __init__(
        self,
        directory: str,
        read: Callable[[], list[tuple[str, bytes | str]]],
        programs: Programs,
        when_synced: Callable[[Callable[[], None]], None],
        clock: Callable[[], float],
        environ: Mapping[str, str],
        log: Callable[[str], None],
    ) -> None:
        self.directory = directory
        self._read = read
        self._programs = programs
        self._when_synced = when_synced
        self._clock = clock
        self._environ = {name: value for name, value in environ.items() if name not in _OF_A_PANE}
        self._log = log
        self._known: list[plugins.Plugin] = []
        self._hooks: list[_Listening] = []
        self._failures: list[Record] = []
        self._waiting: deque[_Run] = deque()
        self._starting: set[tuple[object, ...]] = set()
        self._unsynced = 0
        self._running = 0
        try:
            self.reload()
        except IoError as fault:
            self._failures = [{"dir": directory, "error": fault.message}]
            log(fault.message)

    def reload(self) -> None:
        """Read again and swap the set at once. Raises IoError and keeps the old set when nothing can be listed.

        What waits for a hook that stands unchanged in the new set goes on waiting; the rest is dropped.
        """
        known: list[plugins.Plugin] = []
        failures: list[Record] = []
        for name, manifest in self._read():
            try:
                known.append(_read(name, manifest))
            except ValueError as fault:
                shown = name.encode("utf-8", "replace").decode()
                failures.append({"dir": shown, "error": str(fault)})
                self._log(f"plugin {shown} is left out: {fault}")
        self._known, self._failures = known, failures
        self._hooks = [_Listening(plugin.name, hook) for plugin in known for hook in plugin.hooks]
        heirs = {one.key: one for one in self._hooks}
        kept = [(heirs.get(run.listening.key), run) for run in self._waiting]
        self._waiting = deque(_Run(heir, run.event, run.line) for heir, run in kept if heir is not None)
        self._advance()

    def listing(self) -> Record:
        """The reply of `plugin.list`."""
        return {
            "dir": self.directory,
            "plugins": [self._shown(plugin) for plugin in self._known],
            "failures": [dict(each) for each in self._failures],
        }

    def on_events(self, first: int, events: list[tuple[str, Record]]) -> None:
        """These events got the numbers from `first` on; their hooks run once they are on disk."""
        if not self._hooks:
            return
        runs = []
        for seq, (event, payload) in enumerate(events, first):
            hooks = [one for one in self._hooks if one.wanted.wants(event, None)]
            if hooks:
                line = event_line(event, seq, encode(payload))
                runs += [_Run(one, event, line) for one in hooks]
        if runs:
            self._unsynced += 1
            self._when_synced(lambda: self._queue(runs))

    def is_busy(self) -> bool:
        """Whether a hook runs or has yet to."""
        return bool(self._unsynced or self._waiting or self._running)

    def stop(self) -> None:
        """The server ends: nothing more is started, what runs is killed."""
        self._hooks = []
        self._waiting.clear()
        self._programs.stop()

    def _queue(self, runs: list[_Run]) -> None:
        self._unsynced -= 1
        self._waiting.extend(runs)
        self._advance()
        while len(self._waiting) > WAITING_MAX:
            self._waiting.popleft().listening.fail(f"dropped: more than {WAITING_MAX} runs were waiting")

    def _advance(self) -> None:
        while self._running < RUNS_MAX:
            run = next((one for one in self._waiting if one.listening.key not in self._starting), None)
            if run is None:
                return
            self._waiting.remove(run)
            self._start(run)

    def _start(self, run: _Run) -> None:
        listening = run.listening
        self._running += 1
        self._starting.add(listening.key)
        listening.runs += 1
        listening.last_run = rfc3339(self._clock())

        has_started = False

        def on_start() -> None:
            nonlocal has_started
            has_started = True
            self._starting.discard(listening.key)
            self._advance()

        def on_end(fault: str | None) -> None:
            self._running -= 1
            if not has_started:
                self._starting.discard(listening.key)
            if fault is not None:
                listening.fail(fault)
            self._advance()

        directory = f"{self.directory}/{listening.plugin}"
        hook = listening.hook
        env = {
            **self._environ,
            **hook.env,
            "SIGNALTTY_EVENT": run.event,
            "SIGNALTTY_PLUGIN_DIR": directory,
            "SIGNALTTY_PLUGIN_NAME": listening.plugin,
        }
        argv = plugins.argv_in(directory, hook.argv)
        self._programs.start(argv, directory, env, run.line, hook.timeout_s, on_start, on_end)

    def _shown(self, plugin: plugins.Plugin) -> Record:
        shown: Record = {"name": plugin.name}
        if plugin.version is not None:
            shown["version"] = plugin.version
        if plugin.description is not None:
            shown["description"] = plugin.description
        shown["dir"] = f"{self.directory}/{plugin.name}"
        shown["hooks"] = [one.shown() for one in self._hooks if one.plugin == plugin.name]
        shown["commands"] = [_shown_command(command) for command in plugin.commands]
        return shown


def _shown_command(command: plugins.PluginCommand) -> Record:
    described = {} if command.description is None else {"description": command.description}
    return {"name": command.name, **described, "run": command.argv}


def _read(name: str, manifest: bytes | str) -> plugins.Plugin:
    if isinstance(manifest, str):
        raise ValueError(manifest)
    return plugins.read(name, load_toml(manifest))
