"""What a frequent command imports: each module here was measured, and others would be felt."""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from pathlib import Path

import pytest

from ..client.scripted import ScriptedServer
from .records import pane

ROOT = Path(__file__).parents[2]
PROBE = """
import sys
before = set(sys.modules)
from signaltty_core.cli.main import main
status = main(sys.argv[1:])
loaded = sorted(set(sys.modules) - before)
print([status, loaded], file=sys.stderr)
"""
OUTSIDE = {
    *("_json", "_socket", "errno", "time", "zlib", "binascii"),  # written in C
    *("os", "os.path", "posixpath", "genericpath", "stat", "_stat", "abc", "_abc", "_collections_abc"),  # 1.5 ms
    "__future__",
}
OURS = {
    *("signaltty_core", "signaltty_core.base", "signaltty_core.base.errors", "signaltty_core.base.limits"),
    *("signaltty_core.base.paths", "signaltty_core.base.program", "signaltty_core.base.text"),
    *(
        "signaltty_core.base.version",
        "signaltty_core.cli",
        "signaltty_core.cli.commands",
        "signaltty_core.cli.dispatch",
    ),
    *("signaltty_core.cli.launch", "signaltty_core.cli.main", "signaltty_core.cli.session", "signaltty_core.cli.show"),
    *("signaltty_core.cli.spec", "signaltty_core.cli.table", "signaltty_core.cli.words", "signaltty_core.client"),
    *("signaltty_core.client.conn", "signaltty_core.wire", "signaltty_core.wire.codec"),
    *("signaltty_core.wire.envelope", "signaltty_core.wire.jsonl"),
}
LASTING = {"signaltty_core.cli.lasting"}  # for what waits
LINES = {
    "ls": {"overview"},
    "attention": {"overview"},
    "status": {"server"},
    "wait --pane p --until done": {"wait"},
    "pane read p": {"pane", "pane_io", "terminal"},
    "pane input p --data x": {"pane", "pane_io", "terminal"},
    "pane get p": {"pane", "pane_io", "terminal"},
    "pane list": {"pane", "pane_io", "terminal"},
    "new -- sh": {"new"},
    "decision answer --pane p --decision d --option o": {"decision"},
}


@pytest.fixture
def server(tmp_path: Path) -> ScriptedServer:
    made = ScriptedServer(tmp_path / "s.sock")
    workspace = {"id": "ws_1", "handle": "api", "name": "Api", "cwd": "/"}
    made.answers |= {
        "workspace.list": {"workspaces": [workspace]},
        "workspace.get": {"workspace": workspace, "tabs": [], "panes": []},
        "workspace.create": {"workspace": workspace},
        "attention.pending": {"panes": []},
        "wait": {"lifecycle": "done", "attention": "none"},
        "pane.read": {"text": "x"},
        "pane.input": {"written": 1},
        "pane.get": {"pane": pane(), "wait_baseline": {}},
        "pane.list": {"panes": [pane()]},
        "pane.spawn": {"pane": pane()},
        "decision.answer": {"answered": True},
    }
    return made


@pytest.mark.parametrize("line", LINES)
def test_a_frequent_command_imports_only_what_it_shows(server: ScriptedServer, line: str) -> None:
    command = [sys.executable, "-SEc", PROBE, "--socket", server.path, *line.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=20)
    status, loaded = literal_eval(done.stderr.decode())
    allowed = OUTSIDE | OURS | {f"signaltty_core.cli.commands.{name}" for name in LINES[line]}
    allowed |= LASTING if line.startswith("wait ") else set()
    assert (status, set(loaded) - allowed) == (0, set())
