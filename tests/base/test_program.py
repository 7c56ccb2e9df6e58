"""The command line that starts the program again, from a source tree and from an unpacked archive."""

from __future__ import annotations

import subprocess
import sys
from ast import literal_eval
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOW = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from signaltty_core.base.program import restart_argv, start_argv
print([restart_argv(), start_argv()])
"""


def argvs(folder: Path, *command: str) -> list[list[str]]:
    done = subprocess.run([sys.executable, *command], cwd=folder, stdout=subprocess.PIPE, check=True)
    found: list[list[str]] = literal_eval(done.stdout.decode())
    return found


def test_a_source_tree_is_started_by_its_entry_with_its_packages(tmp_path: Path) -> None:
    (tmp_path / "entry.py").write_text(SHOW)
    again = [sys.executable, f"{tmp_path}/entry.py"]
    assert argvs(tmp_path, "entry.py", "ls") == [again, again]


def test_an_unpacked_program_is_started_past_its_archive_but_remembered_by_it(tmp_path: Path) -> None:
    boot = tmp_path / "signaltty_boot.py"
    boot.write_text("import sys\ndel sys.argv[0]\n" + SHOW)
    assert argvs(tmp_path, "-SE", str(boot), "/usr/bin/signaltty", "ls") == [
        [sys.executable, "-SE", "/usr/bin/signaltty"],
        [sys.executable, "-SE", str(boot), "/usr/bin/signaltty"],
    ]
