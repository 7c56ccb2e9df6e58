"""report-session: an agent's session, told by whoever knows it."""

from __future__ import annotations

from ...agents import sessions, table
from ...base.errors import BadParams
from ...state import decisions
from ...wire.kinds import PaneRef
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("report-session", mutates=True)
def report_session(
    call: Call,
    pane_id: PaneRef,
    agent_session_id: str,
    agent: str | None = None,
    resume_argv: list[str] | None = None,
) -> Record:
    """Record which session a pane's agent is in.

    pane_id: the pane
    agent_session_id: the agent's own name for its session
    agent: kind of the agent; an unknown one counts as generic
    resume_argv: command that resumes the session, instead of the kind's own
    Errors: NO_SUCH_PANE, BAD_PARAMS
    """
    if not sessions.is_session_id(agent_session_id):
        raise BadParams("agent_session_id: expected 1 to 512 plain characters, no leading -", path="agent_session_id")
    resume = sessions.check_resume(resume_argv) if resume_argv is not None else None
    found = str(call.world.pane(pane_id)["id"])
    kind = table.known(agent or "generic") or table.KINDS["generic"]
    draft = call.draft()
    sessions.record(draft, found, kind.key, agent_session_id, resume, template=call.catalog.resume_of(kind.key))
    draft.emit("pane.updated", {"pane_id": found, "pane": draft.pane(found)})
    decisions.end_route(draft, found, call.waiters.holds)
    call.commit(draft)
    return {"pane": call.pane_view(found)}
