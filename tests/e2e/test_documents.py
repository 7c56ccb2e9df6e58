"""The commands that the documents show are commands the program takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from signaltty_core.agents.manifest import parse as parse_manifest
from signaltty_core.cli import table
from signaltty_core.cli.words import parse
from tests.e2e.rig import ROOT

DOCUMENTS = (ROOT / "docs" / "agents.md", ROOT / "docs" / "troubleshooting.md")


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def shown() -> list[str]:
    """Every line of a shell block, and every whole command in running text."""
    lines = [line for path in DOCUMENTS for block in blocks(path, "sh") for line in block.splitlines()]
    texts = [re.sub("^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S) for path in DOCUMENTS]
    return [*lines, *(found for text in texts for found in re.findall("`(signaltty [^`]+)`", text))]


@pytest.mark.parametrize("line", dict.fromkeys(shown()))
def test_a_shown_command_is_one_the_program_takes(line: str) -> None:
    inner = re.fullmatch(r'eval "\$\((.+)\)"\s*(#.*)?', line)
    words = shlex.split(inner[1] if inner else line, comments=True)
    words = words[1 : words.index("|")] if "|" in words else words[1:]
    fitting = [one for one in table.load(words[0]) if list(one.words) == words[: len(one.words)]]
    command = max(fitting, key=lambda one: len(one.words))
    values = parse(command, words[len(command.words) :])
    if command.check is not None:
        command.check(values)


def test_the_manifest_that_is_shown_is_one() -> None:
    (text,) = blocks(DOCUMENTS[0], "toml")
    made = parse_manifest("mender.toml", text.encode())
    assert (made.kind, made.binaries, [rule.id for rule in made.rules]) == (
        "generic",
        ("mender", "mender-*"),
        ["asks", "works"],
    )


def test_links_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), target
