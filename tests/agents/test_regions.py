"""The parts of a screen that rules look at."""

from __future__ import annotations

import pytest

from signaltty_core.agents.regions import REGIONS, View, label, limit_of

RULE = "─" * 8
BOXED = ["one", "", "two  ", RULE, "❯ hello", f"  {RULE}", "foot"]
CODEX = ["› first", "• answer", "", "› Ask", "", "  model"]


def shown(lines: list[str], region: str, lines_of_rule: int | None = None, title: str | None = None) -> str:
    return View(lines, title).text(region, limit_of(region, lines_of_rule))


@pytest.mark.parametrize(
    ("lines", "region", "text"),
    [
        (BOXED, "bottom", f"one\ntwo\n{RULE}\n❯ hello\n  {RULE}\nfoot"),
        (BOXED, "prompt_box", "❯ hello"),
        (BOXED, "above_prompt_box", "one\ntwo"),
        (BOXED, "after_last_rule", "foot"),
        (["a", RULE, "b"], "prompt_box", ""),
        (["a", RULE, "b"], "above_prompt_box", f"a\n{RULE}\nb"),
        (["a", "b"], "after_last_rule", "a\nb"),
        (["a", "─", "b", "──", "c"], "prompt_box", "b"),
        (["a", "── x ──", "b", RULE, "c"], "prompt_box", ""),
        (["a", "─── x", "b", RULE, "c"], "prompt_box", "b"),
        (CODEX, "after_last_prompt", "› Ask\n  model"),
        (CODEX, "before_current_prompt", "› first\n• answer"),
        (CODEX, "without_current_prompt", "› first\n• answer"),
        (CODEX[:2], "before_current_prompt", "› first\n• answer"),
        (CODEX[:2], "after_last_prompt", "› first\n• answer"),
        (["x", "›"], "after_last_prompt", "›"),
        (["x", "›y", " › z"], "after_last_prompt", "x\n›y\n › z"),
        ([], "screen", ""),
    ],
)
def test_a_region_is_cut_out(lines: list[str], region: str, text: str) -> None:
    assert shown(lines, region) == text


@pytest.mark.parametrize("mark", ["• more", "■ over", "✗ no", "✓ yes"])
def test_a_prompt_above_an_answer_is_an_old_one(mark: str) -> None:
    lines = ["› first", mark]
    assert shown(lines, "before_current_prompt") == f"› first\n{mark}"


def test_limits_count_lines_that_are_not_blank() -> None:
    lines = [word for number in range(30) for word in (f"line {number}", "  ")]
    assert shown(lines, "bottom").split("\n") == [f"line {number}" for number in range(18, 30)]
    assert shown(lines, "top").split("\n") == [f"line {number}" for number in range(12)]
    assert shown(lines, "bottom", 2) == "line 28\nline 29"
    assert shown(lines, "top", 2) == "line 0\nline 1"
    assert shown(lines, "screen", 1) == "line 29"
    assert shown(lines, "screen").count("\n") == 29


def test_the_title_has_no_limit_and_is_empty_before_it_is_set() -> None:
    assert shown(["x"], "title", 3, "hello  ") == "hello"
    assert shown(["x"], "title") == ""


def test_what_patterns_see_is_bounded() -> None:
    text = shown(["x" * 900] * 400, "screen")
    assert (text.count("\n") + 1, len(text.split("\n")[0])) == (200, 500)


def test_a_label_names_the_limit() -> None:
    assert [label(region, limit_of(region, None)) for region in ("bottom", "top", "screen", "title")] == [
        "bottom(12)",
        "top(12)",
        "screen",
        "title",
    ]
    assert label("screen", limit_of("screen", 5)) == "screen(5)"
    assert label("title", limit_of("title", 5)) == "title"
    assert len(REGIONS) == 10
