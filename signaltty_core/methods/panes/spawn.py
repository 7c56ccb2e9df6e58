"""Starting programs in panes: `pane.spawn`, `pane.split` (behaviour §8.2)."""

from __future__ import annotations

from typing import Literal

from ...base.errors import BadParams, ProtocolError
from ...state import layout, records
from ...wire.kinds import Argv, Direction, PaneRef, StringMap, TabRef, TaskRef, WorkspaceRef
from .launch import Launch, agent_record, gone, lineage_of
from ..registry import method
from .tab import add_tab, empty_active_tab
from .workspace import existing_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("pane.spawn", mutates=True)
async def pane_spawn(
    call: Call,
    workspace_id: WorkspaceRef,
    argv: Argv,
    tab_id: TabRef | None = None,
    cwd: str | None = None,
    env: StringMap | None = None,
    cols: int | None = None,
    rows: int | None = None,
    agent_hint: str | None = None,
    parent_pane_id: PaneRef | None = None,
    label: str | None = None,
    relationship: Literal["fork", "subagent"] | None = None,
    task_id: TaskRef | None = None,
) -> Record:
    """Start a program in a new pane of an empty tab.

    workspace_id: id or handle
    argv: program and arguments; a bare program is looked up in the child's PATH
    tab_id: an empty tab of that workspace; default the active one if empty, else a new tab
    cwd: absolute directory; default the workspace's
    env: variables for the child; only known names are taken
    cols: width in cells, clamped to 20-500; default 80
    rows: height in cells, clamped to 5-200; default 24
    agent_hint: the agent's kind when the program's name does not tell
    parent_pane_id: id or name of the pane that asked for this one
    label: free text
    relationship: what this pane is to its parent
    task_id: the task it works for
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, NO_SUCH_TAB, NO_SUCH_PANE, NO_SUCH_TASK, SPAWN_FAILED
    """
    workspace = call.world.workspace(workspace_id)
    _check_tab(call, workspace["id"], tab_id)
    if task_id is not None:
        call.world.task(task_id)
    lineage = lineage_of(call, parent_pane_id, label, relationship, task_id)
    directory = await existing_directory(call, workspace["cwd"] if cwd is None else cwd, "cwd")
    given = env or {}
    agent = agent_record(call, argv, agent_hint, given, directory)
    launch = Launch(call, argv, directory, records.size(cols, rows), agent, lineage)
    fresh_id = call.new_id("tab")
    await launch.begin(call, workspace["id"], tab_id or empty_active_tab(call, workspace["id"]) or fresh_id, given)
    draft = call.draft()
    try:
        tab = _place(call, draft, workspace["id"], tab_id, fresh_id)
    except ProtocolError:
        launch.abandon(call)
        raise
    pane = launch.publish_alone(call, draft, tab)
    call.commit(draft)
    launch.open(call)
    return launch.answer(pane)


@method("pane.split", mutates=True)
async def pane_split(
    call: Call,
    pane_id: PaneRef,
    direction: Direction = "right",
    argv: Argv | None = None,
    cwd: str | None = None,
    env: StringMap | None = None,
) -> Record:
    """Start a program in a new pane beside another one.

    pane_id: id or name of the pane whose place is split
    direction: right or down of it
    argv: program and arguments; default the user's shell
    cwd: absolute directory; default that pane's
    env: variables for the child; only known names are taken
    Errors: BAD_PARAMS, NO_SUCH_PANE, NO_SUCH_TAB, NO_SUCH_WORKSPACE, SPAWN_FAILED
    """
    sibling = call.world.pane(pane_id)
    if sibling["id"] not in layout.leaves(call.world.tab(sibling["tab_id"])["layout"]):
        raise BadParams("pane_id: the pane is not in its tab's layout; tab.set_layout puts it there", path="pane_id")
    directory = await existing_directory(call, sibling["cwd"] if cwd is None else cwd, "cwd")
    given = {**sibling["agent"].get("config_env", {}), **(env or {})}
    command = argv or [given.get("SHELL") or call.settings.environ.get("SHELL") or "sh"]
    agent = agent_record(call, command, None, given, directory)
    launch = Launch(call, command, directory, dict(sibling["pty_size"]), agent, {})
    await launch.begin(call, sibling["workspace_id"], sibling["tab_id"], given)
    now = call.world.panes.get(sibling["id"])
    if now is None:
        launch.abandon(call)
        raise gone(call, sibling["workspace_id"])
    draft = call.draft()
    tab = draft.edit("tabs", now["tab_id"])
    pane = launch.publish(call, draft, now["workspace_id"], tab["id"])
    tab.update(
        layout=layout.split(tab["layout"], now["id"], pane["id"], direction),
        active_pane_id=pane["id"],
    )
    draft.emit("tab.updated", {"tab": tab})
    call.commit(draft)
    launch.open(call)
    return launch.answer(pane)


def _check_tab(call: Call, workspace_id: str, tab_id: str | None) -> None:
    """An explicit tab exists, is of the workspace and is empty."""
    if tab_id is None:
        return
    tab = call.world.tab(tab_id)
    if tab["workspace_id"] != workspace_id:
        raise BadParams("tab_id: the tab is of another workspace", path="tab_id")
    if call.world.panes_of_tab(tab_id):
        raise BadParams("tab_id: the tab has panes; use pane.split to add one beside them", path="tab_id")


def _place(call: Call, draft: Draft, workspace_id: str, tab_id: str | None, fresh_id: str) -> Record:
    """The tab the new pane goes to, part of the change. Raises when it was closed meanwhile.

    fresh_id: the id of a tab that is made here, which the child was told.
    """
    call.world.workspace(workspace_id)
    _check_tab(call, workspace_id, tab_id)
    place = tab_id or empty_active_tab(call, workspace_id)
    return draft.edit("tabs", place) if place else add_tab(call, draft, workspace_id, "agents", fresh_id)
