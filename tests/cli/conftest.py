"""The command line in this process, against a server of a few lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signaltty_core.cli.main import main
from signaltty_core.methods.registry import find

from ..client.scripted import ScriptedServer

# a line, the method it calls with which parameters, the answer, what a person reads
Asked = tuple[str, str, dict[str, Any], Any, str]
Outcome = tuple[int, str, str]
Run = Callable[..., Outcome]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ScriptedServer]:
    """Its methods are made up, but what it is asked must be what the real ones take: they ignore unknown names."""
    made = ScriptedServer(tmp_path / "s.sock")
    yield made
    made.close()
    for name, params in made.requests:
        method = find(name)
        assert set(params) <= {param.name for param in method.params()}, name
        method.bind(params)


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line and gives exit status, standard output and standard error.

    The socket is the scripted server's, which is never started; variables of an outer pane are gone.
    """
    for name in ("SIGNALTTY_PANE", "SIGNALTTY_TASK", "SIGNALTTY_DEBUG", "SHELL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SIGNALTTY_SOCKET", str(tmp_path / "s.sock"))
    monkeypatch.setenv("SIGNALTTY_NO_START", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def call(*argv: str) -> Outcome:
        capfd.readouterr()
        status = main(list(argv))
        sys.stdout.flush()
        said = capfd.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[bytes], None]]:
    """Puts bytes where the next command reads its standard input."""
    import os

    kept = os.dup(0)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def put(data: bytes) -> None:
        (tmp_path / "stdin").write_bytes(data)
        source = os.open(tmp_path / "stdin", os.O_RDONLY)
        os.dup2(source, 0)
        os.close(source)

    yield put
    os.dup2(kept, 0)
    os.close(kept)


def asks_once(run: Run, server: ScriptedServer, asked: Asked) -> None:
    """The line becomes this one request, and its answer these words."""
    line, method, params, answer, said = asked
    server.answers[method] = answer
    assert run(*line.split()) == (0, said, "")
    assert server.asked == [(method, params)]
