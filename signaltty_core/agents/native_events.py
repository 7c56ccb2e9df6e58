"""What native hooks mean for status sessions (agent-status §15.3 to §15.5): a table, and what is special to an agent.

Some hooks mean something only in some phases, so the session a hook belongs to is looked at, never changed.
"""

from __future__ import annotations

from ..base.errors import BadParams
from ..status.envelope import ID_BYTES, message, progress_of
from . import base, native_todos, tools
from .base import fold
from .native import text, tool_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..status.envelope import Event
    from .base import Tool
    from .native import Native

    Session = dict[str, Any]
    Act = Callable[[Native, "Session | None"], list[Event]]

TASKS_MAX = 1000
_LAST_WORDS = ("last_assistant_message", "lastAssistantMessage", "last-assistant-message")
_ASKING_TYPES = ("elicitationdialog", "elicitationurldialog", "agentneedsinput", "question", "ask", "askuserquestion")
_OF_THE_MAIN_AGENT = (
    "session.start",
    "session.end",
    "agent.idle",
    "failed",
    "interrupted",
    "agent.compacting",
    "agent.compacted",
)


def events(native: Native, session: Session | None, *, has_codex: bool = False) -> list[Event]:
    """The events to apply, in order; none when the hook means nothing here.

    session: the one the hook belongs to, if it is there. has_codex: the pane has a session of that name.
    """
    if native.adapter == "codex-notify":
        found = _codex_notify(native, session, has_codex)
    else:
        act = _EXCEPTIONS.get((native.adapter, native.word)) or _TABLE.get(native.word, _nothing)
        found = act(native, session)
    if native.sub_agent and any(event.effect in _OF_THE_MAIN_AGENT for event in found):
        return []
    return found


def _plain(effect: str) -> Act:
    return lambda native, session: [native.event(effect)]


def _start(native: Native, session: Session | None) -> list[Event]:
    return [] if native.payload.get("source") == "compact" else [native.event("session.start")]


def _copilot_start(native: Native, session: Session | None) -> list[Event]:
    return [*_start(native, session), native.event("agent.idle")] if _start(native, session) else []


def _tool_hook(effect: str) -> Act:
    def act(native: Native, session: Session | None) -> list[Event]:
        return [_with_tools(native.event(effect), [native.tool])]

    return act


def _with_tools(event: Event, found: list[Tool]) -> Event:
    event.tools = [tools.note_of(tool, None) for tool in found if tool]
    for tool in found:
        native_todos.count(event, tool)
    return event


def _before_tool(native: Native, session: Session | None) -> list[Event]:
    if base.is_asking(native.tool):
        return _question(native, session)
    return [_with_tools(native.event("tool-begin"), [native.tool])]


def _batch(native: Native, session: Session | None) -> list[Event]:
    calls = native.payload.get("tool_calls")
    found = [tool_of(each) for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    return [_with_tools(native.event("tool-end"), found)]


def _question(native: Native, session: Session | None) -> list[Event]:
    """The question an asking tool puts, its options as lines (agent-status §15.4)."""
    given = native.tool.input or {}
    questions = given.get("questions")
    first = questions[0] if isinstance(questions, list) and questions and isinstance(questions[0], dict) else {}
    asked = text(first, "question") or text(given, "question", "prompt", "message", "title") or native.message
    options = next((each for each in (first.get("options"), given.get("options"), given.get("choices")) if each), None)
    labels = [label for each in options if (label := _option(each))] if isinstance(options, list) else []
    if not labels:
        return native.ask("question", asked)
    return native.ask("decision", "\n".join([*([asked] if asked else []), *(f"- {label}" for label in labels)]))


def _permission(native: Native, session: Session | None) -> list[Event]:
    if base.is_asking(native.tool):
        return _question(native, session)
    return native.ask("approval", native.message or base.approval_text(native.tool) or "Approval needed")


def _exit_spec(native: Native, session: Session | None) -> list[Event]:
    if native.tool.name is None or fold(native.tool.name) != "exitspecmode":
        return _before_tool(native, session)
    plan = _first_line(text(native.tool.input or {}, "plan"))
    return native.ask("approval", f"Review the plan: {plan}" if plan else "Review the plan")


def _stop(native: Native, session: Session | None) -> list[Event]:
    made = native.event("agent.idle")
    made.text = message(_first_line(text(native.payload, *_LAST_WORDS)))
    return [made]


def _agy_stop(native: Native, session: Session | None) -> list[Event]:
    return [] if native.payload.get("fullyIdle") is False else _stop(native, session)


def _cursor_stop(native: Native, session: Session | None) -> list[Event]:
    status = (text(native.payload, "status") or "").lower()
    if status == "aborted":
        return [native.event("interrupted")]
    return _failed(native, session) if status == "error" else _stop(native, session)


def _droid_stop(native: Native, session: Session | None) -> list[Event]:
    is_spec = text(native.payload, "permission_mode", "permissionMode") == "spec"
    return [] if is_spec and _is_asking(session) else _stop(native, session)


def _failed(native: Native, session: Session | None) -> list[Event]:
    made, error = native.event("failed"), native.payload.get("error")
    made.text = message(text(error, "message", "type") if isinstance(error, dict) else text(native.payload, "error"))
    return [made]


def _hermes_end(native: Native, session: Session | None) -> list[Event]:
    runs = session is not None and session["phase"] in ("running", "needs-input")
    return [*([native.event("agent.idle")] if runs else []), native.event("session.end")]


def _notification(native: Native, session: Session | None) -> list[Event]:
    """By its type, and by its words only where it has none (agent-status §15.5)."""
    if _is_asking(session):
        return []
    kind, words = native.type, (native.message or "").lower()
    if "permission" in kind or "approval" in kind:
        return _notice(native, "approval")
    if kind in ("idleprompt", "agentidle"):
        return _idle_prompt(native, session)
    if kind in _ASKING_TYPES:
        return _notice(native, "question")
    if kind:
        return []
    if "permission" in words or (native.adapter != "claude" and ("approve" in words or "approval" in words)):
        return _notice(native, "approval")
    if native.adapter == "droid" and ("waiting for your input" in words or "idle" in words):
        return _idle_prompt(native, session)
    return _notice(native, "generic-input") if native.adapter in ("claude", "droid") else []


def _notice(native: Native, kind: str) -> list[Event]:
    return native.ask(kind, native.message)


def _elicited(native: Native, session: Session | None) -> list[Event]:
    return [native.event("agent.input-resolved")] if _is_asking(session) else []


def _idle_prompt(native: Native, session: Session | None) -> list[Event]:
    return [native.event("agent.idle")] if session is not None and session["phase"] == "running" else []


def _task(is_done: bool) -> Act:
    def act(native: Native, session: Session | None) -> list[Event]:
        id = text(native.payload, "task_id")
        known = session.get("tasks", {}) if session is not None else {}
        if id is None or (id not in known and len(known) >= TASKS_MAX):
            return []
        made = native.event("tasks")
        made.tasks = {id[:ID_BYTES]: is_done}
        return [made]

    return act


def _plan(native: Native, session: Session | None) -> list[Event]:
    try:
        progress = progress_of(native.payload)
    except BadParams:
        progress = None
    if progress is None:
        return []
    made = native.event("tool-begin")
    made.progress = progress
    return [made]


def _codex_notify(native: Native, session: Session | None, has_codex: bool) -> list[Event]:
    if native.word == "agentturncomplete":
        is_internal = (
            native.session_id is not None and has_codex and (session is None or session["id"] != native.session_id)
        )
        return [] if is_internal else _stop(native, session)
    if "permission" in native.word or "approval" in native.word:
        return _notice(native, "approval")
    return _notice(native, "question") if "question" in native.word or "input" in native.word else []


def _nothing(native: Native, session: Session | None) -> list[Event]:
    return []


def _is_asking(session: Session | None) -> bool:
    return session is not None and session["phase"] == "needs-input"


_ROWS: tuple[tuple[str, Act], ...] = (
    ("sessionstart onsessionstart onsessionreset", _start),
    (
        "userpromptsubmit userpromptsubmitted beforesubmitprompt beforeagent prellmcall preinvocation",
        _plain("agent.running"),
    ),
    ("pretooluse beforetool pretoolcall beforeshellexecution beforemcpexecution beforereadfile", _before_tool),
    (
        "posttooluse posttoolusefailure permissiondenied aftertool posttoolcall aftershellexecution aftermcpexecution"
        " afterfileedit postinvocation",
        _tool_hook("tool-end"),
    ),
    ("posttoolbatch", _batch),
    ("permissionrequest preapprovalrequest askpermission", _permission),
    ("askquestion", _question),
    ("postapprovalresponse", _plain("agent.input-resolved")),
    ("precompact precompress", _plain("agent.compacting")),
    ("postcompact", _plain("agent.compacted")),
    ("stop agentstop turncomplete afteragent postllmcall postagentturn", _stop),
    ("stopfailure", _failed),
    ("interrupt", _plain("interrupted")),
    ("notification", _notification),
    ("sessionend", _plain("session.end")),
    ("taskcreated", _task(False)),
    ("taskcompleted", _task(True)),
    ("planupdated", _plan),
)
_TABLE = {word: act for words, act in _ROWS for word in words.split()}
_EXCEPTIONS: dict[tuple[str, str], Act] = {
    ("agy", "stop"): _agy_stop,
    ("copilot", "sessionstart"): _copilot_start,
    ("copilot", "permissionrequest"): _nothing,
    ("copilot", "erroroccurred"): _nothing,
    ("cursor", "stop"): _cursor_stop,
    ("droid", "pretooluse"): _exit_spec,
    ("droid", "stop"): _droid_stop,
    # Hooks only these agents have, which say the same here as to `hook-event` (agents §4.1, §4.4, §4.7).
    ("claude", "elicitation"): lambda native, session: _notice(native, "question"),
    ("claude", "elicitationresult"): _elicited,
    ("cursor", "afteragentthought"): _tool_hook("tool-begin"),
    ("cursor", "afteragentresponse"): _tool_hook("tool-end"),
    ("gemini", "beforemodel"): _tool_hook("tool-begin"),
    ("gemini", "beforetoolselection"): _tool_hook("tool-begin"),
    ("gemini", "aftermodel"): _tool_hook("tool-end"),
    ("hermes", "onsessionend"): _hermes_end,
    ("hermes", "onsessionfinalize"): _hermes_end,
}


def _option(option: Any) -> str:
    label = option.get("label") if isinstance(option, dict) else option
    return label.strip() if isinstance(label, str) else ""


def _first_line(text: str | None) -> str | None:
    return text.split("\n", 1)[0].strip() if text is not None else None
