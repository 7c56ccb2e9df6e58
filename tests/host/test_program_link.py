"""The path hooks call the program by."""

from __future__ import annotations

import subprocess
from pathlib import Path

from signaltty_core.host.program_link import plain_program


def test_a_plain_path_is_taken_as_it_is(tmp_path: Path) -> None:
    assert plain_program("/usr/bin/signaltty-1.0_x@y", str(tmp_path)) == "/usr/bin/signaltty-1.0_x@y"
    assert list(tmp_path.iterdir()) == []


def test_any_other_path_gets_a_link_that_follows_the_program(tmp_path: Path) -> None:
    for name in ("my tool", "tööl$(x)"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{name}'\n")
        program.chmod(0o755)
        link = plain_program(str(program), str(tmp_path / "run"))
        assert link == str(tmp_path / "run" / "bin" / "signaltty")
        assert subprocess.run([link], capture_output=True, text=True, check=True).stdout == f"{name}\n"
        assert plain_program(str(program), str(tmp_path / "run")) == link
    assert [each.name for each in (tmp_path / "run" / "bin").iterdir()] == ["signaltty"]
    assert (tmp_path / "run" / "bin").stat().st_mode & 0o077 == 0


def test_where_no_link_can_be_made_the_program_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("no directory")
    assert plain_program("/my tool", str(tmp_path / "run")) == "/my tool"
