"""What fields of stored records look like: JSON from disk may be anything, and one odd value must stop no server."""

from __future__ import annotations

from ..state.attention import LEVELS
from ..state.words import LIFECYCLES, TASK_STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..state.world import Record

    Check = Callable[[object], bool]


def odd_fields(table: str, row: Record) -> list[str]:
    """The fields that are there and cannot be used."""
    return [name for name, fits in _FIELDS[table].items() if name in row and not fits(row[name])]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _number(value: object) -> bool:
    """A whole one, such as a position, a pid, a code."""
    return type(value) is int


def _seconds(value: object) -> bool:
    return type(value) in (int, float)


def _positive(value: object) -> bool:
    return type(value) is int and 0 < value < 1 << 16


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def _or_none(fits: Check) -> Check:
    return lambda value: value is None or fits(value)


def _list_of(fits: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _map_of(fits: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def _shape(needed: dict[str, Check], more: dict[str, Check] | None = None) -> Check:
    """An object with these fields; those in `more` may be missing, others are left alone."""

    def fits(value: object) -> bool:
        if not isinstance(value, dict) or not all(
            name in value and check(value[name]) for name, check in needed.items()
        ):
            return False
        return all(check(value[name]) for name, check in (more or {}).items() if name in value)

    return fits


_TEXTS = _list_of(_text)
_COUNT = _shape({"kind": _one_of("count"), "done": _seconds, "total": _seconds, "source": _text})
_PERCENT = _shape({"kind": _one_of("percent"), "value": _or_none(_seconds), "state": _text, "source": _text})
_OPTION = _shape({"id": _text, "label": _text})
_MARK = _shape({"mark": _text, "at": _text}, {"exit_code": _number})
_PROCESS: dict[str, Check] = {"pid": _number, "start_time": _or_none(_seconds)}
_REPORT = _shape({"id": _text, "state": _text, "at": _seconds, "group": _or_none(_number)})
_DUE = _shape({"heard": _number, "awaited": _flag})
_SESSION = _shape(
    {
        "id": _text,
        "phase": _text,
        "phase_since": _seconds,
        "since": _seconds,
        "updated_at": _seconds,
        "updated": _seconds,
    },
    {"touched": _number, "name": _or_none(_text), "text": _or_none(_text), "parent_id": _or_none(_text)},
)


def _progress(value: object) -> bool:
    return _COUNT(value) or _PERCENT(value)


_FIELDS: dict[str, dict[str, Check]] = {
    "workspaces": {
        "name": _text,
        "handle": _text,
        "cwd": _text,
        "git": _object,
        "active_tab_id": _text,
        "auto_resume": _flag,
        "created_at": _text,
        "updated_at": _text,
    },
    "tabs": {"workspace_id": _text, "title": _text, "active_pane_id": _text, "created_at": _text},
    "panes": {
        "workspace_id": _text,
        "tab_id": _text,
        "title": _text,
        "name": _text,
        "label": _text,
        "cwd": _text,
        "argv": _TEXTS,
        "pty_size": _shape({"cols": _positive, "rows": _positive}),
        "live": _shape({"state": _one_of("live", "exited")}, {"code": _or_none(_number), "signal": _text}),
        "restore_state": _text,
        "agent": _shape({"kind": _text}, {"agent_session_id": _text, "resume_argv": _TEXTS}),
        "lifecycle": _one_of(*LIFECYCLES),
        "last_lifecycle": _one_of(*LIFECYCLES),
        "lifecycle_since": _text,
        "attention": _one_of(*LEVELS),
        "last_message": _text,
        "pending_decision": _shape({"id": _text, "prompt": _text, "options": _list_of(_OPTION), "answerable": _flag}),
        "progress": _progress,
        "created_at": _text,
        "last_activity_at": _text,
        "last_seen_at": _text,
        "parent_pane_id": _text,
        "relationship": _text,
        "task_id": _text,
    },
    "notifications": {
        "title": _text,
        "body": _text,
        "severity": _one_of("info", "warning", "error"),
        "source": _text,
        "pane_id": _text,
        "workspace_id": _text,
        "created_at": _text,
        "read_at": _text,
    },
    "tasks": {
        "context_id": _text,
        "label": _text,
        "contract": _shape({"objective": _text}, {"acceptance_criteria": _TEXTS}),
        "state": _one_of(*TASK_STATES),
        "disposition": _shape({"outcome": _text}),
        "created_at": _text,
        "updated_at": _text,
    },
    "instances": {
        "process_instance": _text,
        **dict.fromkeys(("session_generation", "lifecycle_seq", "attention_seq", "heard", "questions"), _number),
        **dict.fromkeys(("heard_at", "turn_ended_at"), _seconds),
        **dict.fromkeys(("screen_raised", "turn_began"), _flag),
        **dict.fromkeys(("spoken", "holds"), _TEXTS),
        **dict.fromkeys(("decided_by", "status_socket", "status_socket_fault"), _or_none(_text)),
        **dict.fromkeys(("interrupted_since", "stopped_since"), _or_none(_text)),
        **_PROCESS,
        "transitions": _map_of(_number),
        "sources": _map_of(_shape({"value": _text, "at": _text})),
        "program": _shape({"id": _text, "state": _text, "questions": _number}),
        "progress": _map_of(_progress),
        "signals": _shape({"run": _text, "state": _text}, {"sender": _shape(_PROCESS), "at": _text}),
        "asked": _object,
        "hearing": _shape(
            {},
            {"records": _list_of(_REPORT), "said_at": _seconds, "due": _DUE, "shell": _MARK, "progress_at": _seconds},
        ),
        "status_sessions": _shape({"sessions": _map_of(_SESSION), "ended": _object}),
    },
    "baselines": {"pane_id": _text, "seq": _number, "started_at": _text, "tree": _text, "error": _text},
    "intents": {"kind": _text, "repo": _text, "task_id": _text, **_PROCESS},
}
