"""Starting programs in panes: `pane.spawn`, `pane.split`, `layout.apply` (behaviour §4.4, §8.1, §8.2)."""

from __future__ import annotations

from posixpath import basename, isabs, join, normpath
from typing import Literal

from ..agents import table as agents
from ..base.errors import BadParams, NoSuchTab, NoSuchWorkspace, ProtocolError, SpawnFailed
from ..base.limits import LAYOUT_LEAVES
from ..base.text import is_pane_name, sanitise
from ..state import environment, layout, records
from ..state.effects import Spawn
from ..wire.kinds import Argv, Direction, Object, PaneRef, StringMap, TabRef, TaskRef, WorkspaceRef
from .registry import method
from .tab import add_tab
from .workspace import existing_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..state.world import Draft, Record
    from .call import Call


class Launch:
    """One child that is wanted, and once `begin` has run, one that lives: everything its pane record needs."""

    __slots__ = ("agent", "argv", "child", "cwd", "lineage", "pane_id", "process_instance", "size")

    def __init__(self, call: Call, argv: list[str], cwd: str, size: Record, agent: Record, lineage: Record) -> None:
        self.pane_id = call.new_id("pane")
        self.process_instance = call.new_id("process")
        self.argv = _anchored(argv, cwd)
        self.cwd = cwd
        self.size = size
        self.agent = agent
        self.lineage = lineage
        self.child: Record = {}

    async def begin(self, call: Call, workspace_id: str, tab_id: str, env: dict[str, str]) -> None:
        """Start the child. Raises SpawnFailed or BadParams; then nothing remains of it."""
        call.machine.expect(self.pane_id)
        try:
            self.child = await Spawn(
                self.pane_id,
                self.argv,
                self.cwd,
                self._environment(call, workspace_id, tab_id, env),
                self.size["cols"],
                self.size["rows"],
            )
        except BaseException:
            call.machine.give_up(self.pane_id)
            raise

    def publish(self, call: Call, draft: Draft, workspace_id: str, tab_id: str) -> Record:
        """Put the pane's records into the change; its output is read once the change is made."""
        program = self.argv[0] if self.argv else ""
        pane = draft.put(
            "panes",
            records.pane(
                self.pane_id,
                workspace_id,
                tab_id,
                title=sanitise(basename(program), 200) or "shell",
                cwd=self.cwd,
                argv=self.argv,
                pty_size=self.size,
                agent=self.agent,
                at=draft.at,
                lineage=self.lineage,
            ),
        )
        draft.put("instances", records.instance(self.pane_id, self.process_instance, call.world.seq, self.child))
        draft.emit("pane.created", {"pane": pane})
        return pane

    def open(self, call: Call) -> None:
        """The pane stands in the World: read its output."""
        call.machine.open_runtime(self.pane_id, self.size["cols"], self.size["rows"])

    def abandon(self, call: Call) -> None:
        """The place it was meant for has gone: end the child."""
        call.machine.give_up(self.pane_id)
        call.machine.end(self.pane_id, "KILL")

    def _environment(self, call: Call, workspace_id: str, tab_id: str, env: dict[str, str]) -> dict[str, str]:
        settings = call.settings
        fixed = environment.pane_variables(
            pane_id=self.pane_id,
            workspace_id=workspace_id,
            tab_id=tab_id,
            socket_path=settings.socket_path,
            program=settings.program,
            python=settings.python,
            token=environment.pane_token(settings.token_secret(), self.pane_id),
            parent_pane_id=self.lineage.get("parent_pane_id"),
            task_id=self.lineage.get("task_id"),
        )
        return environment.child_environment(settings.environ, env, fixed)


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
    lineage = _lineage(call, parent_pane_id, label, relationship, task_id)
    directory = await existing_directory(call, workspace["cwd"] if cwd is None else cwd, "cwd")
    given = env or {}
    agent = _agent(argv, agent_hint, given, directory)
    launch = Launch(call, argv, directory, records.size(cols, rows), agent, lineage)
    fresh_id = call.new_id("tab")
    await launch.begin(call, workspace["id"], tab_id or _empty_active(call, workspace["id"]) or fresh_id, given)
    draft = call.draft()
    try:
        tab = _place(call, draft, workspace["id"], tab_id, fresh_id)
    except ProtocolError:
        launch.abandon(call)
        raise
    pane = launch.publish(call, draft, workspace["id"], tab["id"])
    tab.update(layout=layout.leaf(pane["id"]), active_pane_id=pane["id"])
    draft.emit("tab.updated", {"tab": tab})
    call.commit(draft)
    launch.open(call)
    return {"pane": pane}


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
    agent = _agent(command, None, given, directory)
    launch = Launch(call, command, directory, dict(sibling["pty_size"]), agent, {})
    await launch.begin(call, sibling["workspace_id"], sibling["tab_id"], given)
    now = call.world.panes.get(sibling["id"])
    if now is None:
        launch.abandon(call)
        raise _gone(call, sibling["workspace_id"])
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
    return {"pane": pane}


@method("layout.apply", mutates=True)
async def layout_apply(call: Call, workspace_id: WorkspaceRef, root: Object, title: str | None = None) -> Record:
    """Make a tab from a tree, with a program in every leaf.

    workspace_id: id or handle
    root: the tree; leaves take argv, cwd and name
    title: default `layout`
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, SPAWN_FAILED
    """
    workspace = call.world.workspace(workspace_id)
    wanted: list[Record] = []
    tree = layout.parse(_numbered(root, wanted), lambda ref: ref, "root")
    if len(wanted) > LAYOUT_LEAVES:
        raise BadParams(f"root: {len(wanted)} leaves; at most {LAYOUT_LEAVES}", path="root")
    plan = await _plan(call, workspace, wanted)
    launched: list[Launch] = []
    tab_id = call.new_id("tab")
    try:
        for launch in plan:
            await launch.begin(call, workspace["id"], tab_id, {})
            launched.append(launch)
        if workspace["id"] not in call.world.workspaces:
            raise _gone(call, workspace["id"])
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
    return {"tab": tab, "panes": [{"pane": pane} for pane in panes]}


def _anchored(argv: list[str], cwd: str) -> list[str]:
    """argv with a relative program path made absolute, so that later changes of directory cannot redirect a resume."""
    program = argv[0]
    if not program:
        raise BadParams("argv[0]: must not be empty", path="argv[0]")
    if "/" in program and not isabs(program):
        return [normpath(join(cwd, program)), *argv[1:]]
    return list(argv)


def _agent(argv: list[str], hint: str | None, env: dict[str, str], cwd: str) -> Record:
    agent: Record = {"kind": agents.kind_at_spawn(argv, hint)}
    kept = environment.kept_configuration(env, cwd)
    if kept:
        agent["config_env"] = kept
    return agent


def _lineage(
    call: Call, parent_pane_id: str | None, label: str | None, relationship: str | None, task_id: str | None
) -> Record:
    lineage: Record = {}
    if parent_pane_id is not None:
        parent = call.world.pane(parent_pane_id)
        lineage["parent_pane_id"] = parent["id"]
        lineage["root_pane_id"] = parent.get("root_pane_id", parent["id"])
    if label is not None:
        lineage["label"] = sanitise(label, 200)
    if relationship is not None:
        lineage["relationship"] = relationship
    if task_id is not None:
        lineage["task_id"] = task_id
    return lineage


def _check_tab(call: Call, workspace_id: str, tab_id: str | None) -> None:
    """An explicit tab exists, is of the workspace and is empty."""
    if tab_id is None:
        return
    tab = call.world.tab(tab_id)
    if tab["workspace_id"] != workspace_id:
        raise BadParams("tab_id: the tab is of another workspace", path="tab_id")
    if any(pane["tab_id"] == tab_id for pane in call.world.panes.values()):
        raise BadParams("tab_id: the tab has panes; use pane.split to add one beside them", path="tab_id")


def _empty_active(call: Call, workspace_id: str) -> str | None:
    """The workspace's active tab, if no pane is in it."""
    active: str | None = call.world.workspace(workspace_id).get("active_tab_id")
    if active is None or any(pane["tab_id"] == active for pane in call.world.panes.values()):
        return None
    return active


def _place(call: Call, draft: Draft, workspace_id: str, tab_id: str | None, fresh_id: str) -> Record:
    """The tab the new pane goes to, part of the change. Raises when it was closed meanwhile.

    fresh_id: the id of a tab that is made here, which the child was told.
    """
    _check_tab(call, workspace_id, tab_id)
    place = tab_id or _empty_active(call, workspace_id)
    return draft.edit("tabs", place) if place else add_tab(call, draft, workspace_id, "agents", fresh_id)


def _gone(call: Call, workspace_id: str) -> ProtocolError:
    """What went away while the child was being started."""
    if workspace_id not in call.world.workspaces:
        return NoSuchWorkspace("the workspace was closed meanwhile", workspace_id=workspace_id)
    return NoSuchTab("the pane's place was closed meanwhile")


def _numbered(tree: Record, wanted: list[Record]) -> Record:
    """The tree with each leaf named by its index; what the leaves ask for is collected in order."""
    if not isinstance(tree, dict) or tree.get("type") != "pane":
        if isinstance(tree, dict) and tree.get("type") == "split":
            return {
                **tree,
                "first": _numbered(tree.get("first", {}), wanted),
                "second": _numbered(tree.get("second", {}), wanted),
            }
        return tree
    wanted.append(tree)
    return {"type": "pane", "pane_id": str(len(wanted) - 1)}


async def _plan(call: Call, workspace: Record, wanted: list[Record]) -> list[Launch]:
    """A launch per leaf, everything checked."""
    _check_names(call, wanted)
    plan = []
    for index, leaf in enumerate(wanted):
        argv, cwd = leaf.get("argv"), leaf.get("cwd")
        if argv is None:
            argv = [call.settings.environ.get("SHELL") or "sh"]
        if not isinstance(argv, list) or not argv or not all(type(one) is str and "\0" not in one for one in argv):
            raise BadParams(f"root leaf {index}: argv: expected a non-empty array of strings", path="root")
        if cwd is not None and not isinstance(cwd, str):
            raise BadParams(f"root leaf {index}: cwd: expected a string", path="root")
        directory = await existing_directory(call, workspace["cwd"] if cwd is None else cwd, f"root leaf {index}: cwd")
        plan.append(Launch(call, argv, directory, records.size(None, None), _agent(argv, None, {}, directory), {}))
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
