"""The primitive operations on a pane's lifecycle and its child's end (behaviour §5.2, §5.5). All act on a Draft."""

from __future__ import annotations

from ..base.clock import rfc3339, seconds_of
from ..base.limits import MESSAGE_CHARS
from ..base.text import sanitise
from . import attention, decisions, words, workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft

STATES = words.LIFECYCLES


def set_lifecycle(draft: Draft, pane_id: str, state: str) -> bool:
    """Move the pane to `state`; False when it is there already, which is no transition."""
    if draft.see_pane(pane_id)["lifecycle"] == state:
        return False
    pane = draft.pane(pane_id)
    prev = pane["lifecycle"]
    if prev == "working":
        pane["last_run_secs"] = max(0, int(draft.at - seconds_of(pane.get("lifecycle_since", ""))))
    moment = rfc3339(draft.at)
    pane.update(last_lifecycle=prev, lifecycle=state, lifecycle_since=moment, last_activity_at=moment)
    draft.emit(f"agent.{state}", {"pane_id": pane_id, "lifecycle": state, "prev": prev})
    draft.mark(pane_id, "lifecycle", state)
    if state == "working":
        draft.instance(pane_id)["turn_began"] = True
    if state in ("working", "done"):
        workers.begin_turn(draft, pane_id)
    return True


def set_message(draft: Draft, pane_id: str, text: str) -> None:
    """Make `text` the pane's newest readable line; an empty one changes nothing."""
    text = sanitise(text, MESSAGE_CHARS)
    if text and draft.see_pane(pane_id).get("last_message") != text:
        draft.pane(pane_id)["last_message"] = text


def end_child(draft: Draft, pane_id: str, code: int | None, os_signal: str | None) -> None:
    """The pane's child has ended: the steps of behaviour §5.5, once, only while it was live."""
    before = draft.see_pane(pane_id)
    if before["live"]["state"] != "live":
        return
    reviewed = (
        before["lifecycle"] in ("done", "failed") and before["attention"] == "none" and "pending_decision" not in before
    )
    pane = draft.pane(pane_id)
    pane["live"] = {"state": "exited", "code": code} | ({"signal": os_signal} if os_signal else {})
    pane["restore_state"] = "EXITED"
    payload = {"pane_id": pane_id, "code": code} | ({"signal": os_signal} if os_signal else {})
    draft.emit("pane.exited", payload)
    draft.mark(pane_id, "lifecycle", "exited")
    if pane["lifecycle"] not in ("done", "failed"):
        set_lifecycle(draft, pane_id, _end_state(pane["agent"]["kind"], code))
    if attention.is_required(pane["attention"]):
        attention.clear(draft, pane_id, "pane_exited", seen=False)
    if not reviewed:
        attention.raise_to(draft, pane_id, "unread")
    decisions.clear(draft, pane_id, "pane_exited")
    workers.lose(draft, pane_id, "pane_exited", exit_code=code, **({"signal": os_signal} if os_signal else {}))
    pane.pop("progress", None)


def _end_state(kind: str, code: int | None) -> str:
    if kind not in ("generic", "none") or code is None:
        return "exited"
    return "done" if code == 0 else "failed"
