"""What an OSC 7501 summary does to its pane (terminal-status §3.5, §3.6, §9.2). All act on a Draft.

The records themselves live in the pane's `Hearing`; the change carries the summary alone.
"""

from __future__ import annotations

from ..base.clock import rfc3339
from ..status import program
from . import attention, decisions, hearing, lifecycle, progress, sources, workers
from .world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .world import Draft, Record, World

SOURCE = "osc7501"
LOST_END_S = 2.0
HOOKLESS_QUESTIONS = ("codex",)  # kinds with questions that fire no hook: those of its plan mode
_QUESTIONS = {"permission": "permission_required"}
_SHOWN = ("id", "state", "kind", "progress", "app", "title", "msg")


def take(draft: Draft, pane_id: str, body: bytes, group: int | None) -> None:
    """A report arrived. group: the terminal's foreground process group."""
    report = program.parse(body)
    if report is None or not is_live(draft.see_pane(pane_id)):
        return
    records = _records(draft, pane_id)
    if report["state"] == "clear":
        records.clear(report["id"])
    else:
        records.put(report, draft.at, group)
    records.said_at = draft.at
    summarise(draft, pane_id)


def drop_unfinished(draft: Draft, pane_id: str, groups: Iterable[int | None]) -> None:
    """Whoever reported has gone: these process groups have no member left, or with None all are behind a prompt."""
    records = _records(draft, pane_id)
    if any([records.drop_unfinished(group) for group in groups]):
        summarise(draft, pane_id)


def reset(draft: Draft, pane_id: str) -> None:
    """The terminal was reset (RIS)."""
    records = _records(draft, pane_id)
    if len(records):
        records.clear("")
        summarise(draft, pane_id)


def settle(draft: Draft, pane_id: str, due: Record) -> None:
    """Two seconds after a summary that may prove a lost end of turn: has anybody else spoken meanwhile?

    A question that no hook has told of stands whoever spoke meanwhile. due: what the summary left in `Records.due`.
    """
    records = _records(draft, pane_id)
    summary = records.summary()
    if records.due is not due or summary is None:
        return
    records.due = None
    instance = draft.see_instance(pane_id)
    is_silent = instance.get("heard", 0) == due["heard"] or summary["state"] == "blocked"
    if is_silent and not sources.is_held(instance, 3) and draft.see_pane(pane_id)["lifecycle"] == "working":
        sources.speak(draft, pane_id, SOURCE, program.value_of(summary))
        _apply(draft, pane_id, summary)


def summarise(draft: Draft, pane_id: str) -> None:
    """Apply the summary if it speaks of another record, state or kind than before (terminal-status §3.6)."""
    records = _records(draft, pane_id)
    summary, before = records.summary(), draft.see_instance(pane_id).get("program")
    if summary is None:
        sources.let_go(draft, pane_id, SOURCE)
    else:
        sources.hold(draft, pane_id, SOURCE)
    progress.tell(draft, pane_id, SOURCE, _progress(summary))
    may = sources.may_apply(draft.see_instance(pane_id), SOURCE)
    if _key(summary) == _key(before):
        _say_again(draft, pane_id, summary, may)
        return
    records.due = None
    _save(draft, pane_id, summary)
    value = program.value_of(summary)
    if may:
        sources.speak(draft, pane_id, SOURCE, value)
        _apply(draft, pane_id, summary)
    else:
        sources.speak(draft, pane_id, SOURCE, value, applied=_apply_below(draft, pane_id, records, before, summary))


def view(world: World, pane_id: str) -> Record:
    """`program_status` of the pane record, while there are records."""
    listed = views(world, pane_id)
    return {**listed[0], "records": len(listed)}


def views(world: World, pane_id: str) -> list[Record]:
    """All records, the one that speaks first."""
    return [_shown(record) for record in hearing.of(world, pane_id).program.ranked()]


def _shown(record: Record) -> Record:
    return {**program.shown(record, _SHOWN), "at": rfc3339(record["at"])}


def _records(draft: Draft, pane_id: str) -> program.Records:
    return hearing.of(draft.world, pane_id).program


def _key(summary: Record | None) -> tuple[str, str, str | None] | None:
    return None if summary is None else (summary["id"], summary["state"], summary.get("kind"))


def _progress(summary: Record | None) -> Record | None:
    if summary is None or not ("progress" in summary or summary["state"] == "working"):
        return None
    return {"kind": "percent", "value": summary.get("progress"), "state": "normal", "source": SOURCE}


def _save(draft: Draft, pane_id: str, summary: Record | None) -> None:
    """Keep what the next report, also to a later server, must know of the summary."""
    instance = draft.instance(pane_id)
    if summary is None:
        instance.pop("program", None)
        return
    asked = instance.get("questions", 0)
    instance["program"] = {**program.shown(summary, ("id", "state", "kind")), "questions": asked}


def _say_again(draft: Draft, pane_id: str, summary: Record | None, may: bool) -> None:
    """The same record says the same state: its words may be others."""
    said = draft.see_instance(pane_id)["sources"].get(SOURCE, {})
    value = program.value_of(summary)
    if said.get("value") != value or (not may and said.get("applied", True)):
        sources.speak(draft, pane_id, SOURCE, value, applied=may)
    if may:
        _tell(draft, pane_id, summary)


def _tell(draft: Draft, pane_id: str, summary: Record | None) -> None:
    if summary is not None and summary["state"] in ("blocked", "done", "error"):
        lifecycle.set_message(draft, pane_id, summary.get("msg", ""))


def _apply(draft: Draft, pane_id: str, summary: Record | None) -> None:
    """The table of terminal-status §3.6."""
    state = summary["state"] if summary is not None else "none"
    if summary is None or state == "idle":
        open_states = ("working", "blocked") if state == "none" else ("unknown", "working", "blocked")
        if draft.see_pane(pane_id)["lifecycle"] in open_states:
            _rest(draft, pane_id)
        attention.release(draft, pane_id, "status")
        return
    _move(draft, pane_id, "failed" if state == "error" else state)
    if state == "working":
        attention.release(draft, pane_id, "status")
    elif state == "blocked":
        attention.require(draft, pane_id, _QUESTIONS.get(summary.get("kind", ""), "input_required"))
    elif state == "done":
        attention.lower_required(draft, pane_id)
        attention.raise_to(draft, pane_id, "unread")
    else:
        attention.raise_to(draft, pane_id, "error")
    _tell(draft, pane_id, summary)
    if state in program.FINISHED:
        draft.instance(pane_id)["turn_ended_at"] = draft.at
        how = "done" if state == "done" else "failed"
        workers.end_turn(draft, pane_id, how, draft.see_pane(pane_id).get("last_message"))


def _apply_below(
    draft: Draft, pane_id: str, records: program.Records, before: Record | None, summary: Record | None
) -> bool:
    """What it may still do while rank 2 holds the pane (terminal-status §9.2); False for nothing, or nothing yet.

    Beyond the table: a question of HOOKLESS_QUESTIONS that stands for two seconds counts.
    """
    instance, pane = draft.see_instance(pane_id), draft.see_pane(pane_id)
    if sources.is_held(instance, 3):
        return False
    was = before["state"] if before is not None else "none"
    now = summary["state"] if summary is not None else "none"
    is_question = summary is not None and now == "blocked" and summary.get("kind") == "question"
    asks = is_question and pane["agent"]["kind"] in HOOKLESS_QUESTIONS
    if (now in program.FINISHED or asks) and pane["lifecycle"] == "working":
        records.due = {"heard": instance.get("heard", 0), "awaited": False}
        return False
    if was in ("working", "blocked") and now in ("idle", "none") and pane["lifecycle"] == "working":
        _rest(draft, pane_id)
        attention.release(draft, pane_id, "status")
        _note_interrupt(draft, pane_id)
        return True
    is_answered = was == "blocked" and now in ("working", "idle", "none") and pane["lifecycle"] == "blocked"
    if is_answered and before is not None and before["questions"] == instance.get("questions", 0):
        end_question(draft, pane_id, SOURCE, "working" if now == "working" else "idle", "status")
        if now != "working":
            _note_interrupt(draft, pane_id)
        return True
    return False


def _note_interrupt(draft: Draft, pane_id: str) -> None:
    """Late tool hooks of the turn that has stopped do not open it again (agents §2.3)."""
    draft.instance(pane_id).update(turn_ended_at=draft.at, stopped_since=draft.see_pane(pane_id)["lifecycle_since"])


def end_question(draft: Draft, pane_id: str, source: str, state: str, reason: str) -> None:
    """The pane's question is over, as a program shows: its lifecycle is `state`, nobody is asked any more."""
    if state == "idle":
        _rest(draft, pane_id, source)
    else:
        _move(draft, pane_id, state, source)
    decisions.clear(draft, pane_id, "moved_on")
    attention.release(draft, pane_id, reason)


def _rest(draft: Draft, pane_id: str, source: str = SOURCE) -> None:
    """Idle without a result: nothing is raised, a worker's task is parked."""
    ends = draft.see_pane(pane_id)["lifecycle"] in ("working", "blocked")
    _move(draft, pane_id, "idle", source)
    if ends:
        workers.end_turn(draft, pane_id, "interrupted", None)


def _move(draft: Draft, pane_id: str, state: str, source: str = SOURCE) -> None:
    if lifecycle.set_lifecycle(draft, pane_id, state):
        sources.decide(draft, pane_id, source)
    if state != "blocked" and "asked" in draft.see_instance(pane_id):
        draft.instance(pane_id).pop("asked")
