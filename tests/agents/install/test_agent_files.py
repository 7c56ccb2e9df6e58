"""Where agents' files are, and what is wanted of them."""

from __future__ import annotations

import subprocess

import pytest

from signaltty_core.agents.install.agent_files import KNOWN, TARGETS, place_of
from signaltty_core.agents.install.command import MANAGED, hook_command, is_managed
from signaltty_core.agents.table import KINDS

AT_HOME = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "copilot": ".copilot/hooks/signaltty.json",
    "droid": ".factory/hooks.json",
    "goose": ".agents/plugins/signaltty/hooks/hooks.json",
    "opencode": ".config/opencode/plugins/signaltty.js",
    "pi": ".pi/agent/extensions/signaltty.ts",
    "amp": ".config/amp/plugins/signaltty.ts",
}
BY_VARIABLE = {
    "CLAUDE_CONFIG_DIR": ("claude", "settings.json"),
    "CODEX_HOME": ("codex", "hooks.json"),
    "QWEN_HOME": ("qwen", "settings.json"),
    "COPILOT_HOME": ("copilot", "hooks/signaltty.json"),
    "FACTORY_HOME_OVERRIDE": ("droid", ".factory/hooks.json"),
    "OPENCODE_CONFIG_DIR": ("opencode", "plugins/signaltty.js"),
    "XDG_CONFIG_HOME": ("opencode", "opencode/plugins/signaltty.js"),
    "PI_CODING_AGENT_DIR": ("pi", "extensions/signaltty.ts"),
}


def test_every_agent_has_a_place_at_home() -> None:
    assert {agent: place_of(agent).find({}, "/home/x", "/work") for agent in KNOWN} == {
        agent: f"/home/x/{path}" for agent, path in AT_HOME.items()
    }
    assert set(KNOWN) <= set(KINDS)


@pytest.mark.parametrize("variable", BY_VARIABLE)
def test_a_variable_moves_it_and_a_relative_one_counts_from_the_agents_directory(variable: str) -> None:
    agent, below = BY_VARIABLE[variable]
    place = place_of(agent)
    assert place.find({variable: "/else"}, "/home/x", "/work") == f"/else/{below}"
    assert place.find({variable: "../own"}, "/home/x", "/work/sub") == f"/work/own/{below}"
    assert place.find({variable: ""}, "/home/x", "/work") == f"/home/x/{AT_HOME[agent]}"


def test_opencodes_own_variable_comes_before_the_general_one() -> None:
    environ = {"XDG_CONFIG_HOME": "/xdg", "OPENCODE_CONFIG_DIR": "/oc"}
    assert place_of("opencode").find(environ, "/home/x", "/work") == "/oc/plugins/signaltty.js"


def test_timeouts_are_in_the_units_of_the_agent() -> None:
    found = {
        agent: sorted(
            {(entry.timeout, "--wait-for-answer" in entry.command) for entry in target.entries("/p", None)[0]}
        )
        for agent, target in TARGETS.items()
    }
    assert found == {
        "claude": [(10, False), (125, True)],
        "codex": [(3, False), (125, True)],
        "cursor": [(10, False)],
        "gemini": [(10_000, False)],
        "qwen": [(10_000, False), (125_000, True)],
        "copilot": [(10, False)],
        "droid": [(10, False)],
        "goose": [(10, False)],
    }


def test_only_claudes_question_hook_has_a_matcher() -> None:
    matchers = [
        (agent, entry.event, entry.matcher)
        for agent, target in TARGETS.items()
        for entry in target.entries("/p", None)[0]
        if entry.matcher
    ]
    assert matchers == [("claude", "PreToolUse", "AskUserQuestion")]


def test_the_command_reaches_a_program_whatever_its_path_holds(tmp_path: object) -> None:
    from pathlib import Path

    program = Path(str(tmp_path), 'it\'s $HOME "here"')
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    command = hook_command(str(program), "qwen", "PermissionRequest", waits=True)
    said = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, timeout=20, check=True)
    assert said.stdout == "hook-event|--agent|qwen|--event|PermissionRequest|--payload-stdin|--wait-for-answer|"
    assert is_managed(command) and command.endswith(MANAGED)


def test_ownership_is_the_comment_at_the_end() -> None:
    assert [is_managed(each) for each in (MANAGED, f"x {MANAGED} \n", f"{MANAGED} x", "x", None, 5)] == [
        *(True, True),
        *(False, False, False, False),
    ]
