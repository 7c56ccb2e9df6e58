"""Programs of no known kind."""

from __future__ import annotations

from signaltty_core.agents import base
from signaltty_core.agents.base import Facts
from signaltty_core.agents.generic import classify


def test_no_event_means_anything() -> None:
    assert classify("generic", "Stop", {"last_assistant_message": "bye"}) == Facts(base.UNKNOWN)
