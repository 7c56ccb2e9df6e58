"""The manual page: complete, and read without a complaint by the programs that show such pages."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from signaltty_core.cli import table
from signaltty_core.cli.local.man import write
from signaltty_core.cli.spec import GLOBALS
from tests.e2e.rig import LIMIT_S, Rig


def formatted(*program: str) -> str:
    """The page as text, 200 columns wide, without overstriking."""
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed on this machine")
    done = subprocess.run(program, input=write().encode(), capture_output=True, timeout=LIMIT_S, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return re.sub(".\b", "", done.stdout.decode())


def test_the_program_prints_it_without_a_server(rig: Rig) -> None:
    assert rig.cli("man").stdout == write()
    assert rig.result("man") == {"page": write()}
    assert not rig.socket.exists()


def test_mandoc_misses_nothing_but_a_date() -> None:
    """A page without one is the same in every build."""
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed on this machine")
    done = subprocess.run(
        ["mandoc", "-man", "-Tlint", "-Wwarning"],
        input=write().encode(),
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stdout.decode() == 'mandoc: <stdin>:2:17: WARNING: missing date, using "": TH\n'


def test_groff_shows_every_command_and_option() -> None:
    text = " ".join(formatted("groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=200n").split())
    for command in table.every():
        if not command.hidden and command.words != ("daemon",):
            assert " ".join(command.words) in text
            for option in command.options:
                assert option.name in text
    for option in GLOBALS:
        assert option.name in text


def test_what_a_person_copies_from_it_is_what_to_type() -> None:
    text = formatted("groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=200n")
    for _, _, example in table.GROUPS:
        assert example in text


def test_no_line_of_text_is_taken_for_a_request() -> None:
    requests = (".TH", ".SH", ".SS", ".TP", ".PP", ".RS", ".RE", ".nf", ".fi", ".B ", ".I ", ".RI ", '.\\" ')
    for line in write().splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or line.startswith(requests), line
