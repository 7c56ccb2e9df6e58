"""Whose hooks hear what, in which order they run, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from signaltty_core.base.errors import IoError
from signaltty_core.engine.plugins import RUNS_MAX, WAITING_MAX, Plugins

Record = dict[str, Any]
START = 1_700_000_000.0


class Started:
    """One program that the engine asked for."""

    def __init__(
        self,
        argv: list[str],
        cwd: str,
        env: dict[str, str],
        line: bytes,
        timeout_s: float,
        on_start: Callable[[], None],
        on_end: Callable[[str | None], None],
    ) -> None:
        self.argv, self.cwd, self.env, self.timeout_s = argv, cwd, env, timeout_s
        self.frame = json.loads(line)
        self.on_start, self.on_end = on_start, on_end

    @property
    def seq(self) -> int:
        return int(self.frame["seq"])


class Place:
    """A directory of plugins, programs that end when the test says so, a disk that syncs at once unless held."""

    def __init__(self) -> None:
        self.files: dict[str, bytes | str] = {}
        self.fault: IoError | None = None
        self.started: list[Started] = []
        self.stopped = 0
        self.logged: list[str] = []
        self.held: list[Callable[[], None]] | None = None
        self.seq = 0

    def read(self) -> list[tuple[str, bytes | str]]:
        if self.fault is not None:
            raise self.fault
        return sorted(self.files.items())

    def start(self, *given: Any) -> None:
        self.started.append(Started(*given))

    def stop(self) -> None:
        self.stopped += 1

    def when_synced(self, run: Callable[[], None]) -> None:
        if self.held is None:
            run()
        else:
            self.held.append(run)

    def plugins(self) -> Plugins:
        environ = {"PATH": "/bin", "A": "server", "SIGNALTTY_PANE": "pane_x", "SIGNALTTY_TASK": "task_x"}
        return Plugins("/p", self.read, self, self.when_synced, lambda: START, environ, self.logged.append)

    def happen(self, plugins: Plugins, *events: str) -> None:
        first = self.seq + 1
        self.seq += len(events)
        plugins.on_events(first, [(event, {"number": first + index}) for index, event in enumerate(events)])


def manifest(name: str, *hooks: str) -> bytes:
    return "\n".join([f'[plugin]\nname = "{name}"', *(f"[[hook]]\n{hook}" for hook in hooks)]).encode()


def hook(events: str = '"*"', command: str = '"./run"', more: str = "") -> str:
    return f"events = [{events}]\ncommand = [{command}]\n{more}"


@pytest.fixture
def place() -> Place:
    return Place()


def stats(plugins: Plugins) -> list[tuple[int, int, str | None]]:
    hooks = [hook for plugin in plugins.listing()["plugins"] for hook in plugin["hooks"]]
    return [(hook["runs"], hook["errors"], hook.get("last_error")) for hook in hooks]


def test_a_hook_gets_the_event_and_says_where_it_is(place: Place) -> None:
    place.files["chime"] = manifest(
        "chime", hook('"attention.*"', '"./run", "x"', 'timeout = 7\n[hook.env]\nA = "own"')
    )
    plugins = place.plugins()
    place.happen(plugins, "pane.created", "attention.created", "attention.cleared")
    first = place.started[0]
    assert first.frame == {
        "protocol": "signaltty/1",
        "type": "event",
        "event": "attention.created",
        "seq": 2,
        "payload": {"number": 2},
    }
    assert (first.argv, first.cwd, first.timeout_s) == (["/p/chime/./run", "x"], "/p/chime", 7)
    assert first.env == {
        "PATH": "/bin",
        "A": "own",
        "SIGNALTTY_EVENT": "attention.created",
        "SIGNALTTY_PLUGIN_DIR": "/p/chime",
        "SIGNALTTY_PLUGIN_NAME": "chime",
    }


def test_runs_and_errors_are_counted_and_listed(place: Place) -> None:
    place.files["chime"] = manifest("chime", hook('"a"'), hook('"b"', '"x"'))
    place.files["zz"] = b'[plugin]\nname = "zz"\nversion = "1"\ndescription = "d"\n[[command]]\nname = "c"\nrun = ["r"]'
    plugins = place.plugins()
    place.happen(plugins, "a")
    place.started[0].on_start()
    place.started[0].on_end(None)
    place.happen(plugins, "a")
    place.started[1].on_end("e" * 600)
    known = {"events": ["a"], "command": ["./run"], "timeout_secs": 10, "runs": 2, "errors": 1, "last_error": "e" * 500}
    assert plugins.listing() == {
        "dir": "/p",
        "plugins": [
            {
                "name": "chime",
                "dir": "/p/chime",
                "hooks": [
                    {**known, "last_run": "2023-11-14T22:13:20.000Z"},
                    {"events": ["b"], "command": ["x"], "timeout_secs": 10, "runs": 0, "errors": 0},
                ],
                "commands": [],
            },
            {
                "name": "zz",
                "version": "1",
                "description": "d",
                "dir": "/p/zz",
                "hooks": [],
                "commands": [{"name": "c", "run": ["r"]}],
            },
        ],
        "failures": [],
    }


def test_nothing_runs_before_its_event_is_on_disk(place: Place) -> None:
    place.files["chime"] = manifest("chime", hook())
    plugins = place.plugins()
    assert not plugins.is_busy()
    place.held = []
    place.happen(plugins, "a")
    assert (place.started, plugins.is_busy()) == ([], True)
    place.held.pop()()
    assert [one.seq for one in place.started] == [1]
    place.started[0].on_end(None)
    assert not plugins.is_busy()


def test_a_hook_starts_in_event_order_and_others_need_not_wait_for_it(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    place.files["two"] = manifest("two", hook())
    plugins = place.plugins()
    place.happen(plugins, "a", "b")
    names = [(one.env["SIGNALTTY_PLUGIN_NAME"], one.seq) for one in place.started]
    assert names == [("one", 1), ("two", 1)]  # none of them is known to have started
    place.started[1].on_start()
    place.started[0].on_end("cannot start")
    names = [(one.env["SIGNALTTY_PLUGIN_NAME"], one.seq) for one in place.started[2:]]
    assert names == [("two", 2), ("one", 2)]


def test_the_end_of_an_earlier_run_does_not_hurry_the_next_one(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    plugins = place.plugins()
    place.happen(plugins, "a", "b", "c")
    place.started[0].on_start()
    place.started[0].on_end(None)
    assert [one.seq for one in place.started] == [1, 2]
    place.started[1].on_start()
    assert [one.seq for one in place.started] == [1, 2, 3]


def test_eight_run_at_the_same_time_and_the_oldest_of_too_many_that_wait_is_dropped(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    plugins = place.plugins()
    for _ in range(RUNS_MAX):
        place.happen(plugins, "a")
        place.started[-1].on_start()
    for _ in range(WAITING_MAX):
        place.happen(plugins, "b")
    assert (len(place.started), stats(plugins)) == (RUNS_MAX, [(RUNS_MAX, 0, None)])
    place.happen(plugins, "c")
    assert stats(plugins) == [(RUNS_MAX, 1, "dropped: more than 1024 runs were waiting")]
    place.started[0].on_end(None)
    assert place.started[-1].seq == RUNS_MAX + 2  # the one before was the oldest


def test_a_reload_swaps_the_set_and_counts_anew(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    plugins = place.plugins()
    place.happen(plugins, "a")
    place.started[0].on_start()
    place.files["two"] = manifest("two", hook())
    place.files["broken"] = b"["
    place.files["odd"] = "plugin.toml is no regular file"
    plugins.reload()
    listing = plugins.listing()
    assert [plugin["name"] for plugin in listing["plugins"]] == ["one", "two"]
    assert [failure["dir"] for failure in listing["failures"]] == ["broken", "odd"]
    assert listing["failures"][1]["error"] == "plugin.toml is no regular file"
    assert place.logged[1] == "plugin odd is left out: plugin.toml is no regular file"
    place.started[0].on_end("too late to count")
    assert stats(plugins) == [(0, 0, None), (0, 0, None)]
    place.happen(plugins, "b")
    assert [one.env["SIGNALTTY_PLUGIN_NAME"] for one in place.started[1:]] == ["one", "two"]


def test_what_waits_survives_a_reload_with_its_hook(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    place.files["two"] = manifest("two", hook())
    plugins = place.plugins()
    place.happen(plugins, "a", "b")
    assert len(place.started) == 2
    del place.files["two"]
    plugins.reload()
    assert len(place.started) == 2  # the first is still being started
    place.started[0].on_start()
    names = [(one.env["SIGNALTTY_PLUGIN_NAME"], one.seq) for one in place.started[2:]]
    assert names == [("one", 2)]
    for one in place.started:
        one.on_end(None)
    assert (len(place.started), stats(plugins), plugins.is_busy()) == (3, [(1, 0, None)], False)


def test_a_directory_that_cannot_be_listed_keeps_the_old_set(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    plugins = place.plugins()
    place.fault = IoError("cannot list /p: Permission denied", path="/p")
    with pytest.raises(IoError):
        plugins.reload()
    assert [plugin["name"] for plugin in plugins.listing()["plugins"]] == ["one"]


def test_a_directory_that_cannot_be_listed_at_the_start_is_told(place: Place) -> None:
    place.fault = IoError("cannot list /p: Permission denied", path="/p")
    failure = {"dir": "/p", "error": "cannot list /p: Permission denied"}
    assert place.plugins().listing() == {"dir": "/p", "plugins": [], "failures": [failure]}
    assert place.logged == ["cannot list /p: Permission denied"]


def test_the_end_of_the_server_drops_what_waits_and_kills_what_runs(place: Place) -> None:
    place.files["one"] = manifest("one", hook())
    plugins = place.plugins()
    place.happen(plugins, "a", "b")
    plugins.stop()
    place.happen(plugins, "c")
    place.started[0].on_start()
    place.started[0].on_end("ended by signal 9")
    assert (len(place.started), place.stopped, plugins.is_busy()) == (1, 1, False)


def test_a_name_of_no_text_is_shown_as_well_as_can_be(place: Place) -> None:
    place.files["caf\udce9"] = manifest("cafe")
    failure = {"dir": "caf?", "error": "[plugin].name: 'cafe' is not the directory's name"}
    assert place.plugins().listing()["failures"] == [failure]
