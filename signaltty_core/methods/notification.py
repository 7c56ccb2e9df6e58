"""notify and notification.list: words for a person, about a pane or about none."""

from __future__ import annotations

from ..base.limits import NOTIFICATIONS_KEPT, PENDING_DEFAULT
from ..state import notifications
from ..wire.kinds import Count, PaneRef, Severity
from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call


@method("notify", mutates=True)
def notify(
    call: Call, title: str, pane_id: PaneRef | None = None, body: str | None = None, severity: Severity = "info"
) -> Record:
    """Leave a notification.

    title: what it is about, at most 200 characters are kept
    pane_id: the pane it is about, whose attention it raises
    body: the text, at most 2,000 characters are kept
    severity: info, warning or error
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    found = None if pane_id is None else str(call.world.pane(pane_id)["id"])
    draft = call.draft()
    made = notifications.post(
        draft,
        call.new_id("notification"),
        pane_id=found,
        title=title,
        body=body or "",
        severity=severity,
        source="cli",
        raises=True,
    )
    if found is not None:
        notifications.say(draft, found, title, body or "")
    call.commit(draft)
    return {"notification": made}


@method("notification.list")
def notification_list(
    call: Call,
    pane_id: PaneRef | None = None,
    unread: bool = False,
    limit: Count = PENDING_DEFAULT,
) -> Record:
    """List notifications, newest first.

    pane_id: only those of this pane
    unread: only those nobody has seen
    limit: how many at most; default 50, more than 200 counts as 200
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    found = None if pane_id is None else call.world.pane(pane_id)["id"]
    chosen = [
        one
        for one in reversed(list(call.world.notifications.values()))
        if (found is None or one.get("pane_id") == found) and not (unread and "read_at" in one)
    ]
    return {"notifications": chosen[: min(limit, NOTIFICATIONS_KEPT)]}
