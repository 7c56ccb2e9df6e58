"""agent-event: an event of the Agent Status Protocol, or a native hook read as one (agent-status §4)."""

from __future__ import annotations

from ...agents import native, native_effects, native_events, sessions
from ...base.errors import BadParams, Forbidden, NoSuchPane
from ...state import agent_status, decisions
from ...state.environment import pane_token
from ...state.world import is_live
from ...status import envelope
from ...status.sessions import find, synthetic_id
from ...wire.kinds import Json
from ..looking import processes
from ..registry import method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...agents.native import Native
    from ...base.errors import ProtocolError
    from ...state.world import Draft, Record
    from ...status.envelope import Event
    from ..call import Call


def _misfit(call: Call, given: Record, fault: BadParams) -> ProtocolError:
    """A mistyped parameter counts only for somebody who may speak for the pane (agent-status §4.3)."""
    token, pane_id = given.get("token"), given.get("pane_id")
    if isinstance(token, str):
        _pane_of(call, token, pane_id if isinstance(pane_id, str) else None)  # raises when it may not
    return BadParams(fault.message, **{**fault.details, "reason": "params"})


@method("agent-event", mutates=True, misfit=_misfit)
def agent_event(
    call: Call,
    token: str,
    payload: Json | None = None,
    pane_id: str | None = None,
    adapter: str | None = None,
    name: str | None = None,
    payload_dropped: bool = False,
    agent_pid: float | None = None,
    sent_ms: float | None = None,
) -> Record:
    """Take in what an agent says of itself by the Agent Status Protocol.

    token: the pane's token; it alone decides which pane is meant
    payload: the event, or with adapter the native hook's own JSON
    pane_id: when given it must be the token's pane
    adapter: whose native hook the payload is
    name: the native hook's name, where the payload lacks it
    payload_dropped: the payload was too large to send
    agent_pid: process of the agent whose hook it is
    sent_ms: when the reporting command was started, in milliseconds since boot
    Errors: FORBIDDEN, NO_SUCH_PANE, BAD_PARAMS
    """
    found = _pane_of(call, token, pane_id)
    if adapter:
        hook = native.read(adapter, name, None if payload_dropped else payload, agent_pid)
        return _take_hook(call, found, hook, sent_ms)
    if not isinstance(payload, dict):
        raise BadParams("payload: expected an object", path="payload", reason="params")
    event = envelope.read(payload)
    return _take(call, found, [event], sent_ms, None)


def _pane_of(call: Call, token: str, pane_id: str | None) -> str:
    """The pane the token is for. Every comparison takes the same time, whatever the token."""
    from hmac import compare_digest  # with the first event; hmac is there by then, panes have tokens

    secret, given = call.settings.token_secret(), token.encode("utf-8", "replace")
    candidates = list(call.world.panes) if pane_id is None else [pane_id]
    found = None
    for candidate in candidates:
        if compare_digest(pane_token(secret, candidate).encode(), given):
            found = candidate
    if found is None:
        raise Forbidden("the token is not that of a pane", reason="token")
    if found not in call.world.panes:
        raise NoSuchPane(f"no pane {found[:80]!r}", pane_id=found[:80])
    return found


def _take_hook(call: Call, pane_id: str, hook: Native, sent_ms: float | None) -> Record:
    """A native hook counts by what its session is doing."""
    record = call.world.instances[pane_id].get(agent_status.FIELD) or {"sessions": {}}
    _, present = find(record, hook.address(), synthetic_id(pane_id))
    known = record["sessions"]
    has_codex = any(each.get("name") == native.ADAPTERS["codex"] for each in known.values())
    events = native_events.events(hook, known.get(present), has_codex=has_codex) if hook.word else []
    return _take(call, pane_id, events, sent_ms, hook)


def _take(call: Call, pane_id: str, events: list[Event], sent_ms: float | None, hook: Native | None) -> Record:
    if not is_live(call.world.panes[pane_id]):
        return _reply(call, pane_id, None, "pane_exited")
    if not events:
        return _reply(call, pane_id, None, "ignored")
    draft = call.draft()
    outcome = None
    for event in events:
        event.sent_ms = sent_ms
        outcome = agent_status.accept(
            draft, pane_id, event, call.machine.now(), processes(call), native_effects.EFFECTS
        )
    assert outcome is not None
    if hook is not None and outcome.reason is None:
        _record_session(call, draft, pane_id, hook)
    call.commit(draft)
    call.machine.note_sessions()
    return _reply(call, pane_id, outcome.id, outcome.reason)


def _record_session(call: Call, draft: Draft, pane_id: str, hook: Native) -> None:
    """The agent's own session id, as report-session would record it; not that of a sub-agent (agent-status §15.1)."""
    if hook.kind is None or hook.sub_agent or not sessions.is_session_id(hook.session_id):
        return
    template = call.catalog.resume_of(hook.kind)
    if sessions.record(draft, pane_id, hook.kind, str(hook.session_id), template=template):
        draft.emit("pane.updated", {"pane_id": pane_id, "pane": draft.pane(pane_id)})
        decisions.end_route(draft, pane_id, call.waiters.holds)


def _reply(call: Call, pane_id: str, touched: str | None, reason: str | None) -> Record:
    """agent-status §4.2."""
    views = agent_status.views(call.world, pane_id, call.machine.now())
    session: Any = next((each for each in views if each["id"] == touched), None)
    shown = next((each["phase"] for each in views if each["shown"]), None)
    pane = call.world.panes[pane_id]
    result: Record = {"accepted": True, "applied": reason is None}
    if reason is not None:
        result["reason"] = reason
    return {
        **result,
        "pane_id": pane_id,
        "session_id": session["id"] if session is not None else None,
        "phase": shown,
        "session": session,
        "lifecycle": pane["lifecycle"],
        "attention": pane["attention"],
    }
