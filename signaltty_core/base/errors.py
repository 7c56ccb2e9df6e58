"""Every failure a caller can see: a stable code, a sentence for a person, details for a program.

Codes are those of the wire contract (seeds: "Error codes"); `server.schema` lists them from CODES.
"""

from __future__ import annotations


class ProtocolError(Exception):
    """A failure that travels to the caller as `{code, message, details}`."""

    code = "INTERNAL"

    def __init__(self, message: str, /, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_wire(self) -> dict[str, object]:
        """The `error` object of a response."""
        return {"code": self.code, "message": self.message, "details": self.details}


class BadProtocol(ProtocolError):
    code = "BAD_PROTOCOL"


class UnknownMethod(ProtocolError):
    code = "UNKNOWN_METHOD"


class BadParams(ProtocolError):
    code = "BAD_PARAMS"


class NoSuchServer(ProtocolError):
    code = "NO_SUCH_SERVER"


class NoSuchWorkspace(ProtocolError):
    code = "NO_SUCH_WORKSPACE"


class NoSuchTab(ProtocolError):
    code = "NO_SUCH_TAB"


class NoSuchPane(ProtocolError):
    code = "NO_SUCH_PANE"


class NoSuchTask(ProtocolError):
    code = "NO_SUCH_TASK"


class NoSuchDecision(ProtocolError):
    code = "NO_SUCH_DECISION"


class AgentBusy(ProtocolError):
    code = "AGENT_BUSY"


class AgentNotReady(ProtocolError):
    code = "AGENT_NOT_READY"


class MergeConflict(ProtocolError):
    code = "MERGE_CONFLICT"


class PaneExited(ProtocolError):
    code = "PANE_EXITED"


class PanesAlive(ProtocolError):
    code = "PANES_ALIVE"


class SpawnFailed(ProtocolError):
    code = "SPAWN_FAILED"


class IoError(ProtocolError):
    code = "IO_ERROR"


class TimedOut(ProtocolError):
    code = "TIMEOUT"


class IdentityChanged(ProtocolError):
    code = "IDENTITY_CHANGED"


class RateLimited(ProtocolError):
    code = "RATE_LIMITED"


class Forbidden(ProtocolError):
    code = "FORBIDDEN"


class Internal(ProtocolError):
    code = "INTERNAL"


CODES: dict[str, type[ProtocolError]] = {
    kind.code: kind
    for kind in (
        BadProtocol,
        UnknownMethod,
        BadParams,
        NoSuchServer,
        NoSuchWorkspace,
        NoSuchTab,
        NoSuchPane,
        NoSuchTask,
        NoSuchDecision,
        AgentBusy,
        AgentNotReady,
        MergeConflict,
        PaneExited,
        PanesAlive,
        SpawnFailed,
        IoError,
        TimedOut,
        IdentityChanged,
        RateLimited,
        Forbidden,
        Internal,
    )
}


def from_wire(error: dict[str, object]) -> ProtocolError:
    """The exception for an `error` object of a response; an unknown code becomes Internal with that code kept."""
    code = str(error.get("code", "INTERNAL"))
    details = error.get("details")
    kind = CODES.get(code, Internal)
    failure = kind(str(error.get("message", "")), **(details if isinstance(details, dict) else {}))
    failure.code = code
    return failure
