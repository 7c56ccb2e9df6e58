"""Screen rules: what one looks for, and which of several wins (agents §11.2)."""

from __future__ import annotations

from ..base.errors import TimedOut
from .regions import label, limit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from re import Pattern
    from typing import Any

    from ..state.world import Record
    from .regions import View

    Guard = Callable[[Callable[[], Any]], Any]

STATES = ("working", "blocked", "idle", "hold")
FALLBACK = "idle_fallback"


class Rule:
    """One `[[screen]]` entry. file: the user's manifest it is from, None for a bundled one. disabled: it ran away."""

    __slots__ = (
        "all_of",
        "any_of",
        "disabled",
        "file",
        "id",
        "limit",
        "none_of",
        "priority",
        "region",
        "release",
        "state",
    )

    def __init__(
        self,
        id: str,
        state: str,
        *,
        region: str = "bottom",
        lines: int | None = None,
        any_of: Sequence[Pattern[str]] = (),
        all_of: Sequence[Pattern[str]] = (),
        none_of: Sequence[Pattern[str]] = (),
        priority: int = 0,
        release: bool = False,
        file: str | None = None,
    ) -> None:
        self.id = id
        self.state = state
        self.region = region
        self.limit = limit_of(region, lines)
        self.any_of = any_of
        self.all_of = all_of
        self.none_of = none_of
        self.priority = priority
        self.release = release
        self.file = file
        self.disabled = False

    def matches(self, view: View) -> bool:
        text = view.text(self.region, self.limit)
        return (
            (not self.any_of or any(pattern.search(text) for pattern in self.any_of))
            and all(pattern.search(text) for pattern in self.all_of)
            and not any(pattern.search(text) for pattern in self.none_of)
        )


class RuleSet:
    """The rules that apply to a pane. source: `user`, `bundled` or `none`."""

    __slots__ = ("releases", "rules", "source")

    def __init__(self, source: str, rules: Sequence[Rule]) -> None:
        self.source = source
        self.rules = tuple(rules)
        self.releases = any(rule.release for rule in self.rules)


NO_RULES = RuleSet("none", ())


class Verdict:
    """What a look at the screen gave. matched: per rule. winner: index of the winning rule, None for none."""

    __slots__ = ("matched", "rules", "winner")

    def __init__(self, rules: tuple[Rule, ...], matched: list[bool]) -> None:
        self.rules = rules
        self.matched = matched
        hits = [index for index, hit in enumerate(matched) if hit]
        self.winner = min(hits, key=lambda index: (-rules[index].priority, index)) if hits else None

    @property
    def rule(self) -> Rule | None:
        return None if self.winner is None else self.rules[self.winner]

    def beside(self) -> list[str]:
        """The states of the other rules that match."""
        return [rule.state for index, rule in enumerate(self.rules) if self.matched[index] and index != self.winner]


def judge(rules: RuleSet, view: View, guard: Guard, on_runaway: Callable[[Rule], None]) -> Verdict:
    """Try every rule. guard: runs a user's rule under a time limit; one that exceeds it is disabled and reported."""
    return Verdict(rules.rules, [_try(rule, view, guard, on_runaway) for rule in rules.rules])


def trace(verdict: Verdict) -> Record:
    """`matched` and `rules` as `pane.explain` shows them."""
    shown: Record = {"rules": [_entry(rule, hit) for rule, hit in zip(verdict.rules, verdict.matched, strict=True)]}
    if verdict.rule is not None:
        rule = verdict.rule
        shown["matched"] = {"id": rule.id, "state": rule.state, "priority": rule.priority, "index": verdict.winner}
        if rule.release:
            shown["matched"]["release"] = True
    return shown


def _entry(rule: Rule, hit: bool) -> Record:
    entry: Record = {"id": rule.id, "state": rule.state, "priority": rule.priority}
    entry.update(region=label(rule.region, rule.limit), matched=hit)
    if rule.release:
        entry["release"] = True
    return entry


def _try(rule: Rule, view: View, guard: Guard, on_runaway: Callable[[Rule], None]) -> bool:
    if rule.disabled:
        return False
    if rule.file is None:
        return rule.matches(view)
    try:
        return bool(guard(lambda: rule.matches(view)))
    except TimedOut:
        rule.disabled = True
        on_runaway(rule)
        return False
