"""Native permission waiters that are alive: hooks whose call stays open until a person answers (behaviour §6.3).

In memory only: a waiter lives as long as its connection. Pure; nobody is woken here, the waiting procedures look.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record


class Waiters:
    """At most one per pane. An outcome is `{"option_id"}` or `{"cancelled"}`, given once and never changed."""

    __slots__ = ("_open", "_outcomes")

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._outcomes: dict[tuple[str, str], Record] = {}

    def open(self, pane_id: str, decision_id: str) -> None:
        """Register a waiter before its decision is published; an older one of the pane has moved on."""
        self.release(pane_id, "moved_on")
        self._open[pane_id] = decision_id

    def answer(self, pane_id: str, decision_id: str, option_id: str) -> bool:
        """Give the answer; False when no waiter is there to take it."""
        if not self.holds(pane_id, decision_id):
            return False
        self._outcomes[(pane_id, decision_id)] = {"option_id": option_id}
        return True

    def release(self, pane_id: str, cancelled: str) -> None:
        """End the pane's wait without an answer, unless it has its outcome already."""
        decision_id = self._open.get(pane_id)
        if decision_id is not None and self.holds(pane_id, decision_id):
            self._outcomes[(pane_id, decision_id)] = {"cancelled": cancelled}

    def release_all(self, cancelled: str) -> None:
        for pane_id in list(self._open):
            self.release(pane_id, cancelled)

    def outcome(self, pane_id: str, decision_id: str) -> Record | None:
        """How the wait ended, None while it lasts."""
        return self._outcomes.get((pane_id, decision_id))

    def close(self, pane_id: str, decision_id: str) -> None:
        """The waiting call is over."""
        self._outcomes.pop((pane_id, decision_id), None)
        if self._open.get(pane_id) == decision_id:
            del self._open[pane_id]

    def holds(self, pane_id: str, decision_id: str) -> bool:
        """Whether a waiter would take an answer to this decision."""
        return self._open.get(pane_id) == decision_id and (pane_id, decision_id) not in self._outcomes
