"""The kinds of agents: names, binaries, sessions, resume commands, channels, and which adapter reads their hooks."""

from __future__ import annotations

from .base import NOOP, Facts, fold, is_sub_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .base import Payload

    Classify = Callable[[str, str, Payload], Facts]


class Kind:
    """One row of agents §1.

    session_fields: payload fields that may hold the session id, first hit wins. resume: argv with `ID` in place of the
    session id, empty when there is none. types: an answer can be typed into its terminal. waits: its permission hook
    may wait for a person's verdict. draws: it shows its own dialog while that hook waits. adapter: module of this
    folder that reads its hooks, called as the kind by default.
    """

    __slots__ = ("adapter", "binaries", "draws", "key", "name", "resume", "session_fields", "types", "waits")

    def __init__(
        self,
        key: str,
        name: str = "",
        binaries: tuple[str, ...] = (),
        session_fields: tuple[str, ...] = ("session_id",),
        resume: tuple[str, ...] = (),
        *,
        types: bool = False,
        waits: bool = False,
        draws: bool = False,
        adapter: str = "",
    ) -> None:
        self.key = key
        self.name = name
        self.binaries = binaries
        self.session_fields = session_fields
        self.resume = resume
        self.types = types
        self.waits = waits
        self.draws = draws
        self.adapter = adapter or key


_EITHER = ("session_id", "sessionId")
_CURSOR = (*_EITHER, "conversation_id", "chatId")
_PI = (*_EITHER, "session_file", "sessionFile")

KINDS: dict[str, Kind] = {
    kind.key: kind
    for kind in (
        Kind(
            "claude",
            "Claude",
            ("claude",),
            resume=("claude", "--resume", "ID"),
            waits=True,
            draws=True,
        ),
        Kind("codex", "Codex", ("codex",), resume=("codex", "resume", "ID"), types=True, waits=True),
        Kind("opencode", "OpenCode", ("opencode",), ("session_id", "sessionID"), ("opencode", "--session", "ID")),
        Kind("cursor", "Cursor", ("cursor-agent",), _CURSOR, ("cursor-agent", "--resume", "ID")),
        Kind("pi", "Pi", ("pi",), _PI, ("pi", "--session", "ID")),
        Kind("gemini", "Gemini", ("gemini",), resume=("gemini", "--resume", "ID")),
        Kind(
            "copilot", "Copilot", ("copilot", "github-copilot", "ghcs"), _EITHER, ("copilot", "--resume=ID"), waits=True
        ),
        Kind("droid", "Droid", ("droid",), _EITHER, ("droid", "--resume", "ID")),
        Kind("qwen", "Qwen", ("qwen",), resume=("qwen", "--resume", "ID"), waits=True),
        Kind("goose", "Goose", ("goose",), resume=("goose", "session", "--resume", "--session-id", "ID")),
        Kind("amp", "Amp", ("amp",), ("thread_id", "session_id"), ("amp", "threads", "continue", "ID")),
        Kind("hermes", "Hermes", ("hermes",), _EITHER, ("hermes", "--resume", "ID")),
        Kind("kimi", "Kimi", ("kimi",), _EITHER, ("kimi", "--session", "ID")),
        Kind("zerostack", "zerostack", ("zerostack",), (), adapter="generic"),
        Kind("generic"),
        Kind("none", session_fields=(), adapter="generic"),
    )
}
BY_BINARY: dict[str, str] = {binary: kind.key for kind in KINDS.values() for binary in kind.binaries}
_SUB_AGENT_EVENTS = ("subagentstart", "subagentstop")


def known(name: str) -> Kind | None:
    """The kind an agent reports under; `none` is no agent."""
    return KINDS.get(name) if name != "none" else None


def kind_at_spawn(argv: list[str], hint: str | None, kind_of_program: Callable[[str], str]) -> str:
    """The hint (an unknown one gives `none`), else what the program's name says (behaviour §5.7)."""
    if hint is not None:
        return hint if hint in KINDS else "none"
    program = argv[0].rsplit("/", 1)[-1] if argv else ""
    return kind_of_program(program)


def classify(kind: Kind, event: str, payload: Payload) -> Facts:
    """The hook as facts, read by the kind's adapter; sub-agents' own events are known everywhere (agents §2.6)."""
    if fold(event) in _SUB_AGENT_EVENTS:
        return Facts(NOOP, sub_agent=is_sub_agent(payload))
    return _adapter(kind.adapter)(kind.key, event, payload)


def _adapter(module: str) -> Classify:
    from importlib import import_module  # adapters of agents nobody runs here cost nothing

    found: Classify = import_module(f"{__package__}.{module}").classify
    return found
