"""What arrives on the status sockets, line by line put on its pane (status-signals §1.4, §2)."""

from __future__ import annotations

from ..state import hearing, status_line
from ..state.world import Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..state.hearing import Hearing
    from ..state.world import Record, World
    from .ledger import Ledger
    from .ports import Clock
    from .vigil import Vigil


class Listener:
    """Connections by their accept numbers. One that was accepted for an earlier process counts for nothing.

    is_unborn: whether a pane is just being started; what its child says already waits for `born`. unplaced: number of
    connections to the general socket from outside all panes.
    """

    def __init__(
        self, world: World, ledger: Ledger, clock: Clock, vigil: Vigil, is_unborn: Callable[[str], bool]
    ) -> None:
        self._world = world
        self._ledger = ledger
        self._clock = clock
        self._vigil = vigil
        self._is_unborn = is_unborn
        self._open: dict[int, tuple[str, Hearing, float]] = {}
        self._early: dict[str, list[Callable[[], None]]] = {}
        self._early_numbers: dict[int, str] = {}
        self.unplaced = 0

    def on_open(self, pane_id: str | None, number: int, sender: Record | None) -> None:
        """A connection was accepted. pane_id: None when its sender runs in no pane."""
        if pane_id is None:
            self.unplaced += 1
        elif self._is_unborn(pane_id):
            self._early_numbers[number] = pane_id
            self._early.setdefault(pane_id, []).append(lambda: self.on_open(pane_id, number, sender))
        elif pane_id in self._world.panes:
            heard = hearing.of(self._world, pane_id)
            heard.lines.open(number, sender)
            self._open[number] = (pane_id, heard, self._clock.wall())

    def on_bytes(self, number: int, data: bytes) -> None:
        if number in self._early_numbers:
            self._early[self._early_numbers[number]].append(lambda: self.on_bytes(number, data))
        elif number in self._open:
            pane_id, heard, at = self._open[number]
            self._apply(pane_id, heard, at, heard.lines.feed(number, data))

    def on_end(self, number: int, how: str) -> None:
        """The connection is over; how: see `Arrivals.end`."""
        if number in self._early_numbers:
            self._early[self._early_numbers[number]].append(lambda: self.on_end(number, how))
        elif number in self._open:
            pane_id, heard, at = self._open.pop(number)
            self._apply(pane_id, heard, at, heard.lines.end(number, how))

    def born(self) -> None:
        """A pane was published or given up: what its child said first counts now, or never."""
        for pane_id in [one for one in self._early if not self._is_unborn(one)]:
            self._early_numbers = {number: other for number, other in self._early_numbers.items() if other != pane_id}
            for arrival in self._early.pop(pane_id):
                arrival()

    def _apply(self, pane_id: str, heard: Hearing, at: float, words: list[tuple[Any, str]]) -> None:
        if pane_id not in self._world.panes or hearing.of(self._world, pane_id) is not heard:
            return
        for sender, word in words:
            if status_line.hear(self._world, pane_id):
                draft = Draft(self._world, self._clock.wall())
                status_line.apply(draft, pane_id, word, sender)
                if sender != self._world.instances[pane_id].get("signals", {}).get("sender"):
                    self._vigil.expect(pane_id, at)
                heard.sender_at = at if sender is not None else None
                self._ledger.note(draft)
        if words:
            self._vigil.follow(pane_id)
