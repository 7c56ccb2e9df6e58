"""The progress a pane shows, of those its sources tell (behaviour §3.1). All act on a Draft."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record

ORDER = ("agent-event", "osc7501", "osc9_4")


def tell(draft: Draft, pane_id: str, source: str, progress: Record | None) -> None:
    """What the source says now, None for nothing; the pane shows the first source that says something.

    No event of its own: a percentage may change with every line of output, and a counter's session tells (persistence
    §4.2, agent-status §16).
    """
    known = draft.see_instance(pane_id).get("progress", {})
    if known.get(source) == progress:
        return
    told = {name: known[name] for name in known if name != source}
    if progress is not None:
        told[source] = progress
    draft.instance(pane_id)["progress"] = told
    show(draft, pane_id)


def show(draft: Draft, pane_id: str) -> None:
    """Let the pane show what its sources tell."""
    told = draft.see_instance(pane_id).get("progress", {})
    shown = next((told[name] for name in ORDER if name in told), None)
    if shown != draft.see_pane(pane_id).get("progress"):
        pane = draft.pane(pane_id)
        pane.pop("progress", None)
        if shown is not None:
            pane["progress"] = shown


def last(instance: Record, source: str) -> Record | None:
    """What the source said last and has not taken back."""
    found: Record | None = instance.get("progress", {}).get(source)
    return found


def forget(draft: Draft, pane_id: str) -> None:
    """The process has ended: nothing is told any more; what the pane shows went with its end."""
    if draft.see_instance(pane_id).get("progress"):
        draft.instance(pane_id)["progress"] = {}
