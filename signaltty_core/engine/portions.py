"""Work on many panes, a portion in each pass of the loop: a hundred looks in one go would hold up requests
(performance §4.4).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .ports import Clock, Timer

PASS_S = 0.002  # a pass that is older takes one pane more and no second one


class Portions:
    """do(pane_id) once for each pane that is asked for, in that order; on_end() whenever none is left."""

    def __init__(self, clock: Clock, do: Callable[[str], None], on_end: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._do = do
        self._on_end = on_end
        self._left: dict[str, None] = {}
        self._timer: Timer | None = None
        self._is_going = False

    def __contains__(self, pane_id: str) -> bool:
        """Whether the pane's turn is still to come."""
        return pane_id in self._left

    def is_busy(self) -> bool:
        """Whether any pane's turn is still to come."""
        return bool(self._left)

    def take(self, pane_ids: Iterable[str]) -> None:
        """Begin now unless others are on their way; a pane that waits already keeps its place."""
        self._left.update(dict.fromkeys(pane_ids))
        if not self._is_going:
            self._go_on()

    def stop(self) -> None:
        """Drop what is left."""
        self._left.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._is_going = False

    def _go_on(self) -> None:
        self._timer = None
        self._is_going = True
        ends_at = self._clock.now() + PASS_S
        try:
            while self._left:
                pane_id = next(iter(self._left))
                del self._left[pane_id]
                self._do(pane_id)
                if self._clock.exact() >= ends_at:
                    break
        finally:
            if self._left:
                self._timer = self._clock.after(0.0, self._go_on)
            else:
                self._is_going = False
                self._on_end()
