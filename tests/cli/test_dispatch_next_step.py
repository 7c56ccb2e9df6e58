"""What a person is told after a failure, and a script is not."""

from __future__ import annotations

import pytest

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
