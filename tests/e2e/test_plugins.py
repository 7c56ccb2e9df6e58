"""The example plugins: copied as their text says, run by a real server and from the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.rig import ROOT, Rig, wait_until

EXAMPLES = ROOT / "examples" / "plugins"


@pytest.fixture
def plugins(rig: Rig) -> Path:
    """The user's directory of plugins, with the examples in it."""
    place = rig.place / "config" / "signaltty" / "plugins"
    shutil.copytree(EXAMPLES, place)
    return place


def hook_event(rig: Rig, pane: str, event: str, **params: object) -> None:
    rig.call("hook-event", agent="claude", event=event, pane_id=pane, **params)


def test_both_examples_are_listed(rig: Rig, plugins: Path) -> None:
    assert rig.cli("plugin", "list").stdout == "bell 1.0  1 hooks  1 commands\nworklog 1.0  1 hooks  1 commands\n"
    listing = rig.result("plugin", "reload")
    assert (listing["dir"], listing["failures"]) == (str(plugins), [])


def test_the_bell_rings_when_an_agent_asks(rig: Rig, plugins: Path) -> None:
    manifest = plugins / "bell" / "plugin.toml"
    said = plugins / "bell" / "said"
    ring = f"""[hook.env]\nBELL_COMMAND = "sh -c 'echo \\"$0\\" >> {said}'"\n"""
    manifest.write_text(manifest.read_text().replace("# [hook.env]\n", ring))
    pane = rig.new_pane("cat")
    hook_event(rig, pane, "PermissionRequest", payload={"session_id": "s", "tool_name": "Bash", "tool_input": {}})
    assert wait_until(lambda: said.exists() and said.read_text(), "the bell") == f"{pane} asks for permission\n"
    hooks = wait_until(lambda: quiet_hooks(rig, "bell"), "the end of the hook")
    assert (hooks[0]["runs"], hooks[0]["errors"]) == (1, 0)
    command = {"BELL_COMMAND": "echo rung:"}
    assert rig.cli("plugin", "run", "bell", "try", env=command).stdout == "rung: this is how it rings\n"


def quiet_hooks(rig: Rig, name: str) -> list[dict[str, object]]:
    found = [one for one in rig.result("plugin", "list")["plugins"] if one["name"] == name]
    hooks: list[dict[str, object]] = found[0]["hooks"]
    return hooks if hooks[0]["runs"] else []


def test_the_worklog_holds_what_agents_did(rig: Rig, plugins: Path) -> None:
    log = plugins / "worklog" / "worklog.txt"
    assert rig.cli("plugin", "run", "worklog", "show").stdout == "nothing happened yet\n"
    pane = rig.new_pane("cat")
    hook_event(rig, pane, "UserPromptSubmit", payload={"session_id": "s", "prompt": "work"})
    hook_event(rig, pane, "Stop", payload={"session_id": "s"})
    wait_until(lambda: log.exists() and "done" in log.read_text(), "the line of the finished turn")
    shown = rig.cli("plugin", "run", "worklog", "show", "--", "1").stdout
    assert shown.split(" ", 2)[2] == f"{pane} is done\n"


def test_the_manifest_of_the_manual_is_one(rig: Rig) -> None:
    manual = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    place = rig.place / "config" / "signaltty" / "plugins" / "chime"
    place.mkdir(parents=True)
    (place / "plugin.toml").write_text(manual.split("```toml\n")[1].split("```")[0])
    (place / "ring").write_text('#!/bin/sh\necho "$@"\n')
    (place / "ring").chmod(0o755)
    said = [line.split("#")[0].split()[1:] for line in manual.split("```sh\n")[1].split("```")[0].splitlines()]
    shown = [rig.cli(*words).stdout for words in said]
    assert shown == ["chime 1.0  1 hooks  1 commands\n", "chime 1.0  1 hooks  1 commands\n", "--try 3\n"]
