"""The table of kinds."""

from __future__ import annotations

import pytest

from signaltty_core.agents import base
from signaltty_core.agents.base import Facts
from signaltty_core.agents.catalog import Catalog
from signaltty_core.agents.sessions import resume_command
from signaltty_core.agents.table import KINDS, classify, kind_at_spawn, known

ALL = "claude codex opencode cursor pi gemini copilot droid qwen goose amp hermes kimi zerostack generic none"


def test_every_kind_is_there() -> None:
    assert set(KINDS) == set(ALL.split())


@pytest.mark.parametrize(
    ("argv", "hint", "kind"),
    [
        (["claude"], None, "claude"),
        (["/opt/bin/codex", "resume"], None, "codex"),
        (["ghcs"], None, "copilot"),
        (["cursor-agent"], None, "cursor"),
        (["agent"], None, "generic"),
        (["bash"], None, "generic"),
        ([], None, "generic"),
        (["bash"], "claude", "claude"),
        (["claude"], "robot", "none"),
        (["claude"], "none", "none"),
    ],
)
def test_a_hint_comes_before_the_program_s_name(argv: list[str], hint: str | None, kind: str) -> None:
    assert kind_at_spawn(argv, hint, Catalog().kind_of_program) == kind


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("claude", ["claude", "--resume", "X"]),
        ("codex", ["codex", "resume", "X"]),
        ("opencode", ["opencode", "--session", "X"]),
        ("cursor", ["cursor-agent", "--resume", "X"]),
        ("pi", ["pi", "--session", "X"]),
        ("gemini", ["gemini", "--resume", "X"]),
        ("copilot", ["copilot", "--resume=X"]),
        ("droid", ["droid", "--resume", "X"]),
        ("qwen", ["qwen", "--resume", "X"]),
        ("goose", ["goose", "session", "--resume", "--session-id", "X"]),
        ("amp", ["amp", "threads", "continue", "X"]),
        ("hermes", ["hermes", "--resume", "X"]),
        ("kimi", ["kimi", "--session", "X"]),
        ("zerostack", None),
        ("generic", None),
        ("none", None),
    ],
)
def test_a_session_is_resumed_by_the_kind_s_command(kind: str, command: list[str] | None) -> None:
    assert resume_command(kind, "X", [kind]) == command


def test_channels_and_waiters_are_as_the_agents_allow() -> None:
    assert {kind.key for kind in KINDS.values() if kind.types} == {"codex"}
    assert {kind.key for kind in KINDS.values() if kind.waits} == {"claude", "codex", "qwen", "copilot"}
    assert {kind.key for kind in KINDS.values() if kind.draws} == {"claude"}


def test_none_is_no_agent_to_report_as() -> None:
    assert known("none") is None
    assert known("robot") is None
    assert known("generic") is KINDS["generic"]


@pytest.mark.parametrize("event", ["SubagentStart", "subagentStop", "subagent_stop", "subagent-start"])
def test_events_of_sub_agents_are_known_to_every_kind(event: str) -> None:
    assert {classify(kind, event, {}).outcome for kind in KINDS.values()} == {base.NOOP}


def test_a_kind_whose_hooks_nobody_reads_knows_no_event() -> None:
    assert classify(KINDS["generic"], "Stop", {}) == Facts(base.UNKNOWN)
    assert classify(KINDS["zerostack"], "Stop", {"agent_id": "a"}) == Facts(base.UNKNOWN, sub_agent=True)
