"""Native hooks that come in through `ipc agent-event --adapter=`: what their payloads say (agent-status §15.1)."""

from __future__ import annotations

from ..base.errors import BadParams
from ..status import names
from ..status.envelope import ID_BYTES, Event, message, pid_of
from . import base, tools
from .base import Tool, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .base import Payload

    Session = dict[str, Any]

ADAPTERS = {
    "agy": "Antigravity",
    "claude": "Claude Code",
    "codex": "Codex",
    "codex-notify": "Codex",
    "copilot": "Copilot",
    "cursor": "Cursor",
    "droid": "Droid",
    "gemini": "Gemini",
    "grok": "Grok",
    "hermes": "Hermes Agent",
    "kimi": "Kimi",
    "small-harness": "Small Harness",
    "vibe": "Mistral Vibe",
}
_SESSION = ("session_id", "sessionId")
_CONVERSATION = ("conversation_id", "conversationId")
_THREAD = ("thread_id", "thread-id")


class Native:
    """One hook, read. word: its folded name, empty when it has none."""

    __slots__ = ("adapter", "cwd", "message", "payload", "pid", "session_id", "sub_agent", "tool", "type", "word")

    def __init__(self, adapter: str, word: str, payload: Payload, pid: int | None) -> None:
        self.adapter = adapter
        self.payload = payload
        self.pid = pid
        self.word = fold(word or _hook_name(adapter, payload))
        self.session_id = _session_id(adapter, self.word, payload)
        self.cwd = _directory(payload)
        self.tool = tool_of(payload)
        self.message = text(payload, "message", "body", "text", "prompt")
        self.type = fold(text(payload, "notification_type", "notificationType", "type") or "")
        self.sub_agent = text(payload, "agent_id", "agentId") is not None

    @property
    def kind(self) -> str | None:
        """The pane kind of the adapter's agent."""
        return names.kind_of(ADAPTERS[self.adapter])

    def address(self) -> Event:
        """An event that says only whose hook it is, to find its session by."""
        return self.event("task.progress")

    def event(self, effect: str) -> Event:
        made = Event(effect, self.session_id, ADAPTERS[self.adapter])
        made.pid = self.pid
        made.cwd = self.cwd
        made.sub_agent = self.sub_agent
        return made

    def ask(self, kind: str, text: str | None, *, tool: Tool | None = None) -> list[Event]:
        made = self.event("ask")
        made.kind = kind
        made.ask_text = message(text)
        asked = self.tool if tool is None else tool
        made.tools = [tools.note_of(asked, None)] if asked else []
        return [made]


def read(adapter: str, word: str | None, payload: object, agent_pid: float | None) -> Native:
    """word: the hook's name from the command line. Raises BadParams for an adapter nobody knows."""
    if adapter not in ADAPTERS:
        known = ", ".join(ADAPTERS)
        raise BadParams(f'unknown adapter "{adapter[:40]}" (known: {known})', reason="unknown_adapter")
    return Native(adapter, word or "", payload if isinstance(payload, dict) else {}, pid_of(agent_pid))


def _hook_name(adapter: str, payload: Payload) -> str:
    fields = ("hook_event_name", "hookEventName", "event")
    return text(payload, *fields, *(("type",) if adapter == "codex-notify" else ())) or ""


def _session_id(adapter: str, word: str, payload: Payload) -> str | None:
    fields: tuple[str, ...] = (*_SESSION, *_CONVERSATION, *_THREAD)
    if adapter in ("cursor", "agy"):
        fields = (*_CONVERSATION, *_SESSION, *_THREAD)
    if adapter == "cursor" and word.startswith("subagent"):
        fields = ("parent_conversation_id",)
    id = text(payload, *fields)
    if id is not None and not id.isascii():
        id = id.encode("utf-8", "replace").decode("utf-8")
    return id if id is not None and len(id.encode("utf-8")) <= ID_BYTES else None


def _directory(payload: Payload) -> str | None:
    roots = (payload.get(field) for field in ("workspace_roots", "workspacePaths"))
    firsts = [each[0] for each in roots if isinstance(each, list) and each]
    for value in (payload.get("cwd"), payload.get("working_dir"), *firsts):
        if isinstance(value, str) and value.strip():
            path = value.strip().encode("utf-8", "replace").decode("utf-8")
            return path if path[0] == "/" and "\0" not in path else None
    return None


def tool_of(payload: Payload) -> Tool:
    id = text(payload, "tool_use_id", "toolUseId", "tool_call_id", "toolCallId")
    return Tool(text(payload, "tool_name", "toolName"), base.tool_of(payload).input, id)


def text(payload: Payload, *fields: str) -> str | None:
    """The first of the fields that holds more than blanks, trimmed."""
    found = base.text(payload, *fields)
    return found.strip() if found is not None else None
