"""`pane.attach`, `pane.detach`: watch a pane live (behaviour §11)."""

from __future__ import annotations

from binascii import b2a_base64

from ...state import attention
from ...wire.kinds import PaneRef
from .pane_io import resize
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("pane.attach", mutates=True)
def pane_attach(
    call: Call, pane_id: PaneRef, cols: int | None = None, rows: int | None = None, mark_seen: bool = True
) -> Record:
    """Stream a pane to this connection; the reply's snapshot redraws what is there already.

    pane_id: id or name
    cols: with rows: resize the pane first
    rows: with cols: resize the pane first
    mark_seen: whether somebody looks; false for dashboards
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    id = call.world.pane(pane_id)["id"]
    call.caller.attach(id, mark_seen)
    if cols is not None and rows is not None:
        resize(call, id, cols, rows)
    if mark_seen:
        draft = call.draft()
        attention.mark_seen(draft, id, "attach")
        call.commit(draft)
    runtime = call.machine.runtime(id)
    pane = call.world.panes[id]
    return {
        "snapshot_b64": b2a_base64(runtime.terminal.snapshot(), newline=False).decode("ascii"),
        "output_offset": runtime.output_offset,
        "size": {"cols": runtime.terminal.cols, "rows": runtime.terminal.rows},
        "live": pane["live"],
        "restore_state": pane["restore_state"],
        "lifecycle": pane["lifecycle"],
        "attention": pane["attention"],
    }


@method("pane.detach")
def pane_detach(call: Call, pane_id: PaneRef) -> Record:
    """Stop streaming a pane to this connection; its program does not notice.

    pane_id: id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    return {"detached": call.caller.detach(call.world.pane(pane_id)["id"])}
