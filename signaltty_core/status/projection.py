"""What the displayed session does to its pane (agent-status §12): decided here, done by `state.agent_status`."""

from __future__ import annotations

from . import sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .reduce import Outcome

    Record = dict[str, Any]
    Session = dict[str, Any]

FAILURE = "the agent stopped unexpectedly"

# what happens to the pane's attention
CLEAR = "clear"  # all of it, unless it is an error
CLEAR_REQUIRED = "clear_required"  # a required level that no decision backs
FINISH = "finish"  # a turn is over: what was required is lowered, then `unread`


class Shift:
    """attention: one of the words above, or the level to come to. drops_decision: a pending one has been overtaken.

    ends_turn: done, failed or interrupted, for a worker's task.
    """

    __slots__ = ("attention", "drops_decision", "ends_turn", "lifecycle", "message")

    def __init__(
        self,
        lifecycle: str | None,
        attention: str,
        *,
        message: str | None = None,
        drops_decision: bool = False,
        ends_turn: str | None = None,
    ) -> None:
        self.lifecycle = lifecycle
        self.attention = attention
        self.message = message
        self.drops_decision = drops_decision
        self.ends_turn = ends_turn


def project(record: Record, outcome: Outcome, now: float, lifecycle: str) -> Shift | None:
    """The change the pane wants; writes `shown` and `turn` of the record, which is a private copy.

    lifecycle: of the pane.
    """
    session, before = sessions.displayed(record, now), record["shown"]
    after = [session["id"], session["phase"], session.get("interaction")] if session is not None else None
    record["shown"] = after
    if session is None or session["phase"] == "starting":
        if after != before:
            return _rest(record, outcome, before, lifecycle)
        return _end_last(record, lifecycle) if outcome.ended and not record["sessions"] else None
    if after == before and not (outcome.sets_phase and outcome.id == session["id"]):
        return None
    if session["phase"] == "running":
        record["turn"] = True
        if lifecycle == "working":
            return Shift(None, CLEAR_REQUIRED)
        return Shift("working", CLEAR, drops_decision=lifecycle == "blocked")
    if session["phase"] == "needs-input":
        level = "permission_required" if session["interaction"] == "approval" else "input_required"
        return Shift("blocked", level, message=session.get("text") or sessions.ask_label(session))
    turn, record["turn"] = record["turn"], False
    if session["phase"] == "unresolved-stop":
        return Shift("failed", "error", message=session.get("text") or FAILURE, ends_turn="failed")
    return _idle(session, lifecycle, is_over=turn, made_idle=session["id"] in outcome.entered)


def _idle(session: Session, lifecycle: str, *, is_over: bool, made_idle: bool) -> Shift:
    """is_over: a turn was open. made_idle: this very input has brought the session there."""
    message = session.get("text")
    if is_over and not session.get("quiet"):
        return Shift("done", FINISH, message=message, ends_turn="done")
    ends_turn = "interrupted" if session.get("quiet") and made_idle else None
    rests = "idle" if made_idle or lifecycle in ("working", "blocked") else None
    return Shift(rests, CLEAR_REQUIRED, message=message, ends_turn=ends_turn)


def _rest(record: Record, outcome: Outcome, before: list[Any] | None, lifecycle: str) -> Shift | None:
    """Nothing is displayed any more, or a session that has not begun."""
    if before is None or before[1] not in ("running", "needs-input"):
        return _end_last(record, lifecycle) if outcome.ended and not record["sessions"] else None
    record["turn"] = False
    state = "unknown" if before[0] in outcome.stale else "idle"
    return Shift(state if lifecycle in ("working", "blocked") else None, CLEAR_REQUIRED)


def _end_last(record: Record, lifecycle: str) -> Shift:
    """The agent has said goodbye."""
    record["turn"] = False
    return Shift("idle" if lifecycle in ("working", "blocked") else None, CLEAR_REQUIRED)
