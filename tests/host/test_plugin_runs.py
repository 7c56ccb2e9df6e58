"""Programs of hooks: real ones, with their standard input, their deadline and their end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signaltty_core.host.loop import Loop
from signaltty_core.host.plugin_runs import PluginRuns
from tests.server.rig import is_running

LIMIT_S = 20.0


class Bench:
    """said: what the callbacks were given, in order."""

    def __init__(self, directory: Path) -> None:
        self.loop = Loop()
        self.runs = PluginRuns(self.loop)
        self.directory = directory
        self.said: list[str | None] = []

    def start(self, *argv: str, line: bytes = b"{}\n", timeout_s: float = LIMIT_S, cwd: str | None = None) -> None:
        self.runs.start(
            list(argv),
            cwd or str(self.directory),
            {"PATH": os.environ["PATH"], "WORD": "given"},
            line,
            timeout_s,
            lambda: self.said.append("started"),
            self.said.append,
        )

    def until(self, seen: Callable[[], object], what: str = "it") -> None:
        ends_at = time.monotonic() + LIMIT_S
        while not seen():
            assert time.monotonic() < ends_at, f"{what} was not seen: {self.said}"
            self.loop.turn(0.02)

    def wait(self, count: int) -> list[str | None]:
        self.until(lambda: len(self.said) >= count, f"{count} callbacks")
        return self.said


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.runs.stop()
    made.loop.close()


def test_a_program_gets_line_directory_and_environment(bench: Bench) -> None:
    bench.start("sh", "-c", 'cat > got; echo "$WORD $(pwd)" >> got; echo heard; echo unheard >&2')
    assert bench.wait(2) == ["started", None]
    assert (bench.directory / "got").read_text() == f"{{}}\ngiven {bench.directory}\n"


def test_a_line_that_nobody_reads_holds_up_nothing(bench: Bench) -> None:
    bench.start("true", line=b"x" * (1 << 22))
    assert bench.wait(2) == ["started", None]


def test_a_bad_end_is_told(bench: Bench) -> None:
    bench.start("sh", "-c", "exit 3")
    bench.wait(2)
    bench.start("sh", "-c", "kill -TERM $$")
    assert bench.wait(4) == ["started", "exit status 3", "started", "ended by signal 15"]


def test_a_program_that_cannot_be_started_is_never_reported_as_started(bench: Bench) -> None:
    bench.start("/nowhere/program")
    bench.wait(1)
    bench.start("sh\0")
    bench.wait(2)
    bench.start("sh", cwd="/nowhere")
    assert bench.wait(3) == [
        "cannot start /nowhere/program: No such file or directory",
        "cannot start sh\0: embedded null byte",
        "cannot start sh: No such file or directory",
    ]


def test_a_program_that_takes_too_long_is_killed_with_what_it_started(bench: Bench) -> None:
    bench.start("sh", "-c", "sleep 600 & echo $! > child; wait", timeout_s=1)
    assert bench.wait(2) == ["started", "did not end within 1 s and was killed"]
    child = int((bench.directory / "child").read_text())
    bench.until(lambda: not is_running(child), "the end of the program's child")


def test_the_end_of_the_server_kills_what_runs(bench: Bench) -> None:
    bench.start("sh", "-c", "sleep 600 & echo $! > fresh; mv fresh child; wait")
    bench.until((bench.directory / "child").exists)
    child = int((bench.directory / "child").read_text())
    bench.runs.stop()
    bench.until(lambda: not is_running(child), "the end of the program's child")
    assert bench.wait(2) == ["started", "ended by signal 9"]
    bench.start("sleep", "600")
    assert bench.wait(4)[2:] == ["started", "ended by signal 9"]


def test_what_a_program_leaves_behind_on_purpose_lives_on(bench: Bench) -> None:
    bench.start("sh", "-c", "sleep 600 & echo $! > child")
    assert bench.wait(2) == ["started", None]
    child = int((bench.directory / "child").read_text())
    assert is_running(child)
    os.kill(child, 9)
