"""Turns that begin: each has the checkout of its workspace captured, beside everything else (tasks-and-git §8)."""

from __future__ import annotations

from ..base.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..methods.call import Call
    from ..state.world import Record, World
    from .ports import Clock
    from .procedures import Runner


class Turns:
    """on_fault: gets what is a bug of ours."""

    def __init__(
        self,
        world: World,
        runner: Runner,
        clock: Clock,
        make_call: Callable[[], Call],
        on_fault: Callable[[BaseException], None],
    ) -> None:
        self._world = world
        self._runner = runner
        self._clock = clock
        self._make_call = make_call
        self._on_fault = on_fault

    def on_events(self, first: int, events: list[tuple[str, Record]]) -> None:
        """These events got the numbers from `first` on."""
        for seq, (event, payload) in enumerate(events, first):
            if event == "agent.working":
                self._on_working(seq, event, payload)

    def _on_working(self, seq: int, event: str, payload: Record) -> None:
        from ..methods.checkouts import turns  # with the first turn

        pane = self._world.panes.get(payload["pane_id"])
        if pane is None or not turns.begins_turn(event, payload):
            return
        started_at = rfc3339(self._clock.wall())
        capture = turns.record(self._make_call(), pane["workspace_id"], pane["id"], seq, started_at)
        self._runner.start(capture, self._on_end)

    def _on_end(self, _result: object, fault: Exception | None) -> None:
        if fault is not None:
            self._on_fault(fault)
