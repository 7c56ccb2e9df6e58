"""`task.start`: one objective to one worker in a worktree of its own (tasks-and-git §2.3)."""

from __future__ import annotations

from ...agents import table
from ...base.errors import BadParams
from ...state import tasks
from ...wire.kinds import AbsPath, Argv, DelayMs, Object, ReadySeconds, StallSeconds, StringMap
from . import starting
from ..checkouts.git_calls import Held
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Record
    from ..call import Call

REQUEST_ID_CHARS = 256
CONTEXT_CHARS = 128  # behaviour §2.1


@method("task.start", mutates=True)
async def task_start(
    call: Call,
    repo: AbsPath,
    contract: Object,
    agent: str | None = None,
    label: str | None = None,
    parent_pane_id: str | None = None,
    context_id: str | None = None,
    client_request_id: str | None = None,
    base_ref: str = "HEAD",
    fetch_first: bool = False,
    branch: str | None = None,
    path: AbsPath | None = None,
    ready_timeout_s: ReadySeconds = tasks.READY_S,
    stall_timeout_s: StallSeconds = tasks.STALL_S,
    submit_delay_ms: DelayMs = tasks.SUBMIT_DELAY_MS,
    argv: Argv | None = None,
    env: StringMap | None = None,
) -> Record:
    """Give an objective to a worker in a worktree of its own; the prompt is submitted once the worker is ready.

    repo: absolute path inside a Git work tree
    contract: {objective, constraints?, acceptance_criteria?, output_format?}
    agent: kind of the worker; its program is started unless argv names another
    label: short text about the work; default worker-<end of the task's id>
    parent_pane_id: id or name of the pane that asks for the work
    context_id: what the task belongs to; default a new one
    client_request_id: a second start with it returns the first one's task
    base_ref: what the branch is made from; default HEAD
    fetch_first: fetch from origin before that
    branch: name of the branch; an existing one is taken; default signaltty/<label>-<end of the id>
    path: absolute path of the worktree; default below the data directory
    ready_timeout_s: how long the worker may take to be ready for a prompt; default 30
    stall_timeout_s: how long it may take to begin with it; default 5
    submit_delay_ms: least time between prompt and Enter; default 300
    argv: the worker's program and arguments
    env: variables for the worker; only known names are taken
    Errors: BAD_PARAMS, RATE_LIMITED, NO_SUCH_PANE, SPAWN_FAILED, IO_ERROR, TIMEOUT
    """
    wish = starting.Wish(
        contract=tasks.parse_contract(contract),
        repo=repo,
        label=label,
        parent_pane_id=parent_pane_id,
        context_id=_name(context_id, "context_id", CONTEXT_CHARS),
        client_request_id=_name(client_request_id, "client_request_id", REQUEST_ID_CHARS),
        base_ref=base_ref,
        fetch_first=fetch_first,
        branch=branch,
        path=path,
        env=env or {},
        prompting={
            "ready_timeout_s": ready_timeout_s,
            "stall_timeout_s": stall_timeout_s,
            "submit_delay_ms": submit_delay_ms,
        },
    )
    if client_request_id is None:
        wish.argv, wish.kind = _program(call, agent, argv)
        return await starting.start(call, wish)
    async with Held(call, f"request:{client_request_id}"):
        for task in call.world.tasks.values():
            if task.get("client_request_id") == client_request_id:
                known = task.get("pane_id") in call.world.panes
                return {"task": task, "pane": call.pane_view(task["pane_id"]) if known else None}
        wish.argv, wish.kind = _program(call, agent, argv)
        return await starting.start(call, wish)


def _name(given: str | None, name: str, most: int) -> str | None:
    if given is not None and not 0 < len(given) <= most:
        raise BadParams(f"{name}: expected 1 to {most} characters", path=name)
    return given


def _program(call: Call, agent: str | None, argv: list[str] | None) -> tuple[list[str], str]:
    """What to run, and of which kind it is. Raises BadParams."""
    if agent is None:
        if argv is None:
            raise BadParams("give agent or argv: the worker's kind or its program")
        return argv, table.kind_at_spawn(argv, None, call.catalog.kind_of_program)
    kind = table.known(agent)
    if kind is None:
        startable = ", ".join(one.key for one in table.KINDS.values() if one.binaries)
        raise BadParams(f"agent: unknown kind {agent[:40]!r}; known: {startable}", path="agent")
    if argv is not None:
        return argv, kind.key
    if not kind.binaries:
        raise BadParams(f"agent: {agent} has no program of its own; give argv", path="agent")
    return [kind.binaries[0]], kind.key
