"""New records of every table, with the values they start with (behaviour §3)."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..base.limits import BODY_CHARS, COLS, COLS_MAX, COLS_MIN, ROWS, ROWS_MAX, ROWS_MIN, TITLE_CHARS
from ..base.text import sanitise, slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .world import Record


def size(cols: int | None, rows: int | None) -> Record:
    """A PtySize; values are clamped, never refused (behaviour §3.1)."""
    return {
        "cols": min(max(COLS if cols is None else cols, COLS_MIN), COLS_MAX),
        "rows": min(max(ROWS if rows is None else rows, ROWS_MIN), ROWS_MAX),
    }


def handle(name: str, taken: Iterable[str]) -> str:
    """A workspace handle made from a name; a taken one gets `-2`, `-3`, … (behaviour §2.2)."""
    base, used = slug(name), set(taken)
    found, number = base, 1
    while found in used:
        number += 1
        found = f"{base}-{number}"
    return found


def workspace(id: str, name: str, handle: str, cwd: str, git: Record, at: float) -> Record:
    moment = rfc3339(at)
    return {
        "id": id,
        "name": name,
        "handle": handle,
        "cwd": cwd,
        "git": git,
        "tabs": [],
        "auto_resume": False,
        "created_at": moment,
        "updated_at": moment,
    }


def tab(id: str, workspace_id: str, title: str, at: float) -> Record:
    return {"id": id, "workspace_id": workspace_id, "title": title, "layout": None, "created_at": rfc3339(at)}


def pane(
    id: str,
    workspace_id: str,
    tab_id: str,
    *,
    title: str,
    cwd: str,
    argv: list[str],
    pty_size: Record,
    agent: Record,
    at: float,
    lineage: Record,
) -> Record:
    """A live pane at its start; lineage holds what is known of parent, label, relationship and task."""
    moment = rfc3339(at)
    return {
        "id": id,
        "workspace_id": workspace_id,
        "tab_id": tab_id,
        "title": title,
        "cwd": cwd,
        "argv": argv,
        "pty_size": pty_size,
        "live": {"state": "live"},
        "restore_state": "LIVE",
        "agent": agent,
        "lifecycle": "unknown",
        "last_lifecycle": "unknown",
        "attention": "none",
        "created_at": moment,
        "last_activity_at": moment,
        **lineage,
    }


def program_name(argv: list[str]) -> str:
    """The last component of the program's path; `shell` where there is none (behaviour §5.7)."""
    return (argv[0].rsplit("/", 1)[-1] if argv else "") or "shell"


def title_of(argv: list[str]) -> str:
    """A pane's title before its program sets one (behaviour §3.4)."""
    return sanitise(program_name(argv), TITLE_CHARS) or "shell"


def instance(pane_id: str, process_instance: str, seq: int, child: Record) -> Record:
    """The facts of a new process instance; both sequence values start at the server's number (behaviour §5.5).

    child: pid and start_time of the process, or empty.
    """
    return {
        "id": pane_id,
        "process_instance": process_instance,
        "session_generation": 0,
        "lifecycle_seq": seq,
        "attention_seq": seq,
        "transitions": {},
        "spoken": [],
        "screen_raised": False,
        "turn_began": False,
        "sources": {},
        **child,
    }


def notification(
    id: str, *, pane: Record | None, title: str, body: str, severity: str, source: str, at: float
) -> Record:
    """Texts are sanitised and cut here; an empty title becomes the product's name."""
    made: dict[str, Any] = {
        "id": id,
        "title": sanitise(title, TITLE_CHARS) or "signaltty",
        "body": sanitise(body, BODY_CHARS),
        "severity": severity,
        "source": source,
        "created_at": rfc3339(at),
    }
    if pane is not None:
        made["pane_id"] = pane["id"]
        made["workspace_id"] = pane["workspace_id"]
    return made
