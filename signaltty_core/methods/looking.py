"""A look at tracked processes before a pane's state is told (agent-status §10.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..status.reduce import Processes
    from .call import Call


def look(call: Call, pane_id: str | None = None) -> None:
    """Let status sessions of this pane, or of all, be as time and their processes have left them."""
    chosen = [pane_id] if pane_id is not None else list(call.world.panes)
    speaking = [id for id in chosen if "status_sessions" in call.world.instances.get(id, {})]
    if not speaking:
        return
    from ..state.agent_status import sweep  # only panes whose agent speaks that protocol pay for it

    draft = call.draft()
    sweep(draft, call.machine.now(), processes(call), speaking)
    if not draft.is_empty():
        call.commit(draft)
        call.machine.note_sessions()


def processes(call: Call) -> Processes:
    """The process table, as the reducer of status sessions asks it."""
    from ..status.reduce import Processes

    return Processes(call.machine.started_at, call.machine.is_running)
