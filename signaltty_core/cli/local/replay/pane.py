"""One fresh pane for test vectors: the reducers the server uses, on a World in memory, with time that is made up."""

from __future__ import annotations

from ....state import attention, records, sources, speech
from ....state.world import Draft, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Record = dict[str, Any]

START = 1_800_000_000.0
CHILD, PROGRAM = 100, 200  # process groups: the pane's own child, and a program it has started


class ReplayStage:
    """kind: the pane's. at: wall seconds, which only `wait` moves."""

    def __init__(self, kind: str) -> None:
        self.world = World()
        self.at = START
        self.pane_id = "pane_" + "0" * 32
        self._given = 0
        draft = self.draft()
        pane = records.pane(
            self.pane_id,
            "ws_0",
            "tab_0",
            title=kind,
            cwd="/",
            argv=["program"],
            pty_size=records.size(None, None),
            agent={"kind": kind},
            at=self.at,
            lineage={},
        )
        draft.put("panes", pane)
        draft.put("instances", records.instance(self.pane_id, "proc_0", 0, {"pid": CHILD, "start_time": 1}))
        self.commit(draft)

    def new_id(self, noun: str) -> str:
        self._given += 1
        return f"{noun}_{self._given}"

    def draft(self) -> Draft:
        return Draft(self.world, self.at)

    def commit(self, draft: Draft) -> None:
        """Number the events and apply the records, as the server does before it writes them down."""
        if not draft.is_empty():
            first = self.world.seq + 1
            self.world.seq = first + draft.number(first) - 1
            self.world.apply({table: list(rows.values()) for table, rows in draft.records.items()}, draft.removed)

    def change(self, deed: Callable[..., Any], *args: Any, **named: Any) -> None:
        """deed(draft, pane_id, …) as a change of its own."""
        draft = self.draft()
        deed(draft, self.pane_id, *args, **named)
        self.commit(draft)

    def see(self) -> None:
        self.change(attention.mark_seen, "mark_seen")

    def end_child(self, code: int) -> None:
        self.change(speech.end_child, code, None)

    def renew(self) -> None:
        """A new process on the same pane."""
        draft = self.draft()
        process = self.new_id("process")
        child = {"pid": CHILD, "start_time": 1}
        draft.put("instances", records.instance(self.pane_id, process, self.world.seq, child))
        draft.pane(self.pane_id).update(live={"state": "live"}, lifecycle="unknown", restore_state="LIVE")
        attention.lower_required(draft, self.pane_id)
        self.commit(draft)

    def hook_says(self, said: Record) -> None:
        """A message of rank 2 that holds the pane has put it there."""
        draft = self.draft()
        sources.speak(draft, self.pane_id, "hook", "vector", holds=True)
        pane = draft.pane(self.pane_id)
        pane.update({name: said[name] for name in ("lifecycle", "attention") if name in said})
        if said.get("asks"):
            sources.note_question(draft, self.pane_id)
        self.commit(draft)

    def hook_lets_go(self) -> None:
        self.change(sources.let_go, "hook")

    def results(self) -> Record:
        """The keys every kind has."""
        pane = self.world.panes[self.pane_id]
        return {
            "lifecycle": pane["lifecycle"],
            "attention": pane["attention"],
            "last_message": pane.get("last_message"),
            "decision": "pending_decision" in pane,
        }
