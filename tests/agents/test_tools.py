"""Begun tools and the asked one, by themselves and in what hooks do to a pane."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.agents import tools
from signaltty_core.agents.base import Tool
from tests.fake import Stage, native

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def note(name: str | None = None, input: dict[str, Any] | None = None, id: str | None = None) -> dict[str, Any]:
    return tools.note_of(Tool(name, input, id), "s1")


def test_a_note_holds_what_is_known_and_digests_of_the_input() -> None:
    assert note("Write", {"path": "/a", "text": "x" * 500}, "t1") == {
        "tool_use_id": "t1",
        "tool_name": "Write",
        "tool_input": {"path": "'/a'", "text": f"500:{crc32(b'x' * 500):08x}"},
        "session_id": "s1",
    }


def test_32_begun_tools_are_kept_and_a_repeated_one_once() -> None:
    begun: list[dict[str, Any]] = []
    for number in range(40):
        begun = tools.begin(begun, note("A", None, f"t{number}"))
    begun = tools.begin(begun, note("A", None, "t39"))
    assert [each["tool_use_id"] for each in begun] == [f"t{number}" for number in range(8, 40)]


def test_a_tool_ends_by_id_else_by_name_and_input() -> None:
    first, second, third = note("A", {"x": 1}, "t1"), note("A", {"x": 2}, "t2"), note("A", {"x": 2}, "t3")
    begun = [first, second, third]
    assert tools.end(begun, note("B", None, "t2")) == [first, third]
    assert tools.end(begun, note("A", {"x": 2})) == [first, third]
    assert tools.end(begun, note("C")) == begun
    assert tools.end(begun, note("A", {"x": 2}, "t9")) == begun


def test_a_request_without_id_takes_that_of_the_newest_begun_tool_that_fits() -> None:
    begun = [note("A", {"x": 1}, "t1"), note("A", {"x": 1}, "t2"), note("A", {"x": 2}, "t3"), note("B", None, "t4")]
    assert tools.asked(note("A", {"x": 1}), begun, None)["tool_use_id"] == "t2"
    assert "tool_use_id" not in tools.asked(note("C"), begun, None)
    assert tools.asked(note("A", {"x": 1}, "t8"), begun, None)["tool_use_id"] == "t8"


def test_a_tool_of_another_session_lends_no_id() -> None:
    other = tools.note_of(Tool("A", None, "t1"), "s2")
    assert "tool_use_id" not in tools.asked(note("A"), [other], None)


def test_a_request_without_tool_is_about_the_last_begun_one() -> None:
    begun = [note("A", None, "t1"), note("B", None, "t2")]
    assert tools.asked({}, begun, None) == begun[1]
    assert tools.asked({}, [], None) == {}


def test_a_repeated_request_erases_nothing_known() -> None:
    standing, begun = note("A", {"x": 1}, "t1"), [note("B", None, "t2")]
    assert tools.asked({}, begun, standing) == standing
    assert tools.asked(note("A"), begun, standing) == standing
    assert tools.asked(note("A", {"x": 1, "y": 2}), begun, standing) == note("A", {"x": 1, "y": 2}, "t1")


def test_a_request_about_another_tool_replaces_the_standing_one() -> None:
    assert tools.asked(note("B"), [], note("A", None, "t1")) == note("B")


def test_an_unknown_request_is_ended_by_any_tool() -> None:
    assert tools.ends_asked(None, [note("A")])
    assert tools.ends_asked({}, [note("A")])
    assert tools.ends_asked({"session_id": "s1"}, [])


def test_a_known_request_is_ended_by_its_own_tool() -> None:
    record = note("A", {"x": 1}, "t1")
    assert tools.ends_asked(record, [note("B"), note("Z", None, "t1")])
    assert tools.ends_asked(record, [note("A", {"x": 1, "y": 2})])
    assert tools.ends_asked(record, [note("A")])
    assert not tools.ends_asked(record, [note("A", {"x": 1}, "t2")])
    assert not tools.ends_asked(record, [note("A", {"x": 2})])
    assert not tools.ends_asked(record, [])


@given(JSON)
def test_a_digest_does_not_depend_on_the_order_of_keys(value: Any) -> None:
    def turned(each: Any) -> Any:
        if isinstance(each, dict):
            return {key: turned(each[key]) for key in reversed(list(each))}
        return [turned(one) for one in each] if isinstance(each, list) else each

    assert note("A", {"v": value}) == note("A", {"v": turned(value)})


@given(JSON, JSON)
def test_digests_differ_where_values_do(one: Any, other: Any) -> None:
    left, right = note("A", {"v": [one]}), note("A", {"v": [other]})
    assert (left == right) is (repr(one) == repr(other) or _same(one, other))


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def test_the_tool_that_was_asked_about_releases_the_pane() -> None:
    """Edge case 91."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PreToolUse", native(tool_use_id="t1"))
    stage.hook(pane, "PermissionRequest", native())
    decision = stage.world.panes[pane]["pending_decision"]["id"]
    since = len(stage.events)
    stage.hook(pane, "PostToolUse", native(tool_use_id="t1"))
    assert stage.state(pane) == ("working", "none")
    assert [(event, payload.get("reason")) for _, event, payload in stage.events[since:]] == [
        ("agent.working", None),
        ("attention.cleared", "hook"),
        ("decision.cleared", "moved_on"),
    ]
    assert stage.events[-1][2]["decision_id"] == decision


def test_a_parallel_tool_s_end_leaves_the_request_alone() -> None:
    """Edge case 92."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PreToolUse", native(tool_use_id="t1"))
    stage.hook(pane, "PermissionRequest", native())
    stage.hook(pane, "PostToolUse", native(tool_use_id="t2"))
    assert stage.state(pane) == ("blocked", "permission_required")
    assert "pending_decision" in stage.world.panes[pane]


def test_an_input_with_more_keys_still_agrees() -> None:
    """Edge case 93, read by the adapter at hand."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native(tool_input={"command": "touch x", "description": "make a file"}))
    stage.hook(pane, "PostToolUse", native(tool_use_id="t9"))
    assert stage.state(pane) == ("working", "none")
    assert "asked" not in stage.world.instances[pane]


def test_an_input_that_differs_does_not_release() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native())
    stage.hook(pane, "PostToolUse", native(tool_input={"command": "touch y"}, tool_use_id="t9"))
    assert stage.state(pane) == ("blocked", "permission_required")


def test_a_late_begin_of_another_tool_leaves_the_request_alone() -> None:
    """Edge case 94."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "PermissionRequest", native())
    stage.hook(pane, "PreToolUse", native(tool_name="Read", tool_use_id="t2"))
    assert stage.state(pane) == ("blocked", "permission_required")


def test_a_question_raises_attention_once_and_its_tool_s_end_releases_it() -> None:
    """Edge case 104."""
    stage = Stage()
    pane = stage.pane()
    asking = {"session_id": "s1", "tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Red?"}]}}
    stage.hook(pane, "PreToolUse", {**asking, "tool_use_id": "t1"})
    stage.hook(pane, "PermissionRequest", asking)
    assert stage.state(pane) == ("blocked", "input_required")
    assert stage.world.panes[pane]["last_message"] == "Red?"
    told = stage.told()
    assert [name for name in told if name.startswith("attention.")] == ["attention.created"]
    assert told.count("notification.created") == 1
    assert "pending_decision" not in stage.world.panes[pane]
    stage.hook(pane, "PostToolUse", {**asking, "tool_use_id": "t1"})
    assert stage.state(pane) == ("working", "none")
