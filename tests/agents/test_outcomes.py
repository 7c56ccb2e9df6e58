"""The outcome tables: what each word does in each state of a pane."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents import base
from signaltty_core.agents.base import Facts
from signaltty_core.agents.outcomes import Change, decide, remap
from signaltty_core.agents.scene import Scene
from tests.fake import START, Stage, native

STATES = ("unknown", "idle", "working", "blocked", "done", "failed")
SINCE = "2027-01-15T08:00:00.000Z"
SINCE_S = 1_800_000_000.0


def scene(
    state: str, *, after_s: float = 60.0, pane: Any = None, ended: Any = (), same: bool = False, **instance: Any
) -> Scene:
    """A pane that has been in `state` for `after_s`."""
    record = {"lifecycle": state, "attention": "none", "lifecycle_since": SINCE, **(pane or {})}
    facts = {"turn_began": True, **instance}
    return Scene(record, facts, at=SINCE_S + after_s, name="Claude", same_session=same, ended=list(ended))


def moves(outcome: str, **more: Any) -> dict[str, str | None]:
    """Lifecycle per state; None is unchanged."""
    return {state: decide(Facts(outcome), scene(state, **more)).lifecycle for state in STATES}


def every(state: str | None, **other: str | None) -> dict[str, str | None]:
    return dict.fromkeys(STATES, state) | other


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (base.UNKNOWN, every(None)),
        (base.NOOP, every(None)),
        (base.NOTE, every(None)),
        (base.START, every("idle")),
        (base.PROMPT, every("working")),
        (base.TOOL_BEGIN, every("working", working=None, blocked=None)),
        (base.TOOL_END, every(None, unknown="working", idle="working", blocked="working")),
        (base.ASK_PERMISSION, every("blocked")),
        (base.ASK_INPUT, every("blocked")),
        (base.COMPACT_BEGIN, every("working", working=None, blocked=None)),
        (base.COMPACT_END, every(None)),
        (base.RESOLVED, every(None, blocked="working")),
        (base.DONE, every("done", failed=None)),
        (base.FAIL, every("failed")),
        (base.INTERRUPT, every(None, working="idle", blocked="idle", unknown="idle")),
        (base.END, every("done", done=None, failed=None)),
        (base.NUDGE, every(None, working="done", unknown="idle")),
        (base.LAPSE, every(None, working="done", unknown="idle", blocked="idle")),
        (base.BUSY, every("working", blocked=None)),
        (base.PAUSE, every("done", failed=None)),
        (base.SETTLE, every(None, working="done")),
        (base.OFFERED, every(None)),
        (base.LATE_START, every("idle")),
    ],
)
def test_each_outcome_moves_the_lifecycle_as_the_table_has_it(outcome: str, expected: dict[str, str | None]) -> None:
    assert moves(outcome) == expected


def test_every_word_has_its_row() -> None:
    words = [value for name, value in vars(base).items() if name.isupper() and isinstance(value, str)]
    assert len(words) == 23
    for word in words:
        assert isinstance(decide(Facts(word), scene("unknown")), Change)


def test_a_pause_is_no_end_while_a_question_stands() -> None:
    asking = scene("blocked", pane={"attention": "input_required"})
    assert decide(Facts(base.PAUSE), asking).lifecycle is None
    allowing = scene("blocked", pane={"attention": "permission_required"})
    assert decide(Facts(base.PAUSE), allowing).lifecycle == "done"


def test_a_silent_end_leaves_the_notification_to_the_hook_that_follows() -> None:
    first = decide(Facts(base.DONE, silent=True), scene("working"))
    assert (first.lifecycle, first.title, first.untold) == ("done", None, True)
    ended = {"turn_ended_at": SINCE_S, "end_untold": True}
    second = decide(Facts(base.DONE, title="over"), scene("done", after_s=0.1, **ended))
    assert (second.title, second.quiet) == ("over", False)
    third = decide(Facts(base.DONE, title="over"), scene("done", after_s=0.1, turn_ended_at=SINCE_S))
    assert third.quiet


def test_a_start_in_the_same_session_leaves_a_turn_alone() -> None:
    assert moves(base.START, same=True) == every("idle", working=None, blocked=None)


@pytest.mark.parametrize("source", ["osc7501", "screen"])
def test_a_start_told_with_the_first_prompt_leaves_the_turn_alone_that_was_seen_before(source: str) -> None:
    assert moves(base.LATE_START, decided_by=source) == every("idle", working=None)
    assert moves(base.LATE_START, decided_by="hook") == every("idle")
    assert moves(base.LATE_START, same=True) == every("idle", working=None, blocked=None)


@pytest.mark.parametrize(("after_s", "state"), [(0.0, None), (1.999, None), (2.0, "working")])
def test_a_tool_that_begins_needs_two_seconds_after_a_turn(after_s: float, state: str | None) -> None:
    for ended in ("done", "failed"):
        assert decide(Facts(base.TOOL_BEGIN), scene(ended, after_s=after_s, turn_ended_at=SINCE_S)).lifecycle == state
        assert decide(Facts(base.TOOL_BEGIN), scene(ended, after_s=after_s)).lifecycle == state


@pytest.mark.parametrize(("after_s", "state"), [(1.999, None), (2.0, "working")])
def test_a_tool_after_an_interrupt_is_judged_like_one_after_a_turn(after_s: float, state: str | None) -> None:
    interrupted = scene("idle", after_s=after_s, interrupted_since=SINCE, turn_ended_at=SINCE_S)
    assert decide(Facts(base.TOOL_BEGIN), interrupted).lifecycle == state
    assert decide(Facts(base.TOOL_END), interrupted).lifecycle is None


def test_a_turn_end_after_an_interrupt_says_nothing() -> None:
    change = decide(Facts(base.DONE, "bye"), scene("idle", interrupted_since=SINCE))
    assert (change.lifecycle, change.attention, change.message, change.title) == (None, None, None, None)


def test_an_interrupt_of_an_earlier_idleness_counts_no_more() -> None:
    assert decide(Facts(base.DONE), scene("idle", interrupted_since="2027-01-15T07:00:00.000Z")).lifecycle == "done"


@pytest.mark.parametrize("outcome", base.OF_THE_MAIN_AGENT)
def test_a_sub_agent_neither_begins_nor_ends_anything(outcome: str) -> None:
    for state in STATES:
        change = decide(Facts(outcome, "text", sub_agent=True), scene(state))
        assert (change.lifecycle, change.attention, change.message, change.title, change.ends_turn) == (None,) * 5


@pytest.mark.parametrize(
    ("outcome", "attention", "drops", "message", "title", "severity", "ends"),
    [
        (base.PROMPT, "none", "attention_cleared", None, None, "info", None),
        (base.START, None, None, "session started", None, "info", None),
        (
            base.ASK_PERMISSION,
            "permission_required",
            None,
            "permission requested",
            "Claude needs approval",
            "warning",
            None,
        ),
        (base.ASK_INPUT, "input_required", None, "input requested", "Claude needs input", "info", None),
        (base.DONE, "unread", None, "turn complete", "Claude turn complete", "info", "done"),
        (base.FAIL, "error", None, "turn failed", "Claude turn failed", "error", "failed"),
        (base.INTERRUPT, "none", "attention_cleared", "interrupted", None, "info", "interrupted"),
        (base.END, "unread", None, "session ended", None, "info", "done"),
        (base.NOTE, None, None, None, "", "info", None),
        (base.TOOL_BEGIN, None, None, None, None, "info", None),
        (base.RESOLVED, None, "moved_on", None, None, "info", None),
    ],
)
def test_each_outcome_brings_its_words(
    outcome: str,
    attention: str | None,
    drops: str | None,
    message: str | None,
    title: str | None,
    severity: str,
    ends: str | None,
) -> None:
    change = decide(Facts(outcome), scene("working"))
    found = (change.attention, change.drops, change.message, change.title, change.severity, change.ends_turn)
    assert found == (attention, drops, message, title, severity, ends)


@pytest.mark.parametrize(
    ("attention", "outcome", "quiet"),
    [
        ("permission_required", base.ASK_PERMISSION, True),
        ("error", base.ASK_PERMISSION, True),
        ("input_required", base.ASK_PERMISSION, False),
        ("permission_required", base.ASK_INPUT, True),
        ("input_required", base.ASK_INPUT, True),
        ("none", base.ASK_INPUT, False),
    ],
)
def test_a_repeated_request_is_quiet_at_the_same_level_or_a_higher_one(
    attention: str, outcome: str, quiet: bool
) -> None:
    blocked = scene("blocked", pane={"attention": attention})
    assert decide(Facts(outcome, repeats=True), blocked).quiet is quiet
    assert decide(Facts(outcome), blocked).quiet is False
    assert decide(Facts(outcome, repeats=True), scene("working", pane={"attention": attention})).quiet is False


def test_an_idle_prompt_that_says_nothing_else_asks_only_before_the_first_turn() -> None:
    bare = Facts(base.NUDGE, bare=True)
    for state, expected in (("unknown", "blocked"), ("idle", "blocked"), ("blocked", None), ("done", None)):
        assert decide(bare, scene(state, turn_began=False)).lifecycle == expected
    assert decide(bare, scene("idle", turn_began=True)).lifecycle is None
    assert decide(bare, scene("unknown", turn_began=True)).lifecycle == "idle"


def test_a_compaction_goes_back_to_what_was_remembered() -> None:
    change = decide(Facts(base.COMPACT_END), scene("working", before_compact="done"))
    assert (change.lifecycle, change.attention, change.ends_turn) == ("done", None, None)


def test_a_session_end_after_a_turn_still_ends_the_worker_s_turn() -> None:
    assert [decide(Facts(base.END), scene(state)).ends_turn for state in ("done", "failed")] == ["done", "failed"]


def test_only_a_tool_that_begins_two_seconds_later_starts_a_new_turn() -> None:
    """Edge case 95."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "Stop")
    for event, after_s in (("PostToolUse", 0.1), ("PreToolUse", 1.0), ("PreToolUse", 1.999), ("PostToolUse", 10.0)):
        stage.at = START + after_s
        stage.hook(pane, event, native())
        assert stage.state(pane) == ("done", "unread"), (event, after_s)
    stage.at = START + 2.0
    stage.hook(pane, "PreToolUse", native())
    assert stage.state(pane) == ("working", "unread")


def test_a_compaction_ends_no_turn_and_goes_back_to_what_was() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "SessionStart", {"session_id": "s1"})
    for event, expected in (
        ("PreCompact", "working"),
        ("PreCompact", "working"),
        ("SubagentStop", "working"),
        ("PostCompact", "idle"),
    ):
        stage.hook(pane, event, {"session_id": "s1"})
        assert stage.state(pane) == (expected, "none"), event
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    for event in ("PreCompact", "SessionStart", "PostCompact"):
        stage.hook(pane, event, {"session_id": "s1", "source": "compact"})
        assert stage.state(pane) == ("working", "none"), event


def test_a_turn_end_during_compaction_is_not_undone() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit")
    stage.hook(pane, "PreCompact")
    stage.hook(pane, "Stop")
    stage.hook(pane, "PostCompact")
    assert stage.state(pane) == ("done", "unread")


def test_an_idle_prompt_ends_a_turn_whose_end_was_lost() -> None:
    """Edge case 99, second half."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    stage.hook(pane, "Notification", {"session_id": "s1", "notification_type": "idle_prompt", "message": "waiting"})
    assert stage.state(pane) == ("done", "unread")
    assert "last_message" not in stage.world.panes[pane]


def test_an_idle_prompt_after_the_turn_says_nothing_new() -> None:
    """Edge case 99."""
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    stage.hook(pane, "Stop", {"session_id": "s1"})
    since = len(stage.events)
    stage.at += 60
    stage.hook(pane, "Notification", {"session_id": "s1", "notification_type": "idle_prompt", "message": "waiting"})
    assert (stage.state(pane), stage.told(since)) == (("done", "unread"), [])


def test_an_elicitation_asks_and_its_result_releases() -> None:
    stage = Stage()
    pane = stage.pane()
    stage.hook(pane, "Elicitation", {"message": "Which region?"})
    assert (*stage.state(pane), stage.world.panes[pane]["last_message"]) == (
        "blocked",
        "input_required",
        "Which region?",
    )
    stage.hook(pane, "ElicitationResult", {})
    assert stage.state(pane) == ("working", "none")


def test_a_nudge_with_more_to_say_is_no_question() -> None:
    assert decide(Facts(base.NUDGE), scene("idle", turn_began=False)).lifecycle is None


@pytest.mark.parametrize(
    ("outcome", "lifecycle", "ends_turn"),
    [(base.DONE, "working", None), (base.TOOL_BEGIN, "done", "done"), (base.NOOP, "failed", "failed")],
)
def test_a_lifecycle_set_by_a_manifest_says_whether_the_turn_ends(
    outcome: str, lifecycle: str, ends_turn: str | None
) -> None:
    change = remap(decide(Facts(outcome), scene("working")), {"lifecycle": lifecycle})
    assert (change.lifecycle, change.ends_turn) == (lifecycle, ends_turn)


def test_a_repeated_request_without_words_leaves_the_line_of_the_first() -> None:
    blocked = scene("blocked", pane={"attention": "input_required"})
    assert decide(Facts(base.ASK_INPUT, repeats=True), blocked).message is None
    assert decide(Facts(base.ASK_INPUT, repeats=True), scene("working")).message == "input requested"
