"""`tab.*`: a named arrangement of panes in one workspace."""

from __future__ import annotations

from ...base.clock import rfc3339
from ...base.errors import BadParams
from ...base.limits import TITLE_CHARS
from ...base.text import sanitise
from ...state import layout as trees  # `tab.set_layout` has a parameter of that name
from ...state import records
from ...wire.kinds import Object, TabRef, WorkspaceRef
from . import closing
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("tab.create", mutates=True)
def tab_create(call: Call, workspace_id: WorkspaceRef, title: str | None = None) -> Record:
    """Make an empty tab; it becomes the workspace's active one.

    workspace_id: id or handle
    title: default `tab`
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE
    """
    workspace = call.world.workspace(workspace_id)
    draft = call.draft()
    tab = add_tab(call, draft, workspace["id"], title or "tab")
    call.commit(draft)
    return {"tab": tab}


@method("tab.close", mutates=True)
def tab_close(call: Call, tab_id: TabRef, signal: str | None = None) -> Record:
    """Close a tab with all its panes.

    tab_id: the tab
    signal: what the children get; default TERM
    Errors: BAD_PARAMS, NO_SUCH_TAB
    """
    os_signal = closing.parse_os_signal(signal)
    tab = call.world.tab(tab_id)
    draft = call.draft()
    closing.close_tab(call, draft, tab["id"], os_signal)
    call.commit(draft)
    return {"closed": True}


@method("tab.set_layout", mutates=True)
def tab_set_layout(call: Call, tab_id: TabRef, layout: Object) -> Record:
    """Arrange the tab's panes; every one of them stands in the tree exactly once.

    tab_id: the tab
    layout: the tree; leaves take pane ids or names
    Errors: BAD_PARAMS, NO_SUCH_TAB
    """
    tab = call.world.tab(tab_id)
    tree = trees.parse(layout, lambda ref: _owned(call, ref))
    listed = list(trees.leaves(tree))
    owned = [pane["id"] for pane in call.world.panes.values() if pane["tab_id"] == tab["id"]]
    if sorted(listed) != sorted(owned):
        wrong = sorted(set(listed) ^ set(owned)) or sorted({one for one in listed if listed.count(one) > 1})
        raise BadParams(
            f"layout: every pane of the tab must be there exactly once; wrong: {', '.join(wrong[:8])}",
            path="layout",
            pane_ids=wrong[:32],
        )
    return _rearranged(call, tab["id"], tree)


@method("tab.set_ratio", mutates=True)
def tab_set_ratio(call: Call, tab_id: TabRef, path: list[int], ratio: float) -> Record:
    """Move one divider.

    tab_id: the tab
    path: choices from the root, 0 first and 1 second; empty = the root
    ratio: share of the first side, clamped to 0.05-0.95
    Errors: BAD_PARAMS, NO_SUCH_TAB
    """
    tab = call.world.tab(tab_id)
    return _rearranged(call, tab["id"], trees.set_ratio(tab["layout"], path, ratio))


def add_tab(call: Call, draft: Draft, workspace_id: str, title: str, id: str | None = None) -> Record:
    """A new tab at the end of its workspace, active; emits `tab.created` and `workspace.updated`.

    id: one that was told to somebody before, else a new one is made.
    """
    made = records.tab(id or call.new_id("tab"), workspace_id, sanitise(title, TITLE_CHARS) or "tab", draft.at)
    tab = draft.put("tabs", made)
    workspace = draft.edit("workspaces", workspace_id)
    workspace.update(tabs=[*workspace["tabs"], tab["id"]], active_tab_id=tab["id"], updated_at=rfc3339(draft.at))
    draft.emit("tab.created", {"tab": tab})
    draft.emit("workspace.updated", {"workspace": workspace})
    return tab


def empty_active_tab(call: Call, workspace_id: str) -> str | None:
    """The workspace's active tab, if no pane is in it."""
    active: str | None = call.world.workspace(workspace_id).get("active_tab_id")
    return None if active is None or call.world.panes_of_tab(active) else active


def _owned(call: Call, ref: str) -> str:
    """The pane's id, also by name; an unknown one is left to the check of the whole set."""
    named = None if ref in call.world.panes else call.world.pane_named(ref)
    return named["id"] if named is not None else ref


def _rearranged(call: Call, tab_id: str, tree: Record) -> Record:
    if call.world.tabs[tab_id]["layout"] != tree:
        draft = call.draft()
        tab = draft.edit("tabs", tab_id)
        tab["layout"] = tree
        draft.emit("tab.updated", {"tab": tab})
        call.commit(draft)
    return {"tab": call.world.tabs[tab_id]}
