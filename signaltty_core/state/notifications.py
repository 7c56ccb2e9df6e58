"""Notifications: making one, what it does to its pane, how many are kept (behaviour §3.1). All act on a Draft."""

from __future__ import annotations

from ..base.limits import BODY_CHARS, MESSAGE_BODY_CHARS, NOTIFICATIONS_KEPT, TITLE_CHARS
from ..base.text import sanitise
from . import attention, lifecycle, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record


def post(
    draft: Draft, id: str, *, pane_id: str | None, title: str, body: str, severity: str, source: str, raises: bool
) -> Record:
    """Store and announce one; the oldest beyond those kept goes. raises: whether it raises its pane's attention."""
    pane = None if pane_id is None else draft.see_pane(pane_id)
    made = records.notification(id, pane=pane, title=title, body=body, severity=severity, source=source, at=draft.at)
    draft.put("notifications", made)
    draft.emit("notification.created", {"notification": made})
    if pane_id is not None and raises:
        attention.raise_to(draft, pane_id, attention.BY_SEVERITY[severity])
    kept = draft.rows("notifications")
    if len(kept) > NOTIFICATIONS_KEPT:
        draft.remove(*(one["id"] for one in kept[: len(kept) - NOTIFICATIONS_KEPT]))
    return made


def say(draft: Draft, pane_id: str, title: str, body: str) -> None:
    """What a caller's own title and body leave as the pane's newest line; either may be empty."""
    title, body = sanitise(title, TITLE_CHARS), sanitise(body, BODY_CHARS)[:MESSAGE_BODY_CHARS]
    if title and body:
        lifecycle.set_message(draft, pane_id, f"{title}: {body}")
    elif body:
        lifecycle.set_message(draft, pane_id, body)
    elif "last_message" not in draft.see_pane(pane_id):
        lifecycle.set_message(draft, pane_id, title)
