"""The table of commands against the server's methods and against the help text."""

from __future__ import annotations

from signaltty_core.cli import table
from signaltty_core.cli.spec import GLOBALS


def test_every_command_stands_once_below_the_word_that_finds_it() -> None:
    commands = table.every()
    words = [command.words for command in commands]
    assert len(words) == len(set(words))
    assert {command.words[0] for command in commands} == set(table.MODULES)


def test_every_visible_first_word_is_in_the_help_once() -> None:
    shown = [word for _, words, _ in table.GROUPS for word in words]
    hidden = {command.words[0] for command in table.every() if command.hidden}
    assert sorted(shown) == sorted(set(table.MODULES) - hidden - {"daemon"})


def test_no_option_hides_a_global_one() -> None:
    names = {option.name for option in GLOBALS} | {"--help", "--version"}
    for command in table.every():
        own = [name for option in command.options for name in (option.name, *option.aliases)]
        assert names.isdisjoint(own), command.words
        assert len(own) == len(set(own)), command.words


def test_every_option_and_command_is_described() -> None:
    for command in table.every():
        assert command.summary.endswith("."), command.words
        for option in command.options:
            assert option.help.endswith("."), (command.words, option.name)
