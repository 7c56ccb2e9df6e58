"""A whole tab from a tree: `layout.apply` (behaviour §4.4)."""

from __future__ import annotations

from ...base.errors import BadParams, NoSuchWorkspace, ProtocolError, SpawnFailed
from ...base.limits import LAYOUT_LEAVES
from ...base.text import is_pane_name
from ...state import layout, records
from ...wire.kinds import Object, StringMap, WorkspaceRef
from .launch import Launch, agent_record, gone
from ..registry import method
from .tab import add_tab
from .workspace import existing_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...state.world import Record
    from ..call import Call


@method("layout.apply", mutates=True)
async def layout_apply(
    call: Call, workspace_id: WorkspaceRef, root: Object, title: str | None = None, env: StringMap | None = None
) -> Record:
    """Make a tab from a tree, with a program in every leaf.

    workspace_id: id or handle
    root: the tree; leaves take argv, cwd and name
    title: default `layout`
    env: variables for the children; only known names are taken
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, SPAWN_FAILED
    """
    workspace = call.world.workspace(workspace_id)
    wanted: list[Record] = []
    tree = layout.parse(_numbered(root, wanted), lambda ref: ref, "root")
    if len(wanted) > LAYOUT_LEAVES:
        raise BadParams(f"root: {len(wanted)} leaves; at most {LAYOUT_LEAVES}", path="root")
    given = env or {}
    plan = await _plan(call, workspace, wanted, given)
    launched: list[Launch] = []
    tab_id = call.new_id("tab")
    try:
        for launch in plan:
            await launch.begin(call, workspace["id"], tab_id, given)
            launched.append(launch)
        if workspace["id"] not in call.world.workspaces:
            raise gone(call, workspace["id"])
        _check_names(call, wanted)
    except ProtocolError as fault:
        for launch in launched:
            launch.abandon(call)
        if isinstance(fault, SpawnFailed | NoSuchWorkspace):
            raise
        raise SpawnFailed(f"the layout was not made: {fault.message}", **fault.details) from None
    draft = call.draft()
    tab = add_tab(call, draft, workspace["id"], title or "layout", tab_id)
    panes = []
    for launch, leaf in zip(plan, wanted, strict=True):
        pane = launch.publish(call, draft, workspace["id"], tab["id"])
        if leaf.get("name") is not None:
            pane["name"] = leaf["name"]
        panes.append(pane)
    ids = {str(index): launch.pane_id for index, launch in enumerate(plan)}
    tab.update(layout=layout.rename(tree, ids), active_pane_id=plan[0].pane_id)
    draft.emit("tab.updated", {"tab": tab})
    call.commit(draft)
    for launch in plan:
        launch.open(call)
    return {"tab": tab, "panes": [launch.answer(pane) for launch, pane in zip(plan, panes, strict=True)]}


def _numbered(tree: Any, wanted: list[Record]) -> Any:
    """The tree with each leaf named by its index; what the leaves ask for is collected in order."""
    if not isinstance(tree, dict) or tree.get("type") != "pane":
        if isinstance(tree, dict) and tree.get("type") == "split":
            return {
                **tree,
                "first": _numbered(tree.get("first"), wanted),
                "second": _numbered(tree.get("second"), wanted),
            }
        return tree
    wanted.append(tree)
    return {"type": "pane", "pane_id": str(len(wanted) - 1)}


async def _plan(call: Call, workspace: Record, wanted: list[Record], env: dict[str, str]) -> list[Launch]:
    """A launch per leaf, everything checked."""
    _check_names(call, wanted)
    plan = []
    for index, leaf in enumerate(wanted):
        argv, cwd = leaf.get("argv"), leaf.get("cwd")
        if argv is None:
            argv = [env.get("SHELL") or call.settings.environ.get("SHELL") or "sh"]
        if not isinstance(argv, list) or not argv or not all(type(one) is str and "\0" not in one for one in argv):
            raise BadParams(f"root leaf {index}: argv: expected a non-empty array of strings", path="root")
        if cwd is not None and not isinstance(cwd, str):
            raise BadParams(f"root leaf {index}: cwd: expected a string", path="root")
        directory = await existing_directory(call, workspace["cwd"] if cwd is None else cwd, f"root leaf {index}: cwd")
        agent = agent_record(call, argv, None, env, directory)
        plan.append(Launch(call, argv, directory, records.size(None, None), agent, {}))
    return plan


def _check_names(call: Call, wanted: list[Record]) -> None:
    """Every given name is a pane name and free."""
    seen: set[str] = set()
    for index, leaf in enumerate(wanted):
        name = leaf.get("name")
        if name is None:
            continue
        if not isinstance(name, str) or not is_pane_name(name):
            raise BadParams(f"root leaf {index}: name: not a pane name", path="root")
        if name in seen or call.world.pane_named(name) is not None:
            raise BadParams(f"root leaf {index}: name: {name} is taken", path="root")
        seen.add(name)
