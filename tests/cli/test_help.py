"""Help of the program, of groups and of commands: by hand, the same whichever way it is asked for, at every width."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from signaltty_core.cli import table
from signaltty_core.cli.build import help_text
from signaltty_core.cli.help import answer, definitions, overview, text, wrap
from signaltty_core.cli.show import cells_of

from ..client.scripted import ScriptedServer
from .conftest import Run

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted({command.words[:size] for command in table.every() for size in (1, len(command.words))})


@pytest.mark.parametrize("columns", [38, 78, 98])
@pytest.mark.parametrize("path", [(), *PATHS], ids=lambda path: " ".join(path) or "all")
def test_no_line_is_wider_than_asked_but_examples_and_long_terms(path: tuple[str, ...], columns: int) -> None:
    lines = text(path, columns).splitlines()
    examples = {f"    {one}" for one in (*(each.example for each in table.every()), *(row[2] for row in table.GROUPS))}
    wide = [line for line in lines if cells_of(line) > columns and line not in examples]
    assert [line for line in wide if not line.startswith("  --")] == []
    assert [line for line in lines if line != line.rstrip()] == []


def test_long_terms_stand_alone_and_texts_are_aligned() -> None:
    rows = [("--a", "one two three"), ("--very-long-name TEXT", "four")]
    assert definitions(rows, 30) == [
        "  --a         one two three",
        "  --very-long-name TEXT",
        "              four",
    ]
    assert wrap("aa bb cc", 7, "> ", "  ") == ["> aa bb", "  cc"]


@pytest.mark.parametrize(
    ("line", "begin"),
    [
        ("", "Usage: signaltty [OPTIONS] COMMAND"),
        ("--help", "Usage: signaltty [OPTIONS] COMMAND"),
        ("--json --help", "Usage: signaltty [OPTIONS] COMMAND"),
        ("pane --help", "Usage: signaltty pane [OPTIONS] COMMAND [ARGS]...\n"),
        ("--socket x pane --json read --help", "Usage: signaltty pane read [OPTIONS] PANE\n"),
        ("pane rename --help", "Usage: signaltty pane rename [OPTIONS] PANE [NAME]\n"),
        ("new --help", "Usage: signaltty new [OPTIONS] [-- CMD…]\n"),
        ("debug --help", "Usage: signaltty debug [OPTIONS] COMMAND [ARGS]...\n"),
        ("--version", "signaltty "),
        ("pane read --version", "signaltty "),
    ],
)
def test_lines_that_run_nothing_are_answered_without_click(line: str, begin: str) -> None:
    said = answer(line.split())
    assert said is not None and said.startswith(begin)


@pytest.mark.parametrize(
    "line", ["ls", "nope --help", "pane nope --help", "--socket --help", "ls --bogus --help", "-h"]
)
def test_other_lines_are_left_to_click(line: str) -> None:
    assert answer(line.split()) is None


@pytest.mark.parametrize(
    "line", ["pane read p --help", "--help pane read", "pane --help read p", "pane read --lines 3 --help"]
)
def test_help_asked_for_in_passing_is_the_same_text(run: Run, server: ScriptedServer, line: str) -> None:
    words = {"--help pane read": (), "pane --help read p": ("pane",)}.get(line, ("pane", "read"))
    assert run(*line.split()) == (0, help_text(words) + "\n", "")
    assert server.requests == []


def test_help_imports_neither_click_nor_what_it_brings() -> None:
    code = "import sys; from signaltty_core.cli.dispatch import dispatch; dispatch({words!r}); print(*sys.modules)"
    for words in ([], ["--help"], ["pane", "--help"], ["task", "start", "--help"], ["--version"]):
        done = subprocess.run(
            [sys.executable, "-c", code.format(words=words)], cwd=ROOT, capture_output=True, text=True, check=True
        )
        loaded = set(done.stdout.splitlines()[-1].split())
        assert loaded & {"click", "typing", "inspect", "json", "socket"} == set()


def test_the_overview_names_every_group() -> None:
    said = overview(78)
    assert [title for title, _, _ in table.GROUPS if f"\n{title}:\n" not in said] == []
