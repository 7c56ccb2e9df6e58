"""How a task comes to be: slot, base, branch, worktree, workspace, record, worker (tasks-and-git §2.3)."""

from __future__ import annotations

from os import makedirs
from posixpath import dirname

from ...base.errors import BadParams, ProtocolError, RateLimited
from ...base.limits import TITLE_CHARS
from ...base.text import sanitise
from ...git import naming, requests, worktrees
from ...state import records, tasks
from ...state.effects import Work
from . import first_prompt
from ..checkouts import git_calls, worktree_calls
from .forgetting import forget_finished
from ..panes.launch import Launch, agent_record, gone, lineage_of
from .reaping import end_gently
from ..panes.tab import add_tab, empty_active_tab
from .worker_line import worker_line
from ..panes.workspace import existing_directory, look_at_git, make_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...state.world import Record
    from ..call import Call
    from ..checkouts.worktree_calls import Added

FETCH_S = 30.0
_SLOT = "start:"


class Wish:
    """What the caller asked for, checked as far as words tell. prompting: times of the first prompt."""

    __slots__ = (
        "argv",
        "base_ref",
        "branch",
        "client_request_id",
        "context_id",
        "contract",
        "env",
        "fetch_first",
        "kind",
        "label",
        "parent_pane_id",
        "path",
        "prompting",
        "repo",
    )

    argv: list[str]
    base_ref: str
    branch: str | None
    client_request_id: str | None
    context_id: str | None
    contract: Record
    env: dict[str, str]
    fetch_first: bool
    kind: str
    label: str | None
    parent_pane_id: str | None
    path: str | None
    prompting: dict[str, float]
    repo: str

    def __init__(self, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, value)


async def start(call: Call, wish: Wish) -> Record:
    """`{task, pane}`. What fails before the worktree exists leaves nothing; later a failed task tells what happened."""
    root = await git_calls.top_level(call, await existing_directory(call, wish.repo, "repo"))
    source = await git_calls.canonical(call, root)
    if not naming.is_text(source):
        raise BadParams("repo: a directory on the way has a name that is not UTF-8", path="repo")
    task_id = call.new_id("task")
    slot = _take_slot(call, task_id)
    try:
        task = await _describe(call, wish, task_id, source)
        added = await _check_out(call, task, wish)
        return await _occupy(call, task, added, wish, slot)
    finally:
        call.world.claims.give_back(slot)


def _take_slot(call: Call, task_id: str) -> str:
    """A place among the active tasks; starts on their way count. Raises RateLimited."""
    claims, most = call.world.claims, call.settings.max_tasks
    count = tasks.active(call.world) + sum(1 for key in claims.held if key.startswith(_SLOT))
    if count >= most:
        raise RateLimited(
            f"{count} tasks are active; at most {most} at once", active_tasks=count, max_parallel_tasks=most
        )
    claims.take(_SLOT + task_id)
    return _SLOT + task_id


async def _describe(call: Call, wish: Wish, task_id: str, source: str) -> Record:
    """The task's record, everything decided and nothing made. Raises BadParams."""
    short = tasks.short(task_id)
    label = sanitise(wish.label or "", TITLE_CHARS)
    fault = naming.ref_fault(wish.base_ref)
    if fault is not None:
        raise BadParams(f"invalid base_ref {wish.base_ref[:80]!r}: {fault}", path="base_ref")
    if wish.fetch_first:
        try:
            await git_calls.altering(call, source, requests.FETCH, FETCH_S)
        except ProtocolError:
            pass  # an origin out of reach is no reason not to work
    sha = await git_calls.resolve_commit(call, source, wish.base_ref)
    target = await git_calls.head_branch(call, source)
    branch = naming.task_branch(label or None, short) if wish.branch is None else wish.branch
    await git_calls.check_branch(call, source, branch)
    task = tasks.new(
        task_id,
        context_id=wish.context_id or call.new_id("context"),
        label=label or f"worker-{short}",
        contract=wish.contract,
        at=call.clock(),
        relationship="subagent",
        agent=wish.kind,
        source_repo=source,
        target_branch=target,
        worktree_path=wish.path or naming.worktree_path(call.settings.data_dir, source, branch),
        branch=branch,
        preexisting_branch=False,
        base_ref=wish.base_ref,
        base_sha=sha,
        worker_cmd=wish.argv,
        client_request_id=wish.client_request_id,
    )
    tasks.check_prompt(task)
    return task


async def _check_out(call: Call, task: Record, wish: Wish) -> Added:
    """Make the worktree, locked as ours."""
    path = task["worktree_path"]
    if wish.path is None:
        await Work(makedirs, call.settings.data_dir, 0o700, True)
        await Work(makedirs, dirname(path), 0o700, True)
    held = await worktree_calls.repository(call, task["source_repo"])
    async with held:
        added = await worktree_calls.add(
            call,
            held,
            path,
            task["branch"],
            task["base_sha"],
            lock_reason=worktrees.TASK_LOCK_REASON,
            task_id=task["id"],
        )
    task["worktree_path"] = await git_calls.canonical(call, path)
    task["preexisting_branch"] = added.preexisting_branch
    return added


async def _occupy(call: Call, task: Record, added: Added, wish: Wish, slot: str) -> Record:
    """Workspace, tab, record and worker. A failure is kept as a failed task and its worktree stays."""
    stage = "workspace"
    try:
        workspace_id = await _workspace(call, task, sanitise(wish.label or "", TITLE_CHARS))
        stage = "tab"
        tab_id = _tab(call, workspace_id)
        stage = "parent"
        lineage = lineage_of(call, wish.parent_pane_id, task["label"], task["relationship"], task["id"])
        task.update((name, lineage[name]) for name in ("parent_pane_id", "root_pane_id") if name in lineage)
        stage = "spawn"
        path = task["worktree_path"]
        agent = agent_record(call, wish.argv, wish.kind, wish.env, path)
        await forget_finished(call)
        argv = await worker_line(call, task, wish.argv, wish.kind)
        launch = Launch(call, argv, path, records.size(None, None), agent, lineage)
        async with git_calls.Held(call, tasks.finishing(task["id"])):  # whoever ends the task finds its worker
            _store(call, {**task, "pane_id": launch.pane_id}, added, wish, slot)
            await launch.begin(call, workspace_id, tab_id, wish.env)
            return _publish(call, task["id"], launch, workspace_id, tab_id)
    except ProtocolError as fault:
        await _fail(call, task, added, stage, fault)
        details = {**fault.details, "task_id": task["id"], "stage": stage}
        raise type(fault)(fault.message, **details) from None


async def _workspace(call: Call, task: Record, label: str) -> str:
    """The workspace of the worktree, a new one if there is none."""
    path = task["worktree_path"]
    listed = list(call.world.workspaces.values())
    places = await Work(git_calls.files(call).canonical, [one["cwd"] for one in listed])
    for workspace, place in zip(listed, places, strict=True):
        if place == path and workspace["id"] in call.world.workspaces:
            return str(workspace["id"])
    name = label or f"task-{tasks.short(task['id'])}"
    found = await look_at_git(call, path)
    draft = call.draft()
    made = make_workspace(call, draft, name, path, found)
    call.commit(draft)
    return str(made["id"])


def _tab(call: Call, workspace_id: str) -> str:
    """The workspace's active tab if it is empty, else a new one."""
    active = empty_active_tab(call, workspace_id)
    if active is not None:
        return active
    draft = call.draft()
    made = add_tab(call, draft, workspace_id, "task")
    call.commit(draft)
    return str(made["id"])


def _store(call: Call, task: Record, added: Added, wish: Wish, slot: str) -> None:
    """The task stands before its worker starts, so that a report sent at once finds it."""
    draft = call.draft()
    tasks.create(draft, task)
    tasks.open_first_prompt(draft, task["id"], **wish.prompting)
    added.intent.close(draft)
    call.commit(draft)
    call.world.claims.give_back(slot)


def _publish(call: Call, task_id: str, launch: Launch, workspace_id: str, tab_id: str) -> Record:
    """The worker's pane appears, and somebody waits until it is ready."""
    if workspace_id not in call.world.workspaces:
        launch.abandon(call)
        raise gone(call, workspace_id)
    draft = call.draft()
    if tab_id in call.world.tabs and not call.world.panes_of_tab(tab_id):
        tab = draft.edit("tabs", tab_id)
    else:
        tab = add_tab(call, draft, workspace_id, "task")
    pane = launch.publish_alone(call, draft, tab)
    tasks.change(draft, task_id, worker_pid=launch.child["pid"])
    call.commit(draft)
    launch.open(call)
    if call.world.tasks[task_id]["state"] == "canceled":
        call.background(end_gently(call, pane["id"]))
    else:
        call.background(first_prompt.run(call, task_id))
    return {"task": call.world.tasks[task_id], **launch.answer(pane)}


async def _fail(call: Call, task: Record, added: Added, stage: str, fault: ProtocolError) -> None:
    """Keep what happened, and leave the worktree for whoever wants to look."""
    reason = {"stage": stage, "error": fault.as_wire()}
    draft = call.draft()
    if task["id"] in call.world.tasks:
        draft.edit("tasks", task["id"]).pop("pane_id", None)  # no such pane ever came to be
        tasks.move(draft, task["id"], "failed", reason)
    else:
        tasks.create(draft, {**task, "state": "failed", "status_reason": reason})
        added.intent.close(draft)
    call.commit(draft)
    try:
        await git_calls.altering(call, task["source_repo"], requests.unlock_worktree(task["worktree_path"]))
    except ProtocolError:
        pass  # a lock keeps the worktree from being pruned, no more; finishing the task opens it
