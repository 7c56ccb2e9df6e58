"""`pane.explain`: why a pane is in its state (behaviour §5.8, terminal-status §10)."""

from __future__ import annotations

from ...base.clock import rfc3339
from ...state import hearing, program_status, sources
from ...state.world import is_live
from ...wire.kinds import PaneRef
from ..looking import look
from .on_screen import judge_screen, process_of
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.hearing import Hearing
    from ...state.world import Record
    from ..call import Call

COUNTERS = ("ignored", "oversized", "timed_out")


@method("pane.explain")
def pane_explain(call: Call, pane_id: PaneRef) -> Record:
    """Show what every source says of a pane, and which one decides.

    pane_id: id or name
    Errors: BAD_PARAMS, NO_SUCH_PANE
    """
    look(call, str(call.world.pane(pane_id)["id"]))
    pane = call.world.pane(pane_id)
    instance = call.world.instances[pane["id"]]
    heard = hearing.of(call.world, pane["id"])
    told: Record = {
        "pane_id": pane["id"],
        "kind": pane["agent"]["kind"],
        "live": is_live(pane),
        "hooked": sources.is_hooked(instance),
        **_screen(call, pane, hooked=sources.is_hooked(instance)),
        "sources": _sources(instance, heard),
        "program_status": program_status.views(call.world, pane["id"]),
        "dropped_notifications": call.machine.runtime(pane["id"]).terminal.notifications_dropped,
    }
    if heard.shell is not None:
        told["shell"] = heard.shell
    if "status_socket_fault" in instance:
        told["status_socket_fault"] = instance["status_socket_fault"]
    return told


def _screen(call: Call, pane: Record, *, hooked: bool) -> Record:
    """The screen rules against what is shown now (behaviour §5.8)."""
    rules, verdict = judge_screen(call, pane)
    told: Record = {"process": process_of(call, pane), "source": rules.source, "rules": []}
    if verdict is not None:
        from ...agents.screen_rules import trace  # rules are of interest with the first pane that has some

        told.update(trace(verdict))
    told["classifies"] = bool(rules.rules) and not hooked and is_live(pane)
    return told


def _sources(instance: Record, heard: Hearing) -> list[Record]:
    """The entries of all sources, with what is known in memory alone: the newest report, connections that failed."""
    entries = sources.listed(instance)
    counted = {name: getattr(heard.lines, name) for name in COUNTERS if getattr(heard.lines, name)}
    for entry in entries:
        if entry["source"] == "osc7501":
            entry["at"] = max(entry["at"], rfc3339(heard.program.said_at))
        elif entry["source"] == "zerostack":
            entry.update(counted)
            counted = {}
            if instance.get("signals", {}).get("watched"):
                entry["watched"] = True  # the sender's end will end what it has said
    if counted:
        silent = {"source": "zerostack", "value": "none/none", "at": None, "decides": False, "holds": False}
        entries = sorted([*entries, {**silent, **counted}], key=lambda entry: sources.RANK[entry["source"]])
    return entries
