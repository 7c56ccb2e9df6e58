"""Status signals on a pane: what a line does, the laws of status-signals §9, and the end of a sender."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.state import attention, hearing, sources, speech, status_line
from signaltty_core.status import signals
from tests.fake import START, Stage

FIRST = ("start", "stop", "git-conflict")
SECOND = ("blocked:permission", "state:working")
WORD = st.sampled_from([*FIRST, *SECOND])
SENDER = {"pid": 42, "start_time": 7}


def say(stage: Stage, pane: str, *words: str, sender: dict[str, int] | None = None) -> None:
    for word in words:
        stage.change(status_line.apply, pane, word, sender)


def played(*words: str) -> tuple[Stage, str]:
    stage = Stage()
    pane = stage.pane("zerostack")
    say(stage, pane, *words)
    return stage, pane


def fields(stage: Stage, pane: str) -> tuple[str, str]:
    found = stage.world.instances[pane].get("signals", status_line.SILENT)
    return found["run"], found["state"]


def test_a_permission_is_asked_and_released() -> None:
    stage, pane = played("start", "blocked:permission")
    assert stage.state(pane) == ("blocked", "permission_required")
    assert stage.world.panes[pane]["last_message"] == "waiting for a permission decision"
    say(stage, pane, "state:working")
    assert (stage.state(pane), fields(stage, pane)) == (("working", "none"), ("active", "working"))
    cleared = [payload for _, event, payload in stage.events if event == "attention.cleared"]
    assert cleared == [{"pane_id": pane, "reason": "status"}]


def test_a_conflict_stays_until_a_run_begins_or_ends() -> None:
    stage, pane = played("start", "git-conflict", "state:working")
    assert stage.state(pane) == ("blocked", "input_required")
    assert stage.world.panes[pane]["last_message"] == "waiting at a merge conflict"
    say(stage, pane, "start")
    assert stage.state(pane) == ("working", "none")


def test_an_error_is_cleared_by_no_line() -> None:
    stage = Stage()
    pane = stage.pane("zerostack")
    stage.change(attention.raise_to, pane, "error")
    say(stage, pane, "start", "blocked:permission", "state:working", "stop")
    assert stage.state(pane) == ("done", "error")


def test_a_pending_decision_keeps_its_attention() -> None:
    stage = Stage()
    pane = stage.pane("zerostack", pending_decision={"id": "d", "answerable": False}, attention="permission_required")
    say(stage, pane, "start", "blocked:permission", "state:working", "stop")
    assert stage.state(pane) == ("done", "permission_required")


def test_a_stop_parks_the_workers_task() -> None:
    stage = Stage()
    pane = stage.pane("zerostack")
    task = stage.task(pane, agent="zerostack")
    say(stage, pane, "start", "stop")
    assert stage.world.tasks[task]["status_reason"]["reason"] == "turn_ended_without_report"


def test_under_a_hook_the_fields_move_and_nothing_else() -> None:
    stage = Stage()
    pane = stage.pane("claude")
    stage.hook(pane, "UserPromptSubmit", {"session_id": "s"})
    before = stage.told()
    say(stage, pane, "start", "blocked:permission")
    assert (stage.state(pane), fields(stage, pane), stage.told()) == (
        ("working", "none"),
        ("active", "blocked"),
        before,
    )
    entry = [one for one in sources.listed(stage.world.instances[pane]) if one["source"] == "zerostack"]
    assert entry == [
        {
            "source": "zerostack",
            "value": "active/blocked",
            "at": "2027-01-15T08:00:00.000Z",
            "decides": False,
            "holds": False,
            "applied": False,
        }
    ]
    stage.hook(pane, "SessionEnd", {"session_id": "s"})
    say(stage, pane, "state:working")
    assert stage.state(pane)[0] == "working"


def test_a_watched_sender_holds_the_pane_after_its_run() -> None:
    stage = Stage()
    pane = stage.pane("zerostack")
    say(stage, pane, "start", sender=SENDER)
    stage.change(status_line.watch, pane)
    say(stage, pane, "stop", sender=SENDER)
    assert sources.is_held(stage.world.instances[pane], 3)
    stage.change(status_line.lose_sender, pane)
    assert not sources.is_held(stage.world.instances[pane], 3)
    assert (stage.state(pane), fields(stage, pane)) == (("done", "unread"), ("none", "none"))


def test_an_unwatched_sender_holds_it_while_it_owes_a_word() -> None:
    stage, pane = played()
    held = []
    for word in ("start", "blocked:permission", "state:working", "stop", "blocked:permission", "state:working"):
        say(stage, pane, word)
        held.append(sources.is_held(stage.world.instances[pane], 3))
    assert held == [True, True, True, False, True, False]


@pytest.mark.parametrize("words", [["start"], ["start", "blocked:permission"], ["git-conflict"]])
def test_a_watched_sender_that_dies_leaves_an_idle_pane(words: list[str]) -> None:
    stage = Stage()
    pane = stage.pane("generic")
    say(stage, pane, *words, sender=SENDER)
    stage.change(status_line.watch, pane)
    stage.change(status_line.lose_sender, pane)
    assert (stage.state(pane), fields(stage, pane)) == (("idle", "none"), ("none", "none"))


def test_another_sender_is_not_watched_yet() -> None:
    stage = Stage()
    pane = stage.pane("generic")
    say(stage, pane, "start", sender=SENDER)
    stage.change(status_line.watch, pane)
    say(stage, pane, "start", sender=SENDER)
    assert stage.world.instances[pane]["signals"]["watched"] is True
    say(stage, pane, "start", sender={"pid": 43, "start_time": 7})
    assert "watched" not in stage.world.instances[pane]["signals"]


def test_a_line_without_a_living_child_is_counted_alone() -> None:
    stage, pane = played("start")
    stage.change(speech.end_child, pane, 0, None)
    assert status_line.hear(stage.world, pane) is False
    assert (hearing.of(stage.world, pane).lines.ignored, fields(stage, pane)) == (1, ("none", "none"))


def test_the_record_shows_the_fields_once_there_are_some() -> None:
    stage = Stage()
    pane = stage.pane("zerostack")
    assert "status_signals" not in stage.ask("pane.get", pane_id=pane)["pane"]
    stage.at = START + 5
    say(stage, pane, "start", sender=SENDER)
    shown = stage.ask("pane.get", pane_id=pane)["pane"]["status_signals"]
    assert shown == {"run": "active", "state": "none", "at": "2027-01-15T08:00:05.000Z"}


@given(st.lists(WORD, max_size=12))
def test_the_run_is_what_the_first_words_alone_make_it(words: list[str]) -> None:
    stage, pane = played(*words)
    filtered, other = played(*(word for word in words if word in FIRST))
    assert fields(stage, pane)[0] == fields(filtered, other)[0]


@given(st.lists(WORD, max_size=8), st.lists(st.sampled_from(SECOND), max_size=6))
def test_an_ended_run_is_reopened_by_a_start_alone(words: list[str], late: list[str]) -> None:
    stage, pane = played(*words, "stop", *late)
    assert stage.state(pane)[0] in ("done", "blocked")


@given(st.lists(WORD, min_size=1, max_size=8))
def test_a_word_said_twice_changes_nothing(words: list[str]) -> None:
    stage, pane = played(*words)
    before: Any = fields(stage, pane), stage.state(pane)[0]
    say(stage, pane, words[-1])
    assert (fields(stage, pane), stage.state(pane)[0]) == before


@given(
    st.lists(
        st.sampled_from([["start"], ["stop"], ["git-conflict"], ["blocked:permission", "state:working"]]), max_size=8
    )
)
def test_released_waits_leave_no_trace_behind_the_first_words(groups: list[list[str]]) -> None:
    stage, pane = played()
    filtered, other = played()
    for group in groups:
        say(stage, pane, *group)
        if group[0] in FIRST:
            say(filtered, other, *group)
            assert stage.state(pane)[0] == filtered.state(other)[0]


@given(st.lists(WORD, max_size=6), st.lists(WORD, max_size=6))
def test_a_new_process_starts_anew(first: list[str], second: list[str]) -> None:
    stage, pane = played(*first)
    stage.change(speech.end_child, pane, 0, None)
    assert fields(stage, pane) == ("none", "none")
    say_again, other = played(*second)
    run, state = "none", "none"
    for word in second:
        run, state = signals.move(run, state, word)
    assert fields(say_again, other) == (run, state)
