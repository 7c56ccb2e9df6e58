"""What the screen rules see in a pane now, whatever its hooks say."""

from __future__ import annotations

from ...agents import composer
from ...base.clock import seconds_of
from ...state import records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...agents.screen_rules import RuleSet, Verdict
    from ...state.world import Record
    from ..call import Call

STARTS_S = 30.0  # Qwen's title came 12 s before its prompt on a loaded machine


def process_of(call: Call, pane: Record) -> str:
    """The name of the program in the pane (behaviour §5.7)."""
    return call.machine.runtime(pane["id"]).process or records.program_name(pane["argv"])


def judge_screen(call: Call, pane: Record) -> tuple[RuleSet, Verdict | None]:
    """The pane's rules, and what they give; None when there are none."""
    from ...agents.regions import View  # rules are of interest with the first pane that has some
    from ...agents.screen_rules import judge

    rules = call.catalog.rules_for(pane["agent"]["kind"], process_of(call, pane))
    if not rules.rules:
        return rules, None
    terminal = call.machine.runtime(pane["id"]).terminal
    view = View(terminal.read_screen().split("\n"), terminal.title)
    return rules, judge(rules, view, call.machine.guard, call.catalog.note_runaway)


def in_the_way(call: Call, pane: Record) -> tuple[str, str] | None:
    """What is seen instead of a prompt before the first turn: `blocked` for a dialog, `hold` for a program that still
    starts, and what tells.

    An agent's hooks say that it has started, not that it asks whether it may trust the folder; an Enter typed then
    would answer. Later the hooks tell, and the words of a dialog may stand in the conversation.
    """
    if pane["lifecycle"] not in ("idle", "done") or call.world.instances[pane["id"]]["turn_began"]:
        return None
    _, verdict = judge_screen(call, pane)
    rule = None if verdict is None else verdict.rule
    if rule is not None and rule.state in ("blocked", "hold"):
        return rule.state, rule.id
    kind = pane["agent"]["kind"]
    if kind not in composer.DRAWN_LATE or call.clock() - seconds_of(pane["lifecycle_since"]) > STARTS_S:
        return None
    rows = call.machine.runtime(pane["id"]).terminal.styled_rows()
    return None if composer.is_drawn(kind, rows) else ("hold", "prompt_box")
