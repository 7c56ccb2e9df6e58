"""`workspace.*`: a directory with its tabs."""

from __future__ import annotations

from posixpath import basename, isabs, normpath

from ...base.clock import rfc3339
from ...base.errors import BadParams, IoError, TimedOut
from ...base.limits import TITLE_CHARS
from ...base.text import sanitise
from ...git import info as git
from ...state import records
from ...state.effects import Run, Work
from ...wire.kinds import WorkspaceRef
from . import closing
from ..checkouts.places import Entering
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("workspace.create", mutates=True)
async def workspace_create(call: Call, name: str | None = None, cwd: str | None = None) -> Record:
    """Make a workspace for a directory; it starts without tabs.

    name: shown name; default the directory's last component
    cwd: absolute path of an existing directory; default the server user's home
    Errors: BAD_PARAMS
    """
    wanted = call.settings.home if cwd is None else cwd
    async with Entering(call, wanted):
        directory = await existing_directory(call, wanted, "cwd")
        title = sanitise(name or "", TITLE_CHARS) or sanitise(basename(directory), TITLE_CHARS) or directory
        found = await look_at_git(call, directory)
        draft = call.draft()
        made = make_workspace(call, draft, title, directory, found)
        call.commit(draft)
    return {"workspace": made}


@method("workspace.list")
def workspace_list(call: Call) -> Record:
    """List the workspaces in the order they were made.

    Errors: none
    """
    return {"workspaces": list(call.world.workspaces.values())}


@method("workspace.get")
def workspace_get(call: Call, workspace_id: WorkspaceRef) -> Record:
    """Show a workspace with its tabs and panes.

    workspace_id: id or handle
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE
    """
    workspace = call.world.workspace(workspace_id)
    return {
        "workspace": workspace,
        "tabs": [call.world.tabs[tab_id] for tab_id in workspace["tabs"]],
        "panes": [call.pane_view(pane["id"]) for pane in call.world.panes_in_order(workspace["id"])],
    }


@method("workspace.rename", mutates=True)
def workspace_rename(call: Call, workspace_id: WorkspaceRef, name: str) -> Record:
    """Change a workspace's name; its handle stays.

    workspace_id: id or handle
    name: the new name, not blank
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE
    """
    title = sanitise(name, TITLE_CHARS)
    if not title:
        raise BadParams("name: must not be blank", path="name")
    workspace = call.world.workspace(workspace_id)
    if workspace["name"] != title:
        draft = call.draft()
        edited = draft.edit("workspaces", workspace["id"])
        edited.update(name=title, updated_at=rfc3339(draft.at))
        draft.emit("workspace.updated", {"workspace": edited})
        call.commit(draft)
    return {"workspace": call.world.workspaces[workspace["id"]]}


@method("workspace.close", mutates=True)
def workspace_close(call: Call, workspace_id: WorkspaceRef, signal: str | None = None) -> Record:
    """Close a workspace with all its tabs and panes; the directory stays as it is.

    workspace_id: id or handle
    signal: what the children get; default TERM
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE
    """
    os_signal = closing.parse_os_signal(signal)
    workspace = call.world.workspace(workspace_id)
    draft = call.draft()
    closing.close_workspace(call, draft, workspace["id"], os_signal)
    call.commit(draft)
    return {"closed": True}


@method("workspace.refresh_git", mutates=True)
async def workspace_refresh_git(call: Call, workspace_id: WorkspaceRef) -> Record:
    """Look at the workspace's repository again.

    workspace_id: id or handle
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE
    """
    id = call.world.workspace(workspace_id)["id"]
    found = await look_at_git(call, call.world.workspaces[id]["cwd"])
    before = call.world.workspace(id)
    if before["git"] != found:
        draft = call.draft()
        edited = draft.edit("workspaces", id)
        edited.update(git=found, updated_at=rfc3339(draft.at))
        draft.emit("workspace.updated", {"workspace": edited})
        if before["git"].get("branch") != found.get("branch"):
            draft.emit("git.branch_changed", {"workspace_id": id, "branch": found.get("branch")})
        call.commit(draft)
    return {"workspace": call.world.workspaces[id]}


def make_workspace(call: Call, draft: Draft, title: str, directory: str, git_info: Record) -> Record:
    """A new workspace without tabs as part of the change; emits `workspace.created`."""
    handle = records.handle(title, (one["handle"] for one in call.world.workspaces.values()))
    made = records.workspace(call.new_id("workspace"), title, handle, directory, git_info, draft.at)
    draft.put("workspaces", made)
    draft.emit("workspace.created", {"workspace": made})
    return made


async def existing_directory(call: Call, path: str, name: str) -> str:
    """The normalised path. Raises BadParams when it is relative, missing or no directory."""
    if not isabs(path) or "\0" in path:
        raise BadParams(f"{name}: expected an absolute path, got {path[:200]!r}", path=name)
    fault = await Work(call.machine.directory_fault, path)
    if fault is not None:
        raise BadParams(f"{name}: {path} {fault}", path=name)
    return normpath(path)


async def look_at_git(call: Call, directory: str) -> Record:
    """GitInfo of the directory; outside a repository, or without Git, exactly `{"detached": false}`."""
    environ = git.environment(call.settings.environ)
    try:
        code, root, _ = await Run([*git.ROOT], directory, environ, git.STATUS_TIMEOUT_S)
    except (IoError, TimedOut):
        return dict(git.OUTSIDE)
    if code != 0:
        return dict(git.OUTSIDE)
    try:
        code, status, _ = await Run([*git.STATUS], directory, environ, git.STATUS_TIMEOUT_S)
    except (IoError, TimedOut):
        return git.parse(root, None)
    return git.parse(root, status if code == 0 else None)
