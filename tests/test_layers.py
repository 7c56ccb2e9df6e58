"""The layer check finds what it is for, and nothing in this tree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def check(folder: Path) -> tuple[int, list[str]]:
    command = [sys.executable, str(ROOT / "scripts" / "check_layers.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("base/a.py", "from ..wire import codec", "base may not import wire"),
        ("wire/a.py", "from signaltty_core.state.world import World", "wire may not import state"),
        ("wire/a.py", "import signaltty_core.engine.router", "wire may not import engine"),
        ("state/a.py", "from .. import engine", "state may not import engine"),
        ("state/a.py", "def f():\n    import socket", "state is pure and may not import socket"),
        ("engine/a.py", "import os, _signal", "engine is pure and may not import _signal"),
        ("engine/a.py", "from ..host.loop import Loop", "engine may not import host"),
        ("host/a.py", "from ..keeper.main import run", "host may not import keeper"),
        ("keeper/a.py", "from ..wire import codec", "keeper may not import wire"),
        ("cli/a.py", "from ..terminal import rows", "cli may not import terminal"),
        ("base/a.py", "from time import gmtime, time", "base is pure and may not import time"),
        ("methods/a.py", "from ..terminal import rows", "methods may not import terminal"),
        ("attic/a.py", "", "there is no layer attic"),
    ],
)
def test_a_wrong_import_is_named(tmp_path: Path, module: str, source: str, fault: str) -> None:
    path = tmp_path / module
    path.parent.mkdir(parents=True)
    path.write_text(source)
    status, lines = check(tmp_path)
    assert (status, [line.split(": ", 1)[1] for line in lines]) == (1, [fault])


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("base/a.py", "import os\nfrom .limits import LINE_BYTES\nfrom signaltty_core.base import text"),
        ("host/a.py", "import socket\nfrom ..keeper.protocol import Frame\nfrom ..keeper import protocol"),
        ("methods/a.py", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from ..terminal.rows import Row"),
        ("cli/local/a.py", "from ...terminal import rows\nfrom ..show import table"),
        ("base/a.py", "from time import gmtime, strftime"),
        ("cli/main.py", "def f():\n    from ..server.main import main"),
        ("server/a.py", "from ..engine.router import Router\nfrom ..host.loop import Loop"),
    ],
)
def test_an_import_of_the_table_passes(tmp_path: Path, module: str, source: str) -> None:
    path = tmp_path / module
    path.parent.mkdir(parents=True)
    path.write_text(source)
    assert check(tmp_path) == (0, [])


def test_this_tree_keeps_to_the_table() -> None:
    assert check(ROOT / "signaltty_core") == (0, [])
