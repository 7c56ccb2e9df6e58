"""Field readers adapters share: spellings, asking tools, questions, approval texts."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.base import Tool, approval_text, batch_of, fold, is_asking, question_of, text, tool_of


def test_folding_leaves_letters_and_digits() -> None:
    assert {fold(name) for name in ("SubagentStop", "subagent_stop", "subagent-stop", "subagent.Stop")} == {
        "subagentstop"
    }


def test_the_first_field_that_says_something_wins() -> None:
    assert text({"a": " ", "b": 7, "c": "x", "d": "y"}, "a", "b", "c", "d") == "x"
    assert text({"a": ""}, "a", "z") is None


@pytest.mark.parametrize(
    ("payload", "tool"),
    [
        ({"tool_name": "Bash", "tool_input": {"a": 1}, "tool_use_id": "t"}, Tool("Bash", {"a": 1}, "t")),
        ({"toolName": "bash", "toolInput": {"a": 1}, "toolUseId": "t"}, Tool("bash", {"a": 1}, "t")),
        ({"toolName": "bash", "toolArgs": '{"a":1}', "callID": "t"}, Tool("bash", {"a": 1}, "t")),
        ({"tool_name": "A", "toolName": "B"}, Tool("A")),
        ({"toolArgs": "{not json"}, Tool()),
        ({"toolArgs": "[1]"}, Tool()),
        ({"tool_input": "ls", "toolInput": {"b": 2}}, Tool(None, {"b": 2})),
        ({}, Tool()),
    ],
)
def test_a_tool_is_read_in_either_spelling(payload: dict[str, Any], tool: Tool) -> None:
    assert tool_of(payload) == tool
    assert bool(tool) is (tool != Tool())


def test_a_batch_holds_its_tools() -> None:
    assert batch_of({"tool_calls": [{"tool_name": "A"}, "x", {"toolName": "B"}]}) == (Tool("A"), Tool("B"))
    assert batch_of({"tool_calls": "x"}) == ()


@pytest.mark.parametrize("name", ["AskUserQuestion", "ask_user", "askQuestion", "request_user_input", "clarify"])
def test_asking_tools_are_known_by_how_their_names_begin(name: str) -> None:
    assert is_asking(Tool(name))


@pytest.mark.parametrize("name", ["Bash", "task", "reask_user", None])
def test_other_tools_ask_nobody(name: str | None) -> None:
    assert not is_asking(Tool(name))


@pytest.mark.parametrize(
    ("given", "payload", "question"),
    [
        (
            {"questions": [{"question": "Red?", "options": [{"label": "Yes"}, {"label": "No"}]}]},
            {},
            "Red?\n- Yes\n- No",
        ),
        ({"question": "Red?", "choices": ["Yes", 7, ""]}, {}, "Red?\n- Yes"),
        ({"prompt": "Red?"}, {}, "Red?"),
        ({"title": "Red?"}, {"message": "other"}, "Red?"),
        ({"questions": []}, {"message": "Red?"}, "Red?"),
        ({"questions": ["x"], "options": "x"}, {"message": "Red?"}, "Red?"),
        ({}, {}, None),
    ],
)
def test_a_question_stands_with_its_options(given: dict[str, Any], payload: dict[str, Any], question: str) -> None:
    assert question_of(Tool("ask_user", given), payload) == question


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (Tool("Bash", {"command": " make\nmake test"}), "Allow Bash: make"),
        (Tool("Write", {"file_path": "/a", "path": "/b"}), "Allow Write: /a"),
        (Tool("Fetch", {"url": "http://x"}), "Allow Fetch: http://x"),
        (Tool("Bash", {"command": "x" * 300}), "Allow Bash: " + "x" * 200),
        (Tool("Plan", {"command": 7}), "Allow Plan?"),
        (Tool("Plan"), "Allow Plan?"),
        (Tool(None, {"command": "ls"}), None),
    ],
)
def test_an_approval_names_tool_and_detail(tool: Tool, said: str | None) -> None:
    assert approval_text(tool) == said


def test_what_a_terminal_would_hide_of_a_command_shows_in_the_question() -> None:
    assert approval_text(Tool("Bash", {"command": "echo \x1b[8mrm -rf /\u202e"})) == (
        "Allow Bash: echo \\u001b[8mrm -rf /\\u202e"
    )
