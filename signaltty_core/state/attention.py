"""What a human owes a pane: the levels and the operations on them (behaviour §5.1, §5.2, §5.4)."""

from __future__ import annotations

from ..base.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .world import Draft, Record

LEVELS = ("none", "unread", "warning", "input_required", "permission_required", "error")
RANK = {level: rank for rank, level in enumerate(LEVELS)}
BY_SEVERITY = {"info": "unread", "warning": "warning", "error": "error"}


def is_required(level: str) -> bool:
    """Whether somebody is waited for."""
    return level in ("input_required", "permission_required")


def raise_to(draft: Draft, pane_id: str, level: str) -> bool:
    """Raise to the maximum of old and new; False when nothing changes."""
    prev = draft.see_pane(pane_id)["attention"]
    if RANK[level] <= RANK[prev]:
        return False
    _set(draft, pane_id, level)
    return True


def require(draft: Draft, pane_id: str, level: str) -> bool:
    """Come to this required level, down from the other one if need be; an error stays (agent-status §12)."""
    prev = draft.see_pane(pane_id)["attention"]
    if prev in ("error", level):
        return False
    _set(draft, pane_id, level)
    return True


def clear(draft: Draft, pane_id: str, reason: str, *, seen: bool = True) -> bool:
    """Down to none; False when it is there already. seen: whether somebody looked, which sets `last_seen_at`."""
    if draft.see_pane(pane_id)["attention"] == "none":
        return False
    pane = draft.pane(pane_id)
    pane["attention"] = "none"
    pane.pop("attention_since", None)
    if seen:
        pane["last_seen_at"] = rfc3339(draft.at)
    draft.emit("attention.cleared", {"pane_id": pane_id, "reason": reason})
    draft.mark(pane_id, "attention", "none")
    draft.instance(pane_id)["screen_raised"] = False
    return True


def lower_required(draft: Draft, pane_id: str) -> bool:
    """A required level that no decision backs becomes `unread`."""
    pane = draft.see_pane(pane_id)
    if not is_required(pane["attention"]) or "pending_decision" in pane:
        return False
    _set(draft, pane_id, "unread")
    return True


def release(draft: Draft, pane_id: str, reason: str) -> bool:
    """A required level that no decision backs is cleared."""
    pane = draft.see_pane(pane_id)
    if not is_required(pane["attention"]) or "pending_decision" in pane:
        return False
    return clear(draft, pane_id, reason)


def mark_seen(draft: Draft, pane_id: str, reason: str) -> None:
    """Somebody read the pane: notifications are read, ordinary attention is cleared, a pending decision stays."""
    moment = rfc3339(draft.at)
    draft.pane(pane_id)["last_seen_at"] = moment
    for one in draft.rows("notifications"):
        if one.get("pane_id") == pane_id and "read_at" not in one:
            draft.edit("notifications", one["id"])["read_at"] = moment
    if "pending_decision" not in draft.see_pane(pane_id):
        clear(draft, pane_id, reason)


def ranked(panes: Iterable[Record]) -> list[Record]:
    """Panes that want somebody: severity, then newest attention, then newest activity, then id (behaviour §5.1)."""
    waiting = sorted((pane for pane in panes if pane["attention"] != "none"), key=lambda pane: str(pane["id"]))
    for key in ("last_activity_at", "attention_since"):
        waiting.sort(key=lambda pane: str(pane.get(key, "")), reverse=True)
    waiting.sort(key=lambda pane: -RANK[pane["attention"]])
    return waiting


def _set(draft: Draft, pane_id: str, level: str) -> None:
    pane = draft.pane(pane_id)
    prev = pane["attention"]
    pane["attention"] = level
    pane["attention_since"] = rfc3339(draft.at)
    event = "attention.created" if prev == "none" else "attention.updated"
    draft.emit(event, {"pane_id": pane_id, "attention": level, "prev": prev})
    draft.mark(pane_id, "attention", level)
