"""`pane.resume`: the agent of a pane goes on with its session, in a new process (behaviour §8.3)."""

from __future__ import annotations

from ...base.errors import BadParams, NoSuchPane
from ...state import attention, decisions, environment, lifecycle, records
from ...state.world import is_live
from ...wire.kinds import PaneRef, StringMap
from .launch import Launch
from ..registry import method
from .workspace import existing_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("pane.resume", mutates=True)
async def pane_resume(call: Call, pane_id: PaneRef, env: StringMap | None = None) -> Record:
    """Start the agent of an ended pane again, in the session it had.

    pane_id: id or name of the pane
    env: variables for the child; only known names are taken, and none that says where its session is
    Errors: NO_SUCH_PANE, BAD_PARAMS, SPAWN_FAILED
    """
    pane = call.world.pane(pane_id)
    _refuse_live(call, pane)
    command = pane["agent"].get("resume_argv")
    if not command:
        raise BadParams("the pane has no resume command: its agent named no session", path="pane_id")
    call.machine.expect(pane["id"])  # from here on another resume finds it taken
    lineage: Record = {name: pane[name] for name in ("parent_pane_id", "task_id") if name in pane}
    try:
        directory = await existing_directory(call, pane["cwd"], "cwd")
        launch = Launch(call, command, directory, dict(pane["pty_size"]), pane["agent"], lineage, pane["id"])
    except BaseException:
        call.machine.give_up(pane["id"])
        raise
    given = {name: value for name, value in (env or {}).items() if name not in environment.CONFIG_DIRS}
    given.update(pane["agent"].get("config_env", {}))
    await launch.begin(call, pane["workspace_id"], pane["tab_id"], given)
    if pane["id"] not in call.world.panes:
        launch.abandon(call)
        raise NoSuchPane("the pane was closed meanwhile", pane_id=pane["id"])
    draft = call.draft()
    launch.put_instance(call, draft)
    draft.emit("pane.created", {"pane": _revive(draft, pane["id"]), "resumed": True})
    call.commit(draft)
    answer = launch.answer(call.pane_view(pane["id"]))
    launch.open(call)  # what waited for the pane is done in here, and may close it again
    return answer


def _refuse_live(call: Call, pane: Record) -> None:
    if is_live(pane) or call.machine.is_expected(pane["id"]):
        raise BadParams("the pane is already live", path="pane_id")


def _revive(draft: Draft, pane_id: str) -> Record:
    """The record of a pane that lives again; nobody waits for an answer to what the last process asked."""
    pane = draft.pane(pane_id)
    pane.update(live={"state": "live"}, restore_state="LIVE")
    pane["title"] = records.title_of(pane["argv"])
    lifecycle.set_lifecycle(draft, pane_id, "unknown")
    decisions.clear(draft, pane_id, "pane_exited")
    attention.lower_required(draft, pane_id)
    return pane
