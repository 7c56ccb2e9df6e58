"""`integration …` in a home directory of its own, by real processes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.e2e.rig import COMMAND, Rig

REVIEW = "review and trust them under /hooks"


def test_install_twice_uninstall_twice(rig: Rig) -> None:
    file = rig.home / ".codex" / "hooks.json"
    first = rig.cli("integration", "install", "codex")
    assert first.stdout == f"configured codex hooks ({file})\n"
    assert REVIEW in first.stderr
    content = file.read_bytes()
    again = rig.cli("integration", "install", "codex")
    assert (again.stdout, again.stderr) == (f"already configured codex hooks ({file})\n", "")
    assert file.read_bytes() == content
    assert rig.cli("integration", "uninstall", "codex").stdout == f"removed codex hooks ({file})\n"
    assert rig.cli("integration", "uninstall", "codex").stdout == f"not installed codex hooks ({file})\n"
    assert not rig.socket.exists()


def test_the_hooks_run_this_program(rig: Rig) -> None:
    rig.cli("integration", "install", "gemini")
    hooks = json.loads((rig.home / ".gemini" / "settings.json").read_text())["hooks"]
    assert hooks["AfterAgent"][0]["hooks"][0]["command"] == (
        f"'{COMMAND[-1]}' hook-event --agent gemini --event AfterAgent --payload-stdin # signaltty hook-event (managed)"
    )


def test_results_as_json(rig: Rig) -> None:
    file = str(rig.home / ".cursor" / "hooks.json")
    assert rig.result("integration", "install", "cursor") == {"agent": "cursor", "file": file, "changed": True}
    codex = rig.cli("--json", "integration", "install", "codex")
    assert (REVIEW in json.loads(codex.stdout)["notice"], codex.stderr) == (True, "")
    assert rig.result("integration", "uninstall", "cursor") == {"agent": "cursor", "file": file, "changed": True}
    assert rig.result("integration", "uninstall", "cursor") == {"agent": "cursor", "file": file, "changed": False}


def test_all_means_those_that_are_configured_by_themselves(rig: Rig) -> None:
    lines = rig.cli("--json", "integration", "install", "all").stdout.splitlines()
    assert [(one["agent"], one["changed"]) for one in map(json.loads, lines)] == [
        (agent, True) for agent in ("claude", "codex", "opencode", "cursor", "pi", "copilot")
    ]


def test_one_file_that_is_refused_does_not_keep_the_others_waiting(rig: Rig) -> None:
    """Edge case 54."""
    broken = rig.home / ".codex" / "hooks.json"
    broken.parent.mkdir()
    broken.write_text("{broken")
    said = rig.cli("integration", "install", "all", status=1)
    assert len(said.stdout.splitlines()) == 5
    assert said.stderr.startswith("signaltty: codex: invalid JSON")
    alone = rig.cli("integration", "install", "codex", status=1)
    assert (alone.stdout, alone.stderr.startswith("signaltty: codex: invalid JSON")) == ("", True)
    assert rig.cli("integration", "uninstall", "codex", status=1).stdout == ""
    assert broken.read_text() == "{broken"


def test_a_home_of_the_line_is_the_only_place(rig: Rig) -> None:
    rig.environment["CODEX_HOME"] = str(rig.home / "ignored")
    said = rig.cli("integration", "install", "codex", "--home", "other")
    assert said.stdout == f"configured codex hooks ({rig.home}/other/.codex/hooks.json)\n"
    del rig.environment["CODEX_HOME"]
    rig.environment["QWEN_HOME"] = str(rig.home / "q")
    assert rig.cli("integration", "install", "qwen").stdout == f"configured qwen hooks ({rig.home}/q/settings.json)\n"


def test_agents_without_an_installer(rig: Rig) -> None:
    for agent in ("hermes", "kimi", "zerostack", "nobody"):
        said = rig.cli("integration", "install", agent, status=1)
        assert said.stderr.startswith(f"signaltty: there is no installer for {agent};")


def test_permissions_are_copilots_alone(rig: Rig) -> None:
    rig.cli("integration", "install", "copilot", "--permissions")
    hooks = json.loads((rig.home / ".copilot" / "hooks" / "signaltty.json").read_text())["hooks"]
    assert "PermissionRequest" in hooks
    assert "--permissions" in rig.cli("integration", "install", "claude", "--permissions", status=2).stderr


@pytest.mark.parametrize(("said", "is_newer"), [("2.1.332", True), ("2.1.331", False), ("nonsense", False)])
def test_claude_is_asked_for_its_version(rig: Rig, said: str, is_newer: bool) -> None:
    claude = rig.place / "bin" / "claude"
    claude.parent.mkdir()
    claude.write_text(f"#!/bin/sh\necho '{said} (Claude Code)'\n")
    claude.chmod(0o755)
    rig.environment["PATH"] = f"{claude.parent}:{rig.environment['PATH']}"
    rig.cli("integration", "install", "claude")
    hooks = json.loads((rig.home / ".claude" / "settings.json").read_text())["hooks"]
    assert ("PermissionDenied" in hooks) is is_newer


def test_status_names_every_agent_and_every_manifest(rig: Rig) -> None:
    rig.cli("integration", "install", "codex")
    manifests = Path(rig.environment["XDG_CONFIG_HOME"]) / "signaltty" / "agents"
    lines = rig.cli("integration", "status").stdout.splitlines()
    assert f"codex: installed ({rig.home}/.codex/hooks.json)" in lines
    assert f"droid: not installed ({rig.home}/.factory/hooks.json)" in lines
    assert lines[-1] == f"manifests: none ({manifests})"
    manifests.mkdir(parents=True)
    (manifests / "mine.toml").write_text('[agent]\nkind = "codex"\n')
    (manifests / "odd.toml").write_text('[agent]\nkind = "who"\n')
    (manifests / "notes.txt").write_text("no manifest")
    os.mkfifo(manifests / "never.toml")  # to read it would be to wait for ever
    lines = rig.cli("integration", "status").stdout.splitlines()
    assert lines[-3] == f"manifest mine: kind=codex ({manifests}/mine.toml)"
    assert lines[-2] == f"manifest never: BROKEN: is no regular file ({manifests}/never.toml)"
    assert lines[-1].startswith("manifest odd: BROKEN: ") and lines[-1].endswith(f" ({manifests}/odd.toml)")
    told = rig.result("integration", "status")
    assert told["codex"] == {
        "installed": True,
        "file": str(rig.home / ".codex" / "hooks.json"),
        "trust": "provider_review",
    }
    assert told["claude"]["trust"] == "provider_managed"
    assert told["manifests"][0] == {
        "name": "mine",
        "manifest": {"file": f"{manifests}/mine.toml", "kind": "codex", "ok": True},
    }
    assert [(one["name"], one["manifest"]["ok"]) for one in told["manifests"][1:]] == [("never", False), ("odd", False)]
    assert not rig.socket.exists()
