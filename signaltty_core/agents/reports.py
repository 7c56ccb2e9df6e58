"""A read hook put on its pane: source, session, lifecycle, attention, decision, message, notification (agents §2.2)."""

from __future__ import annotations

from ..base.limits import MESSAGE_BODY_CHARS, MESSAGE_CHARS, TITLE_CHARS
from ..base.text import sanitise
from ..state import attention, decisions, lifecycle, notifications, records, sources, workers
from ..state.world import is_live
from . import base, outcomes, sessions, tools
from .scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.world import Draft, Record
    from .base import Facts
    from .outcomes import Change
    from .table import Kind


class Report:
    """One hook-event call, checked: who says what, and what the caller adds in words of its own.

    decision: a whole decision record, the caller's or a generated one. mapping: the fields a user's manifest sets for
    this event. resume: a manifest's resume command. name: what the agent is called to a person, empty for the kind's.
    """

    __slots__ = (
        "decision",
        "event",
        "facts",
        "kind",
        "mapping",
        "message",
        "name",
        "resume",
        "session_id",
        "severity",
        "title",
    )

    def __init__(
        self,
        kind: Kind,
        event: str,
        facts: Facts,
        *,
        session_id: str | None = None,
        message: str | None = None,
        title: str | None = None,
        severity: str | None = None,
        decision: Record | None = None,
        mapping: dict[str, str] | None = None,
        resume: tuple[str, ...] | None = None,
        name: str = "",
    ) -> None:
        self.kind = kind
        self.event = event
        self.facts = facts
        self.session_id = None if facts.sub_agent else session_id
        self.message = message
        self.title = title
        self.severity = severity
        self.decision = decision
        self.mapping = mapping or {}
        self.resume = resume
        self.name = name or kind.name

    def is_recognised(self) -> bool:
        """Whether it says anything at all; an unknown event alone never means done (agents §2.2, 7)."""
        if self.facts.outcome != base.UNKNOWN or self.mapping:
            return True
        given = (self.session_id, self.message, self.title, self.decision, self.facts.message)
        return any(each is not None for each in given)


def apply(draft: Draft, pane_id: str, report: Report, new_id: Callable[[str], str]) -> None:
    """Steps 8 to 10 of agents §2.2. new_id: makes a notification's id."""
    if not is_live(draft.see_pane(pane_id)):
        _apply_late(draft, pane_id, report)
        return
    pane = draft.see_pane(pane_id)
    known = pane["agent"].get("agent_session_id")
    same_session = report.session_id is not None and report.session_id == known
    sources.speak(draft, pane_id, "hook", f"{report.kind.key}:{report.event}", holds=True)
    _record_session(draft, pane_id, report)
    notes = [tools.note_of(tool, report.session_id) for tool in report.facts.tools]
    scene = Scene(
        draft.see_pane(pane_id),
        draft.see_instance(pane_id),
        at=draft.at,
        name=report.name or records.program_name(pane["argv"]),
        same_session=same_session,
        ended=notes,
    )
    change = outcomes.remap(outcomes.decide(report.facts, scene), report.mapping)
    pending = "pending_decision" in scene.pane
    before = scene.pane["lifecycle"]
    line = _line(draft, pane_id, report, change)
    _keep_tools(draft, pane_id, report.facts.outcome, notes, change)
    _move(draft, pane_id, report.facts.outcome, change)
    if change.lifecycle == "blocked" and not change.quiet:
        sources.note_question(draft, pane_id)
    if change.ends_turn is not None:
        workers.end_turn(draft, pane_id, change.ends_turn, line or draft.see_pane(pane_id).get("last_message"))
    keeps_asking = pending and change.ends_turn == "done"
    if not keeps_asking:
        _mind(draft, pane_id, change)
    _settle_decision(draft, pane_id, report, change, before)
    lifecycle.set_message(draft, pane_id, line)
    _notify(draft, pane_id, report, change, new_id, raises=change.raises and not keeps_asking)
    if (report.facts.outcome == base.END or report.facts.goodbye) and not report.facts.sub_agent:
        sources.let_go(draft, pane_id, "hook")
    draft.touch(pane_id)


def _apply_late(draft: Draft, pane_id: str, report: Report) -> None:
    """The pane's child has ended: only what a resume and a reader need is kept (behaviour §5.3)."""
    _record_session(draft, pane_id, report)
    lifecycle.set_message(
        draft,
        pane_id,
        _line(draft, pane_id, report, outcomes.Change(message=report.mapping.get("message", report.facts.message))),
    )


def _record_session(draft: Draft, pane_id: str, report: Report) -> None:
    if report.session_id is None:
        return
    if sessions.record(draft, pane_id, report.kind.key, report.session_id, template=report.resume):
        draft.emit("pane.updated", {"pane_id": pane_id, "pane": draft.pane(pane_id)})


def _keep_tools(draft: Draft, pane_id: str, outcome: str, notes: list[Record], change: Change) -> None:
    """Remember what begins and ends, and what a request is about (agents §2.4)."""
    instance = draft.see_instance(pane_id)
    known = begun = instance.get("begun", [])
    if outcome == base.TOOL_BEGIN:
        for note in notes:
            begun = tools.begin(begun, note)
    elif outcome == base.ASK_INPUT and notes and "tool_use_id" in notes[0]:
        begun = tools.begin(begun, notes[0])
    elif outcome == base.TOOL_END:
        for note in notes:
            begun = tools.end(begun, note)
    if begun != known:
        draft.instance(pane_id)["begun"] = begun
    if change.lifecycle == "blocked":
        standing = instance.get("asked") if draft.see_pane(pane_id)["lifecycle"] == "blocked" else None
        record = tools.asked(notes[0] if notes else {}, begun, standing)
        if change.attention is not None:
            levels = ((standing or {}).get("level"), change.attention)
            record = {**record, "level": max(levels, key=lambda level: attention.RANK.get(level or "", 0))}
        if record != instance.get("asked"):
            draft.instance(pane_id)["asked"] = record


def _move(draft: Draft, pane_id: str, outcome: str, change: Change) -> None:
    """Lifecycle, and the facts that hang on it: compaction, asked tool, end of the turn."""
    instance = draft.see_instance(pane_id)
    if outcome == base.COMPACT_BEGIN:
        if "before_compact" not in instance:
            draft.instance(pane_id)["before_compact"] = draft.see_pane(pane_id)["lifecycle"]
    elif change.lifecycle is not None and "before_compact" in instance:
        draft.instance(pane_id).pop("before_compact")
    if change.lifecycle is None:
        return
    if lifecycle.set_lifecycle(draft, pane_id, change.lifecycle):
        sources.decide(draft, pane_id, "hook")
    if change.lifecycle != "blocked" and "asked" in instance:
        draft.instance(pane_id).pop("asked", None)
    if change.ends_turn is not None:
        instance = draft.instance(pane_id)
        instance["turn_ended_at"] = draft.at
        instance.pop("end_untold", None)
        if change.untold:
            instance["end_untold"] = True
    if change.ends_turn == "interrupted":
        draft.instance(pane_id)["interrupted_since"] = draft.see_pane(pane_id)["lifecycle_since"]


def _mind(draft: Draft, pane_id: str, change: Change) -> None:
    """Attention as mapped; a finished turn does not keep asking (behaviour §5.3)."""
    if change.attention is None:
        return
    if change.attention == "none":
        attention.clear(draft, pane_id, "hook")
        return
    if change.ends_turn is not None:
        attention.lower_required(draft, pane_id)
    attention.raise_to(draft, pane_id, change.attention)


def _settle_decision(draft: Draft, pane_id: str, report: Report, change: Change, before: str) -> None:
    """The pending decision as behaviour §6.1 has it for a hook."""
    if report.decision is not None:
        decisions.set_decision(draft, pane_id, report.decision)
    elif change.drops is not None:
        decisions.clear(draft, pane_id, change.drops)
    elif before == "blocked" and draft.see_pane(pane_id)["lifecycle"] == "working":
        decisions.clear(draft, pane_id, "moved_on")


def _line(draft: Draft, pane_id: str, report: Report, change: Change) -> str:
    """The pane's new readable line; empty when the hook brings none (agents §2.2, behaviour §3.1)."""
    title = sanitise(report.title or "", TITLE_CHARS)
    own = sanitise(report.message or "", MESSAGE_CHARS)
    if title and own:
        return f"{title}: {own[:MESSAGE_BODY_CHARS]}"
    prompt = report.decision["prompt"] if report.decision is not None else ""
    line = own or sanitise(change.message or prompt, MESSAGE_CHARS)
    return line if line or "last_message" in draft.see_pane(pane_id) else title


def _notify(
    draft: Draft, pane_id: str, report: Report, change: Change, new_id: Callable[[str], str], *, raises: bool
) -> None:
    own = report.message is not None or report.title is not None
    if change.quiet or (change.title is None and not own):
        return
    body = report.message if report.message is not None else change.body
    notifications.post(
        draft,
        new_id("notification"),
        pane_id=pane_id,
        title=report.title or change.title or "",
        body=body if body is not None else change.message or "",
        severity=report.severity or change.severity,
        source=f"hook:{report.kind.key}:{sanitise(report.event, TITLE_CHARS)}",
        raises=raises and (own or report.severity is not None),
    )
