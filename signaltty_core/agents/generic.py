"""Programs of no known kind, and kinds whose hooks nobody reads: every event is unrecognised (agents §4.6)."""

from __future__ import annotations

from .base import UNKNOWN, Facts, is_sub_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Payload


def classify(agent: str, event: str, payload: Payload) -> Facts:
    return Facts(UNKNOWN, sub_agent=is_sub_agent(payload))
