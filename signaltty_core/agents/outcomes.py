"""What each outcome means for a pane: the tables of agents §2.3 and §3, as functions of facts and records.

Nothing here changes anything; `reports` puts the change on a Draft.
"""

from __future__ import annotations

from ..state import attention
from . import base, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .base import Facts
    from .scene import Scene


class Change:
    """What a hook does to a pane; None leaves a field alone.

    attention: a level to raise, or `none`, which clears. drops: why a pending decision goes. message: the readable
    line. title, body, severity: of the notification, which is made when there is a title, be it empty; body None is the
    message. quiet: no notification at all, also none the caller words. raises: a caller's notification may raise the
    pane's attention. ends_turn: done, failed or interrupted. untold: this end of a turn is told by another hook.
    """

    __slots__ = (
        "attention",
        "body",
        "drops",
        "ends_turn",
        "lifecycle",
        "message",
        "quiet",
        "raises",
        "severity",
        "title",
        "untold",
    )

    def __init__(
        self,
        *,
        lifecycle: str | None = None,
        attention: str | None = None,
        drops: str | None = None,
        message: str | None = None,
        title: str | None = None,
        body: str | None = None,
        severity: str = "info",
        ends_turn: str | None = None,
        quiet: bool = False,
        raises: bool = True,
        untold: bool = False,
    ) -> None:
        self.lifecycle = lifecycle
        self.attention = attention
        self.drops = drops
        self.message = message
        self.title = title
        self.body = body
        self.severity = severity
        self.ends_turn = ends_turn
        self.quiet = quiet
        self.raises = raises
        self.untold = untold


def decide(facts: Facts, scene: Scene) -> Change:
    """The change the outcome asks for on this pane."""
    if facts.sub_agent and facts.outcome in base.OF_THE_MAIN_AGENT:
        return Change()
    return _OUTCOMES[facts.outcome](facts, scene)


def remap(change: Change, mapping: dict[str, str]) -> Change:
    """The change with the fields a user's manifest sets for the event in place of its own (agents §10)."""
    if "lifecycle" in mapping:
        change.lifecycle = mapping["lifecycle"]
        change.ends_turn = change.lifecycle if change.lifecycle in ("done", "failed") else None
    change.attention = mapping.get("attention", change.attention)
    change.message = mapping.get("message", change.message)
    return change


def _unknown(facts: Facts, scene: Scene) -> Change:
    return Change(message=facts.message)


def _start(facts: Facts, scene: Scene) -> Change:
    if scene.pane["lifecycle"] in ("working", "blocked") and scene.same_session:
        return Change()
    return Change(lifecycle="idle", message=facts.message or "session started")


def _late_start(facts: Facts, scene: Scene) -> Change:
    """By now the program's own report, or its screen, may have told of the turn that the first prompt has begun."""
    told = scene.instance.get("decided_by") in ("osc7501", "screen")
    return Change() if told and scene.pane["lifecycle"] == "working" else _start(facts, scene)


def _prompt(facts: Facts, scene: Scene) -> Change:
    return Change(lifecycle="working", attention="none", drops="attention_cleared", message=facts.message)


def _tool_begin(facts: Facts, scene: Scene) -> Change:
    state = scene.pane["lifecycle"]
    rests = state in ("done", "failed") or scene.is_stopped()
    if (rests and scene.is_settled()) or (state in ("unknown", "idle") and not rests):
        return Change(lifecycle="working", message=facts.message)
    return Change(message=facts.message)


def _tool_end(facts: Facts, scene: Scene) -> Change:
    state = scene.pane["lifecycle"]
    if state == "blocked" and tools.ends_asked(scene.instance.get("asked"), scene.ended):
        return Change(lifecycle="working", attention="none", message=facts.message)
    if state in ("unknown", "idle") and not scene.is_stopped():
        return Change(lifecycle="working", message=facts.message)
    return Change(message=facts.message)


def _ask_permission(facts: Facts, scene: Scene) -> Change:
    return _ask(facts, scene, "permission_required", "permission requested", "needs approval", "warning")


def _ask_input(facts: Facts, scene: Scene) -> Change:
    return _ask(facts, scene, "input_required", "input requested", "needs input", "info")


def _ask(facts: Facts, scene: Scene, level: str, default: str, need: str, severity: str) -> Change:
    stands = scene.pane["lifecycle"] == "blocked" and attention.RANK[scene.pane["attention"]] >= attention.RANK[level]
    quiet = facts.repeats and stands
    return Change(
        lifecycle="blocked",
        attention=level,
        message=facts.message or (None if quiet else default),
        title=facts.title or f"{scene.name} {need}",
        body=facts.body,
        severity=severity,
        quiet=quiet,
    )


def _compact_begin(facts: Facts, scene: Scene) -> Change:
    return _tool_begin(facts, scene)


def _compact_end(facts: Facts, scene: Scene) -> Change:
    return Change(lifecycle=scene.instance.get("before_compact"), message=facts.message)


def _resolved(facts: Facts, scene: Scene) -> Change:
    if scene.pane["lifecycle"] == "blocked":
        return Change(lifecycle="working", attention="none", drops="moved_on", message=facts.message)
    return Change(drops="moved_on", message=facts.message)


def _done(facts: Facts, scene: Scene) -> Change:
    if scene.pane["lifecycle"] == "failed" or scene.is_interrupted():
        return Change()
    return Change(
        lifecycle="done",
        attention="unread",
        message=facts.message or "turn complete",
        title=None if facts.silent else facts.title or f"{scene.name} turn complete",
        ends_turn="done",
        quiet=_repeats_end(scene),
        untold=facts.silent,
    )


def _fail(facts: Facts, scene: Scene) -> Change:
    return Change(
        lifecycle="failed",
        attention="error",
        message=facts.message or "turn failed",
        title=facts.title or f"{scene.name} turn failed",
        severity="error",
        ends_turn="failed",
        quiet=_repeats_end(scene),
    )


def _interrupt(facts: Facts, scene: Scene) -> Change:
    if scene.pane["lifecycle"] not in ("working", "blocked", "unknown"):
        return Change()
    return Change(
        lifecycle="idle",
        attention="none",
        drops="attention_cleared",
        message=facts.message or "interrupted",
        ends_turn="interrupted",
    )


def _end(facts: Facts, scene: Scene) -> Change:
    if scene.pane["lifecycle"] in ("done", "failed"):
        return Change(ends_turn=scene.pane["lifecycle"])
    return Change(lifecycle="done", attention="unread", message=facts.message or "session ended", ends_turn="done")


def _note(facts: Facts, scene: Scene) -> Change:
    return Change(title=facts.title or "", body=facts.message or "", raises=False)


def _noop(facts: Facts, scene: Scene) -> Change:
    return Change(message=facts.message)


def _nudge(facts: Facts, scene: Scene) -> Change:
    """Nobody has typed for a while; agents §4.1, the rows of `idle_prompt`."""
    state = scene.pane["lifecycle"]
    if state == "working":
        return Change(lifecycle="done", attention="unread", ends_turn="done")
    if state in ("unknown", "idle") and facts.bare and not scene.instance["turn_began"]:
        return _ask_input(facts, scene)
    return Change(lifecycle="idle" if state == "unknown" else None)


def _lapse(facts: Facts, scene: Scene) -> Change:
    """As a nudge, and the only word after a refusal at the keyboard (agents §4.10)."""
    return _interrupt(facts, scene) if scene.pane["lifecycle"] == "blocked" else _nudge(facts, scene)


def _busy(facts: Facts, scene: Scene) -> Change:
    return _noop(facts, scene) if scene.pane["lifecycle"] == "blocked" else _prompt(facts, scene)


def _pause(facts: Facts, scene: Scene) -> Change:
    """A turn that stops to ask has not ended (agents §4.9), also when somebody has seen the question."""
    level = scene.instance.get("asked", {}).get("level", scene.pane["attention"])
    asks = scene.pane["lifecycle"] == "blocked" and level == "input_required"
    return Change() if asks else _done(facts, scene)


def _settle(facts: Facts, scene: Scene) -> Change:
    return _done(facts, scene) if scene.pane["lifecycle"] == "working" else Change()


def _repeats_end(scene: Scene) -> bool:
    instance = scene.instance
    return (
        scene.pane["lifecycle"] in ("done", "failed")
        and "turn_ended_at" in instance
        and "end_untold" not in instance
        and not scene.is_settled()
    )


_OUTCOMES: dict[str, Callable[[Facts, Scene], Change]] = {
    base.UNKNOWN: _unknown,
    base.START: _start,
    base.PROMPT: _prompt,
    base.TOOL_BEGIN: _tool_begin,
    base.TOOL_END: _tool_end,
    base.ASK_PERMISSION: _ask_permission,
    base.ASK_INPUT: _ask_input,
    base.COMPACT_BEGIN: _compact_begin,
    base.COMPACT_END: _compact_end,
    base.RESOLVED: _resolved,
    base.DONE: _done,
    base.FAIL: _fail,
    base.INTERRUPT: _interrupt,
    base.END: _end,
    base.NOTE: _note,
    base.NOOP: _noop,
    base.NUDGE: _nudge,
    base.LAPSE: _lapse,
    base.BUSY: _busy,
    base.PAUSE: _pause,
    base.SETTLE: _settle,
    base.OFFERED: _noop,
    base.LATE_START: _late_start,
}
