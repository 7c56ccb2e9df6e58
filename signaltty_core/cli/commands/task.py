"""`task …`: give objectives to workers in worktrees of their own, wait, look, merge (cli §4.5)."""

from __future__ import annotations

from ..diffs import file_lines, summary_lines
from ..launch import environment_for
from ..session import absolute
from ..spec import (
    ID,
    NAMES,
    NUMBER,
    PANE,
    PATH,
    POSITIVE,
    SECONDS,
    TEXT,
    Argument,
    Command,
    LocalError,
    Option,
    Usage,
    either,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..session import Session

STATES = (
    "pending, working, input_required, completed, failed, canceled, rejected; terminal (over), or settled (over, or "
    "waiting for a person; the default)."
)
_TASK = Argument("ID", "task_id", ID)
_MODE = either("merge", "discard", "give either --merge or --discard")
_CONTRACT = ("objective", "constraints", "output_format")


def start(session: Session, values: dict[str, Any]) -> None:
    params = {name: value for name, value in values.items() if name not in (*_CONTRACT, "objective_file", "criteria")}
    contract = {name: values[name] for name in _CONTRACT if name in values}
    if "objective_file" in values:
        contract["objective"] = _read(values["objective_file"])
    if "criteria" in values:
        contract["acceptance_criteria"] = [one for given in values["criteria"] for one in given]
    params["contract"] = contract
    for name in ("repo", "path"):
        if name in params:
            params[name] = absolute(params[name])
    if not params["argv"]:
        del params["argv"]
    params["env"] = environment_for(session.settings.environ, [])
    result = session.call("task.start", params)
    task, pane = result["task"], result["pane"]
    session.show(result, f"task {task['id']} pane {pane['id'] if pane else '-'} (state={task['state']})")


def get(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.get", values)
    task = result["task"]
    said = f"{task['id']} state={task['state']} repo={task['source_repo']} branch={task['branch']}"
    session.show(result, said, *_reason_lines(task))


def _reason_lines(task: dict[str, Any]) -> list[str]:
    """Why a task that has not gone its way is where it is, and the pane to look at."""
    why = task.get("status_reason")
    if not why:
        return []
    what = ", ".join(why[name] for name in ("stage", "reason") if why.get(name))
    more = (why.get("error") or {}).get("message") or why.get("last_message") or why.get("decision_id")
    lines = [f"  why: {what}: {more}" if more else f"  why: {what}"]
    return [*lines, f"  pane: {task['pane_id']}"] if task.get("pane_id") else lines


def list_tasks(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.list", values)
    rows = (
        (task["id"], f"state={task['state']}", f"label={task['label']}", f"context={task['context_id']}")
        for task in result["tasks"]
    )
    session.show_rows(result, rows, "(no tasks)")


def wait(session: Session, values: dict[str, Any]) -> None:
    # every command of tasks would read it
    from ..lasting import call_through

    result = call_through(session, "task.wait", values)
    session.show(result, f"satisfied: {len(result['tasks'])} tasks")


def diff(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.diff", values)
    session.show(result, *summary_lines(result), *_preview_lines(result["merge_preview"]))


def file_diff(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.file_diff", values)
    session.show(result, *file_lines(result))


def finish(session: Session, values: dict[str, Any]) -> None:
    flags = ("merge", "discard", "keep_branch", "delete_branch")
    params = {name: value for name, value in values.items() if name not in flags}
    params["mode"] = "merge" if "merge" in values else "discard"
    if "delete_branch" in values or "keep_branch" in values:
        params["delete_branch"] = "delete_branch" in values
    result = session.call("task.finish", params)
    said = f"finished task {result['task']['id']}: {result['task']['disposition']['outcome']}"
    if "merge" in result:
        said += f" into {result['merge']['target']} ({result['merge']['sha']})"
    if result.get("cleanup_error"):
        said += f" (cleanup warning: {result['cleanup_error']})"
    session.show(result, said)


def open_pr(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.pr_open", values)
    task = result["task"]
    session.show(result, f"opened pull request #{task['pr']['number']} for task {task['id']}: {task['pr']['url']}")


def refresh_prs(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.pr_refresh", values)
    lines = (
        f"{task['id']} #{task['pr']['number']} state={task['pr']['state']} checks={task['pr']['checks']} "
        f"review={task['pr']['review']}"
        for task in result["tasks"]
    )
    session.show(result, f"refreshed {len(result['tasks'])} pull request(s)", *lines)


def cancel(session: Session, values: dict[str, Any]) -> None:
    result = session.call("task.cancel", values)
    session.show(result, f"canceled task {result['task']['id']}")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as fault:
        raise LocalError(f"cannot read {path}: {fault.strerror}") from None
    except UnicodeDecodeError:
        raise LocalError(f"{path} is not UTF-8 text") from None


def _preview_lines(preview: dict[str, Any] | None) -> list[str]:
    if preview is None:
        return []
    if preview["clean"]:
        return [f"merge into {preview['target']}: clean"]
    return [f"merge into {preview['target']}: conflicts", *(f"  {name}" for name in preview["conflicted"])]


def _one_end(values: dict[str, Any]) -> None:
    _MODE(values)
    if "keep_branch" in values and ("delete_branch" in values or "discard" in values):
        raise Usage("--keep-branch goes neither with --delete-branch nor with --discard")


COMMANDS = (
    Command(
        "task start",
        "Give an objective to a worker in a worktree of its own.",
        start,
        Option("--repo", PATH, "The repository, or a directory in it.", required=True),
        Option("--objective", TEXT, "What is to be done."),
        Option("--objective-file", PATH, "A file that says what is to be done."),
        Option("--constraints", TEXT, "What must not happen."),
        Option("--output-format", TEXT, "How the result is to look."),
        Option(
            "--acceptance-criteria", NAMES, "How to tell that it is done; may be repeated.", param="criteria", many=True
        ),
        Option("--agent", TEXT, "Kind of the worker; its program is started when no ARGV is given."),
        Option("--label", TEXT, "A short text about the work."),
        Option("--parent-pane", PANE, "The pane that asks for the work.", param="parent_pane_id"),
        Option("--context", ID, "What the task belongs to; default: a new context.", param="context_id"),
        Option("--client-request-id", ID, "A second start with it gives the first one's task."),
        Option("--base-ref", TEXT, "What the branch is made from; default HEAD."),
        Option("--fetch-first", None, "Fetch from origin before that."),
        Option("--branch", TEXT, "Name of the branch."),
        Option("--path", PATH, "Where the worktree goes."),
        Option("--ready-timeout-s", SECONDS, "How long the worker may take to be ready; default 30."),
        Option("--stall-timeout-s", SECONDS, "How long it may take to begin; default 5."),
        Option("--submit-delay-ms", NUMBER, "Least time between prompt and Enter; default 300."),
        rest="ARGV…",
        check=either("objective", "objective_file", "give either --objective or --objective-file"),
        example="signaltty task start --repo ~/api --objective 'fix the login test' --agent codex",
    ),
    Command("task get", "Show a task.", get, _TASK),
    Command(
        "task list",
        "List tasks.",
        list_tasks,
        Option("--context", ID, "Only tasks of this context.", param="context_id"),
        Option("--state", TEXT, "Only tasks in this state."),
        Option("--limit", POSITIVE, "At most so many; default 100."),
    ),
    Command(
        "task wait",
        "Wait until a task, or every task of a context, is in one of the states.",
        wait,
        Argument("ID", "task_id", ID, required=False),
        Option("--context", ID, "All tasks of this context.", param="context_id"),
        Option("--until", NAMES, f"Any of these ends the wait: {STATES}"),
        Option("--timeout", SECONDS, "Give up after so long; default 3600.", param="timeout_s"),
        check=either("task_id", "context_id", "give either a task or --context"),
        example="signaltty task wait TASK --until terminal --timeout 1800",
    ),
    Command("task diff", "Count what a task has changed, and see whether it would merge.", diff, _TASK),
    Command("task file-diff", "Show what a task has changed in one file.", file_diff, _TASK, Argument("PATH")),
    Command(
        "task finish",
        "Merge a task's work or throw it away, and remove its worktree.",
        finish,
        _TASK,
        Option("--merge", None, "Merge the branch into its target."),
        Option("--discard", None, "Throw the work away."),
        Option("--target", TEXT, "The branch to merge into, which must be checked out.", param="target_ref"),
        Option("--delete-branch", None, "Delete the branch; the default of --merge."),
        Option("--keep-branch", None, "Keep the branch."),
        Option("--ignore-dirty", None, "Merge although changes were not committed; they are lost."),
        check=_one_end,
        example="signaltty task finish TASK --merge",
    ),
    Command(
        "task pr",
        "Push a task's branch and open a pull request.",
        open_pr,
        _TASK,
        Option("--title", TEXT, "Its title; default: the task's label."),
        Option("--body", TEXT, "Its text; default: summary and objective."),
        Option("--draft", None, "Open it as a draft."),
    ),
    Command(
        "task pr-refresh",
        "Ask how pull requests stand.",
        refresh_prs,
        Argument("ID", "task_id", ID, required=False),
    ),
    Command("task cancel", "End a task without a result; its worktree stays.", cancel, _TASK),
)
