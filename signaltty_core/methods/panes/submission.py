"""One prompt on its way into a pane, with proof at each step instead of a timer (tasks-and-git §3)."""

from __future__ import annotations

from ...agents import composer
from ...base.errors import AgentBusy, AgentNotReady, NoSuchPane, PaneExited, TimedOut
from ...base.limits import INPUT_BUDGET_S, WAIT_RECHECK_S
from ...state import workers
from ...state.effects import Sleep, Until, WriteInput
from ...state.world import check_live, is_live
from .on_screen import in_the_way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ...state.effects import Effect
    from ...state.world import Record
    from ..call import Call

LOOK_S = 0.05
PROOF_S = 2.0
QUIET_S = 0.15
SEEN_S = 0.3  # a dialog may come 150 ms after the paste; Qwen takes an Enter for a line break up to 100 ms after it
LEAST_SEEN_S = 0.15
TURN_S = 15.0  # for submissions of others to the same pane; who waits longer may have given up
CLEAR_S = 2.0
LISTENS_S = 3.0  # Claude's start hook comes 0.5 s before its prompt, 3 s on a loaded machine
_END, _KILL, _ERASE = b"\x05", b"\x15", b"\x7f"  # end of line, kill to its beginning, join with the line before
_DEAF = ("unknown", "failed", "exited")
_BRACKETED_PASTE = 2004


class Submission:
    """text: without line breaks at its end. first_of: the pending task whose first prompt this is.

    before_paste: what must be done, and on disk, before the first byte is written.
    """

    __slots__ = (
        "_call",
        "_delay_s",
        "_first_of",
        "_pane_id",
        "_process",
        "_since",
        "_stall_s",
        "_text",
        "_was_blocked",
        "pasted",
    )

    def __init__(
        self, call: Call, pane_id: str, text: str, *, delay_s: float, stall_s: float, first_of: str | None = None
    ) -> None:
        self._call = call
        self._pane_id = pane_id
        self._text = text
        self._delay_s = delay_s
        self._stall_s = stall_s
        self._first_of = first_of
        self._process = ""
        self._since = 0
        self._was_blocked = False
        self.pasted = False

    async def run(
        self, *, replace_draft: bool = False, before_paste: Callable[[], Coroutine[Effect, Any, None]] | None = None
    ) -> Record:
        """The result of `pane.submit`. Raises AgentBusy, AgentNotReady, PaneExited, NoSuchPane, TimedOut, IoError."""
        claims, key = self._call.world.claims, f"submit:{self._pane_id}"
        try:
            await Until(lambda: self._call.world.pane(self._pane_id) and claims.take(key), TURN_S, LOOK_S)
        except TimedOut:
            raise AgentBusy("another prompt is being submitted to the pane", stage="queue") from None
        try:
            self._check_ready()
            await self._let_it_listen()
            await self._make_room(replace_draft)
            if before_paste is not None:
                await before_paste()
            await self._paste()
            await self._enter()
            state, seq = await self._gate()
            pane = self._confirm()
        finally:
            claims.give_back(key)
        return {
            "submitted": True,
            "outcome": state,
            "transition_seq": seq,
            "lifecycle": pane["lifecycle"],
            "attention": pane["attention"],
        }

    def _check_ready(self) -> None:
        """The table of refusals, on the screen as it is now; remembers whom it has found."""
        self._call.machine.look_now(self._pane_id)
        pane = self._call.world.pane(self._pane_id)
        check_ready(self._call, pane, self._first_of)
        state, rule = in_the_way(self._call, pane) or ("", "")
        if state == "blocked":
            raise AgentBusy("a dialog is on the screen; answer that first", stage="dialog", rule=rule)
        if state == "hold":
            raise AgentNotReady("the agent shows no prompt yet", lifecycle=pane["lifecycle"], rule=rule)
        self._was_blocked = pane["lifecycle"] == "blocked"
        self._process = self._call.world.instances[self._pane_id]["process_instance"]

    async def _let_it_listen(self) -> None:
        """An agent may say that it is ready before it reads the keyboard: what is typed then has its Enter made a line
        break by the terminal. So a program that has drawn nothing yet, or a screen without its prompt, is waited for a
        little. One that never draws gets its prompt late."""
        try:
            await Until(self._listens, LISTENS_S, LOOK_S)
        except TimedOut:
            pass

    def _listens(self) -> bool | None:
        pane = self._same_pane()
        runtime = self._call.machine.runtime(self._pane_id)
        terminal = runtime.terminal
        if runtime.output_offset == 0 and not terminal.read_screen().strip():
            return None
        if _BRACKETED_PASTE not in terminal.modes or pane["lifecycle"] == "blocked":
            return True
        return composer.is_drawn(pane["agent"]["kind"], terminal.styled_rows()) or None

    async def _make_room(self, replace_draft: bool) -> None:
        """Nothing is written over a draft, unless the caller gives it up: then it is cleared and the box looked at."""
        ends_at = self._call.machine.now() + CLEAR_S
        while (draft := self._draft()) is not None:
            if not replace_draft or self._call.machine.now() >= ends_at:
                raise AgentBusy(
                    "the prompt box holds a draft; submit it, clear it, or replace it", stage="draft", draft=draft
                )
            rows = draft.count("\n") + 1
            await WriteInput(self._pane_id, (_END + _KILL + _ERASE) * rows + _END + _KILL, INPUT_BUDGET_S)
            await Sleep(2 * LOOK_S)
            self._check_ready()

    def _draft(self) -> str | None:
        kind = self._call.world.pane(self._pane_id)["agent"]["kind"]
        return composer.draft(kind, self._call.machine.runtime(self._pane_id).terminal.styled_rows())

    async def _paste(self) -> None:
        """Write the text, then wait until the program has taken it in, as far as that can be told."""
        self._check_ready()
        self._since = self._call.world.seq
        arrival = _Arrival(self._call, self._pane_id, composer.tail_of(self._text), self._delay_s)
        self.pasted = True
        await WriteInput(self._pane_id, b"\x1b[200~" + self._text.encode() + b"\x1b[201~", INPUT_BUDGET_S)
        try:
            await Until(arrival.check, self._delay_s + PROOF_S, LOOK_S)
        except TimedOut:
            pass  # a program that shows nothing gets its Enter late

    async def _enter(self) -> None:
        """Look again and write Enter in the same step."""
        self._same_pane()
        self._call.machine.look_now(self._pane_id)
        pane = self._same_pane()
        asks = _asks(pane) or (pane["lifecycle"] == "blocked" and not self._was_blocked)
        if asks or in_the_way(self._call, pane) is not None:
            raise AgentBusy(
                "the agent asks something; the pasted text is in its input line and was not submitted",
                stage="delayed_enter",
                paste_delivered=True,
            )
        if pane["lifecycle"] == "idle":
            self._since = self._call.world.seq  # Codex tells of work for an instant while it starts; that was no turn
        await WriteInput(self._pane_id, b"\r", INPUT_BUDGET_S)

    async def _gate(self) -> tuple[str, int]:
        """The transition that shows the prompt was taken, and its number; one more Enter at half time."""
        half_s = self._stall_s / 2
        try:
            return await self._until_moved(half_s)
        except TimedOut:
            self._call.machine.look_now(self._pane_id)
        pane = self._same_pane()
        if self._moved() is None and pane["lifecycle"] in ("idle", "done") and not _asks(pane):
            await WriteInput(self._pane_id, b"\r", INPUT_BUDGET_S)
        try:
            return await self._until_moved(half_s)
        except TimedOut:
            raise TimedOut(
                f"the agent did not begin to work within {self._stall_s:g} s", stage="activity_gate"
            ) from None

    async def _until_moved(self, limit_s: float) -> tuple[str, int]:
        found: tuple[str, int] = await Until(self._moved, limit_s, WAIT_RECHECK_S)
        return found

    def _moved(self) -> tuple[str, int] | None:
        """The first move into `working` or `blocked` since before the paste; it counts also when it is over."""
        self._check_identity()
        transitions = self._call.world.instances[self._pane_id]["transitions"]
        found = sorted((transitions.get(state, 0), state) for state in ("working", "blocked"))
        for seq, state in found:
            if seq > self._since:
                return state, seq
        self._same_pane()
        return None

    def _confirm(self) -> Record:
        """What an accepted prompt means for the pane's task; the pane as it is then."""
        if self._pane_id in self._call.world.panes:
            draft = self._call.draft()
            workers.take_up(draft, self._pane_id, self._first_of)
            self._call.commit(draft)
        return self._call.world.pane(self._pane_id)

    def _same_pane(self) -> Record:
        """The pane, while the very process that was looked at runs. Raises NoSuchPane, PaneExited."""
        pane = self._check_identity()
        check_live(pane)
        return pane

    def _check_identity(self) -> Record:
        pane = self._call.world.panes.get(self._pane_id)
        if pane is None:
            raise NoSuchPane("the pane was closed meanwhile", pane_id=self._pane_id)
        if self._call.world.instances[self._pane_id]["process_instance"] != self._process:
            raise PaneExited("the agent has ended and another was started", pane_id=self._pane_id)
        return pane


class _Arrival:
    """Whether a paste has been taken in: its end is on the screen for a moment, or output came and has ended."""

    __slots__ = (
        "_before",
        "_call",
        "_changed_at",
        "_not_before",
        "_offset",
        "_pane_id",
        "_seen_at",
        "_settle_s",
        "_tail",
    )

    def __init__(self, call: Call, pane_id: str, tail: str, delay_s: float) -> None:
        self._call = call
        self._pane_id = pane_id
        self._tail = tail
        runtime = call.machine.runtime(pane_id)
        self._offset = runtime.output_offset
        self._before = composer.count(runtime.terminal.read_screen(), tail)
        self._not_before = call.machine.now() + delay_s
        self._settle_s = min(SEEN_S, max(delay_s, LEAST_SEEN_S))
        self._changed_at: float | None = None
        self._seen_at: float | None = None

    def check(self) -> bool | None:
        pane = self._call.world.panes.get(self._pane_id)
        if pane is None or not is_live(pane):
            return True  # who waits finds out
        now = self._call.machine.now()
        runtime = self._call.machine.runtime(self._pane_id)
        if runtime.output_offset != self._offset:
            self._offset, self._changed_at = runtime.output_offset, now
            if self._seen_at is None and composer.count(runtime.terminal.read_screen(), self._tail) > self._before:
                self._seen_at = now
        if now < self._not_before or self._changed_at is None:
            return None
        if self._seen_at is not None:
            return True if now - self._seen_at >= self._settle_s else None
        return True if now - self._changed_at >= QUIET_S else None


def check_ready(call: Call, pane: Record, first_of: str | None) -> None:
    """Refuse what must not be typed at now: nothing has been written yet (tasks-and-git §3)."""
    check_live(pane, written_bytes=0)
    task = call.world.tasks.get(pane.get("task_id") or "")
    if task is not None and task["state"] == "pending" and task["id"] != first_of:
        raise AgentNotReady("the worker still waits for its first prompt", task_id=task["id"])
    state = pane["lifecycle"]
    if state in _DEAF:
        raise AgentNotReady(f"the agent's state is {state}: nothing is submitted to it", lifecycle=state)
    if state == "working":
        raise AgentBusy("the agent is working", lifecycle=state)
    decision = pane.get("pending_decision")
    details = {"lifecycle": state, "attention": pane["attention"]}
    if decision is not None:
        details["decision_id"] = decision["id"]
    shown = call.world.instances[pane["id"]].get("decided_by") == "screen"  # no rule knows a question from a permission
    if state == "blocked" and (pane["attention"] != "input_required" or decision is not None or shown):
        raise AgentBusy("the agent is blocked by a question", **details)
    if _asks(pane):
        raise AgentBusy("the agent asks something; answer that first", **details)


def _asks(pane: Record) -> bool:
    return "pending_decision" in pane or pane["attention"] == "permission_required"
