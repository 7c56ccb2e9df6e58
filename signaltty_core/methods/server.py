"""`server.*`: who answers, what it can, and its end."""

from __future__ import annotations

from ..base.errors import CODES, PanesAlive
from ..base.version import PROTOCOL, VERSION
from . import registry
from .registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Record
    from .call import Call

EVENTS = [
    "workspace.created",
    "workspace.updated",
    "workspace.closed",
    "workspace.turn_started",
    "worktree.changed",
    "tab.created",
    "tab.updated",
    "tab.closed",
    "pane.created",
    "pane.updated",
    "pane.exited",
    "pane.closed",
    "pane.resized",
    "pty.data",
    "pty.snapshot",
    "agent.working",
    "agent.blocked",
    "agent.done",
    "agent.failed",
    "agent.idle",
    "agent.unknown",
    "agent.exited",
    "attention.created",
    "attention.updated",
    "attention.cleared",
    "decision.created",
    "decision.answered",
    "decision.cleared",
    "notification.created",
    "task.created",
    "task.updated",
    "task.result",
    "git.branch_changed",
    "server.will_shutdown",
]
EXTENSIONS = ["agent-event", "layout.apply", "layout.export", "notification.list", "pane.list", "session.list"]
CAPABILITIES = {"subscribe_replay_coverage": True, "wait_baseline": True, "wait_multiple_outcomes": True}


@method("server.status")
def server_status(call: Call) -> Record:
    """Show who answers: version, age, how much there is.

    Errors: none
    """
    world = call.world
    return {
        "version": VERSION,
        "protocol": PROTOCOL,
        "uptime_s": int(call.at - call.settings.started_at),
        "workspaces": len(world.workspaces),
        "tabs": len(world.tabs),
        "panes": len(world.panes),
        "live_panes": len(world.live_panes()),
        "seq": world.seq,
        "pid": call.settings.pid,
    }


@method("server.schema")
def server_schema(call: Call) -> Record:
    """Show the contract: the methods, events and codes the router itself uses.

    Errors: none
    """
    names = [one.name for one in registry.every()]
    return {
        "protocol": PROTOCOL,
        "version": VERSION,
        "methods": names,
        "events": EVENTS,
        "codes": list(CODES),
        "extensions": [name for name in EXTENSIONS if name in names],
        "capabilities": CAPABILITIES,
        "params": {one.name: one.schema() for one in registry.every()},
    }


@method("server.shutdown", mutates=True)
def server_shutdown(call: Call, force: bool = False, keep_panes: bool = False) -> Record:
    """End the server; without `force` only when no pane is live.

    force: end live panes too
    keep_panes: end the server alone; the panes live on at the keeper
    Errors: BAD_PARAMS, PANES_ALIVE
    """
    live = len(call.world.live_panes())
    if live and not force and not keep_panes:
        raise PanesAlive("1 pane is live" if live == 1 else f"{live} panes are live", live_panes=live)
    call.machine.stop(keep_panes)
    return {"stopped": True}
