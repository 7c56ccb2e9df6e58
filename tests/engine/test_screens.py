"""Looks at screens: when they happen, and what they may do beside hooks (terminal-status §9.4)."""

from __future__ import annotations

from typing import Any

import pytest

from signaltty_core.agents.catalog import Catalog
from signaltty_core.base.errors import TimedOut
from signaltty_core.engine.screens import Screens
from signaltty_core.state import records
from tests.engine.stage import Engine, Peer
from tests.fake import native

RULE = "─" * 60
CLAUDE_BOX = f"{RULE}\r\n❯ \r\n{RULE}\r\n  ? for shortcuts"
CLAUDE_RESTS = f"\x1b[2J\x1b[H● hello\r\n{CLAUDE_BOX}"
CLAUDE_ASKS = f"\x1b[2J\x1b[H{RULE}\r\n Bash command\r\nDo you want to proceed?\r\n❯ 1. Yes\r\nEsc to cancel"
CLAUDE_REFUSED = f"\x1b[2J\x1b[H● touch x\r\n  ⎿  Interrupted · What should Claude do instead?\r\n{CLAUDE_BOX}"
COPILOT_WORKS = f"\x1b[2J\x1b[H{RULE}\r\n❯\r\n{RULE}\r\n ◉ Working esc esc interrupt"
COPILOT_RESTS = f"\x1b[2J\x1b[H{RULE}\r\n❯\r\n{RULE}\r\n / commands"
COPILOT_ASKS = "\x1b[2J\x1b[H│ ❯ 1. Yes │\r\n│ enter to select · esc to cancel │"
CODEX_ASKS = (
    "\x1b]0;[ ! ] Action Required | task | dir\x07\x1b[2J\x1b[HWould you like to run the following command?\r\n\r\n"
    "› 1. Yes, proceed (y)\r\n  2. No (esc)\r\n\r\n  Press enter to confirm or esc to cancel"
)
CODEX_WORKS = "\x1b]0;⠋ task | dir\x07\x1b[2J\x1b[H• Working (2s • esc to interrupt)\r\n\r\n› Ask Codex to do anything"


class Watched(Engine):
    """An engine whose screens are looked at."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        super().__init__()
        self.catalog = catalog or self.stage.catalog
        self.screens = Screens(self.world, self.ledger, self.clock, self.machine, self.catalog, self.waiters)
        self.ingest.on_screen = self.screens.on_output
        self.on_change.append(self.screens.on_change)
        self.hooks: dict[str, Peer] = {}

    def prints(self, pane: str, text: str | bytes) -> None:
        self.ingest.on_output(pane, text.encode() if isinstance(text, str) else text)

    def hook(self, pane: str, event: str, payload: Any = None, **more: Any) -> Any:
        agent = self.world.panes[pane]["agent"]["kind"]
        peer = self.hooks.setdefault(pane, self.peer())
        return peer.ask("hook-event", agent=agent, event=event, pane_id=pane, payload=payload, **more)

    def state(self, pane: str) -> tuple[str, str]:
        return self.world.panes[pane]["lifecycle"], self.world.panes[pane]["attention"]

    def is_at_rest(self) -> bool:
        return self.clock.timers.wait_s(self.clock.now()) is None


def test_a_fallback_waits_until_a_screen_stands_still() -> None:
    """Edge case 163."""
    engine = Watched()
    pane = engine.pane("pi")
    engine.prints(pane, "\x1b[2J\r\n")
    engine.advance(5)
    assert engine.state(pane) == ("unknown", "none")
    engine.prints(pane, "hello")
    engine.advance(0.6)
    engine.prints(pane, "!")
    engine.advance(0.9)
    assert engine.state(pane) == ("unknown", "none")
    engine.advance(1)
    assert engine.state(pane) == ("idle", "none")


def test_nothing_runs_while_nothing_changes() -> None:
    engine = Watched()
    pane = engine.pane("claude")
    engine.pane("generic", argv=["cat"])
    assert engine.is_at_rest()
    engine.prints(pane, CLAUDE_RESTS)
    engine.prints("pane_1", "hello")
    engine.advance(10)
    assert engine.state(pane) == ("idle", "none")
    assert engine.is_at_rest()
    engine.prints("pane_1", "more")
    engine.advance(1)
    assert engine.is_at_rest()


def test_rules_carry_an_agent_whose_hooks_never_come() -> None:
    engine = Watched()
    pane = engine.pane("copilot")
    seen = []
    for text in (COPILOT_RESTS, COPILOT_WORKS, COPILOT_ASKS, COPILOT_WORKS, COPILOT_RESTS, COPILOT_WORKS):
        engine.prints(pane, text)
        engine.advance(1)
        seen.append(engine.state(pane))
    assert seen == [
        ("idle", "none"),
        ("working", "none"),
        ("blocked", "input_required"),
        ("working", "none"),
        ("done", "unread"),
        ("working", "unread"),
    ]
    assert engine.is_at_rest()


def test_a_stable_screen_is_no_event() -> None:
    engine = Watched()
    pane = engine.pane("copilot")
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(1)
    before = engine.world.seq
    for _ in range(5):
        engine.prints(pane, COPILOT_WORKS)
        engine.advance(1)
    assert engine.world.seq == before


def test_the_first_hook_withdraws_what_a_rule_had_raised_and_silences_rules() -> None:
    """Edge case 49."""
    engine = Watched()
    pane = engine.pane("claude")
    engine.prints(pane, CLAUDE_ASKS)
    engine.advance(1)
    assert engine.state(pane) == ("blocked", "input_required")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    assert engine.state(pane) == ("working", "none")
    engine.prints(pane, CLAUDE_ASKS)
    engine.advance(5)
    assert engine.state(pane) == ("working", "none")


def refused(engine: Watched) -> str:
    pane = engine.pane("claude")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    engine.prints(pane, CLAUDE_ASKS)
    engine.hook(pane, "PermissionRequest", native())
    assert engine.state(pane) == ("blocked", "permission_required")
    return pane


def test_a_refusal_at_the_keyboard_ends_the_question() -> None:
    """Edge case 164."""
    engine = Watched()
    pane = refused(engine)
    engine.advance(10)
    engine.prints(pane, CLAUDE_REFUSED)
    watcher = engine.peer()
    watcher.ask("subscribe")
    engine.advance(0.9)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.advance(1.1)
    assert engine.state(pane) == ("idle", "none")
    assert "pending_decision" not in engine.world.panes[pane]
    engine.sync()
    told = [(frame["event"], frame["payload"].get("reason")) for frame in watcher.heard() if "event" in frame]
    assert told == [("agent.idle", None), ("decision.cleared", "moved_on"), ("attention.cleared", "screen")]
    assert engine.is_at_rest()


def test_a_hook_of_the_last_two_seconds_keeps_a_question() -> None:
    """Edge case 164, last part: the screen may still be the one before the hook."""
    engine = Watched()
    pane = refused(engine)
    engine.prints(pane, CLAUDE_REFUSED)
    engine.advance(1.9)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.advance(0.7)
    assert engine.state(pane) == ("idle", "none")


def test_a_rule_that_lost_for_one_look_begins_anew() -> None:
    engine = Watched()
    pane = refused(engine)
    engine.advance(10)
    engine.prints(pane, CLAUDE_REFUSED)
    engine.advance(0.6)
    engine.prints(pane, "\x1b[2J\x1b[Hsomething else")
    engine.advance(0.6)
    engine.prints(pane, CLAUDE_REFUSED)
    engine.advance(0.9)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.advance(1.1)
    assert engine.state(pane) == ("idle", "none")


def test_an_interrupt_parks_a_workers_task_and_a_late_stop_is_done() -> None:
    """Edge case 165."""
    engine = Watched()
    pane = engine.pane("copilot")
    task = engine.stage.task(pane, agent="copilot")
    engine.hook(pane, "userPromptSubmitted", {"sessionId": "s1"})
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(10)
    assert engine.state(pane) == ("working", "none")
    engine.prints(pane, COPILOT_RESTS)
    engine.advance(2)
    assert engine.state(pane) == ("idle", "none")
    parked = engine.world.tasks[task]
    assert (parked["state"], parked["status_reason"]) == ("input_required", {"reason": "turn_interrupted"})
    engine.hook(pane, "agentStop", {"sessionId": "s1"})
    assert engine.state(pane) == ("done", "unread")


def test_work_on_screen_ends_a_question_that_was_answered_in_the_terminal() -> None:
    """Edge case 166, first part."""
    engine = Watched()
    pane = engine.pane("copilot")
    engine.hook(pane, "userPromptSubmitted", {"sessionId": "s1"})
    engine.prints(pane, COPILOT_ASKS)
    engine.hook(pane, "notification", {"notification_type": "permission_prompt", "message": "m"})
    engine.advance(10)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(2)
    assert engine.state(pane) == ("working", "none")


def test_a_live_waiter_keeps_its_question_whatever_the_screen_shows() -> None:
    """Edge case 166, second part: Codex shows work while its hook waits."""
    engine = Watched()
    pane = engine.pane("codex")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    waiting = engine.peer()
    waiting.say(
        "hook-event", agent="codex", event="PermissionRequest", pane_id=pane, payload=native(), wait_for_answer=True
    )
    engine.sync()
    engine.prints(pane, CODEX_WORKS)
    engine.advance(10)
    assert engine.state(pane) == ("blocked", "permission_required")
    decision = engine.world.panes[pane]["pending_decision"]
    assert decision["answerable"]
    engine.peer().ask("decision.answer", pane_id=pane, decision_id=decision["id"], option_id="once")
    assert engine.state(pane) == ("working", "none")


def test_a_waiter_that_gives_way_leaves_the_agent_time_to_draw_its_dialog() -> None:
    """Codex shows work until it has noticed that its hook has ended, a tenth of a second later."""
    engine = Watched()
    pane = engine.pane("codex")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    waiting = engine.peer()
    waiting.say(
        "hook-event", agent="codex", event="PermissionRequest", pane_id=pane, payload=native(), wait_for_answer=True
    )
    engine.sync()
    engine.prints(pane, CODEX_WORKS)
    engine.advance(10)
    engine.peer().ask("pane.attach", pane_id=pane)
    while "pending_decision" in engine.world.panes[pane]:
        engine.advance(0.05)
    engine.advance(0.9)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.prints(pane, CODEX_ASKS)
    engine.advance(10)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.prints(pane, CODEX_WORKS)
    engine.advance(2)
    assert engine.state(pane) == ("working", "none")


@pytest.mark.parametrize(
    ("agent", "event", "screen"),
    [
        ("gemini", "BeforeAgent", "\x1b]0;◇  Ready (dir)\x07 >   Type your message"),
        ("qwen", "UserPromptSubmit", "\x1b]0;Qwen - dir\x07>   Type your message"),
    ],
)
def test_a_prompt_that_is_always_shown_ends_no_turn(agent: str, event: str, screen: str) -> None:
    """Edge case 167, first part."""
    engine = Watched()
    pane = engine.pane(agent)
    engine.hook(pane, event, {"session_id": "s1"})
    engine.prints(pane, screen)
    engine.advance(10)
    assert engine.state(pane) == ("working", "none")


@pytest.mark.parametrize(
    ("agent", "asks", "dialog", "work"),
    [
        (
            "gemini",
            ("Notification", {"notification_type": "ToolPermission", "message": "Tool Confirm requires execution"}),
            "\x1b]0;✋  Action Required (dir)\x07",
            "\x1b]0;✦  Working… (dir)\x07",
        ),
        (
            "qwen",
            ("Notification", {"notification_type": "permission_prompt", "message": "Qwen Code needs your permission"}),
            "\x1b]0;✳\ufe0e Qwen - dir\x07",
            "\x1b]0;◐\ufe0e Qwen - dir\x07",
        ),
    ],
)
def test_a_tool_that_runs_long_after_it_was_allowed_is_work(
    agent: str, asks: tuple[str, Any], dialog: str, work: str
) -> None:
    """Their next hook comes when the tool has ended; the title tells at once that nobody is asked any more."""
    engine = Watched()
    pane = engine.pane(agent)
    engine.prints(pane, work + "text")
    engine.hook(pane, *asks)
    engine.advance(0.5)
    engine.prints(pane, dialog)
    engine.advance(10)
    assert engine.state(pane) == ("blocked", "permission_required")
    engine.prints(pane, work)
    engine.advance(2)
    assert engine.state(pane) == ("working", "none")


def test_a_program_that_reports_work_is_believed_before_its_screen() -> None:
    """Edge case 167, second part."""
    engine = Watched()
    pane = engine.pane("claude")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    engine.prints(pane, "\x1b]7501;state=working\x07" + CLAUDE_RESTS)
    engine.advance(10)
    assert engine.state(pane) == ("working", "none")


def test_without_its_own_report_an_empty_prompt_box_ends_a_turn() -> None:
    engine = Watched()
    pane = engine.pane("claude")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    engine.prints(pane, CLAUDE_RESTS)
    engine.advance(10)
    assert engine.state(pane) == ("idle", "none")


def test_a_late_hook_is_looked_at_though_nothing_is_printed() -> None:
    engine = Watched()
    pane = engine.pane("claude")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    engine.prints(pane, CLAUDE_REFUSED)
    engine.advance(5)
    assert engine.state(pane) == ("idle", "none")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    assert engine.state(pane) == ("working", "none")
    engine.advance(5)
    assert engine.state(pane) == ("idle", "none")
    assert engine.is_at_rest()


def test_a_new_process_enables_the_rules_again() -> None:
    """Edge case 49, last part."""
    engine = Watched()
    pane = engine.pane("copilot")
    engine.hook(pane, "sessionEnd", {"sessionId": "s1"})
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(3)
    assert engine.state(pane) == ("done", "unread")
    draft = engine.draft()
    draft.put("instances", records.instance(pane, "proc_next", engine.world.seq, {}))
    engine.ledger.commit(draft)
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(1)
    assert engine.state(pane) == ("working", "unread")


USER = b"""
[agent]
kind = "copilot"
[[screen]]
id = "mine"
state = "%s"
regex = ['%s']
"""


def test_a_users_rules_replace_the_bundled_ones_and_reloading_swaps_them() -> None:
    """Edge case 52."""
    files: list[tuple[str, bytes | str]] = [("a.toml", USER % (b"blocked", b"Working"))]
    catalog = Catalog("/agents", lambda: list(files))
    engine = Watched(catalog)
    pane = engine.pane("copilot")
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(1)
    assert engine.state(pane) == ("blocked", "input_required")
    files[:] = [("a.toml", USER % (b"working", b"Working"))]
    catalog.reload()
    engine.screens.look_at_all()
    engine.advance(1)
    assert engine.state(pane) == ("working", "none")
    files.clear()
    catalog.reload()
    engine.prints(pane, COPILOT_RESTS)
    engine.advance(1)
    assert engine.state(pane) == ("done", "unread")


def test_a_rule_that_runs_away_is_disabled_and_listed() -> None:
    """Edge case 152; the real clock is tried in tests/e2e."""
    catalog = Catalog("/agents", lambda: [("a.toml", USER % (b"blocked", b"(a+)+$"))])
    engine = Watched(catalog)
    pane = engine.pane("copilot")

    def expire(run: Any) -> Any:
        raise TimedOut("interrupted")

    engine.host.guard = expire  # type: ignore[method-assign]
    engine.prints(pane, "a" * 30 + "b")
    engine.advance(1)
    assert engine.state(pane) == ("unknown", "none")
    assert [each["file"] for each in catalog.listing()["failures"]] == ["a.toml"]


def test_a_closed_pane_is_forgotten() -> None:
    engine = Watched()
    pane = engine.pane("copilot")
    engine.prints(pane, COPILOT_WORKS)
    engine.advance(1)
    engine.prints(pane, COPILOT_RESTS)
    draft = engine.draft()
    draft.remove(pane)
    engine.ledger.commit(draft)
    engine.advance(1)
    assert engine.is_at_rest()


SCENARIO = b"""
[agent]
kind = "copilot"
[[screen]]
id = "rests"
state = "idle"
regex = ['READY']
[[screen]]
id = "works"
state = "working"
regex = ['BUSY']
"""


def test_a_screen_that_no_rule_fits_proves_nothing() -> None:
    """Scenario SC-07."""
    engine = Watched(Catalog("/agents", lambda: [("a.toml", SCENARIO)]))
    engine.stage.catalog = engine.catalog
    pane = engine.pane("copilot")
    for _ in range(120):
        engine.prints(pane, "\x1b[2J\x1b[Hsomething new")
        engine.advance(0.5)
    assert engine.state(pane) == ("unknown", "none")
    told = engine.peer().ask("pane.explain", pane_id=pane)
    assert (told["classifies"], "matched" in told, told["source"]) == (True, False, "user")
    seen = []
    for text in ("READY", "BUSY", "something else", "READY"):
        engine.prints(pane, f"\x1b[2J\x1b[H{text}")
        engine.advance(10)
        seen.append(engine.state(pane))
    assert seen == [("idle", "none"), ("working", "none"), ("working", "none"), ("done", "unread")]


def test_a_hooked_pane_shows_its_rules_which_classify_no_more() -> None:
    engine = Watched(Catalog("/agents", lambda: [("a.toml", SCENARIO)]))
    engine.stage.catalog = engine.catalog
    pane = engine.pane("copilot")
    engine.prints(pane, "READY")
    before = engine.peer().ask("pane.explain", pane_id=pane)
    engine.hook(pane, "sessionStart", {"sessionId": "s1"})
    after = engine.peer().ask("pane.explain", pane_id=pane)
    assert [(told["hooked"], told["classifies"]) for told in (before, after)] == [(False, True), (True, False)]
    assert before["matched"] == after["matched"] == {"id": "rests", "state": "idle", "priority": 0, "index": 0}
    assert [rule["matched"] for rule in after["rules"]] == [True, False]


def test_a_title_that_blinks_does_not_flip_a_hooked_pane() -> None:
    """Scenario SC-08."""
    engine = Watched()
    pane = engine.pane("claude")
    engine.hook(pane, "UserPromptSubmit", {"session_id": "s1"})
    watcher = engine.peer()
    watcher.ask("subscribe")
    engine.prints(pane, "● hello")
    for second in range(28):
        engine.prints(pane, f"\x1b]0;{'✳⠂'[second % 2]} Fix tests\x07")
        engine.advance(1)
    engine.sync()
    assert [frame for frame in watcher.heard() if str(frame.get("event")).startswith("agent.")] == []
    assert engine.state(pane) == ("working", "none")
    engine.hook(pane, "Stop", {"session_id": "s1"})
    engine.prints(pane, "\x1b]0;⠂ Fix tests\x07")
    engine.advance(5)
    assert engine.state(pane) == ("done", "unread")


def test_many_screens_are_looked_at_over_passes_each_in_its_turn() -> None:
    """performance §4.4: a hundred looks in one pass would hold up requests."""
    engine = Watched()
    panes = [engine.pane("copilot") for _ in range(5)]
    engine.clock.reading_s = 1.0  # a look seems to take longer than a pass may
    for pane in panes:
        engine.prints(pane, COPILOT_WORKS)
    engine.advance(0.4)
    engine.clock.passed_s += 0.1
    seen = []
    for _ in panes:
        for timer in engine.clock.timers.take_due(engine.clock.now()):
            if timer.run is not None:
                timer.run()
        seen.append([engine.state(pane)[0] for pane in panes].count("working"))
    assert seen == [1, 2, 3, 4, 5]


def test_a_screen_that_changes_before_its_turn_is_seen_as_it_is_then_and_once() -> None:
    engine = Watched()
    first, second = engine.pane("copilot"), engine.pane("copilot")
    engine.clock.reading_s = 1.0
    engine.prints(first, COPILOT_WORKS)
    engine.prints(second, COPILOT_WORKS)
    engine.clock.passed_s += 0.5
    for timer in engine.clock.timers.take_due(engine.clock.now()):
        if timer.run is not None:
            timer.run()
    engine.prints(second, COPILOT_ASKS)
    engine.advance(0.0)
    assert [engine.state(first)[0], engine.state(second)[0]] == ["working", "blocked"]
    assert engine.is_at_rest()
