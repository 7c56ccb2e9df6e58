"""`task.pr_open`, `task.pr_refresh`: a task's branch as a pull request on GitHub, through `git` and `gh`
(tasks-and-git §5)."""

from __future__ import annotations

from shutil import which

from ...base.errors import BadParams, IoError, ProtocolError, SpawnFailed
from ...git import pull_requests, requests
from ...state import tasks
from ...state.effects import Run, Work
from ...wire.kinds import TaskRef
from ..checkouts import git_calls, intents, worktree_calls
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

CALL_S = 60.0


@method("task.pr_open", mutates=True)
async def task_pr_open(
    call: Call, task_id: TaskRef, title: str | None = None, body: str | None = None, draft: bool = False
) -> Record:
    """Push a completed task's branch to origin and open a pull request for it.

    task_id: the task
    title: default the task's label
    body: default the result's summary and the objective
    draft: open it as a draft
    Errors: BAD_PARAMS, NO_SUCH_TASK, SPAWN_FAILED, IO_ERROR, TIMEOUT
    """
    _check(call.world.task(task_id))
    async with git_calls.Held(call, tasks.finishing(task_id)):
        task = _check(call.world.task(task_id))
        gh = await _find_gh(call)
        argv = pull_requests.create(
            gh,
            head=task["branch"],
            base=task["target_branch"],
            title=title or task["label"],
            body=body if body is not None else f"{task['result']['summary']}\n\n{task['contract']['objective']}",
            draft=draft,
        )
        await _push(call, task)
        printed = await _run(call, argv, task["worktree_path"], "gh could not open the pull request")
        opened = pull_requests.parse_url(printed)
        if opened is None:
            raise IoError("gh printed no address of a pull request", stderr=printed.decode(errors="replace")[-400:])
        change = call.draft()
        tasks.change(change, task_id, pr={**opened, "state": "open", "checks": "none", "review": "none"})
        call.commit(change)
    return {"task": call.world.task(task_id)}


@method("task.pr_refresh", mutates=True)
async def task_pr_refresh(call: Call, task_id: TaskRef | None = None) -> Record:
    """Ask GitHub how a task's pull request stands, or all open ones.

    task_id: the task; default all with an open pull request, of which a failing one is skipped
    Errors: BAD_PARAMS, NO_SUCH_TASK, SPAWN_FAILED, IO_ERROR, TIMEOUT
    """
    if task_id is not None:
        task = call.world.task(task_id)
        if "pr" not in task:
            raise BadParams("the task has no pull request; task.pr_open opens one")
        return {"tasks": [await _refresh(call, task)]}
    refreshed = []
    for task in [one for one in call.world.tasks.values() if one.get("pr", {}).get("state") == "open"]:
        try:
            refreshed.append(await _refresh(call, task))
        except ProtocolError:
            continue
    return {"tasks": refreshed}


def _check(task: Record) -> Record:
    if task["state"] != "completed":
        raise BadParams(f"only a completed task gets a pull request; this one is {task['state']}", state=task["state"])
    if task["disposition"]["outcome"] != "none":
        raise BadParams(f"the task is {task['disposition']['outcome']} already")
    if "pr" in task:
        raise BadParams("the task has a pull request already", url=task["pr"]["url"])
    if "target_branch" not in task:
        raise BadParams(
            "the task was started on a detached HEAD and knows no target branch; push it and open one by hand"
        )
    return task


async def _push(call: Call, task: Record) -> None:
    held = await worktree_calls.repository(call, task["source_repo"])
    async with held:
        intent = await intents.begin(
            call, "push", held.directory, task_id=task["id"], path=task["worktree_path"], branch=task["branch"]
        )
        try:
            ref = f"refs/heads/{task['branch']}"
            code, _, stderr = await git_calls.altering(
                call,
                task["worktree_path"],
                requests.change("push", "-u", "origin", f"{ref}:{ref}"),
                CALL_S,
                intent=intent,
            )
        finally:
            intent.end()
    if code != 0:
        raise git_calls.failed("the branch was not pushed", stderr)


async def _refresh(call: Call, task: Record) -> Record:
    pr = task["pr"]
    printed = await _run(
        call, pull_requests.view(await _find_gh(call), pr["url"]), task["source_repo"], "gh could not look"
    )
    change = call.draft()
    read = pull_requests.parse_view(printed, change.at)
    if read is None:
        raise IoError("gh printed something else than a pull request", stderr="")
    now = call.world.tasks.get(task["id"])
    if now is not None and now.get("pr", {}).get("url") == pr["url"]:  # else it was replaced meanwhile
        tasks.change(change, task["id"], pr={**now["pr"], **read})
        call.commit(change)
    return call.world.tasks.get(task["id"], task)


async def _run(call: Call, argv: list[str], cwd: str, what: str) -> bytes:
    environ = {**requests.environment(call.settings.environ), "GH_PROMPT_DISABLED": "1"}
    code, printed, stderr = await Run(argv, cwd, environ, CALL_S)
    if code != 0:
        raise git_calls.failed(what, stderr)
    return bytes(printed)


async def _find_gh(call: Call) -> str:
    """Raises SpawnFailed."""
    found: str | None = await Work(which, "gh", 1, call.settings.environ.get("PATH"))
    if found is None:
        raise SpawnFailed("gh, the command of GitHub, is not in the server's PATH")
    return found
