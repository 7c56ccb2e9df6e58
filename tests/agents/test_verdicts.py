"""Native permission requests and what their agents read as the answer."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.table import KINDS
from signaltty_core.agents.verdicts import generated, is_native, verdict

VALID = {"session_id": "s", "tool_name": "Bash", "tool_input": {}}


def test_only_a_complete_request_of_an_agent_that_waits_is_native() -> None:
    assert is_native(KINDS["claude"], "PermissionRequest", VALID)
    assert not is_native(KINDS["cursor"], "PermissionRequest", VALID)
    assert not is_native(KINDS["claude"], "PreToolUse", VALID)


@pytest.mark.parametrize("fault", [{"session_id": " "}, {"tool_name": ""}, {"tool_name": None}, {"tool_input": []}])
def test_an_incomplete_request_is_not_native(fault: dict[str, Any]) -> None:
    assert not is_native(KINDS["claude"], "PermissionRequest", {**VALID, **fault})


def test_copilot_reads_a_verdict_of_its_own_form() -> None:
    assert verdict("copilot", "once") == {"behavior": "allow"}
    assert verdict("copilot", "deny") == {"behavior": "deny", "message": "Denied in signaltty"}


def test_anything_but_allow_is_a_denial() -> None:
    assert verdict("claude", "odd")["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def test_a_long_question_is_cut() -> None:
    payload = {**VALID, "tool_input": {"content": "x" * 20_000}}
    assert len(generated("permission_1", payload, answerable=True, at=0.0)["prompt"]) == 8192
