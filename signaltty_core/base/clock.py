"""Wall time as text. Clocks themselves are read in host/ and handed in."""

from __future__ import annotations

from time import gmtime, strftime

_STEP_S = 60.0  # a clock that is being adjusted steps by less


def rfc3339(at: float) -> str:
    """UTC with milliseconds: `2026-10-09T12:34:56.789Z` (behaviour §2.4)."""
    whole_ms = int(at * 1000)
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(whole_ms // 1000))}.{whole_ms % 1000:03d}Z"


def passed_s(since: float, at: float) -> float:
    """Wall seconds from one moment to another, which is never far below zero.

    A clock that was set back does not tell how long ago something was; it counts as long ago, so that nobody waits for
    the clock to catch up.
    """
    gone_s = at - since
    return gone_s if gone_s > -_STEP_S else float("inf")


def seconds_of(text: str) -> float:
    """Wall seconds of an `rfc3339` text; 0.0 for anything else."""
    from calendar import timegm
    from time import strptime

    try:
        whole = timegm(strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
        return whole + int(text[20:23]) / 1000
    except ValueError:
        return 0.0
