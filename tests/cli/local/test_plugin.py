"""`plugin run`: commands of plugins in the caller's own terminal, without any server."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.rig import COMMAND, Rig, wait_until

MANIFEST = """
[plugin]
name = "tool"
[[command]]
name = "say"
run = ["./say", "first"]
[[command]]
name = "fail"
run = ["sh", "-c", "exit 7"]
[[command]]
name = "die"
run = ["sh", "-c", "kill -KILL $$"]
[[command]]
name = "missing"
run = ["./nowhere"]
[[command]]
name = "echo"
run = ["cat"]
[[command]]
name = "linger"
run = ["sh", "-c", "trap 'echo interrupted; exit 0' INT; echo ready; while :; do sleep 0.05; done"]
"""
SAY = """#!/bin/sh
echo "$*"
echo "$SIGNALTTY_PLUGIN_NAME $SIGNALTTY_PLUGIN_DIR $SIGNALTTY_SOCKET"
pwd
"""


@pytest.fixture
def place(rig: Rig) -> Path:
    place = rig.place / "config" / "signaltty" / "plugins"
    (place / "tool").mkdir(parents=True)
    (place / "tool" / "plugin.toml").write_text(MANIFEST)
    (place / "tool" / "say").write_text(SAY)
    (place / "tool" / "say").chmod(0o755)
    (place / "broken").mkdir()
    (place / "broken" / "plugin.toml").write_text("[plugin]")
    return place


def test_a_command_runs_in_the_plugins_directory_with_words_and_variables(rig: Rig, place: Path) -> None:
    said = rig.cli("plugin", "run", "tool", "say", "--", "second", "--json")
    own = place / "tool"
    assert said.stdout == f"first second --json\ntool {own} {rig.socket}\n{own}\n"
    assert not rig.socket.exists()


def test_standard_input_is_the_callers(rig: Rig, place: Path) -> None:
    assert rig.cli("plugin", "run", "tool", "echo", stdin=b"through\n").stdout == "through\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tool", "fail"), "fail of plugin tool ended with status 7"),
        (("tool", "die"), "die of plugin tool was ended by signal 9"),
        (("tool", "missing"), "cannot start {place}/tool/./nowhere: No such file or directory"),
        (("tool", "none"), "plugin tool has no command 'none'; its commands: say, fail, die, missing, echo, linger"),
        (("absent", "say"), "there is no plugin 'absent' in {place}"),
        (("../plugins/tool", "say"), "there is no plugin '../plugins/tool' in {place}"),
        (("broken", "say"), "plugin broken is broken: [plugin].name: missing"),
    ],
)
def test_whatever_is_no_good_end_exits_with_one(rig: Rig, place: Path, words: tuple[str, str], sentence: str) -> None:
    said = rig.cli("plugin", "run", *words, status=1)
    assert (said.stdout, said.stderr) == ("", f"signaltty: {sentence.format(place=place)}\n")


def test_the_directory_is_the_options_then_the_variables(rig: Rig, place: Path) -> None:
    for name in ("option", "variable"):
        (rig.place / name / "tool").mkdir(parents=True)
        manifest = f'[plugin]\nname = "tool"\n[[command]]\nname = "say"\nrun = ["echo", "{name}"]'
        (rig.place / name / "tool" / "plugin.toml").write_text(manifest)
    variable = {"SIGNALTTY_PLUGIN_DIR": str(rig.place / "variable")}
    option = ("--plugin-dir", str(rig.place / "option"))
    assert rig.cli("plugin", "run", "tool", "say", env=variable).stdout == "variable\n"
    assert rig.cli("plugin", "run", *option, "tool", "say", env=variable).stdout == "option\n"
    inside = {"SIGNALTTY_PLUGIN_DIR": str(rig.place / "variable" / "other"), "SIGNALTTY_PLUGIN_NAME": "other"}
    assert rig.cli("plugin", "run", "tool", "say", env=inside).stdout == "variable\n"


def test_an_interrupt_is_the_programs_business(rig: Rig, place: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "plugin", "run", "tool", "linger"],
        stdout=subprocess.PIPE,
        env=rig.environment,
        start_new_session=True,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout.read() == "interrupted\n"
    assert process.wait(20) == 0
    process.stdout.close()
    wait_until(lambda: not rig.processes(), "the end of every process")
