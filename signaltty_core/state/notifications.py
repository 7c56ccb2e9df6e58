"""Notifications: kept, counted, and what they do to the pane they belong to (behaviour §3.1)."""

from __future__ import annotations

from ..base.limits import BODY_CHARS, MESSAGE_BODY_CHARS, NOTIFICATIONS_KEPT, TITLE_CHARS
from ..base.text import sanitise
from . import attention, records
from .lifecycle import set_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record


def add(
    draft: Draft,
    id: str,
    pane_id: str | None,
    *,
    title: str,
    body: str,
    severity: str,
    source: str,
    raises: bool = True,
) -> Record | None:
    """Store and publish one; None when it says nothing.

    On a pane it raises attention by its severity and becomes the last message; `raises` False leaves both alone.
    """
    clean_title, clean_body = sanitise(title, TITLE_CHARS), sanitise(body, BODY_CHARS)
    if not clean_title and not clean_body:
        return None
    pane = draft.see_pane(pane_id) if pane_id is not None else None
    made = records.notification(id, pane=pane, title=title, body=body, severity=severity, source=source, at=draft.at)
    draft.put("notifications", made)
    draft.emit("notification.created", {"notification": made})
    kept = draft.rows("notifications")
    draft.remove(*(old["id"] for old in kept[: max(0, len(kept) - NOTIFICATIONS_KEPT)]))
    if pane_id is not None and raises:
        attention.raise_to(draft, pane_id, attention.BY_SEVERITY[severity])
        set_message(draft, pane_id, message(clean_title, clean_body, draft.see_pane(pane_id).get("last_message")))
    return made


def message(title: str, body: str, existing: str | None) -> str:
    """What a notification makes of `last_message`: title and body, the body, the message there is, the title."""
    if body:
        short = body[:MESSAGE_BODY_CHARS]
        return f"{title}: {short}" if title else short
    return existing or title
