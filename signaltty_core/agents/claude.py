"""Claude's hooks as facts (agents §4.1)."""

from __future__ import annotations

from .base import (
    ASK_INPUT,
    ASK_PERMISSION,
    COMPACT_BEGIN,
    COMPACT_END,
    DONE,
    END,
    FAIL,
    NOOP,
    NOTE,
    NUDGE,
    PROMPT,
    RESOLVED,
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

_INPUT_NOTICES = ("elicitation_dialog", "elicitation_url_dialog", "agent_needs_input")


def classify(agent: str, event: str, payload: Payload) -> Facts:
    read = EVENTS.get(event)
    facts = read(payload) if read is not None else Facts(UNKNOWN)
    facts.sub_agent = is_sub_agent(payload)
    return facts


def _session_start(payload: Payload) -> Facts:
    return Facts(NOOP if payload.get("source") == "compact" else START)


def _pre_tool_use(payload: Payload) -> Facts:
    tool = tool_of(payload)
    if is_asking(tool):
        return Facts(ASK_INPUT, question_of(tool, payload), tools=(tool,))
    return Facts(TOOL_BEGIN, tools=(tool,))


def _permission_request(payload: Payload) -> Facts:
    tool = tool_of(payload)
    if is_asking(tool):
        return Facts(ASK_INPUT, question_of(tool, payload), tools=(tool,), repeats=True)
    return Facts(ASK_PERMISSION, text(payload, "prompt", "message") or approval_text(tool), tools=(tool,))


def _notification(payload: Payload) -> Facts:
    kind, message = text(payload, "notification_type", "notificationType"), text(payload, "message")
    if kind is None:
        asks = ASK_PERMISSION if message is not None and "permission" in message.lower() else ASK_INPUT
        return Facts(asks, message, repeats=True)
    if "permission" in kind:
        return Facts(ASK_PERMISSION, message, repeats=True)
    if kind == "idle_prompt":
        return Facts(NUDGE, message, repeats=True, bare=len(payload) == 1)
    return Facts(ASK_INPUT if kind in _INPUT_NOTICES else NOTE, message, repeats=True)


def _stop(payload: Payload) -> Facts:
    return Facts(DONE, text(payload, "last_assistant_message", "lastAssistantMessage"))


def _stop_failure(payload: Payload) -> Facts:
    error = payload.get("error")
    return Facts(FAIL, text(error, "message") if isinstance(error, dict) else text(payload, "error"))


def _session_end(payload: Payload) -> Facts:
    return Facts(NOOP if payload.get("reason") in ("clear", "resume") else END)


def _tool_end(payload: Payload) -> Facts:
    return Facts(TOOL_END, tools=(tool_of(payload),))


EVENTS: dict[str, Callable[[Payload], Facts]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": lambda payload: Facts(PROMPT),
    "PreToolUse": _pre_tool_use,
    "PostToolUse": _tool_end,
    "PostToolUseFailure": _tool_end,
    "PostToolBatch": lambda payload: Facts(TOOL_END, tools=batch_of(payload)),
    "PermissionDenied": _tool_end,
    "PreCompact": lambda payload: Facts(COMPACT_BEGIN),
    "PostCompact": lambda payload: Facts(COMPACT_END),
    "PermissionRequest": _permission_request,
    "Elicitation": lambda payload: Facts(ASK_INPUT, text(payload, "message")),
    "ElicitationResult": lambda payload: Facts(RESOLVED),
    "Notification": _notification,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "SessionEnd": _session_end,
}
