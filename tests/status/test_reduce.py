"""The reducer: sessions found, made, renamed, removed; late events; processes; and that any story keeps its shape."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from signaltty_core.status import reduce, sessions, windows
from signaltty_core.status.envelope import EVENTS, Event
from signaltty_core.wire.codec import decode, encode

Record = dict[str, Any]
PANE = "pane_1"
SYNTHETIC = "synthetic_pane_1"


class Table:
    """A process table; stamps: pid -> start stamp of what runs."""

    def __init__(self) -> None:
        self.stamps: dict[int, int] = {7: 1, 8: 1}
        self.processes = reduce.Processes(self.stamps.get, lambda pid, stamp: self.stamps.get(pid) == stamp)


class Story:
    """One pane's record, moved on by events and time."""

    def __init__(self) -> None:
        self.record: Record | None = None
        self.table = Table()
        self.now = 100.0
        self.arrivals = 0

    def say(self, effect: str, id: str | None = None, name: str | None = None, **more: Any) -> reduce.Outcome:
        event = Event(effect, id, name)
        for field, value in more.items():
            setattr(event, field, value)
        self.arrivals += 1
        before = deepcopy(self.record)
        outcome = reduce.accept(
            self.record,
            event,
            pane_id=PANE,
            arrival=self.arrivals,
            now=self.now,
            at=5000.0 + self.now,
            processes=self.table.processes,
        )
        assert self.record == before, "the record given was changed"
        self.record = decode(encode(outcome.record))
        assert self.record == outcome.record
        return outcome

    def wait(self, seconds: float) -> reduce.Outcome:
        self.now += seconds
        before = deepcopy(self.record)
        assert self.record is not None
        outcome = reduce.tick(self.record, now=self.now, at=5000.0 + self.now, processes=self.table.processes)
        assert self.record == before
        self.record = outcome.record
        return outcome

    def ids(self) -> list[str]:
        assert self.record is not None
        return sorted(self.record["sessions"])

    def session(self, id: str) -> Record:
        assert self.record is not None
        found: Record = self.record["sessions"][id]
        return found

    def shown(self) -> str | None:
        assert self.record is not None
        found = sessions.displayed(self.record, self.now)
        return found["id"] if found is not None else None


def test_a_synthetic_session_gets_its_real_id_and_keeps_what_it_learned() -> None:
    story = Story()
    story.say("agent.running", name="Codex", cwd="/w", progress={"done": 1, "total": 2})
    story.say("task.progress", "s", progress={"done": 2, "total": 2})
    assert story.ids() == ["s"]
    session = story.session("s")
    kept = (session["id"], session["phase"], session["name"], session["working_directory"], session["progress"])
    assert kept == ("s", "running", "Codex", "/w", {"done": 2, "total": 2})


def test_a_child_or_another_name_leaves_the_synthetic_session_alone() -> None:
    story = Story()
    story.say("agent.running", name="Codex")
    story.say("agent.running", "a", parent_id="p")
    story.say("agent.running", "b", "Gemini")
    assert story.ids() == ["a", "b", SYNTHETIC]


def test_an_event_without_id_takes_the_first_session_of_its_name_or_without_one() -> None:
    story = Story()
    story.say("agent.running", "a", "one")
    story.say("agent.running", "b", "two")
    assert story.say("agent.idle", name="one").id == "a"
    assert story.say("agent.idle").id == "b"
    assert story.say("agent.running", name="three").id == SYNTHETIC
    assert story.say("session.end", name="four").reason == "no_session"


def test_a_late_event_only_fills_blanks() -> None:
    story = Story()
    story.say("agent.running", "s", sent_ms=200.0, text="go")
    late = story.say("session.start", "s", "Codex", sent_ms=100.0, pid=7, cwd="/w", parent_id="p")
    assert (late.reason, late.id) == ("superseded", "s")
    session = story.session("s")
    assert (session["phase"], session["text"], session["name"], session["pid"], session["pid_start"]) == (
        *("running", "go", "Codex", 7, 1),
    )
    assert story.say("session.start", "s", "Gemini", sent_ms=150.0, pid=8).reason == "superseded"
    assert (story.session("s")["name"], story.session("s")["pid"]) == ("Codex", 7)


def test_a_removed_session_is_remembered_for_a_minute() -> None:
    story = Story()
    story.say("agent.running", "s", sent_ms=200.0)
    story.say("session.end", "s", sent_ms=300.0)
    assert story.say("agent.running", "s", sent_ms=250.0).reason == "superseded"
    assert story.say("agent.running", sent_ms=250.0).reason == "superseded"
    assert story.say("agent.running", "other", sent_ms=250.0).reason is None
    story.say("session.end", "other")
    story.now += 60.0
    assert story.say("agent.running", "s", sent_ms=250.0).reason is None


def test_a_late_word_of_a_removed_session_does_not_take_the_synthetic_one() -> None:
    story = Story()
    story.say("agent.running", "s", sent_ms=200.0)
    story.say("session.end", "s", sent_ms=300.0)
    story.say("agent.needs-input", kind="approval")
    late = story.say("agent.running", "s", "Codex", sent_ms=250.0)
    assert (late.reason, late.id) == ("superseded", None)
    assert list(story.record["sessions"]) == [SYNTHETIC]
    assert (story.session(SYNTHETIC)["phase"], "name" in story.session(SYNTHETIC)) == ("needs-input", False)
    assert story.say("agent.running", "s", sent_ms=350.0).id == "s"
    assert list(story.record["sessions"]) == ["s"]


def test_a_reused_pid_and_one_that_was_dead_when_learned_are_dead() -> None:
    story = Story()
    story.say("agent.running", "s", pid=7)
    story.say("agent.running", "gone", pid=999)
    story.table.stamps[7] = 2
    outcome = story.wait(2.0)
    assert outcome.entered == {"s", "gone"}
    assert {id: story.session(id)["phase"] for id in story.ids()} == {"s": "unresolved-stop", "gone": "unresolved-stop"}
    assert "pid" not in story.session("s")


def test_a_process_that_dies_in_the_grace_failed_and_one_that_dies_later_leaves_quietly() -> None:
    for pause, ids in ((1.0, ["s"]), (2.0, [])):
        story = Story()
        story.say("agent.running", "s", pid=7)
        story.say("agent.idle", "s", stop=True)
        story.wait(pause)
        del story.table.stamps[7]
        story.wait(2.0)
        assert story.ids() == ids


def test_windows_hold_while_less_time_has_passed() -> None:
    story = Story()
    story.say("agent.running", "s")
    story.say("agent.idle", "s")
    story.wait(119.9)
    assert story.shown() == "s"
    story.wait(0.1)
    assert (story.shown(), story.ids()) == (None, ["s"])
    assert story.wait(1680.0).stale == ["s"]
    assert story.ids() == []


def test_a_question_waits_for_ever_and_a_failure_ten_minutes() -> None:
    story = Story()
    story.say("agent.needs-input", "q", kind="question")
    story.say("agent.running", "f", pid=7)
    del story.table.stamps[7]
    story.wait(2.0)
    story.wait(599.9)
    assert story.ids() == ["f", "q"]
    story.wait(0.1)
    assert story.ids() == ["q"]
    story.wait(1e6)
    assert story.ids() == ["q"]
    assert windows.due(story.record or {}, story.now) is None


def test_a_second_start_keeps_only_a_process_that_lives() -> None:
    story = Story()
    story.say("session.start", "s", pid=7)
    story.say("session.start", "s")
    assert story.session("s")["pid"] == 7
    del story.table.stamps[7]
    story.say("session.start", "s")
    assert "pid" not in story.session("s")


def test_the_sixty_fifth_session_pushes_out_the_last_ranked_longest_untouched() -> None:
    story = Story()
    story.say("session.start", "old")
    for number in range(63):
        story.say("agent.running", f"s{number}")
    story.say("session.start", "new")
    assert len(story.ids()) == 64
    assert "old" not in story.ids()
    story.say("agent.idle", "newest")
    assert "new" not in story.ids()


def test_compaction_returns_to_where_it_began() -> None:
    for before, after in (("agent.idle", "idle"), ("session.start", "starting"), ("agent.needs-input", "running")):
        story = Story()
        story.say(before, "s")
        story.say("agent.compacting", "s")
        assert (story.session("s")["phase"], story.session("s")["text"]) == ("running", "Compacting")
        story.say("task.progress", "s")
        story.say("agent.compacted", "s")
        assert (story.session("s")["phase"], "text" in story.session("s")) == (after, False)


STEPS = st.lists(
    st.tuples(
        st.sampled_from([*sorted(EVENTS), "tick", "prompt", "death"]),
        st.sampled_from([None, "a", "b"]),
        st.sampled_from([None, "Codex", "x"]),
        st.sampled_from([None, "a", "p"]),
        st.sampled_from([None, 7, 8, 999]),
        st.sampled_from([None, 1.0, 2.0, 3.0]),
        st.booleans(),
        st.sampled_from(["approval", "question", "generic-input"]),
    ),
    max_size=25,
)


@settings(max_examples=150)
@given(STEPS)
def test_any_story_keeps_the_shape_of_the_record(steps: list[Any]) -> None:
    story = Story()
    for effect, id, name, parent, pid, sent, stop, kind in steps:
        if effect == "death":
            story.table.stamps.pop(7, None)
        elif effect in ("tick", "prompt"):
            if story.record is not None:
                story.wait(3.0)
        else:
            parent_id = parent if parent != id else None
            story.say(effect, id, name, parent_id=parent_id, pid=pid, sent_ms=sent, stop=stop, kind=kind)
        for key, session in (story.record or sessions.empty())["sessions"].items():
            assert session["id"] == key != session.get("parent_id")
            assert ("interaction" in session) == (session["phase"] == "needs-input")
            assert "held_until" not in session or session["phase"] == "running"
            assert "pid_start" not in session or "pid" in session
            view = sessions.view(session, PANE, "sh", shown=False)
            assert None not in view.values()
            due = windows.due({"sessions": {key: session}}, story.now)
            assert due is None or due > story.now - 3.0
