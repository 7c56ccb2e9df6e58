"""Reads a command line by hand, for click takes longer to import than most commands run. Accepts; never explains.

Whatever it cannot take is handed to click, which refuses it in its own words, so there is one text for every mistake.
"""

from __future__ import annotations

from .spec import GLOBALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .spec import Command, Option

_GLOBALS = {option.name: option for option in GLOBALS}


class Unusual(Exception):
    """A line for click: a mistake, or a wish for help."""


def leading(argv: list[str]) -> tuple[list[str], list[str]]:
    """Global options in front of the first word, and what follows them. Raises Unusual for any other option there."""
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        name, equals, _ = argv[at].partition("=")
        option = _GLOBALS.get(name)
        if option is None or (option.kind is None and equals):
            raise Unusual
        at += 1 if option.kind is None or equals else 2
    return argv[:at], argv[at:]


def split_rest(command: Command, argv: list[str]) -> tuple[list[str], list[str] | None]:
    """The words before the `--` that ends the options and those after it; None when there is no such mark.

    The value of an option is never that mark: `--text -- x` gives --text two hyphens.
    """
    known = _known(command)
    at = 0
    while at < len(argv):
        word = argv[at]
        if word == "--":
            return argv[:at], argv[at + 1 :]
        option = known.get(word)
        at += 2 if option is not None and option.kind is not None else 1
    return argv, None


def parse(command: Command, argv: list[str]) -> dict[str, Any]:
    """Values by parameter, global ones included. Raises Unusual."""
    words, rest = split_rest(command, argv)
    known = _known(command)
    values: dict[str, Any] = {}
    plain: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        option = known.get(name)
        if option is None:
            raise Unusual
        if option.kind is None:
            if equals:
                raise Unusual
            values[option.param] = True
            continue
        if not equals:
            if at == len(words):
                raise Unusual
            value = words[at]
            at += 1
        _store(values, option, value)
    if rest is not None and not command.rest:
        plain += rest
    _place(values, command, plain)
    for option in command.options:
        if option.param not in values:
            if option.required:
                raise Unusual
            if option.default is not None:
                values[option.param] = option.default
    if command.rest:
        values["argv"] = rest or []
    return values


def _known(command: Command) -> dict[str, Option]:
    known = dict(_GLOBALS)
    for option in command.options:
        for name in (option.name, *option.aliases):
            known[name] = option
    return known


def _store(values: dict[str, Any], option: Option, word: str) -> None:
    assert option.kind is not None
    try:
        value = option.kind.convert(word)
    except ValueError:
        raise Unusual from None
    if option.many:
        values.setdefault(option.param, []).append(value)
    else:
        values[option.param] = value


def _place(values: dict[str, Any], command: Command, plain: list[str]) -> None:
    if len(plain) > len(command.arguments):
        raise Unusual
    for index, argument in enumerate(command.arguments):
        if index < len(plain):
            try:
                values[argument.param] = argument.kind.convert(plain[index])
            except ValueError:
                raise Unusual from None
        elif argument.required:
            raise Unusual
