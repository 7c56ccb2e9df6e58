"""Session ids and which payload fields hold them. Limits and resume commands: tests/methods/reports/test_session.py."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.sessions import check_resume, is_session_id, record, resume_command, session_id_of
from signaltty_core.agents.table import KINDS
from signaltty_core.base.errors import BadParams
from tests.fake import Stage


@pytest.mark.parametrize("value", ["a", "x" * 512, "a b", "é", "a-", "…/x.jsonl"])
def test_plain_texts_are_session_ids(value: str) -> None:
    assert is_session_id(value)


@pytest.mark.parametrize("value", ["", "-a", "x" * 513, "a\0", "a\x1b", "a\x7f", "a\x85", "\udcff", None, 7, ["a"]])
def test_anything_else_counts_as_absent(value: object) -> None:
    assert not is_session_id(value)


@pytest.mark.parametrize(
    ("kind", "payload", "found"),
    [
        ("claude", {"session_id": "a", "sessionId": "b"}, "a"),
        ("claude", {"sessionId": "b"}, None),
        ("pi", {"session_id": "", "sessionId": "-", "session_file": "c", "sessionFile": "d"}, "c"),
        ("amp", {"session_id": "a", "thread_id": "T-1"}, "T-1"),
        ("zerostack", {"session_id": "a"}, None),
    ],
)
def test_the_first_field_of_the_kind_with_a_valid_id_wins(
    kind: str, payload: dict[str, Any], found: str | None
) -> None:
    assert session_id_of(KINDS[kind], payload) == found


def test_the_same_session_again_changes_nothing() -> None:
    stage = Stage()
    pane = stage.pane()
    assert stage.change(record, pane, "claude", "s1") is True
    assert stage.change(record, pane, "claude", "s1") is False


def test_model_and_kept_environment_stay() -> None:
    stage = Stage()
    pane = stage.pane(agent={"kind": "claude", "model": "m", "config_env": {"CLAUDE_CONFIG_DIR": "/c"}})
    stage.change(record, pane, "claude", "s1")
    assert stage.world.panes[pane]["agent"] == {
        "kind": "claude",
        "model": "m",
        "config_env": {"CLAUDE_CONFIG_DIR": "/c"},
        "agent_session_id": "s1",
        "resume_argv": ["claude", "--resume", "s1"],
    }


def test_a_program_by_a_relative_path_is_resumed_by_its_bare_name() -> None:
    assert resume_command("claude", "s1", ["bin/claude"]) == ["claude", "--resume", "s1"]
    assert resume_command("claude", "s1", ["/opt/claude"]) == ["/opt/claude", "--resume", "s1"]
    assert resume_command("claude", "s1", ["/opt/wrapper"]) == ["claude", "--resume", "s1"]


def test_a_command_may_have_8192_bytes_and_no_byte_more() -> None:
    most = ["tool", "é" * 4094]
    assert check_resume(most) == most
    with pytest.raises(BadParams, match="8193 bytes"):
        check_resume([*most, "x"])


@pytest.mark.parametrize(("kind", "state"), [("generic", "RESTORED"), ("claude", "RESUMABLE")])
def test_a_session_makes_a_restored_pane_resumable_where_its_kind_can_resume(kind: str, state: str) -> None:
    stage = Stage()
    pane = stage.pane(kind, restore_state="RESUMABLE" if kind == "generic" else "RESTORED")
    stage.change(record, pane, kind, "s1")
    assert stage.world.panes[pane]["restore_state"] == state
