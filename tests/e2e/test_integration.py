"""Agents configured by a real server at their launch, and resumed: stand-in programs record what they were given."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.rig import COMMAND, Rig, wait_until

Record = dict[str, Any]

RECORDS = """#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.400 (Claude Code)'; exit 0; fi
{probe}
for word in "$@"; do printf '%s\\n' "$word"; done > "$0.argv.new"
env > "$0.env"
mv "$0.argv.new" "$0.argv"
exec sleep 1000
"""
CONFIRMS = 'if [ "$1 $2" = "--no-daemon --version" ]; then echo 0.171.0; exit 0; fi'
REFUSES = 'if [ "$1 $2" = "--no-daemon --version" ]; then exit 2; fi'
HANGS = 'if [ "$1 $2" = "--no-daemon --version" ]; then sleep 1000 & echo $! > "$0.left"; sleep 1000; fi'


class Agents:
    """Stand-ins on PATH, and panes started with them."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.bin = rig.place / "bin"
        self.bin.mkdir()
        rig.environment["PATH"] = f"{self.bin}:{rig.environment['PATH']}"
        del rig.environment["SIGNALTTY_INTEGRATION"]
        self.workspace = ""

    def add(self, name: str, probe: str = "") -> None:
        file = self.bin / name
        file.write_text(RECORDS.replace("{probe}", probe))
        file.chmod(0o755)

    def spawn(self, *argv: str, env: dict[str, str] | None = None, **params: Any) -> Record:
        if not self.workspace:
            self.workspace = self.rig.call("workspace.create", cwd=str(self.rig.home))["workspace"]["id"]
        made: Record = self.rig.call(
            "pane.spawn", workspace_id=self.workspace, argv=list(argv), env=env or {}, **params
        )
        return made

    def argv(self, name: str) -> list[str]:
        """The words the newest process of that name was given; they are forgotten with that."""
        file = self.bin / f"{name}.argv"
        wait_until(file.exists, f"the start of {name}")
        words = file.read_text().splitlines()
        file.unlink()
        return words

    def env(self, name: str) -> dict[str, str]:
        lines = (self.bin / f"{name}.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def files(self, *below: str) -> list[str]:
        """Every file in the home directory, or below a part of it."""
        root = self.rig.home.joinpath(*below)
        return sorted(str(path.relative_to(self.rig.home)) for path in root.rglob("*") if path.is_file())


@pytest.fixture
def agents(rig: Rig) -> Agents:
    return Agents(rig)


def test_claude_gets_a_settings_file_of_its_own_and_no_file_of_the_user_changes(agents: Agents) -> None:
    """Edge cases 56, 179."""
    agents.add("claude")
    settings = agents.rig.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}')
    made = agents.spawn("claude", "fix it")
    file = made["integration"]["file"]
    assert made["integration"] == {"agent": "claude", "status": "configured", "changed": False, "file": file}
    assert agents.argv("claude") == ["--settings", file, "fix it"]
    assert file.startswith(str(agents.rig.state / "signaltty" / "launch") + "/claude-")
    hooks = json.loads(Path(file).read_text())["hooks"]
    assert list(hooks) == [
        *("SessionStart", "UserPromptSubmit", "Notification", "PermissionRequest", "Stop", "SessionEnd", "PreToolUse"),
        *("PostToolUse", "StopFailure", "PostToolUseFailure", "PermissionDenied"),
    ]
    assert made["pane"]["argv"] == ["claude", "fix it"]
    assert agents.files() == [".claude/settings.json"]
    assert settings.read_text() == '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}'


def test_the_command_of_a_generated_file_reports_to_the_pane(agents: Agents) -> None:
    agents.add("claude")
    made = agents.spawn("claude")
    agents.argv("claude")
    command = json.loads(Path(made["integration"]["file"]).read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][0]
    subprocess.run(
        ["/bin/sh", "-c", command["command"]],
        input=b'{"session_id":"s-1","prompt":"hi"}',
        env=agents.env("claude"),
        timeout=20,
        check=True,
    )
    pane = agents.rig.call("pane.get", pane_id=made["pane"]["id"])["pane"]
    assert (pane["lifecycle"], pane["agent"]["agent_session_id"]) == ("working", "s-1")


@pytest.mark.parametrize(
    "argv",
    [
        ["claude", "--bare"],
        ["claude", "--setting-sources=project,local"],
        ["claude", "--setting-sources", "project"],
        ["claude", "mcp", "list"],
        ["copilot", "help"],
        ["opencode", "--pure"],
        ["pi", "list"],
    ],
)
def test_calls_that_rule_hooks_out_are_left_alone(agents: Agents, argv: list[str]) -> None:
    agents.add(argv[0])
    made = agents.spawn(*argv)
    assert made["integration"] == {"agent": argv[0], "status": "disabled", "changed": False}
    assert agents.argv(argv[0]) == argv[1:]
    assert agents.files() == []


def test_pi_copilot_and_opencode_are_given_what_they_need(agents: Agents) -> None:
    for name in ("pi", "copilot", "opencode"):
        agents.add(name)
    made = agents.spawn("pi", "hi")["integration"]
    assert agents.argv("pi") == ["--extension", made["file"], "hi"]
    made = agents.spawn("copilot")["integration"]
    directory = os.path.dirname(made["file"])
    assert agents.argv("copilot") == ["--plugin-dir", directory]
    assert json.loads(Path(directory, "plugin.json").read_text())["hooks"] == "hooks.json"
    assert "PermissionRequest" not in json.loads(Path(made["file"]).read_text())["hooks"]
    made = agents.spawn("opencode")["integration"]
    assert agents.argv("opencode") == []
    content = json.loads(agents.env("opencode")["OPENCODE_CONFIG_CONTENT"])
    assert content == {"plugin": [f"file://{made['file']}"]}
    assert Path(made["file"]).name == "signaltty.js"
    assert agents.files() == []


def test_an_opencode_with_content_of_its_own_gets_the_plugin_in_the_users_directory(agents: Agents) -> None:
    agents.add("opencode")
    made = agents.spawn("opencode", env={"OPENCODE_CONFIG_CONTENT": "{}", "OPENCODE_CONFIG_DIR": "oc"})
    file = str(agents.rig.home / "oc" / "plugins" / "signaltty.js")
    assert made["integration"] == {"agent": "opencode", "status": "configured", "changed": True, "file": file}
    assert (agents.argv("opencode"), agents.env("opencode")["OPENCODE_CONFIG_CONTENT"]) == ([], "{}")
    again = agents.spawn("opencode", env={"OPENCODE_CONFIG_DIR": "oc"})["integration"]
    assert (again["changed"], again["file"]) == (False, file)
    assert "OPENCODE_CONFIG_CONTENT" not in agents.env("opencode")


def test_hooks_in_the_users_own_file_are_enough(agents: Agents) -> None:
    agents.add("claude")
    agents.rig.cli("integration", "install", "claude")
    made = agents.spawn("claude")["integration"]
    settings = str(agents.rig.home / ".claude" / "settings.json")
    assert made == {"agent": "claude", "status": "configured", "changed": False, "file": settings}
    assert agents.argv("claude") == []


def test_codex_is_configured_in_its_file_and_kept_from_its_daemon(agents: Agents) -> None:
    """Edge case 56: the file of the request's CODEX_HOME; a split inherits it."""
    agents.add("codex", CONFIRMS)
    made = agents.spawn("codex", "fix it", env={"CODEX_HOME": str(agents.rig.home / "other")})
    assert (made["integration"]["status"], made["integration"]["changed"]) == ("configured", True)
    assert made["integration"]["file"] == str(agents.rig.home / "other" / "hooks.json")
    assert "/hooks" in made["integration"]["notice"]
    assert agents.argv("codex") == ["--no-daemon", "fix it"]
    assert made["pane"]["argv"] == ["codex", "fix it"]
    split = agents.rig.call("pane.split", pane_id=made["pane"]["id"], direction="down", argv=["codex"])
    assert split["integration"] == {
        "agent": "codex",
        "status": "configured",
        "changed": False,
        "file": str(agents.rig.home / "other" / "hooks.json"),
    }
    home = str(agents.rig.home / "other")
    wait_until(lambda: agents.env("codex").get("CODEX_HOME") == home, "the variable of the split, written out whole")
    assert [file for file in agents.files() if not file.startswith("other/")] == []


@pytest.mark.parametrize("probe", [REFUSES, HANGS], ids=["refuses", "hangs"])
def test_a_codex_that_does_not_confirm_is_launched_unchanged(agents: Agents, probe: str) -> None:
    """Edge case 57."""
    agents.add("codex", probe)
    made = agents.spawn("codex", "--model", "exec")  # a probe that hangs would hang for 1,000 s
    assert agents.argv("codex") == ["--model", "exec"]
    assert (made["integration"]["status"], "--no-daemon" in made["integration"]["notice"]) == ("disabled", True)
    left = agents.bin / "codex.left"
    if probe is HANGS:
        pid = int(left.read_text())
        wait_until(lambda: not Path(f"/proc/{pid}").exists() or _is_zombie(pid), "the end of the probe's child")


@pytest.mark.parametrize("content", ["{broken", "null", "[]", '{"hooks":false}', '{"hooks":{"Stop":{}}}'])
@pytest.mark.parametrize("agent", ["codex", "cursor-agent"])
def test_a_file_that_makes_no_sense_is_left_as_it_is_and_the_launch_goes_on(
    agents: Agents, agent: str, content: str
) -> None:
    """Edge case 54."""
    agents.add(agent, CONFIRMS)
    file = agents.rig.home / (".codex" if agent == "codex" else ".cursor") / "hooks.json"
    file.parent.mkdir()
    if agent != "codex":
        content = content.replace("Stop", "stop")
    file.write_text(content)
    made = agents.spawn(agent)
    agents.argv(agent)
    assert (made["integration"]["status"], made["integration"]["changed"]) == ("error", False)
    assert "invalid" in made["integration"]["notice"]
    assert file.read_text() == content


def test_programs_that_are_no_agent_by_name_cause_nothing(agents: Agents) -> None:
    """Edge case 55."""
    agents.add("agent")
    assert "integration" not in agents.spawn("sh", "-c", "sleep 1000")
    assert "integration" not in agents.spawn("agent", agent_hint="cursor")
    assert agents.files() == []


def test_the_switch_turns_it_off(agents: Agents) -> None:
    agents.add("codex", CONFIRMS)
    made = agents.spawn("codex", env={"SIGNALTTY_INTEGRATION": "off"})
    assert made["integration"] == {"agent": "codex", "status": "disabled", "changed": False}
    assert (agents.argv("codex"), agents.files()) == ([], [])


def test_a_person_may_turn_it_off_for_one_command(agents: Agents) -> None:
    agents.add("codex", CONFIRMS)
    agents.rig.call("server.status")
    said = agents.rig.cli("--json", "new", "--", "codex", env={"SIGNALTTY_INTEGRATION": "off"})
    assert json.loads(said.stdout)["integration"]["status"] == "disabled"
    assert (agents.argv("codex"), agents.files()) == ([], [])


def test_a_home_of_the_server_comes_before_its_own_variables(agents: Agents) -> None:
    agents.add("codex", CONFIRMS)
    elsewhere = agents.rig.place / "elsewhere"
    agents.rig.environment["SIGNALTTY_INTEGRATION_HOME"] = str(elsewhere)
    agents.rig.environment["CODEX_HOME"] = str(agents.rig.home / "ignored")
    assert agents.spawn("codex")["integration"]["file"] == str(elsewhere / ".codex" / "hooks.json")
    asked = agents.spawn("codex", env={"CODEX_HOME": "mine"})["integration"]["file"]
    assert asked == str(agents.rig.home / "mine" / "hooks.json")


def test_the_notice_reaches_a_person(agents: Agents) -> None:
    agents.add("codex", CONFIRMS)
    said = agents.rig.cli("new", "--", "codex")
    assert "/hooks" in said.stderr


def test_a_layout_configures_its_agents_too(agents: Agents) -> None:
    agents.add("claude")
    workspace = agents.rig.call("workspace.create", cwd=str(agents.rig.home))["workspace"]["id"]
    leaf = {"type": "pane", "argv": ["claude"]}
    made = agents.rig.call("layout.apply", workspace_id=workspace, root=leaf)
    assert made["panes"][0]["integration"]["status"] == "configured"
    assert agents.argv("claude")[0] == "--settings"


def ended(agents: Agents, pane_id: str) -> None:
    agents.rig.call("pane.signal", pane_id=pane_id, signal="KILL")
    wait_until(
        lambda: agents.rig.call("pane.get", pane_id=pane_id)["pane"]["live"]["state"] == "exited",
        "the end of the agent",
    )


def test_a_pane_is_resumed_in_its_session_and_set_up_again(agents: Agents) -> None:
    agents.add("claude")
    made = agents.spawn(str(agents.bin / "claude"), "fix it", env={"CLAUDE_CONFIG_DIR": "cc"})
    pane_id = made["pane"]["id"]
    agents.argv("claude")
    socket = agents.env("claude")["SIGNALTTY_STATUS_SOCKET"]
    agents.rig.call("hook-event", agent="claude", event="Stop", pane_id=pane_id, payload={"session_id": "s-1"})
    refusal = agents.rig.cli("pane", "resume", pane_id, status=1)
    assert "already live" in refusal.stderr
    ended(agents, pane_id)
    said = agents.rig.cli("pane", "resume", pane_id)
    assert said.stdout == f"resumed {pane_id}\n"
    words = agents.argv("claude")
    assert (words[0], words[2:]) == ("--settings", ["--resume", "s-1"])
    seen = agents.env("claude")
    assert (seen["CLAUDE_CONFIG_DIR"], seen["SIGNALTTY_STATUS_SOCKET"], seen["SIGNALTTY_PANE"]) == (
        str(agents.rig.home / "cc"),
        socket,
        pane_id,
    )
    pane = agents.rig.call("pane.get", pane_id=pane_id)["pane"]
    assert (pane["live"], pane["restore_state"], pane["lifecycle"], pane["title"]) == (
        {"state": "live"},
        "LIVE",
        "unknown",
        "claude",
    )


def test_of_two_resumes_at_once_exactly_one_wins(agents: Agents) -> None:
    """Edge case 18."""
    agents.add("claude")
    pane_id = agents.spawn("claude")["pane"]["id"]
    agents.argv("claude")
    agents.rig.call("report-session", pane_id=pane_id, agent_session_id="s-1", agent="claude")
    agents.rig.call("pane.rename", pane_id=pane_id, name="one")
    for round in range(8):
        ended(agents, pane_id)
        with ThreadPoolExecutor(2) as both:
            ways = ("one", pane_id) if round % 2 else (pane_id, pane_id)
            tries = [both.submit(agents.rig.cli, "pane", "resume", way, status=None) for way in ways]
            said = [each.result() for each in tries]
        assert sorted(each.returncode for each in said) == [0, 1]
        assert sum("already live" in each.stderr for each in said) == 1


def test_a_pane_without_session_or_directory_is_not_resumed(agents: Agents) -> None:
    agents.add("claude")
    gone = agents.rig.home / "gone"
    gone.mkdir()
    pane_id = agents.spawn("claude", cwd=str(gone))["pane"]["id"]
    agents.argv("claude")
    ended(agents, pane_id)
    assert "no resume command" in agents.rig.cli("pane", "resume", pane_id, status=1).stderr
    agents.rig.call("report-session", pane_id=pane_id, agent_session_id="s-1", agent="claude")
    gone.rmdir()
    assert str(gone) in agents.rig.cli("pane", "resume", pane_id, status=1).stderr
    gone.mkdir()
    agents.rig.cli("pane", "resume", pane_id)


def test_a_viewer_gets_the_output_of_a_resumed_pane(agents: Agents) -> None:
    """Edge case 17; the wait baseline of the first process counts no more."""
    agents.add("claude")
    pane_id = agents.spawn("claude")["pane"]["id"]
    agents.argv("claude")
    resume = ["echo", "back-again"]
    agents.rig.call("report-session", pane_id=pane_id, agent_session_id="s", agent="claude", resume_argv=resume)
    baseline = agents.rig.call("pane.get", pane_id=pane_id)["wait_baseline"]
    ended(agents, pane_id)
    agents.rig.cli("pane", "resume", pane_id)
    agents.rig.cli("pane", "wait-output", pane_id, "back-again", "--timeout", "10")
    refusal = agents.rig.cli(
        *("wait", "--pane", pane_id, "--until", "working", "--timeout", "5"),
        *("--after-baseline", json.dumps(baseline)),
        status=1,
    )
    assert "IDENTITY_CHANGED" in refusal.stderr


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_the_reporter_is_the_program_itself(agents: Agents) -> None:
    agents.add("claude")
    made = agents.spawn("claude")
    agents.argv("claude")
    command = json.loads(Path(made["integration"]["file"]).read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command.startswith(f"'{COMMAND[-1]}' hook-event --agent claude --event Stop --payload-stdin #")
