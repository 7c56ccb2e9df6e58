"""The command line that runs this program again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
SHOW = "import sys; sys.path.insert(0, {root!r}); sys.argv = ['given/program']; {main}"
PRINT = "from signaltty_core.base.program import restart_argv, start_argv; print(restart_argv(), start_argv())"


def said(*options: str, main: str = "") -> str:
    code = SHOW.format(root=ROOT, main=main) + "\n" + PRINT
    return subprocess.run([sys.executable, *options, "-c", code], cwd="/tmp", capture_output=True, text=True).stdout


def test_a_source_tree_runs_the_same_file_with_the_same_interpreter() -> None:
    words = [sys.executable, "/tmp/given/program"]
    assert said().strip() == f"{words} {words}"


def test_the_single_file_runs_without_site_packages_again() -> None:
    words = [sys.executable, "-SE", "/tmp/given/program"]
    assert said("-SE").strip() == f"{words} {words}"


def test_an_unpacked_program_is_started_directly_but_named_by_its_file() -> None:
    boot = "import __main__; __main__.__file__ = '/cache/signaltty_boot.py'"
    restart = [sys.executable, "-SE", "/tmp/given/program"]
    start = [sys.executable, "-SE", "/cache/signaltty_boot.py", "/tmp/given/program"]
    assert said("-SE", main=boot).strip() == f"{restart} {start}"


def test_a_file_with_a_shell_header_is_run_by_the_shell(tmp_path: Path) -> None:
    file = tmp_path / "signaltty"
    file.write_bytes(b"#!/bin/sh\nexit 0\n")
    code = f"import sys; sys.path.insert(0, {ROOT!r}); sys.argv = [{str(file)!r}]\n{PRINT}"
    said = subprocess.run([sys.executable, "-SE", "-c", code], capture_output=True, text=True).stdout
    words = ["/bin/sh", str(file)]
    assert said.strip() == f"{words} {words}"
