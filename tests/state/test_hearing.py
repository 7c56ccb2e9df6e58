"""What was heard of a process outlives the server in the snapshot, and ends with the process."""

from __future__ import annotations

from signaltty_core.state import hearing, speech
from signaltty_core.terminal.scanner import Mark, Progress, Report
from tests.fake import Stage

GROUND = speech.Ground(lambda noun: noun, lambda: 900, lambda path, host: None, lambda draft, pane_id: None)
MOMENT = "2027-01-15T08:00:00.000Z"


def spoken() -> tuple[Stage, str]:
    stage = Stage()
    pane = stage.pane("generic")
    stage.change(speech.heed, pane, [Mark("D", 3, ()), Progress(40, "normal"), Report(b"state=working")], GROUND)
    return stage, pane


def test_what_was_heard_is_saved_beside_the_facts_of_the_process_and_found_again() -> None:
    stage, pane = spoken()
    at = stage.at
    saved = hearing.saved(stage.world)[pane]
    assert saved == {
        **stage.world.instances[pane],
        "hearing": {
            "records": [{"id": "", "state": "working", "at": at, "group": 900}],
            "said_at": at,
            "shell": {"mark": "D", "exit_code": 3, "at": MOMENT},
            "progress_at": at,
        },
    }
    stage.world.instances[pane] = saved
    stage.world.hearings.clear()
    found = hearing.of(stage.world, pane)
    assert (found.shell, found.progress_at) == ({"mark": "D", "exit_code": 3, "at": MOMENT}, at)
    assert (found.program.saved(), found.program.said_at) == (saved["hearing"]["records"], at)


def test_a_progress_taken_over_still_tires() -> None:
    """terminal-status §4: after 600 s without a new one."""
    stage, pane = spoken()
    stage.change(speech.heed, pane, [Report(b"state=clear")], GROUND)
    stage.world.instances[pane] = hearing.saved(stage.world)[pane]
    stage.world.hearings.clear()
    stage.at += speech.PROGRESS_S - 1
    stage.change(speech.tire, pane)
    assert stage.world.panes[pane]["progress"]["value"] == 40
    stage.at += 1
    stage.change(speech.tire, pane)
    assert "progress" not in stage.world.panes[pane]


def test_another_process_begins_with_nothing() -> None:
    stage, pane = spoken()
    stage.world.instances[pane] = {**stage.world.instances[pane], "process_instance": "proc_other"}
    assert hearing.saved(stage.world) == {}
    found = hearing.of(stage.world, pane)
    assert (found.shell, found.progress_at, found.program.saved()) == (None, None, [])


def test_the_end_of_the_child_leaves_nothing_to_be_found() -> None:
    stage, pane = spoken()
    stage.world.instances[pane] = hearing.saved(stage.world)[pane]
    stage.change(speech.end_child, pane, 0, None)
    assert "hearing" not in stage.world.instances[pane]
    assert hearing.saved(stage.world)[pane]["hearing"] == {}


def test_a_clock_set_back_by_a_day_does_not_keep_a_progress_for_a_day() -> None:
    stage, pane = spoken()
    stage.change(speech.heed, pane, [Report(b"state=clear")], GROUND)
    stage.at -= 30
    stage.change(speech.tire, pane)
    assert "progress" in stage.world.panes[pane]
    stage.at -= 86_400
    stage.change(speech.tire, pane)
    assert "progress" not in stage.world.panes[pane]
