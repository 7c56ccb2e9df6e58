"""The modules of a start kept in one file: they load as from their own files, and a useless file is passed over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from signaltty_core.server import quickstart

ROOT = Path(__file__).resolve().parents[2]
KEPT = f"start.{sys.implementation.cache_tag}.bin"
SAVE = """
import sys, signaltty_core.server.claim
from signaltty_core.server.quickstart import save
save({place!r}, list(sys.modules))
"""
LOAD = """
from signaltty_core.server import quickstart
print(quickstart.install({place!r}))
import signaltty_core.server.claim as claim, signaltty_core.host as host
print(claim.__file__, type(claim.__spec__.loader).__name__, claim.answers("/none"), host.__path__)
import signaltty_core.methods.panes.pane
print(type(signaltty_core.methods.panes.pane.__spec__.loader).__name__)
"""


def python(code: str, place: Path) -> list[str]:
    command = [sys.executable, "-c", code.format(place=str(place))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=True)
    return done.stdout.splitlines()


def test_kept_modules_load_from_the_one_file_and_know_their_own(tmp_path: Path) -> None:
    python(SAVE, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [KEPT]
    package = ROOT / "signaltty_core"
    assert python(LOAD, tmp_path) == [
        "True",
        f"{package}/server/claim.py _Start False ['{package}/host']",
        "SourceFileLoader",
    ]


def test_what_is_kept_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / KEPT).write_bytes(b"kept")
    quickstart.save(str(tmp_path), ["signaltty_core.server"])
    assert (tmp_path / KEPT).read_bytes() == b"kept"


@pytest.mark.parametrize("change", ["missing", "empty", "foreign", "cut", "scrambled"])
def test_a_useless_file_is_passed_over(tmp_path: Path, change: str) -> None:
    python(SAVE, tmp_path)
    path = tmp_path / KEPT
    data = path.read_bytes()
    head = len(quickstart._HEAD)
    if change == "missing":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "foreign": b"x" + data, "cut": data[: len(data) // 2],
                          "scrambled": data[:head] + b"\xff" * 64}[change])  # fmt: skip
    assert python(LOAD, tmp_path)[0] == "False"
    assert python(LOAD, tmp_path)[2] == "SourceFileLoader"


def test_a_folder_that_takes_no_file_is_no_fault(tmp_path: Path) -> None:
    quickstart.save(str(tmp_path / "none"), ["signaltty_core.server"])
    assert list(tmp_path.iterdir()) == []
