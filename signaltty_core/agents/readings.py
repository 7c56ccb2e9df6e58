"""Readings of hooks that several agents share, and the look-up every adapter begins with (agents §4)."""

from __future__ import annotations

from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    DONE,
    NOOP,
    NUDGE,
    START,
    TOOL_BEGIN,
    TOOL_END,
    UNKNOWN,
    Facts,
    approval_text,
    batch_of,
    is_asking,
    is_sub_agent,
    question_of,
    text,
    tool_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .base import Payload

    Reading = Callable[[Payload], Facts]


def read(events: dict[str, Reading], event: str, payload: Payload) -> Facts:
    """The hook as its agent's table reads it; unknown events are no facts."""
    reading = events.get(event)
    facts = reading(payload) if reading is not None else Facts(UNKNOWN)
    facts.sub_agent = facts.sub_agent or is_sub_agent(payload)
    return facts


def plain(outcome: str) -> Reading:
    """A hook whose payload says nothing of interest."""
    return lambda payload: Facts(outcome)


def session_start(payload: Payload) -> Facts:
    """A compaction ends with a start that starts nothing."""
    return Facts(NOOP if payload.get("source") == "compact" else START)


def tool_begin(payload: Payload) -> Facts:
    """A tool begins; one that asks a person is a question."""
    tool = tool_of(payload)
    if is_asking(tool):
        return Facts(ASK_INPUT, question_of(tool, payload), tools=(tool,))
    return Facts(TOOL_BEGIN, tools=(tool,))


def any_tool_begin(payload: Payload) -> Facts:
    """A tool begins, whatever it is."""
    return Facts(TOOL_BEGIN, tools=(tool_of(payload),))


def tool_end(payload: Payload) -> Facts:
    return Facts(TOOL_END, tools=(tool_of(payload),))


def batch_end(payload: Payload) -> Facts:
    return Facts(TOOL_END, tools=batch_of(payload))


def permission_request(payload: Payload) -> Facts:
    tool = tool_of(payload)
    if is_asking(tool):
        return Facts(ASK_INPUT, question_of(tool, payload), tools=(tool,), repeats=True)
    return Facts(ASK_PERMISSION, text(payload, "prompt", "message") or approval_text(tool), tools=(tool,))


def nudge(payload: Payload) -> Facts:
    """The agent says that it waits, or has nothing to do."""
    return Facts(NUDGE, text(payload, "message"), repeats=True, bare=len(payload) == 1)


def stop(payload: Payload) -> Facts:
    return Facts(DONE, text(payload, "last_assistant_message", "lastAssistantMessage"))


def notice_type(payload: Payload) -> str | None:
    return text(payload, "notification_type", "notificationType")
