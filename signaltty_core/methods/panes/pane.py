"""`pane.*` about the pane itself: look, name, signal, close."""

from __future__ import annotations

from ...base.errors import BadParams, PaneExited
from ...base.text import is_pane_name
from ...state import attention, waits
from ...state.effects import SendSignal
from ...state.world import is_live
from ...wire.kinds import PaneRef, TabRef, WorkspaceRef
from . import closing
from ..looking import look
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("pane.get")
def pane_get(call: Call, pane_id: PaneRef) -> Record:
    """Show a pane, and the baseline a later `wait` can start from.

    pane_id: id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    id = call.world.pane(pane_id)["id"]
    look(call, id)
    return {"pane": call.pane_view(id), "wait_baseline": waits.baseline(call.world, id)}


@method("pane.list")
def pane_list(call: Call, workspace_id: WorkspaceRef | None = None, tab_id: TabRef | None = None) -> Record:
    """List panes in workspace, tab and tree order.

    workspace_id: only those of this workspace; id or handle
    tab_id: only those of this tab
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, NO_SUCH_TAB
    """
    world = call.world
    chosen = world.workspace(workspace_id)["id"] if workspace_id is not None else None
    if tab_id is not None:
        world.tab(tab_id)
    panes = world.panes_in_order(chosen)
    return {"panes": [call.pane_view(pane["id"]) for pane in panes if tab_id in (None, pane["tab_id"])]}


@method("pane.rename", mutates=True)
def pane_rename(call: Call, pane_id: PaneRef, name: str | None = None) -> Record:
    """Give a pane a unique name, or take it away.

    pane_id: id or present name
    name: a-z, then a-z 0-9 _ -, at most 32; absent clears
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    pane = call.world.pane(pane_id)
    if name is not None:
        if not is_pane_name(name):
            raise BadParams("name: expected a letter a-z, then a-z 0-9 _ -, at most 32 bytes", path="name")
        holder = call.world.pane_named(name)
        if holder is not None and holder["id"] != pane["id"]:
            raise BadParams(f"name: {name} is the name of {holder['id']}", path="name")
    if pane.get("name") != name:
        draft = call.draft()
        edited = draft.pane(pane["id"])
        edited.pop("name", None)
        if name is not None:
            edited["name"] = name
        draft.emit("pane.updated", {"pane_id": pane["id"], "pane": edited})
        call.commit(draft)
    return {"pane": call.pane_view(pane["id"])}


@method("pane.signal", mutates=True)
async def pane_signal(call: Call, pane_id: PaneRef, signal: str, group: bool = False) -> Record:
    """Send a signal to a pane's program.

    pane_id: id or name
    signal: INT TERM KILL HUP QUIT WINCH USR1 USR2
    group: to its whole process group
    Errors: BAD_PARAMS, NO_SUCH_PANE, PANE_EXITED
    """
    os_signal = closing.parse_os_signal(signal)
    pane = call.world.pane(pane_id)
    if not is_live(pane) or not await SendSignal(pane["id"], os_signal, group):
        raise PaneExited(f"the program of {pane['id']} has ended", pane_id=pane["id"])
    return {"sent": True}


@method("pane.close", mutates=True)
def pane_close(call: Call, pane_id: PaneRef, signal: str | None = None) -> Record:
    """Close a pane and end its program.

    pane_id: id or name
    signal: what the program gets; default TERM
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    os_signal = closing.parse_os_signal(signal)
    pane = call.world.pane(pane_id)
    draft = call.draft()
    closing.close_pane(call, draft, pane["id"], os_signal)
    call.commit(draft)
    return {"closed": True}


@method("pane.mark_seen", mutates=True)
def pane_mark_seen(call: Call, pane_id: PaneRef) -> Record:
    """Record that somebody has read the pane; a pending decision stays.

    pane_id: id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    id = call.world.pane(pane_id)["id"]
    draft = call.draft()
    attention.mark_seen(draft, id, "mark_seen")
    call.commit(draft)
    return {"pane": call.pane_view(id)}
