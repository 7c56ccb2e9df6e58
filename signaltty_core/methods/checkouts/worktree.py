"""`worktree.*`: the checkouts of a workspace's repository (tasks-and-git §7)."""

from __future__ import annotations

from posixpath import basename

from ...base.errors import BadParams, PanesAlive, ProtocolError
from ...base.limits import TITLE_CHARS
from ...base.text import sanitise
from ...git import naming, requests, worktrees
from ...state.effects import Work
from ...wire.kinds import AbsPath, WorkspaceRef
from . import intents, worktree_calls
from .git_calls import asking, canonical, check_branch, files, is_clean
from ..registry import method
from .places import Entering
from ..panes.workspace import existing_directory, look_at_git, make_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("worktree.list")
async def worktree_list(call: Call, workspace_id: WorkspaceRef) -> Record:
    """List the checkouts Git has registered for the workspace's repository.

    workspace_id: id or handle
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, IO_ERROR, TIMEOUT
    """
    workspace = call.world.workspace(workspace_id)
    held = await worktree_calls.repository(call, workspace["cwd"])
    listed = await worktree_calls.list_worktrees(call, held.directory)
    paths = await Work(files(call).canonical, [one["path"] for one in listed])
    owners = await _workspaces_by_directory(call)
    return {"worktrees": [worktrees.shown(one, owners.get(path)) for one, path in zip(listed, paths, strict=True)]}


@method("worktree.create", mutates=True)
async def worktree_create(
    call: Call, workspace_id: WorkspaceRef, path: AbsPath, branch: str, name: str | None = None
) -> Record:
    """Make a checkout with a new branch at the workspace's commit, and a workspace for it.

    workspace_id: id or handle of the workspace whose repository it is
    path: where; nothing may be there yet
    branch: name of the new branch
    name: the new workspace's name; default the path's last component
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, IO_ERROR, TIMEOUT
    """
    source = call.world.workspace(workspace_id)
    _refuse_odd(path)
    held = await worktree_calls.repository(call, source["cwd"])
    await check_branch(call, source["cwd"], branch)
    if await Work(files(call).exists, path):
        raise BadParams(f"path: {path} exists already", path="path")
    code, head, _ = await asking(call, source["cwd"], requests.HEAD_COMMIT)
    if code != 0:
        raise BadParams("the repository has no commit yet", path="workspace_id")
    async with held:
        added = await worktree_calls.add(
            *(call, held, path, branch, head.decode("ascii").strip()), adopts=False, workspace_id=source["id"]
        )
        place = await canonical(call, path)
        draft = call.draft()
        added.intent.close(draft)
        draft.emit("worktree.changed", {"operation": "create", "path": place, "workspace_id": source["id"]})
        call.commit(draft)
    return {"workspace": await _bind(call, place, name), "path": place, "reused": False}


@method("worktree.open", mutates=True)
async def worktree_open(call: Call, workspace_id: WorkspaceRef, path: AbsPath, name: str | None = None) -> Record:
    """Give a registered checkout a workspace, or find the one it has.

    workspace_id: id or handle of the workspace whose repository it is
    path: the checkout
    name: a new workspace's name; default the path's last component
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, IO_ERROR, TIMEOUT
    """
    source = call.world.workspace(workspace_id)
    _refuse_odd(path)
    held = await worktree_calls.repository(call, source["cwd"])
    place = await canonical(call, path)
    known = await worktree_calls.registered(call, held.directory, place)
    if known is None or known["bare"] or await Work(call.machine.directory_fault, place) is not None:
        raise BadParams(f"path: {path} is no registered checkout that exists", path="path")
    owner = (await _workspaces_by_directory(call)).get(place)
    if owner is not None and owner in call.world.workspaces:
        return {"workspace": call.world.workspaces[owner], "path": place, "reused": True}
    event = {"operation": "open", "path": place, "workspace_id": source["id"]}
    return {"workspace": await _bind(call, place, name, event), "path": place, "reused": False}


@method("worktree.remove", mutates=True)
async def worktree_remove(call: Call, workspace_id: WorkspaceRef, path: AbsPath) -> Record:
    """Remove a clean checkout nobody uses; its branch stays.

    workspace_id: id or handle of the workspace whose repository it is
    path: the checkout
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, PANES_ALIVE, IO_ERROR, TIMEOUT
    """
    source = call.world.workspace(workspace_id)
    _refuse_odd(path)
    held = await worktree_calls.repository(call, source["cwd"])
    place = await canonical(call, path)
    async with held:
        with worktree_calls.Removing(call, place):
            await _refuse_used(call, held.directory, path, place)
            intent = await intents.begin(call, "worktree_remove", held.directory, workspace_id=source["id"], path=place)
            try:
                await worktree_calls.remove(call, held.directory, place, intent)
                draft = call.draft()
                intent.close(draft)
                draft.emit("worktree.changed", {"operation": "remove", "path": place, "workspace_id": source["id"]})
                call.commit(draft)
            except ProtocolError:
                intent.end()
                raise
    return {"removed": True, "path": place}


async def _refuse_used(call: Call, directory: str, path: str, place: str) -> None:
    """Every reason not to remove it, in the order of tasks-and-git §7; the path is reserved by now."""
    listed = await worktree_calls.list_worktrees(call, directory)
    known = await worktree_calls.registered(call, directory, place)
    if known is None:
        raise BadParams(f"path: {path} is no worktree of this repository", path="path")
    await refuse_alive(call, place)
    fault = worktrees.removal_fault(known)
    inner = worktrees.nested(listed, known["path"])
    if fault is None and inner is not None:
        fault = f"the worktree {inner} is inside it"
    if fault is None and any(naming.is_inside(cwd, place) for cwd in await _workspaces_by_directory(call)):
        fault = "a workspace is open there; close it first"
    if fault is None and not await is_clean(call, place):
        fault = "it has changes or untracked files"
    if fault is not None:
        raise BadParams(f"path: {path} is not removed: {fault}", path="path")


async def refuse_alive(call: Call, place: str, but: str | None = None) -> None:
    """Raise PanesAlive when a live pane, or a process of one, is inside. place: canonical. but: a pane that may be."""
    live = [pane for pane in call.world.live_panes() if pane["id"] != but]
    entered = list(call.world.claims.entered())
    paths = await Work(files(call).canonical, [*(pane["cwd"] for pane in live), *entered])
    inside = [path for path in paths if naming.is_inside(path, place)]
    if not inside:
        children = {
            instance["pid"]: pane["id"]
            for pane in live
            if "pid" in (instance := call.world.instances.get(pane["id"], {}))
        }
        if children and await Work(files(call).inhabitant, place, children) is not None:
            inside = [place]
    if inside:
        raise PanesAlive(f"a pane or a process of one works in {place}", path=place)


async def _bind(call: Call, place: str, name: str | None, event: Record | None = None) -> Record:
    """A workspace for the checkout. event: the change of worktrees that is published with it."""
    title = sanitise(name or "", TITLE_CHARS) or sanitise(basename(place), TITLE_CHARS) or place
    async with Entering(call, place):
        await existing_directory(call, place, "path")
        found = await look_at_git(call, place)
        draft = call.draft()
        if event is not None:
            draft.emit("worktree.changed", event)
        made = make_workspace(call, draft, title, place, found)
        call.commit(draft)
    return made


async def _workspaces_by_directory(call: Call) -> dict[str, str]:
    """Ids of the open workspaces by canonical directory; the oldest wins."""
    opened = list(call.world.workspaces.values())
    paths = await Work(files(call).canonical, [one["cwd"] for one in opened])
    found: dict[str, str] = {}
    for one, path in zip(opened, paths, strict=True):
        found.setdefault(path, one["id"])
    return found


def _refuse_odd(path: str) -> None:
    """A path that cannot be handed to a program."""
    if not naming.is_text(path):
        raise BadParams("path: not UTF-8", path="path")
