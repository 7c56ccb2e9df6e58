"""Manifests of plugins."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.manifest import load_toml
from signaltty_core.state.plugins import argv_in, is_name, read

WHOLE = b"""
unknown = 1
[plugin]
name = "chime"
version = "1.2"
description = "Rings."
[[hook]]
events = ["attention.*", "notification.created"]
command = ["./ring", "--loud"]
timeout_secs = 300
[hook.env]
TONE = "high"
[[hook]]
events = ["*"]
command = ["logger"]
timeout = 1
[[command]]
name = "test-it"
description = "Ring once."
run = ["./ring"]
"""


def parts_of(manifest: bytes) -> dict[str, Any]:
    plugin = read("chime", load_toml(manifest))
    return {
        "plugin": (plugin.name, plugin.version, plugin.description),
        "hooks": [(hook.events, hook.argv, hook.timeout_s, hook.env) for hook in plugin.hooks],
        "commands": [(command.name, command.description, command.argv) for command in plugin.commands],
    }


def test_a_manifest_names_hooks_and_commands() -> None:
    assert parts_of(WHOLE) == {
        "plugin": ("chime", "1.2", "Rings."),
        "hooks": [
            (["attention.*", "notification.created"], ["./ring", "--loud"], 300, {"TONE": "high"}),
            (["*"], ["logger"], 1, {}),
        ],
        "commands": [("test-it", "Ring once.", ["./ring"])],
    }


def test_a_plugin_may_have_nothing_but_its_name() -> None:
    assert parts_of(b'[plugin]\nname = "chime"') == {"plugin": ("chime", None, None), "hooks": [], "commands": []}


def test_a_hook_has_ten_seconds_and_timeout_secs_is_the_name_that_counts() -> None:
    hook = b'[plugin]\nname = "chime"\n[[hook]]\nevents = ["a"]\ncommand = ["b"]\n'
    assert read("chime", load_toml(hook)).hooks[0].timeout_s == 10
    assert read("chime", load_toml(hook + b"timeout = 3\ntimeout_secs = 4")).hooks[0].timeout_s == 4


NO_LIST = "expected a list of strings that is not empty"
NO_TIME = "expected a whole number from 1 to 300"
NUL = "no program can be given a NUL character"
HOOK = 'events = ["a"]\ncommand = ["b"]\n'


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("", "[plugin].name: missing"),
        ("plugin = 1", "[plugin]: expected a table"),
        ("[plugin]\nname = 1", "[plugin].name: expected a string"),
        ('[plugin]\nname = "Chime"', "[plugin].name: expected 1 to 64 of a-z, 0-9, '_' and '-'"),
        ('[plugin]\nname = "other"', "[plugin].name: 'other' is not the directory's name"),
        ('[plugin]\nname = "chime"\nversion = 1', "[plugin].version: expected a string"),
        ('hook = "x"\n[plugin]\nname = "chime"', "hook: expected [[hook]] tables"),
        ('hook = ["x"]\n[plugin]\nname = "chime"', "[[hook]] 1: expected a table"),
    ],
)
def test_a_fault_in_the_head_is_named(body: str, fault: str) -> None:
    with pytest.raises(ValueError) as caught:
        read("chime", load_toml(body.encode()))
    assert str(caught.value) == fault


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('[[hook]]\ncommand = ["b"]', f"[[hook]] 1: events: {NO_LIST}"),
        ('[[hook]]\nevents = []\ncommand = ["b"]', f"[[hook]] 1: events: {NO_LIST}"),
        ('[[hook]]\nevents = ["a"]', f"[[hook]] 1: command: {NO_LIST}"),
        ('[[hook]]\nevents = ["a"]\ncommand = "b"', f"[[hook]] 1: command: {NO_LIST}"),
        ('[[hook]]\nevents = ["a"]\ncommand = [""]', "[[hook]] 1: command: the program has no name"),
        ('[[hook]]\nevents = ["a"]\ncommand = ["b\\u0000"]', f"[[hook]] 1: command: {NUL}"),
        (f"[[hook]]\n{HOOK}[[hook]]\n{HOOK}timeout_secs = 0", f"[[hook]] 2: timeout_secs: {NO_TIME}"),
        (f"[[hook]]\n{HOOK}timeout = 301", f"[[hook]] 1: timeout: {NO_TIME}"),
        (f"[[hook]]\n{HOOK}timeout_secs = true", f"[[hook]] 1: timeout_secs: {NO_TIME}"),
        (f"[[hook]]\n{HOOK}[hook.env]\nA = 1", "[[hook]] 1: env.A: expected a string"),
        (f'[[hook]]\n{HOOK}[hook.env]\n"A=B" = "1"', "[[hook]] 1: env: 'A=B' is no name of a variable"),
        ('[[command]]\nrun = ["b"]', "[[command]] 1: name: expected 1 to 64 of a-z, 0-9, '_' and '-'"),
        ('[[command]]\nname = "a b"\nrun = ["b"]', "[[command]] 1: name: expected 1 to 64 of a-z, 0-9, '_' and '-'"),
        ('[[command]]\nname = "a"', f"[[command]] 1: run: {NO_LIST}"),
        ('[[command]]\nname = "a"\nrun = ["b"]\n' * 2, "[[command]] 2: name: there is another 'a'"),
    ],
)  # fmt: skip
def test_a_fault_in_a_hook_or_command_is_named(body: str, fault: str) -> None:
    with pytest.raises(ValueError) as caught:
        read("chime", load_toml(b'[plugin]\nname = "chime"\n' + body.encode()))
    assert str(caught.value) == fault


def test_names_are_short_and_plain() -> None:
    assert [is_name(text) for text in ("a", "a-b_9", "x" * 64, "x" * 65, "", "A", "a.b", "../a", "é")] == [
        *(True, True, True),
        *(False,) * 6,
    ]


def test_only_a_relative_path_stands_for_a_file_of_the_plugin() -> None:
    found = [argv_in("/p/chime", [word, "./x"]) for word in ("./ring", "bin/ring", "/bin/ring", "ring")]
    assert found == [["/p/chime/./ring", "./x"], ["/p/chime/bin/ring", "./x"], ["/bin/ring", "./x"], ["ring", "./x"]]
