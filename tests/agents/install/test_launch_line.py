"""What single launches are given, and which are left alone."""

from __future__ import annotations

import json

import pytest

from signaltty_core.agents.install import AUTOMATIC, IN_FILE, PER_LAUNCH, launch_line
from signaltty_core.agents.install.edit import installing


@pytest.mark.parametrize(
    ("line", "is_out"),
    [
        ("claude", False),
        ("claude fix", False),
        ("claude fix mcp", False),
        ("claude mcp", True),
        ("claude -p --bare x", True),
        ("claude -- --bare", False),
        ("claude --setting-sources user,project", False),
        ("claude --setting-sources project", True),
        ("claude --setting-sources=local", True),
        ("claude --setting-sources", True),
        ("opencode --pure", True),
        ("opencode .", False),
        ("opencode serve", True),
        ("pi --print x", False),
        ("pi install x", True),
        ("copilot -p x", False),
        ("copilot mcp", True),
        ("codex exec", False),
        ("cursor-agent --bare", False),
    ],
)
def test_calls_that_rule_hooks_out(line: str, is_out: bool) -> None:
    words = line.split()
    agent = "cursor" if words[0] == "cursor-agent" else words[0]
    assert launch_line.disabling(agent, words) is is_out


def test_the_way_may_be_taken_by_the_caller() -> None:
    assert launch_line.is_taken("claude", ["claude", "--settings", "x"], {})
    assert launch_line.is_taken("claude", ["claude", "--settings=x"], {})
    assert not launch_line.is_taken("claude", ["claude", "--settingsy"], {})
    assert launch_line.is_taken("opencode", ["opencode"], {"OPENCODE_CONFIG_CONTENT": "{}"})
    assert not launch_line.is_taken("opencode", ["opencode"], {"OPENCODE_CONFIG_CONTENT": ""})
    assert not launch_line.is_taken("pi", ["pi", "--extension", "x"], {})


def test_a_launch_is_given_what_the_users_file_would_hold() -> None:
    given = launch_line.given("claude", "/p", (2, 1, 400))
    assert given.files == {"settings.json": installing("claude", "/p", (2, 1, 400))(None)}
    given = launch_line.given("pi", "/p", None)
    assert given.files == {"signaltty.ts": installing("pi", "/p")(None)}
    given = launch_line.given("copilot", "/p", None)
    assert given.files["hooks.json"] == installing("copilot", "/p")(None)
    assert json.loads(given.files["plugin.json"])["hooks"] == given.main == "hooks.json"


def test_a_path_with_blanks_becomes_a_proper_url() -> None:
    words, environ = launch_line.added("opencode", "/a b/ü", "signaltty.js")
    assert (words, json.loads(environ["OPENCODE_CONFIG_CONTENT"])) == (
        [],
        {"plugin": ["file:///a%20b/%C3%BC/signaltty.js"]},
    )


def test_no_agent_goes_both_ways() -> None:
    assert (set(PER_LAUNCH) & set(IN_FILE), set(PER_LAUNCH) | set(IN_FILE)) == (set(), set(AUTOMATIC))
