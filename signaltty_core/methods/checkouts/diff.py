"""`workspace.diff`, `workspace.file_diff`: what has changed in a workspace's checkout (tasks-and-git §6)."""

from __future__ import annotations

from typing import Literal

from ...base.errors import BadParams, IoError
from ...git import requests
from ...wire.kinds import WorkspaceRef
from . import git_diffs
from .git_calls import asking, head_branch, top_level
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call


@method("workspace.diff")
async def workspace_diff(call: Call, workspace_id: WorkspaceRef, scope: Literal["head", "turn"] = "head") -> Record:
    """Count what has changed, per file and directory.

    workspace_id: id or handle
    scope: head = since the last commit, turn = since the newest turn of an agent here began
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, IO_ERROR, TIMEOUT
    """
    workspace = call.world.workspace(workspace_id)
    if scope == "head":
        return {"workspace_id": workspace["id"], "scope": scope, **await git_diffs.of_head(call, workspace["cwd"])}
    root = await top_level(call, workspace["cwd"])
    shown: Record = {"workspace_id": workspace["id"], "scope": scope, "branch": await head_branch(call, root)}
    baseline = call.world.tables["baselines"].get(workspace["id"])
    if baseline is None:
        return {**shown, "files": [], "dirs": [], "added": 0, "removed": 0, "turn": None}
    tree = await _tree_of(call, root, baseline)
    changed = await git_diffs.between(call, root, tree, await git_diffs.capture(call, root))
    turn = {"pane_id": baseline["pane_id"], "started_at": baseline["started_at"]}
    return {**shown, **changed, "turn": turn}


@method("workspace.file_diff")
async def workspace_file_diff(
    call: Call, workspace_id: WorkspaceRef, path: str, scope: Literal["head", "turn"] = "head"
) -> Record:
    """Show what has changed in one file.

    workspace_id: id or handle
    path: its literal name, relative to the repository's root
    scope: head = since the last commit, turn = since the newest turn of an agent here began
    Errors: BAD_PARAMS, NO_SUCH_WORKSPACE, IO_ERROR, TIMEOUT
    """
    workspace = call.world.workspace(workspace_id)
    root = await top_level(call, workspace["cwd"])
    if scope == "head":
        untracked, content = await git_diffs.file_of_checkout(call, root, path)
    else:
        baseline = call.world.tables["baselines"].get(workspace["id"])
        if baseline is None:
            raise BadParams("scope: no turn has begun in this workspace", path="scope")
        untracked = False
        content = await git_diffs.file_between(call, root, path, await _tree_of(call, root, baseline))
    return {"workspace_id": workspace["id"], "path": path, "untracked": untracked, "content": content}


async def _tree_of(call: Call, root: str, baseline: Record) -> str:
    """The baseline's tree. Raises IoError when its capture failed, or Git no longer has it."""
    if "error" in baseline:
        raise IoError(f"the checkout could not be captured when the turn began: {baseline['error']}")
    tree: str = baseline["tree"]
    code, _, _ = await asking(call, root, requests.tree_exists(tree))
    if code != 0:
        raise IoError("Git no longer has the tree that was captured when the turn began")
    return tree
