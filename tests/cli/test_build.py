"""Help and mistakes, as click puts them."""

from __future__ import annotations

import pytest

from signaltty_core.cli import table

from ..client.scripted import ScriptedServer
from .conftest import Run


def test_no_arguments_print_the_grouped_help(run: Run) -> None:
    status, out, said = run()
    assert (status, said) == (0, "")
    for title, words, example in table.GROUPS:
        assert f"{title}:\n" in out
        assert f"    {example}\n" in out
        assert all(f"\n  {word} " in out for word in words)
    assert run("--help")[1] == out


@pytest.mark.parametrize("words", [command.words for command in table.every()], ids=" ".join)
def test_every_command_has_help(run: Run, words: tuple[str, ...]) -> None:
    status, out, said = run(*words, "--help")
    assert (status, out.startswith(f"Usage: signaltty {' '.join(words)} "), said) == (0, True, "")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nope", "no such command 'nope'; see `signaltty --help`"),
        ("pane nope", "no such command 'nope'; see `signaltty pane --help`"),
        ("wait-output p", "no such command 'wait-output'; the nearest is `pane wait-output`; see `signaltty --help`"),
        (
            "create",
            "no such command 'create'; the nearest are `workspace create`, `worktree create`, `tab create`;"
            " see `signaltty --help`",
        ),
        ("atach p", "no such command 'atach'; the nearest is `attach`; see `signaltty --help`"),
        ("pane raed p", "no such command 'raed'; the nearest is `pane read`; see `signaltty pane --help`"),
        ("pane read", "missing argument 'PANE'; see `signaltty pane read --help`"),
        ("ls --bogus", "no such option '--bogus'; see `signaltty ls --help`"),
        ("pane read p --lines", "option '--lines' requires an argument; see `signaltty pane read --help`"),
        ("ls --json=1", "option '--json' does not take a value; see `signaltty ls --help`"),
        (
            "new sleep 5",
            "got unexpected extra arguments (sleep 5); a program to start stands behind `--`;"
            " see `signaltty new --help`",
        ),
        ("pane list extra", "got unexpected extra argument (extra); see `signaltty pane list --help`"),
        (
            "pane read p --lines x",
            "invalid value for '--lines': 'x' is no whole number; see `signaltty pane read --help`",
        ),
        (
            "pane split p --direction up",
            "invalid value for '--direction': 'up' is not one of right, down; see `signaltty pane split --help`",
        ),
        ("new --env A", "invalid value for '--env': 'A' is not NAME=VALUE; see `signaltty new --help`"),
        ("pane", "Usage: signaltty pane "),
    ],
)
def test_a_mistake_is_one_sentence_and_status_two(run: Run, server: ScriptedServer, line: str, sentence: str) -> None:
    status, out, said = run(*line.split())
    assert (status, out, server.requests) == (2, "", [])
    assert said == f"signaltty: {sentence}\n" or (sentence.startswith("Usage") and said.startswith(sentence))


def test_a_mistake_can_be_had_as_json(run: Run) -> None:
    assert run("nope", "--json") == (
        2,
        "",
        '{"ok":false,"error":{"code":"USAGE","message":"no such command \'nope\'; see `signaltty --help`",'
        '"details":{}}}\n',
    )


@pytest.mark.parametrize(
    "line", ["hook-event --bogus", "hook-event --agent", "hook-event --agent x", "ipc agent-event --bogus"]
)
def test_hooks_never_end_with_status_two(run: Run, line: str) -> None:
    assert run(*line.split())[0] == 1
