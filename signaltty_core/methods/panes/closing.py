"""Closing panes, tabs and what is in them (behaviour §4.3, §8.4); shared by everything that closes."""

from __future__ import annotations

from ...base.clock import rfc3339
from ...base.errors import BadParams
from ...state import layout, lifecycle, workers
from ...state.world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft
    from ..call import Call

OS_SIGNALS = ("INT", "TERM", "KILL", "HUP", "QUIT", "WINCH", "USR1", "USR2")


def parse_os_signal(name: str | None) -> str:
    """The signal's plain name, TERM for None. Raises BadParams for any outside the closed list (any case, optional
    `SIG`)."""
    if name is None:
        return "TERM"
    plain = name.upper().removeprefix("SIG")
    if plain not in OS_SIGNALS or not name.isascii():
        raise BadParams(f"signal: unknown signal {name[:40]!r}; known: {', '.join(OS_SIGNALS)}", path="signal")
    return plain


def close_pane(call: Call, draft: Draft, pane_id: str, os_signal: str, *, leaving_tab: bool = False) -> None:
    """End the child, drop the leaf, remove the pane. leaving_tab: the tab goes too, so its layout does not matter."""
    pane = draft.see_pane(pane_id)
    call.waiters.release(pane_id, "moved_on")
    workers.lose(draft, pane_id, "pane_closed")
    if is_live(pane):
        lifecycle.end_child(draft, pane_id, None, None)
        draft.then.append(lambda: call.machine.end(pane_id, os_signal))
    if not leaving_tab:
        drop_leaf(draft, pane["tab_id"], pane_id)
    draft.remove(pane_id)
    draft.emit("pane.closed", {"pane_id": pane_id})
    draft.then.append(lambda: call.machine.drop(pane_id))


def close_tab(call: Call, draft: Draft, tab_id: str, os_signal: str, *, leaving_workspace: bool = False) -> None:
    """Close every pane the tab owns, also one its layout lacks, then the tab."""
    for pane in call.world.panes_of_tab(tab_id):
        close_pane(call, draft, pane["id"], os_signal, leaving_tab=True)
    workspace_id = call.world.tabs[tab_id]["workspace_id"]
    draft.remove(tab_id)
    draft.emit("tab.closed", {"tab_id": tab_id})
    if not leaving_workspace:
        workspace = draft.edit("workspaces", workspace_id)
        left = workspace["tabs"]
        at = left.index(tab_id)
        workspace["tabs"] = left[:at] + left[at + 1 :]
        if workspace.get("active_tab_id") == tab_id:
            del workspace["active_tab_id"]
            if workspace["tabs"]:
                workspace["active_tab_id"] = workspace["tabs"][max(0, at - 1)]
        workspace["updated_at"] = rfc3339(draft.at)
        draft.emit("workspace.updated", {"workspace": workspace})


def close_workspace(call: Call, draft: Draft, workspace_id: str, os_signal: str) -> None:
    """Close every tab, then the workspace; the directory stays as it is."""
    for tab_id in list(call.world.workspaces[workspace_id]["tabs"]):
        close_tab(call, draft, tab_id, os_signal, leaving_workspace=True)
    draft.remove(workspace_id)
    draft.emit("workspace.closed", {"workspace_id": workspace_id})


def drop_leaf(draft: Draft, tab_id: str, pane_id: str) -> None:
    """Take the pane out of its tab's layout; a lost active pane leaves the first remaining leaf active."""
    tab = draft.edit("tabs", tab_id)
    tab["layout"] = layout.remove(tab["layout"], pane_id)
    if tab.get("active_pane_id") == pane_id:
        first = next(layout.leaves(tab["layout"]), None)
        if first is None:
            del tab["active_pane_id"]
        else:
            tab["active_pane_id"] = first
    draft.emit("tab.updated", {"tab": tab})
