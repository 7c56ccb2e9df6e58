"""The completion scripts in the real shells; ids come from a real server."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ptyprocess import PtyProcess

from signaltty_core.cli import table
from signaltty_core.cli.local.completion.completion import read
from signaltty_core.cli.spec import PANE, Argument, Command, Option, one_of
from tests.cli.local.screen import Screen
from tests.e2e.rig import COMMAND, LIMIT_S, Rig

LINES = {
    "signaltty pane re": ["read", "rename", "resize", "resume"],
    "signaltty --json pane spl": ["split"],
    "signaltty pane read --mo": ["--mode"],
    "signaltty pane read --mode s": ["screen"],
    "signaltty pane read --mode=s": ["screen"],
    "signaltty pane read bo": ["boss"],
    "signaltty pane signal boss --signal WI": ["WINCH"],
    "signaltty pane spawn --workspace ap": ["api"],
    "signaltty wait --until done,blo": ["done,blocked"],
    "signaltty integration install co": ["codex", "copilot"],
    "signaltty call decision.": ["decision.answer"],
    "signaltty completion z": ["zsh"],
    "signaltty --socket /nowhere pane read bo": [],
    "signaltty nonsense p": [],
}


@pytest.fixture
def served(rig: Rig) -> Iterator[Rig]:
    """A machine with a pane called boss in the workspace api, and `signaltty` on PATH."""
    programs = rig.place / "bin"
    programs.mkdir()
    (programs / "signaltty").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    (programs / "signaltty").chmod(0o755)
    rig.environment["PATH"] = f"{programs}:{rig.environment['PATH']}"
    pane = rig.result("new", "--name", "api", "--", "/bin/cat")["pane_id"]
    rig.cli("pane", "rename", pane, "boss")
    yield rig


def need(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed on this machine")
    return path


def script_of(rig: Rig, shell: str) -> Path:
    path = rig.place / f"script.{shell}"
    path.write_text(rig.cli("completion", shell).stdout)
    return path


def output(rig: Rig, *argv: str) -> str:
    done = subprocess.run(argv, env=rig.environment, cwd=rig.home, capture_output=True, timeout=LIMIT_S, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize("line", LINES)
def test_bash_offers_what_fits(served: Rig, line: str) -> None:
    # readline cuts a word at `=` too
    words = line.replace("=", " = ").split()
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _signaltty; printf \'%s\\n\' "${COMPREPLY[@]}"'
    said = output(served, need("bash"), "-c", f"source {script_of(served, 'bash')}; {ask}", "bash", *words)
    assert sorted(said.split()) == LINES[line]


@pytest.mark.parametrize("line", LINES)
def test_fish_offers_what_fits(served: Rig, line: str) -> None:
    said = output(served, need("fish"), "-c", f"source {script_of(served, 'fish')}; complete -C '{line}'")
    before = "--mode=" if "=" in line else ""
    assert [one.split("\t")[0] for one in said.splitlines()] == [before + one for one in LINES[line]]


def in_terminal(rig: Rig, *argv: str, **env: str) -> Screen:
    shell = Screen.__new__(Screen)
    shell.seen = b""
    shell.pty = PtyProcess.spawn(list(argv), cwd=str(rig.home), env={**rig.environment, **env}, dimensions=(25, 120))
    return shell


def test_bash_completes_what_a_person_types(served: Rig) -> None:
    shell = in_terminal(served, need("bash"), "--norc", "--noprofile", "-i", PS1="> ")
    try:
        shell.until(b"> ")
        shell.type(b'eval "$(signaltty completion bash)"; echo rea""dy\n')
        shell.until(b"ready")
        shell.type(b"signaltty pane rena\tbo\tchief\n")
        shell.until(b"renamed pane_")
    finally:
        shell.end()
    assert b"signaltty pane rename boss chief" in shell.seen
    assert served.result("pane", "get", "chief")["pane"]["name"] == "chief"


def test_zsh_completes_what_a_person_types(served: Rig) -> None:
    shell = in_terminal(served, need("zsh"), "-f", "-i", PS1="> ")
    try:
        shell.until(b"> ")
        setup = 'autoload -Uz compinit; compinit -D -u; eval "$(signaltty completion zsh)"; echo rea""dy\n'
        shell.type(setup.encode())
        shell.until(b"ready")
        shell.type(b"signaltty pane re\t\t")
        shell.until(b"Give a pane a name, or take it away.")
        shell.type(b"\x15")
        shell.type(b"signaltty pane rena\tbo\tchief\n")
        shell.until(b"renamed pane_")
        shell.type(b"signaltty wait --pane ch\t--until done,blo\t\x01echo got: \n")
        shell.until(b"got: signaltty wait --pane chief --until done,blocked")
    finally:
        shell.end()
    assert served.result("pane", "get", "chief")["pane"]["name"] == "chief"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_the_shell_can_read(rig: Rig, shell: str) -> None:
    program = need(shell)
    assert output(rig, program, "-n", str(script_of(rig, shell))) == ""


def test_completing_starts_no_server(rig: Rig) -> None:
    assert rig.cli("complete", "pane", status=1).stdout == ""
    assert not rig.socket.exists()


def test_ids_come_with_what_they_name(served: Rig) -> None:
    pane = served.result("pane", "get", "boss")["pane"]
    assert served.cli("complete", "pane").stdout == (
        f"boss\tgeneric, unknown: cat\n{pane['id']}\tgeneric, unknown: cat\n"
    )
    assert served.cli("complete", "tab").stdout == f"{pane['tab_id']}\tagents of api\n"
    assert served.cli("complete", "workspace").stdout.splitlines()[0] == f"api\tapi in {served.home}"


def test_the_grammar_knows_every_visible_command_and_option() -> None:
    grammar = read(table.every())
    for command in table.every():
        place = " ".join(command.words)
        assert (place in grammar.switches) is not command.hidden
        if not command.hidden:
            names = {name for option in command.options for name in (option.name, *option.aliases)}
            assert {name for name, _ in grammar.switches[place]} == names


def test_the_grammar_of_one_command() -> None:
    command = Command(
        "pane move",
        "Move it.",
        lambda session, values: None,
        Argument("PANE", "pane_id", PANE),
        Option("--to", one_of("left", "right"), "Where.", aliases=("-t",)),
        Option("--fast", None, "At once."),
    )
    grammar = read([command])
    assert grammar.verbs == {"": [("pane", "move")], "pane": [("move", "Move it.")]}
    assert grammar.switches == {"pane move": [("--to", "Where."), ("-t", "Where."), ("--fast", "At once.")]}
    assert grammar.values == {"words left right": ["pane move:--to", "pane move:-t"]}
    assert grammar.arguments == {"pane": ["pane move:0"]}
