"""What a person is told after a failure, and a script is not."""

from __future__ import annotations

import pytest

from signaltty_core.cli.dispatch import next_steps
from tests.e2e.rig import Rig

from .local.conftest import rig as rig
from .local.screen import Screen


@pytest.mark.parametrize(
    ("line", "said", "step"),
    [
        ("pane get nowhere", b"no pane 'nowhere' (NO_SUCH_PANE)", b"`signaltty ls` shows them"),
        ("task get nothing", b"no task 'nothing' (NO_SUCH_TASK)", b"`signaltty task list` shows them"),
    ],
)
def test_a_person_at_a_terminal_is_told_the_next_step(rig: Rig, line: str, said: bytes, step: bytes) -> None:
    screen = Screen(rig, *line.split(), cols=120)
    try:
        assert screen.status() == 1
        assert screen.seen.split(b"\r\n") == [b"signaltty: " + said, b"  " + step, b""]
    finally:
        screen.end()
    assert rig.cli(*line.split(), status=1).stderr == f"signaltty: {said.decode()}\n"


@pytest.mark.parametrize("words", ["pane list", "workspace list", "notification list", "session list", "agents list"])
def test_an_empty_list_is_a_sentence_for_people_and_nothing_for_scripts(rig: Rig, words: str) -> None:
    screen = Screen(rig, *words.split(), cols=120)
    try:
        assert screen.status() == 0
        assert screen.seen.startswith(b"no ") and screen.seen.count(b"\r\n") == 1
    finally:
        screen.end()
    assert rig.cli(*words.split()).stdout == ""


def test_a_task_that_did_not_start_is_named_with_its_way_out() -> None:
    kept = next_steps("SPAWN_FAILED", {"task_id": "task_1", "stage": "spawn"})
    assert kept[1:] == ["the task is kept as failed: `signaltty task finish task_1 --discard` removes its worktree"]
    assert next_steps("SPAWN_FAILED", {}) == kept[:1]


def test_a_limit_of_tasks_is_not_told_as_a_matter_of_waiting() -> None:
    [step] = next_steps("RATE_LIMITED", {"active_tasks": 4, "max_parallel_tasks": 4})
    assert step.startswith("`signaltty task list`")
    assert next_steps("RATE_LIMITED", {}) == ["wait a moment and try again"]
