"""Which events begin a turn."""

from __future__ import annotations

from typing import Any

from signaltty_core.engine.procedures import Runner
from signaltty_core.engine.turns import Turns
from signaltty_core.state.effects import Effect
from tests.engine.stage import FakeClock
from tests.fake import Stage


class Watcher(Stage):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Effect] = []
        self.faults: list[BaseException] = []
        runner = Runner(lambda effect, done: self.asked.append(effect))
        self.turns = Turns(self.world, runner, FakeClock(), self.call, self.faults.append)

    def tell(self, event: str, **payload: Any) -> int:
        self.turns.on_events(7, [(event, payload)])
        return len(self.asked)


def test_only_work_that_follows_no_question_begins_a_turn() -> None:
    watcher = Watcher()
    pane = watcher.pane()
    assert watcher.tell("agent.working", pane_id=pane, lifecycle="working", prev="blocked") == 0
    assert watcher.tell("agent.done", pane_id=pane, lifecycle="done", prev="working") == 0
    assert watcher.tell("agent.working", pane_id="pane_gone", lifecycle="working", prev="idle") == 0
    assert watcher.tell("agent.working", pane_id=pane, lifecycle="working", prev="idle") == 1
    assert watcher.faults == []
