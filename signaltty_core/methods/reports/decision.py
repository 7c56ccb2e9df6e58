"""decision.answer: a person's answer to what a pane's agent has asked."""

from __future__ import annotations

from ...agents import table
from ...base.errors import BadParams, Forbidden, IoError, NoSuchDecision, PaneExited, TimedOut
from ...base.limits import ANCESTORS_MAX, INPUT_BUDGET_S
from ...state import attention, decisions, lifecycle, sources, workers
from ...state.effects import Synced, WriteInput
from ...state.world import check_live, is_live
from ...wire.kinds import PaneRef
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...state.world import Draft, Record
    from ..call import Call


@method("decision.answer", mutates=True)
async def decision_answer(call: Call, pane_id: PaneRef, decision_id: str, option_id: str) -> Record:
    """Answer a pane's pending decision with one of its options.

    pane_id: the pane that asks
    decision_id: the decision as it was shown, so that no newer question is answered by mistake
    option_id: the option chosen
    Errors: NO_SUCH_PANE, PANE_EXITED, FORBIDDEN, NO_SUCH_DECISION, BAD_PARAMS, IO_ERROR
    """
    pane = call.world.pane(pane_id)
    found = str(pane["id"])
    check_live(pane)
    instance = call.world.instances[found]
    if _is_self_approval(call, instance):
        raise Forbidden("a pane's own processes may not answer its decisions", pane_id=found)
    decision = pane.get("pending_decision")
    if decision is None or decision["id"] != decision_id:
        raise NoSuchDecision(
            f"no decision {decision_id[:80]!r} is pending", pane_id=found, decision_id=decision_id[:80]
        )
    index = decisions.option_of(decision, option_id)
    if decisions.is_generated(instance, decision_id):
        _hand_to_waiter(call, pane, instance, decision_id, option_id)
    else:
        await _type(call, pane, instance, decision_id, option_id, index)
    after = call.world.panes.get(found)
    if after is None:
        return {"answered": True}
    return {"answered": True, "lifecycle": after["lifecycle"], "attention": after["attention"]}


def _hand_to_waiter(call: Call, pane: Record, instance: Record, decision_id: str, option_id: str) -> None:
    """Through the hook that waits for it; taking it and recording it is one step."""
    pane_id = pane["id"]
    if not decisions.is_routed(pane, instance) or not call.waiters.answer(pane_id, decision_id, option_id):
        raise NoSuchDecision(f"nobody waits for decision {decision_id[:80]!r} any more", pane_id=pane_id)
    draft = call.draft()
    _consume(draft, pane_id, decision_id, option_id)
    _go_on(draft, pane_id)
    call.commit(draft)


async def _type(call: Call, pane: Record, instance: Record, decision_id: str, option_id: str, index: int) -> None:
    """Into the terminal: the option's number and CR. The decision is consumed first, so of two answers one wins."""
    pane_id = pane["id"]
    if not table.KINDS[pane["agent"]["kind"]].types:
        raise BadParams(f"no answer channel for {pane['agent']['kind']}: answer in the pane itself", pane_id=pane_id)
    draft = call.draft()
    _consume(draft, pane_id, decision_id, option_id)
    call.commit(draft)
    await Synced()
    try:
        await WriteInput(pane_id, b"%d\r" % (index + 1), INPUT_BUDGET_S)
    except (PaneExited, IoError, TimedOut) as fault:
        draft = call.draft()
        draft.emit("decision.cleared", {"pane_id": pane_id, "decision_id": decision_id, "reason": "pane_exited"})
        call.commit(draft)
        if isinstance(fault, TimedOut):
            raise IoError("the pane's program does not read its input", **fault.details) from None
        raise
    if _is_same_process(call, pane_id, instance):
        draft = call.draft()
        _go_on(draft, pane_id)
        call.commit(draft)


def _consume(draft: Draft, pane_id: str, decision_id: str, option_id: str) -> None:
    draft.pane(pane_id).pop("pending_decision")
    payload = {"pane_id": pane_id, "decision_id": decision_id, "option_id": option_id}
    draft.emit("decision.answered", payload)
    sources.speak(draft, pane_id, "answer", option_id)
    attention.clear(draft, pane_id, "decision_answer")


def _go_on(draft: Draft, pane_id: str) -> None:
    """A blocked pane works again, unless it has asked anew meanwhile; its parked task too."""
    pane = draft.see_pane(pane_id)
    if (
        pane["lifecycle"] == "blocked"
        and "pending_decision" not in pane
        and not attention.is_required(pane["attention"])
    ):
        lifecycle.set_lifecycle(draft, pane_id, "working")
        sources.decide(draft, pane_id, "answer")
        if "asked" in draft.see_instance(pane_id):
            draft.instance(pane_id).pop("asked")
    workers.resume(draft, pane_id)


def _is_same_process(call: Call, pane_id: str, instance: Record) -> bool:
    now = call.world.instances.get(pane_id)
    return (
        now is not None
        and now["process_instance"] == instance["process_instance"]
        and is_live(call.world.panes[pane_id])
    )


def _is_self_approval(call: Call, instance: Record) -> bool:
    child, caller = instance.get("pid"), call.caller.pid
    if call.settings.allow_self_approval or child is None or caller is None:
        return False
    return child in call.machine.ancestors(caller, ANCESTORS_MAX + 1)
