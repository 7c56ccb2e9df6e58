"""Drafts and pastes on the screens of real agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signaltty_core.agents import composer
from signaltty_core.terminal.terminal import Terminal

CORPUS = Path(__file__).parents[1] / "corpus" / "agents"
RECORDED = {"claude-turn": "SLOW[4]", "codex-turn": "SLOW[4]", "qwen-deny": "RUN[touch denied]"}
RULE = "─" * 40


def screens(name: str) -> list[tuple[str, Terminal]]:
    """The screen before the first paste, and the one under its Enter."""
    data = (CORPUS / f"{name}.bin").read_bytes()
    paste = {"claude-turn": (1621, 1695), "codex-turn": (8038, 8173), "qwen-deny": (41469, 45731)}[name]
    shown = []
    for label, offset in zip(("before", "after"), paste, strict=True):
        terminal = Terminal(100, 30, version="1")
        terminal.feed(data[:offset], 0.0)
        shown.append((label, terminal))
    return shown


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_input_line_is_empty_before_the_paste_and_holds_it_afterwards(name: str) -> None:
    (_, before), (_, after) = screens(name)
    kind = name.partition("-")[0]
    assert composer.draft(kind, before.styled_rows()) is None
    assert composer.draft(kind, after.styled_rows()) == RECORDED[name]
    tail = composer.tail_of(RECORDED[name])
    assert composer.count(after.read_screen(), tail) > composer.count(before.read_screen(), tail)


def rows(*lines: str, faint: bool = False) -> list[list[dict[str, Any]]]:
    return [[{"text": line, "faint": True} if faint else {"text": line}] for line in lines]


def test_a_hint_is_no_draft() -> None:
    assert composer.draft("claude", [*rows(RULE), *rows("❯ Try this", faint=True), *rows(RULE)]) is None
    hint = [[{"text": "❯ "}, {"text": "T", "inverse": True}, {"text": "ry this", "fg": "38;5;246"}]]
    assert composer.draft("claude", [*rows(RULE), *hint, *rows(RULE)]) is None


def test_a_prompt_that_qwen_puts_back_is_a_draft_and_its_suggestion_is_none() -> None:
    back = [[{"text": "> ", "fg": "38;5;183"}, {"text": "SLOW[30]"}, {"text": " \u200b", "bg": "48;5;252"}]]
    assert composer.draft("qwen", [*rows(RULE), *back, *rows(RULE)]) == "SLOW[30]"
    hint = [[{"text": "> ", "fg": "38;5;183"}, {"text": "t", "bg": "48;5;252"}]]
    hint[0].append({"text": "wo here", "fg": "38;5;103"})
    assert composer.draft("qwen", [*rows(RULE), *hint, *rows(RULE)]) is None


def test_a_box_is_drawn_once_it_stands_on_the_screen_and_always_where_it_is_not_known() -> None:
    for name in RECORDED:
        kind = name.partition("-")[0]
        assert composer.is_drawn(kind, screens(name)[0][1].styled_rows())
    assert not composer.is_drawn("claude", rows("Claude Code", "/work"))
    assert not composer.is_drawn("codex", rows("Loading"))
    assert composer.is_drawn("pi", rows(""))


def test_a_draft_of_several_lines_is_one_and_is_cut() -> None:
    assert composer.draft("claude", rows("old", RULE, "❯ one", "  two", RULE, "footer")) == "one\ntwo"
    assert composer.draft("codex", rows("• said", "› one", "  two", "", "  model")) == "one\ntwo"
    assert composer.draft("claude", rows(RULE, "❯ " + "x" * 100, RULE)) == "x" * 80


@pytest.mark.parametrize("kind", ["gemini", "generic", "none"])
def test_other_agents_have_no_known_box(kind: str) -> None:
    assert composer.draft(kind, rows(RULE, "❯ text", RULE)) is None


def test_a_dialog_in_place_of_the_box_is_no_draft() -> None:
    assert composer.draft("claude", rows("Do you want to proceed?", "❯ 1. Yes", "  2. No")) is None
    assert composer.draft("claude", rows(RULE, RULE)) is None
    assert composer.draft("codex", rows("nothing here")) is None


def test_the_end_of_a_text_is_found_through_frames_and_wraps() -> None:
    text = "first line\nand a second one that goes on for quite a while\n"
    screen = "│ > first line               │\n│   and a second one that goes │\n│   on for quite a while       │"
    assert composer.tail_of(text) == "thatgoesonforquiteawhile"
    assert composer.count(screen, composer.tail_of(text)) == 1
    assert composer.count(screen, composer.tail_of("something else")) == 0


def test_a_placeholder_counts_for_the_text() -> None:
    shown = ["[Pasted text #1 +12 lines]", "[Pasted Content 1200 chars]", "[paste #2 +3 lines]"]
    assert [composer.count(one, "nowhere") for one in shown] == [1, 1, 1]
    assert composer.count("no text at all", "") == 0
