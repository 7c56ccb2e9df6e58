"""What a winning screen rule does to a pane no hook speaks for (behaviour §5.3). Release rules: release.py."""

from __future__ import annotations

from . import attention, lifecycle, sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .world import Draft


def apply(draft: Draft, pane_id: str, rule_id: str, state: str) -> None:
    """Put the rule's word on the pane; a rule that has won already changes nothing."""
    effect = _EFFECTS.get(state)
    if effect is None:
        return
    said = draft.see_instance(pane_id)["sources"].get("screen", {}).get("value")
    before = draft.see_pane(pane_id)["lifecycle"]
    effect(draft, pane_id, before)
    moved = draft.see_pane(pane_id)["lifecycle"] != before
    if moved or said != rule_id:
        sources.speak(draft, pane_id, "screen", rule_id)
    if moved:
        sources.decide(draft, pane_id, "screen")


def _work(draft: Draft, pane_id: str, before: str) -> None:
    lifecycle.set_lifecycle(draft, pane_id, "working")
    _withdraw(draft, pane_id)


def _block(draft: Draft, pane_id: str, before: str) -> None:
    lifecycle.set_lifecycle(draft, pane_id, "blocked")
    if attention.raise_to(draft, pane_id, "input_required"):
        draft.instance(pane_id)["screen_raised"] = True


def _rest(draft: Draft, pane_id: str, before: str) -> None:
    if before == "working":
        lifecycle.set_lifecycle(draft, pane_id, "done")
        draft.instance(pane_id)["turn_ended_at"] = draft.at
        attention.lower_required(draft, pane_id)
        attention.raise_to(draft, pane_id, "unread")
    elif before in ("blocked", "unknown"):
        lifecycle.set_lifecycle(draft, pane_id, "idle")
        if before == "blocked":
            _withdraw(draft, pane_id)


def _withdraw(draft: Draft, pane_id: str) -> None:
    """Take back the question that a screen rule had put there."""
    if draft.see_instance(pane_id)["screen_raised"] and draft.see_pane(pane_id)["attention"] == "input_required":
        attention.clear(draft, pane_id, "screen")


_EFFECTS: dict[str, Callable[[Draft, str, str], None]] = {"working": _work, "blocked": _block, "idle": _rest}
