"""The session an agent says it is in, and the command that resumes it (agents §2.7, §2.8)."""

from __future__ import annotations

from ..base.errors import BadParams
from ..base.limits import RESUME_ARGS, RESUME_BYTES, SESSION_ID_CHARS
from .table import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Draft, Record
    from .base import Payload
    from .table import Kind

_COMMAND = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")


def is_session_id(value: object) -> bool:
    """1 to 512 characters without control characters, not starting with `-` (agents §1)."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= SESSION_ID_CHARS
        and value[0] != "-"
        and not _has_control(value)
        and not any("\ud800" <= character <= "\udfff" for character in value)  # no argv can carry half a character
    )


def session_id_of(kind: Kind, payload: Payload) -> str | None:
    """The payload's session id: the first of the kind's fields that holds a valid one."""
    return next((payload[field] for field in kind.session_fields if is_session_id(payload.get(field))), None)


def resume_command(
    kind: str, session_id: str, argv: list[str], template: tuple[str, ...] | None = None
) -> list[str] | None:
    """The argv that resumes the session, None when the kind has none. argv: as the pane was launched, whose absolute
    program is used when it is the same program. template: a manifest's command, instead of the kind's."""
    if template is None:
        command = [part.replace("ID", session_id) if "ID" in part else part for part in KINDS[kind].resume]
    else:
        command = [part.replace("{session_id}", session_id) for part in template]
    if not command:
        return None
    launched = argv[0] if argv else ""
    if launched.startswith("/") and launched.rsplit("/", 1)[-1] == command[0]:
        command[0] = launched
    return command


def check_resume(argv: list[str]) -> list[str]:
    """A caller's own resume command. Raises BadParams for one that breaks the limits of agents §2.7."""
    if not 1 <= len(argv) <= RESUME_ARGS:
        raise BadParams(f"resume_argv: expected 1 to {RESUME_ARGS} arguments, got {len(argv)}", path="resume_argv")
    size_bytes = 0
    for index, part in enumerate(argv):
        path = f"resume_argv[{index}]"
        if _has_control(part):
            raise BadParams(f"{path}: holds a control character", path=path)
        try:
            size_bytes += len(part.encode("utf-8"))
        except UnicodeEncodeError:
            raise BadParams(f"{path}: holds half a character", path=path) from None
    if size_bytes > RESUME_BYTES:
        raise BadParams(f"resume_argv: {size_bytes} bytes, at most {RESUME_BYTES} are allowed", path="resume_argv")
    if not argv[0] or argv[0][0] == "-" or not _COMMAND.issuperset(argv[0]):
        raise BadParams("resume_argv[0]: expected a plain command name", path="resume_argv[0]")
    return argv


def record(
    draft: Draft,
    pane_id: str,
    kind: str,
    session_id: str,
    resume: list[str] | None = None,
    *,
    template: tuple[str, ...] | None = None,
) -> bool:
    """Put kind, session and resume command on the pane; False when nothing changes. resume: the caller's own command,
    which lives until kind or session changes. template: a manifest's. The caller emits `pane.updated`."""
    pane = draft.see_pane(pane_id)
    agent: Record = pane["agent"]
    known = agent.get("agent_session_id")
    same = agent["kind"] == kind and known == session_id
    if resume is None:
        kept = agent.get("resume_argv") if same else None
        resume = kept or resume_command(kind, session_id, pane["argv"], template)
    made = {**agent, "kind": kind, "agent_session_id": session_id}
    made.pop("resume_argv", None)
    if resume is not None:
        made["resume_argv"] = resume
    if made == agent:
        return False
    edited = draft.pane(pane_id)
    edited["agent"] = made
    if edited["restore_state"] in ("RESTORED", "RESUMABLE"):
        edited["restore_state"] = "RESTORED" if resume is None else "RESUMABLE"
    if known is not None and known != session_id:
        draft.instance(pane_id)["session_generation"] += 1
    return True


def _has_control(text: str) -> bool:
    return any(character < " " or "\x7f" <= character <= "\x9f" for character in text)
