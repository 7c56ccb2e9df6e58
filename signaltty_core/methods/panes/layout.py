"""`pane.swap`, `pane.move`, `layout.*`: panes change places; their processes do not notice."""

from __future__ import annotations

from ...base.errors import BadParams
from ...state import layout
from ...state.layout import leaves
from ...wire.kinds import Direction, PaneRef, TabRef
from . import closing
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("pane.swap", mutates=True)
def pane_swap(call: Call, pane_id: PaneRef, target_pane_id: PaneRef) -> Record:
    """Let two panes take each other's place.

    pane_id: id or name
    target_pane_id: id or name of the other one
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    first, second = _pair(call, pane_id, target_pane_id)
    names = {first["id"]: second["id"], second["id"]: first["id"]}
    draft = call.draft()
    for tab_id in dict.fromkeys((first["tab_id"], second["tab_id"])):
        tab = draft.edit("tabs", tab_id)
        tab["layout"] = layout.rename(tab["layout"], names)
        if first["tab_id"] != second["tab_id"] and tab.get("active_pane_id") in names:
            tab["active_pane_id"] = names[tab["active_pane_id"]]
        draft.emit("tab.updated", {"tab": tab})
    if first["tab_id"] != second["tab_id"]:
        _change_tab(draft, first["id"], second["tab_id"])
        _change_tab(draft, second["id"], first["tab_id"])
    call.commit(draft)
    return _tabs(call, first["tab_id"], second["tab_id"])


@method("pane.move", mutates=True)
def pane_move(call: Call, pane_id: PaneRef, target_pane_id: PaneRef, direction: Direction = "right") -> Record:
    """Put a pane beside another one.

    pane_id: id or name
    target_pane_id: id or name of the pane whose place is split
    direction: right or down of the target
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    moved, target = _pair(call, pane_id, target_pane_id)
    source_id, target_tab_id = moved["tab_id"], target["tab_id"]
    draft = call.draft()
    source = draft.edit("tabs", source_id)
    kept_active = source.get("active_pane_id") == moved["id"] and source_id == target_tab_id
    rest = layout.remove(source["layout"], moved["id"])
    if source_id == target_tab_id:
        assert rest is not None
        source["layout"] = layout.split(rest, target["id"], moved["id"], direction)
        if kept_active:
            source["active_pane_id"] = next(leaves(rest), moved["id"])
        draft.emit("tab.updated", {"tab": source})
    else:
        closing.drop_leaf(draft, source_id, moved["id"])
        tab = draft.edit("tabs", target_tab_id)
        tab["layout"] = layout.split(tab["layout"], target["id"], moved["id"], direction)
        draft.emit("tab.updated", {"tab": tab})
        _change_tab(draft, moved["id"], target_tab_id)
    call.commit(draft)
    return _tabs(call, source_id, target_tab_id)


@method("layout.export")
def layout_export(call: Call, tab_id: TabRef) -> Record:
    """Show a tab's tree with what runs in its leaves, in the form `layout.apply` takes.

    tab_id: the tab
    Errors: BAD_PARAMS, NO_SUCH_TAB
    """
    tab = call.world.tab(tab_id)

    def enriched(tree: Record | None) -> Record | None:
        if tree is None:
            return None
        if tree["type"] == "split":
            return {**tree, "first": enriched(tree["first"]), "second": enriched(tree["second"])}
        pane = call.world.panes[tree["pane_id"]]
        return {**tree, **{key: pane[key] for key in ("cwd", "argv", "name") if key in pane}}

    return {
        "workspace_id": tab["workspace_id"],
        "tab_id": tab["id"],
        "title": tab["title"],
        "root": enriched(tab["layout"]),
    }


def _pair(call: Call, pane_id: str, target_pane_id: str) -> tuple[Record, Record]:
    """Two different panes of one workspace, both in their tab's layout. Raises BadParams otherwise."""
    first, second = call.world.pane(pane_id), call.world.pane(target_pane_id)
    if first["id"] == second["id"]:
        raise BadParams("target_pane_id: must be another pane", path="target_pane_id")
    if first["workspace_id"] != second["workspace_id"]:
        raise BadParams("target_pane_id: the panes are in different workspaces", path="target_pane_id")
    for pane in (first, second):
        if pane["id"] not in leaves(call.world.tabs[pane["tab_id"]]["layout"]):
            raise BadParams(f"pane {pane['id']} is not in its tab's layout")
    return first, second


def _change_tab(draft: Draft, pane_id: str, tab_id: str) -> None:
    pane = draft.pane(pane_id)
    pane["tab_id"] = tab_id
    draft.emit("pane.updated", {"pane_id": pane_id, "pane": pane})


def _tabs(call: Call, *tab_ids: str) -> Record:
    return {"tabs": [call.world.tabs[tab_id] for tab_id in dict.fromkeys(tab_ids)]}
