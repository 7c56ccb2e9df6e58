"""Pull requests as `gh` takes and prints them (tasks-and-git §5)."""

from __future__ import annotations

from ..base.clock import rfc3339

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

_STATES = ("open", "merged", "closed")
_REVIEWS = ("approved", "changes_requested", "review_required")
_FAILED = ("FAILURE", "ERROR", "CANCELLED", "TIMED_OUT", "ACTION_REQUIRED", "STARTUP_FAILURE")
_FAILED_STATES = ("FAILURE", "ERROR")
_PENDING_STATES = ("PENDING", "EXPECTED")


def create(gh: str, *, head: str, base: str, title: str, body: str, draft: bool) -> list[str]:
    words = [gh, "pr", "create", "--head", head, "--base", base, "--title", title, "--body", body]
    return [*words, "--draft"] if draft else words


def view(gh: str, url: str) -> list[str]:
    return [gh, "pr", "view", url, "--json", "state,reviewDecision,statusCheckRollup"]


def parse_url(printed: bytes) -> Record | None:
    """`{number, url}` of the last line that is not empty; None when that ends in no number."""
    lines = [line.strip() for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    number = lines[-1].rstrip("/").rpartition("/")[2] if lines else ""
    if not (number.isascii() and number.isdigit()):
        return None
    return {"number": int(number), "url": lines[-1]}


def parse_view(printed: bytes, at: float) -> Record | None:
    """`{state, checks, review, checked_at}`; None for anything else."""
    from json import loads  # few servers ever ask

    try:
        found = loads(printed)
    except (ValueError, RecursionError):
        return None
    state = str(found.get("state", "")).lower() if isinstance(found, dict) else ""
    if state not in _STATES:
        return None
    review = str(found.get("reviewDecision") or "").lower()
    return {
        "state": state,
        "checks": checks(found.get("statusCheckRollup") or []),
        "review": review if review in _REVIEWS else "none",
        "checked_at": rfc3339(at),
    }


def checks(rollup: Any) -> str:
    """One word for all checks."""
    runs = [run for run in rollup if isinstance(run, dict)] if isinstance(rollup, list) else []
    if not runs:
        return "none"
    if any(run.get("conclusion") in _FAILED or run.get("state") in _FAILED_STATES for run in runs):
        return "failing"
    if any(_is_pending(run) for run in runs):
        return "pending"
    return "passing"


def _is_pending(run: Record) -> bool:
    if run.get("state") in _PENDING_STATES:
        return True
    return "status" in run and run["status"] != "COMPLETED"
