"""hook-event: an agent's hook, read, put on its pane, and held open where a person's verdict is awaited."""

from __future__ import annotations

from typing import Annotated

from ...agents import base, reports, table, verdicts
from ...agents.sessions import session_id_of
from ...base.errors import BadParams, NoSuchPane
from ...base.limits import ANCESTORS_MAX, HOOK_PAYLOAD_BYTES, NATIVE_WAIT_S_MAX
from ...state import decisions
from ...state.world import check_live, is_live
from ...wire.codec import encode
from ...wire.kinds import Json, Object, PaneRef, Severity, within
from . import permission
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...agents.base import Facts, Payload
    from ...agents.table import Kind
    from ...state.world import Draft, Record
    from ..call import Call


@method("hook-event", mutates=True)
async def hook_event(
    call: Call,
    agent: str,
    event: str,
    pane_id: PaneRef | None = None,
    client_pid: int | None = None,
    payload: Json | None = None,
    payload_dropped: bool = False,
    message: str | None = None,
    title: str | None = None,
    severity: Severity | None = None,
    decision: Object | None = None,
    wait_for_answer: bool = False,
    wait_timeout_s: Annotated[float, within(1, NATIVE_WAIT_S_MAX)] = float(NATIVE_WAIT_S_MAX),
    hold: bool = False,
) -> Record:
    """Take in what an agent's hook says.

    agent: kind of the agent
    event: the hook's own name
    pane_id: the pane; by default the one client_pid runs in
    client_pid: process that reports
    payload: what the agent gave the hook
    payload_dropped: the payload was too large to send; the event counts by its name
    message: readable line, instead of the adapter's
    title: title of the notification
    severity: severity of the notification
    decision: a question with options, {id, prompt, options: [{id, label}]}
    wait_for_answer: stay until a person has answered a native permission request
    wait_timeout_s: longest wait in seconds
    hold: keep waiting although a person looks at the pane
    Errors: BAD_PARAMS, NO_SUCH_PANE, PANE_EXITED
    """
    kind = table.known(agent)
    if kind is None:
        raise BadParams(f"agent: unknown agent {agent[:40]!r}", path="agent")
    asked = decisions.parse(decision, answerable=False, at=call.clock()) if decision is not None else None
    payload_dropped = payload_dropped or _is_too_large(payload)
    read: Payload = payload if isinstance(payload, dict) and not payload_dropped else {}
    native = asked is None and verdicts.is_native(kind, event, read)
    if wait_for_answer and not native:
        raise _refusal(kind, event, asked)
    found = _locate(call, pane_id, client_pid)
    if wait_for_answer:
        _refuse_dead(call, found)
    about: Record = {"agent": agent, "event": event, "pane_id": found}
    if payload_dropped:
        about["payload_dropped"] = True
    if found is None:
        return {"accepted": True, **about}
    facts = table.classify(kind, event, read)
    if facts.outcome == base.OFFERED and wait_for_answer:
        facts.outcome = base.ASK_PERMISSION
    report = reports.Report(
        kind,
        event,
        facts,
        session_id=call.catalog.session_id_of(kind.key, read) or session_id_of(kind, read),
        message=message,
        title=title,
        severity=severity,
        mapping=call.catalog.mapping(kind.key, event),
        resume=call.catalog.resume_of(kind.key),
        name=call.catalog.name_of(kind),
    )
    reason = _stray(call, found, report, read, asks=asked is not None)
    if reason is not None:
        return {"accepted": False, "dropped": True, "reason": reason, **about}
    draft = call.draft()
    if native and facts.outcome == base.ASK_PERMISSION and is_live(call.world.panes[found]):
        report.decision = verdicts.generated(call.new_id("permission"), read, answerable=wait_for_answer, at=draft.at)
    elif asked is not None:
        report.decision = _own_decision(call, found, report, asked)
    reports.apply(draft, found, report, call.new_id)
    _note_route(call, draft, found, report, generated=native)
    if wait_for_answer and report.decision is not None:
        gives_way = not kind.draws and not hold
        return await permission.wait(call, draft, found, kind, report.decision["id"], wait_timeout_s, gives_way)
    call.commit(draft)
    if wait_for_answer:
        return {"accepted": True, "native_verdict": None, "cancelled": "moved_on"}
    pane = call.world.panes[found]
    return {"accepted": True, **about, "lifecycle": pane["lifecycle"], "attention": pane["attention"]}


def _note_route(call: Call, draft: Draft, pane_id: str, report: reports.Report, *, generated: bool) -> None:
    """Bind a generated question to the pane's kind and session, and end one whose session this hook has replaced."""
    if report.decision is not None and is_live(draft.see_pane(pane_id)):
        decisions.set_route(draft, pane_id, report.decision["id"] if generated else None)
        return
    decisions.end_route(draft, pane_id, call.waiters.holds)


def _own_decision(call: Call, pane_id: str, report: reports.Report, asked: Record) -> Record | None:
    """The caller's question; answerable when the pane's kind can be typed to. One that repeats the id of a question a
    live waiter holds is left out: nobody takes a waiter over (behaviour §6.3)."""
    if call.waiters.holds(pane_id, asked["id"]):
        return None
    pane_kind = report.kind.key if report.session_id is not None else call.world.panes[pane_id]["agent"]["kind"]
    return {**asked, "answerable": table.KINDS[pane_kind].types}


def _stray(call: Call, pane_id: str, report: reports.Report, payload: Payload, *, asks: bool) -> str | None:
    """Why the hook is not this pane's, or says nothing; None when it counts (agents §2.2, steps 3, 4 and 7). asks: it
    brings a question of the caller's."""
    pane = call.world.panes[pane_id]
    kind = report.kind.key
    for field in ("agent", "harness"):
        named = payload.get(field)
        if isinstance(named, str) and table.known(named.lower()) and named.lower() not in (kind, pane["agent"]["kind"]):
            return "harness_mismatch"
    task = call.world.tasks.get(pane.get("task_id", ""))
    if task is not None and task.get("agent", kind) != kind:
        return "harness_mismatch"
    if _is_of_other_session(report.facts, pane):
        return "other_session"
    return None if asks or report.is_recognised() else "unrecognized_hook"


def _is_of_other_session(facts: Facts, pane: Record) -> bool:
    known = pane["agent"].get("agent_session_id")
    return facts.only_session is not None and known is not None and facts.only_session != known


def _locate(call: Call, pane_id: str | None, client_pid: int | None) -> str | None:
    """The pane named, else the live one whose child is the nearest ancestor of the reporting process."""
    if pane_id is not None:
        return str(call.world.pane(pane_id)["id"])
    if client_pid is None or client_pid <= 0:
        return None
    children = {call.world.instances[pane["id"]].get("pid"): str(pane["id"]) for pane in call.world.live_panes()}
    for pid in call.machine.ancestors(client_pid, ANCESTORS_MAX):
        if pid in children:
            return children[pid]
    return None


def _refuse_dead(call: Call, pane_id: str | None) -> None:
    """A wait needs a pane, and a living one."""
    if pane_id is None:
        raise NoSuchPane("the reporting process runs in no pane")
    check_live(call.world.panes[pane_id])


def _refusal(kind: Kind, event: str, decision: Record | None) -> BadParams:
    if not kind.waits:
        return BadParams(f"wait_for_answer: {kind.key} takes no verdict from a hook", path="wait_for_answer")
    if event != verdicts.EVENT:
        return BadParams(f"wait_for_answer: only {verdicts.EVENT} can wait, not {event[:40]!r}", path="event")
    if decision is not None:
        return BadParams("wait_for_answer: goes with no decision of the caller's", path="decision")
    return BadParams("payload: a waiting request needs session_id, tool_name and an object tool_input", path="payload")


def _is_too_large(payload: Any) -> bool:
    """Above the limit as UTF-8; the quick measure escapes what is not ASCII and may only say too much."""
    if payload is None or len(encode(payload)) <= HOOK_PAYLOAD_BYTES:
        return False
    import json  # payloads of this size are rare

    plain = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return len(plain.encode("utf-8", "surrogatepass")) > HOOK_PAYLOAD_BYTES
