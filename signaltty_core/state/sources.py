"""Who speaks about a pane and who holds it (behaviour §5.6, terminal-status §9). All act on a Draft."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.text import sanitise
from . import attention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record

RANK = {
    "exit": 1,
    "hook": 2,
    "agent-event": 2,
    "answer": 2,
    "zerostack": 3,
    "osc7501": 4,
    "screen": 5,
    "osc9_4": 6,
}
STRUCTURED = ("hook", "agent-event", "answer", "zerostack", "osc7501")
CLEARS = {
    "hook": "hook",
    "agent-event": "hook",
    "answer": "decision_answer",
    "zerostack": "status",
    "osc7501": "status",
}
VALUE_CHARS = 200


def speak(draft: Draft, pane_id: str, source: str, value: str, *, applied: bool = True, holds: bool = False) -> bool:
    """Note a source's message; True when it is the first structured one of this process.

    Then what a screen rule had put there is withdrawn. applied: False when a better source holds the pane. holds: the
    source holds the pane until `let_go`.
    """
    before = draft.see_instance(pane_id)
    first = source in STRUCTURED and not is_hooked(before)
    instance = draft.instance(pane_id)
    if RANK[source] == 2:
        instance.update(heard=instance.get("heard", 0) + 1, heard_at=draft.at)
    said: Record = {"value": sanitise(value, VALUE_CHARS), "at": rfc3339(draft.at)}
    if not applied:
        said["applied"] = False
    instance["sources"] = {**instance["sources"], source: said}
    if source not in instance["spoken"]:
        instance["spoken"] = [*instance["spoken"], source]
    if holds:
        hold(draft, pane_id, source)
    if first and instance["screen_raised"]:
        if draft.see_pane(pane_id)["attention"] == "input_required":
            attention.clear(draft, pane_id, CLEARS[source])
        instance["screen_raised"] = False
    return first


def hold(draft: Draft, pane_id: str, source: str) -> None:
    """From now on the source holds the pane."""
    if source not in draft.see_instance(pane_id).get("holds", ()):
        instance = draft.instance(pane_id)
        instance["holds"] = [*instance.get("holds", ()), source]


def let_go(draft: Draft, pane_id: str, source: str) -> None:
    """The source has said goodbye; it holds the pane no more, the lifecycle stays (terminal-status §9.3)."""
    if source in draft.see_instance(pane_id).get("holds", ()):
        instance = draft.instance(pane_id)
        instance["holds"] = [each for each in instance["holds"] if each != source]


def decide(draft: Draft, pane_id: str, source: str) -> None:
    """Note that the source's message set the present lifecycle."""
    if draft.see_instance(pane_id).get("decided_by") != source:
        draft.instance(pane_id)["decided_by"] = source


def is_hooked(instance: Record) -> bool:
    """Whether a source of rank 2 to 4 has spoken in this process, which silences screen rules."""
    return any(source in STRUCTURED for source in instance["spoken"])


def note_question(draft: Draft, pane_id: str) -> None:
    """A message of rank 2 has asked a person something anew (terminal-status §9.2)."""
    instance = draft.instance(pane_id)
    instance["questions"] = instance.get("questions", 0) + 1


def is_held_above(instance: Record, source: str) -> bool:
    """Whether a source of better rank holds the pane, so that this one's message is recorded but not applied."""
    return any(RANK[each] < RANK[source] for each in instance.get("holds", ()))


def is_held(instance: Record, rank: int) -> bool:
    """Whether a source of this very rank holds the pane."""
    return any(RANK[each] == rank for each in instance.get("holds", ()))


def may_apply(instance: Record, source: str) -> bool:
    """Whether the source's message may change lifecycle, attention or decision now (terminal-status §9.1).

    Screen rules are silent once anything structured has spoken, also when nothing holds the pane any more.
    """
    if source == "screen":
        return not is_hooked(instance)
    return not is_held_above(instance, source)


def listed(instance: Record) -> list[Record]:
    """One entry per source that has spoken, best rank first, as `pane.explain` shows them (terminal-status §10)."""
    entries = []
    for source in RANK:
        said = instance["sources"].get(source)
        if said is None:
            continue
        entry = {"source": source, "value": said["value"], "at": said["at"]}
        entry["decides"] = instance.get("decided_by") == source
        if RANK[source] <= 4:
            entry["holds"] = source in instance.get("holds", ()) and not is_held_above(instance, source)
        if "applied" in said:
            entry["applied"] = said["applied"]
        entries.append(entry)
    return entries
