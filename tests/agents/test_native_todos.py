"""The counter that a todo tool implies."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents import native, native_events

Record = dict[str, Any]


@pytest.mark.parametrize(
    ("given", "progress", "empties"),
    [
        ({"todos": [{"status": "done"}, {"status": "x"}]}, {"done": 1, "total": 2}, False),
        ({"todos": "- [x] a\n- [ ] b\n[in_progress] c\nwords"}, {"done": 1, "total": 3}, False),
        ({"todos": "[x] write [ ] and [pending] in the manual"}, {"done": 1, "total": 1}, False),
        ({"todos": "nothing marked"}, None, False),
        ({"todos": []}, None, True),
        ({"todos": [{"status": "done"}], "merge": True}, None, False),
        ({"todos": 3}, None, False),
        ({}, None, False),
    ],
)
def test_todos_count(given: Record, progress: Record | None, empties: bool) -> None:
    for word in ("PreToolUse", "PostToolUse"):
        read = native.read("claude", word, {"tool_name": "TodoWrite", "tool_input": given}, None)
        (event,) = native_events.events(read, None)
        assert (event.progress, event.empties_progress) == (progress, empties)


def test_other_tools_count_nothing() -> None:
    read = native.read("claude", "PreToolUse", {"tool_name": "Todos", "tool_input": {"todos": []}}, None)
    (event,) = native_events.events(read, None)
    assert (event.progress, event.empties_progress) == (None, False)
