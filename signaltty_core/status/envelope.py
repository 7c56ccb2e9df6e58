"""Reads the envelope of the Agent Status Protocol: a JSON object in, a checked event out (agent-status §5)."""

from __future__ import annotations

from ..base.errors import BadParams
from ..base.text import sanitise
from .names import display_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

EVENTS = frozenset(
    [
        "session.start",
        "session.end",
        "agent.running",
        "agent.idle",
        "agent.needs-input",
        "agent.input-resolved",
        "task.progress",
        "agent.compacting",
        "agent.compacted",
    ]
)
KIND_PRIORITY = {"approval": 5, "question": 4, "decision": 3, "auth": 2, "generic-input": 1}
ARTIFACT_KINDS = frozenset(["pull-request", "session", "share", "compare", "generic"])
NAME_CHARS = 64
LABEL_CHARS = 200
TEXT_CHARS = 2000
ID_BYTES = 256
URL_BYTES = 2048
PID_MAX = (1 << 31) - 1
_SCHEME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-")
_SHOWN_CHARS = 80


class Event:
    """One event, checked; what it does not say is None.

    name: display name of the agent. kind, ask_text: of the interaction. stop: a stop candidate. empties_progress: the
    counter goes. sub_agent, tools, failure: said by native hooks only.
    """

    __slots__ = (
        "artifact",
        "ask_text",
        "cwd",
        "effect",
        "empties_progress",
        "kind",
        "name",
        "parent_id",
        "pid",
        "progress",
        "sent_ms",
        "session_id",
        "stop",
        "sub_agent",
        "tasks",
        "text",
        "tools",
    )

    def __init__(self, effect: str, session_id: str | None = None, name: str | None = None) -> None:
        self.effect = effect
        self.session_id = session_id
        self.name = name
        self.parent_id: str | None = None
        self.pid: int | None = None
        self.cwd: str | None = None
        self.text: str | None = None
        self.stop = False
        self.kind = "generic-input"
        self.ask_text: str | None = None
        self.progress: dict[str, int] | None = None
        self.empties_progress = False
        self.artifact: Payload | None = None
        self.sent_ms: float | None = None
        self.sub_agent = False
        self.tools: list[Payload] = []
        self.tasks: dict[str, bool] | None = None


def read(payload: Payload) -> Event:
    """The event of an envelope. Raises BadParams with the first fault's `reason`."""
    version = payload.get("version")
    if type(version) not in (int, float) or version != 1:
        found = _shown(version) if "version" in payload else "none"
        raise BadParams(f"unsupported version {found}, expected 1", reason="version")
    effect = payload.get("event")
    if not isinstance(effect, str) or not effect:
        raise BadParams('the field "event" is missing', reason="missing_event")
    if effect not in EVENTS:
        raise BadParams(f"unknown event {_shown(effect)}", reason="unknown_event")
    event = Event(effect)
    event.progress = progress_of(payload)
    event.artifact = _artifact_of(payload)
    session, agent, state = (_object(payload, field) for field in ("session", "agent", "state"))
    event.session_id = _id(session, "id")
    parent_id = _id(session, "parentId")
    event.parent_id = parent_id if parent_id != event.session_id else None
    name = sanitise(_string(agent, "name") or "", NAME_CHARS)
    event.name = display_name(name) if name else None
    event.pid = pid_of(agent.get("pid"))
    cwd = _string(_object(payload, "context"), "workingDirectory")
    event.cwd = cwd if cwd is not None and cwd[0] == "/" and "\0" not in cwd else None
    event.text = message(_string(state, "text"))
    event.stop = state.get("stopCandidate") is True
    interaction = _object(state, "interaction")
    kind = _string(interaction, "kind")
    event.kind = kind if kind in KIND_PRIORITY else "generic-input"
    event.ask_text = message(_string(interaction, "text")) or event.text
    return event


def progress_of(payload: Payload) -> dict[str, int] | None:
    """The payload's counter. Raises BadParams for a total that is no count of anything."""
    given = _object(payload, "progress")
    total, done = _whole(given.get("total")), _whole(given.get("done"))
    if total is None:
        return None
    if total <= 0:
        raise BadParams("progress.total must be greater than 0", reason="progress_total")
    return None if done is None else {"done": min(max(done, 0), total), "total": total}


def pid_of(value: object) -> int | None:
    pid = _whole(value)
    return pid if pid is not None and 1 <= pid <= PID_MAX else None


def message(text: str | None) -> str | None:
    """A text for people; None when nothing of it can be shown."""
    return sanitise(text, TEXT_CHARS) or None if text is not None else None


def is_url(text: str) -> bool:
    """Whether the text is an absolute URL that a browser could be given (agent-status §5)."""
    if len(text.encode("utf-8", "replace")) > URL_BYTES:
        return False
    if any(each <= " " or "\x7f" <= each <= "\x9f" or each.isspace() for each in text):
        return False
    scheme, colon, rest = text.partition(":")
    if not scheme or not colon or not rest or not scheme[0].isalpha() or not _SCHEME.issuperset(scheme):
        return False
    return scheme.lower() not in ("http", "https") or (rest.startswith("//") and _is_authority(rest[2:]))


def _is_authority(rest: str) -> bool:
    """Whether a host and at most a port stand in front of the path."""
    for mark in "/?#":
        rest = rest.partition(mark)[0]
    place = rest.rpartition("@")[2]
    if place.startswith("["):
        host, bracket, after = place[1:].partition("]")
        if not bracket or after[:1] not in ("", ":"):
            return False
        port = after[1:]
    else:
        host, _, port = place.partition(":")
    if not host or "[" in host + port or "]" in host + port:
        return False
    return not port or (port.isascii() and port.isdigit() and int(port[:10]) <= 65_535)


def _artifact_of(payload: Payload) -> Payload | None:
    given = _object(payload, "artifact")
    url = _string(given, "url")
    if url is None:
        return None
    if not is_url(url):
        raise BadParams("artifact.url is not a valid URL", reason="artifact_url")
    kind = _string(given, "kind")
    label = sanitise(_string(given, "label") or "", LABEL_CHARS)
    return {"kind": kind if kind in ARTIFACT_KINDS else "generic", "label": label or None, "url": url}


def _object(payload: Payload, field: str) -> Payload:
    value = payload.get(field)
    return value if isinstance(value, dict) else {}


def _string(given: Payload, field: str) -> str | None:
    """The trimmed string; half a character (a lone surrogate) can be neither stored nor sent on."""
    value = given.get(field)
    if not isinstance(value, str):
        return None
    value = value.strip()
    if not value.isascii():
        value = value.encode("utf-8", "replace").decode("utf-8")
    return value or None


def _id(session: Payload, field: str) -> str | None:
    value = _string(session, field)
    if value is not None and len(value.encode("utf-8")) > ID_BYTES:
        raise BadParams(f"session.{field} is longer than {ID_BYTES} bytes", reason="too_long")
    return value


def _whole(value: object) -> int | None:
    """A number without its fraction; true and false are none."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _shown(value: object) -> str:
    """The value as JSON, short enough for a sentence."""
    from json import dumps  # only a fault is shown

    text = dumps(value if not isinstance(value, str) else value[:_SHOWN_CHARS], ensure_ascii=False)
    return text if len(text) <= 2 * _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
