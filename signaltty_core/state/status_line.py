"""A status signal put on its pane (status-signals §3, §4). All act on a Draft."""

from __future__ import annotations

from ..base.clock import rfc3339
from ..status import signals
from . import attention, hearing, lifecycle, sources, workers
from .world import is_live

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .world import Draft, Record, World

SOURCE = "zerostack"
SILENT = {"run": "none", "state": "none"}


def apply(draft: Draft, pane_id: str, word: str, sender: Record | None = None) -> None:
    """One recognised line on a live pane. sender: pid and start_time of the process that sent it, where known."""
    before = draft.see_instance(pane_id).get("signals", SILENT)
    run, state = signals.move(before["run"], before["state"], word)
    after: Record = {"run": run, "state": state, "at": rfc3339(draft.at)}
    if sender is not None:
        after["sender"] = sender
        if before.get("sender") == sender and before.get("watched"):
            after["watched"] = True
    draft.instance(pane_id)["signals"] = after
    may = sources.may_apply(draft.see_instance(pane_id), SOURCE)
    sources.speak(draft, pane_id, SOURCE, f"{run}/{state}", applied=may)
    _hold(draft, pane_id)
    draft.touch(pane_id)
    if may:
        _mean(draft, pane_id, word, before)


def hear(world: World, pane_id: str) -> bool:
    """Whether a line counts now; one that comes while no child lives is counted as ignored (§1.4)."""
    if is_live(world.panes[pane_id]):
        return True
    hearing.of(world, pane_id).lines.ignored += 1
    return False


def watch(draft: Draft, pane_id: str) -> None:
    """The sender outlived its connection by two seconds: from now on its death is news (§4.3)."""
    instance = draft.instance(pane_id)
    instance["signals"] = {**instance["signals"], "watched": True}
    _hold(draft, pane_id)


def lose_sender(draft: Draft, pane_id: str) -> None:
    """The watched sender is gone: its fields are void, and a run it left open is over without a result."""
    before = draft.see_instance(pane_id)["signals"]
    may = sources.may_apply(draft.see_instance(pane_id), SOURCE)
    draft.instance(pane_id)["signals"] = {**SILENT, "at": before["at"]}
    _hold(draft, pane_id)
    if not may or before["run"] == "ended":
        return
    if draft.see_pane(pane_id)["lifecycle"] in ("working", "blocked"):
        _move(draft, pane_id, "idle")
        workers.end_turn(draft, pane_id, "interrupted", None)
    attention.release(draft, pane_id, "status")


def forget(draft: Draft, pane_id: str) -> None:
    """The pane's child has ended, and with it what its senders said."""
    before = draft.see_instance(pane_id).get("signals")
    if before is not None:
        draft.instance(pane_id)["signals"] = {**SILENT, "at": before["at"]}
        _hold(draft, pane_id)


def _hold(draft: Draft, pane_id: str) -> None:
    fields = draft.see_instance(pane_id)["signals"]
    if fields.get("watched") or signals.is_open(fields["run"], fields["state"]):
        sources.hold(draft, pane_id, SOURCE)
    else:
        sources.let_go(draft, pane_id, SOURCE)


def _mean(draft: Draft, pane_id: str, word: str, before: Record) -> None:
    fields = draft.see_instance(pane_id)["signals"]
    state = signals.lifecycle_of(fields["run"], fields["state"])
    was = draft.see_pane(pane_id)["lifecycle"]
    if state is not None:
        _move(draft, pane_id, state)
    effect = signals.attention_of(word, before["run"], before["state"])
    if effect in ("input_required", "permission_required"):
        attention.require(draft, pane_id, effect)
    elif effect in ("release", "release_unread"):
        attention.release(draft, pane_id, "status")
    elif effect == "begin" and _may_clear(draft.see_pane(pane_id)):
        attention.clear(draft, pane_id, "status")
    if effect == "end":
        attention.lower_required(draft, pane_id)
    if effect in ("end", "release_unread"):
        attention.raise_to(draft, pane_id, "unread")
    lifecycle.set_message(draft, pane_id, signals.MESSAGES.get(word, ""))
    if state == "done" and (word == signals.STOP or was != "done"):
        draft.instance(pane_id)["turn_ended_at"] = draft.at
        workers.end_turn(draft, pane_id, "done", draft.see_pane(pane_id).get("last_message"))


def _may_clear(pane: Record) -> bool:
    return pane["attention"] != "error" and "pending_decision" not in pane


def _move(draft: Draft, pane_id: str, state: str) -> None:
    if lifecycle.set_lifecycle(draft, pane_id, state):
        sources.decide(draft, pane_id, SOURCE)
    if state != "blocked" and "asked" in draft.see_instance(pane_id):
        draft.instance(pane_id).pop("asked")
