"""What an adapter answers: a native hook read into neutral facts, and the field readers adapters share (agents §3)."""

from __future__ import annotations

from ..base.text import unhidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

# The outcome words of agents §3, and those whose meaning depends on what the pane does. UNKNOWN: the adapter does not
# know the event. NUDGE: "nobody has typed for a while" (agents §4.1, idle_prompt). LAPSE: the same of an agent that
# says so after a refusal too. BUSY: at work, unless it asks. PAUSE: a turn end, unless a question stands. SETTLE: a
# turn end, if there is a turn. OFFERED: a permission that is a question only if somebody waits to answer it.
# LATE_START: the start of an agent that tells it with its first prompt only.
UNKNOWN = ""
START = "start"
PROMPT = "prompt"
TOOL_BEGIN = "tool_begin"
TOOL_END = "tool_end"
ASK_PERMISSION = "ask_permission"
ASK_INPUT = "ask_input"
COMPACT_BEGIN = "compact_begin"
COMPACT_END = "compact_end"
RESOLVED = "resolved"
DONE = "done"
FAIL = "fail"
INTERRUPT = "interrupt"
END = "end"
NOTE = "note"
NOOP = "noop"
NUDGE = "nudge"
LAPSE = "lapse"
BUSY = "busy"
PAUSE = "pause"
SETTLE = "settle"
OFFERED = "offered"
LATE_START = "late_start"

# Change nothing when a sub-agent reports them.
OF_THE_MAIN_AGENT = (START, LATE_START, DONE, FAIL, INTERRUPT, END, NUDGE, LAPSE, PAUSE, SETTLE)

DETAIL_CHARS = 200
_DETAIL_FIELDS = ("command", "file_path", "filePath", "path", "url")
_ASKING = ("askuser", "askquestion", "requestuserinput", "clarify")


class Tool:
    """A tool a hook speaks of; whatever it does not say is None."""

    __slots__ = ("id", "input", "name")

    def __init__(self, name: str | None = None, input: Payload | None = None, id: str | None = None) -> None:
        self.name = name
        self.input = input
        self.id = id

    def __bool__(self) -> bool:
        return self.name is not None or self.id is not None or self.input is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tool) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash((self.name, self.id))

    def __repr__(self) -> str:
        return f"Tool{self.as_tuple()!r}"

    def as_tuple(self) -> tuple[str | None, Payload | None, str | None]:
        return self.name, self.input, self.id


class Facts:
    """One hook, read.

    outcome: a word of this module. message: readable line; None for the outcome's default.
    title: notification title; None for the outcome's default. body: of the notification; None is the message.
    silent: the outcome's notification is left to another hook. tools: those begun, ended or asked about.
    goodbye: the agent's session is over, however it ended.
    sub_agent: the hook is of a sub-agent. repeats: it may repeat a request that stands already, so it makes no second
    notification. bare: the payload says nothing but its type. only_session: the hook counts only for a pane of that
    session, as far as the pane's session is known.
    """

    __slots__ = (
        "bare",
        "body",
        "goodbye",
        "message",
        "only_session",
        "outcome",
        "repeats",
        "silent",
        "sub_agent",
        "title",
        "tools",
    )

    def __init__(
        self,
        outcome: str,
        message: str | None = None,
        *,
        title: str | None = None,
        body: str | None = None,
        tools: tuple[Tool, ...] = (),
        sub_agent: bool = False,
        repeats: bool = False,
        silent: bool = False,
        bare: bool = False,
        goodbye: bool = False,
        only_session: str | None = None,
    ) -> None:
        self.outcome = outcome
        self.message = message
        self.title = title
        self.body = body
        self.silent = silent
        self.goodbye = goodbye
        self.tools = tools
        self.sub_agent = sub_agent
        self.repeats = repeats
        self.bare = bare
        self.only_session = only_session

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.outcome, self.message))

    def __repr__(self) -> str:
        return f"Facts({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


def fold(name: str) -> str:
    """Lower case, letters and digits only: one spelling for `SubagentStop`, `subagent_stop` and `subagent-stop`."""
    return "".join(character for character in name.lower() if character.isalnum())


def text(payload: Payload, *fields: str) -> str | None:
    """The first of the fields that holds a non-blank string."""
    for field in fields:
        value = payload.get(field)
        if isinstance(value, str) and value.strip():
            return value
    return None


def tool_of(payload: Payload) -> Tool:
    """The tool the payload names, snake case before camel case (agents §3)."""
    return Tool(
        text(payload, "tool_name", "toolName"),
        _tool_input(payload),
        text(payload, "tool_use_id", "toolUseId", "callID"),
    )


def batch_of(payload: Payload) -> tuple[Tool, ...]:
    """The tools of a batch hook's `tool_calls`."""
    calls = payload.get("tool_calls")
    return tuple(tool_of(each) for each in calls if isinstance(each, dict)) if isinstance(calls, list) else ()


def is_sub_agent(payload: Payload) -> bool:
    return text(payload, "agent_id", "agentId") is not None


def is_asking(tool: Tool) -> bool:
    """Whether the tool's work is to ask a person (agent-status §15.4)."""
    return tool.name is not None and fold(tool.name).startswith(_ASKING)


def question_of(tool: Tool, payload: Payload) -> str | None:
    """The question an asking tool puts, with its options as lines (agent-status §15.4)."""
    given = tool.input or {}
    questions = given.get("questions")
    first = questions[0] if isinstance(questions, list) and questions and isinstance(questions[0], dict) else {}
    asked = text(first, "question") or text(given, "question", "prompt", "message", "title") or text(payload, "message")
    if asked is None:
        return None
    options = next((each for each in (first.get("options"), given.get("options"), given.get("choices")) if each), None)
    labels = [_label(each) for each in options] if isinstance(options, list) else []
    return "\n".join([asked, *(f"- {label}" for label in labels if label)])


def approval_text(tool: Tool) -> str | None:
    """`Allow <tool>: <detail>`; None without a tool name (agent-status §15.4)."""
    if tool.name is None:
        return None
    detail = (text(tool.input or {}, *_DETAIL_FIELDS) or "").strip().split("\n", 1)[0].strip()[:DETAIL_CHARS]
    return unhidden(f"Allow {tool.name}: {detail}" if detail else f"Allow {tool.name}?")


def _tool_input(payload: Payload) -> Payload | None:
    for field in ("tool_input", "toolInput", "toolArgs"):
        value = payload.get(field)
        if isinstance(value, dict):
            return value
        if isinstance(value, str) and value.lstrip().startswith("{"):
            import json  # only agents that send their arguments as text pay for it

            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                continue
            if isinstance(parsed, dict):
                return parsed
    return None


def _label(option: Any) -> str:
    label = option.get("label") if isinstance(option, dict) else option
    return label.strip() if isinstance(label, str) else ""
