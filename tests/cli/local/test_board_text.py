"""The board as text, from records alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from signaltty_core.cli.local.board_text import Board, attention_lines, key_line, lines_of, progress_of
from signaltty_core.cli.show import cells_of

from ..records import pane, workspace

AT = 1_790_000_000.0  # 2026-09-21T14:13:20Z
SOON = "2026-09-21T14:12:00.000Z"


def made(id: str, **changed: Any) -> dict[str, Any]:
    return pane(id=id, created_at=SOON, lifecycle_since=SOON, **changed)


def task(id: str, state: str, outcome: str = "none", **more: Any) -> dict[str, Any]:
    stated = {"id": id, "state": state, "disposition": {"outcome": outcome}, "created_at": SOON, "updated_at": SOON}
    return {**stated, "label": "login", "branch": "signaltty/login-1", "agent": "codex", **more}


def busy() -> Board:
    question = {"id": "d", "prompt": "Allow Bash: rm -rf build\x1b[2J?", "options": []}
    panes = [
        made("pane_quiet", lifecycle="idle", title="htop"),
        made("pane_busy", progress={"kind": "percent", "value": 40, "state": "normal"}, last_message="writing\ntests"),
        made("pane_done", lifecycle="done", attention="unread", last_message="all green"),
        made("pane_ask", name="boss", lifecycle="blocked", attention="permission_required", pending_decision=question),
        made("pane_bad", name="wörker-漢字", attention="error", last_message="API error", workspace_id="ws_gone"),
    ]
    tasks = [
        task("task_run", "working"),
        task("task_end", "completed", result={"summary": "login fixed"}),
        task("task_old", "completed", "merged"),
        task("task_gone", "canceled"),
    ]
    return Board([workspace()], panes, tasks)


def test_who_needs_somebody_comes_first_whole_where_nothing_is_cut() -> None:
    assert lines_of(busy(), AT, None, colour=False) == [
        "2 panes need you  (5 panes, 1 workspace)",
        "x wörker-漢字  claude  error  1m20s  -    API error",
        "? boss  claude  allow?  1m20s  api:main    Allow Bash: rm -rf build\\x1b[2J?",
        "* pane_done  claude  done  1m20s  api:main    all green",
        "> pane_busy  claude  working  1m20s  api:main  ██░░░ 40%  writing tests",
        "  pane_quiet  claude  idle  1m20s  api:main    htop",
        "",
        "tasks",
        "* task_end  codex  finish?  1m20s  signaltty/login-1    login fixed",
        "> task_run  codex  working  1m20s  signaltty/login-1    login",
        "",
        "workspaces",
        "  api  main  4 panes  /src/api",
    ]


def test_forty_columns_hold_name_state_age_and_the_message() -> None:
    assert lines_of(busy(), AT, 40, colour=False) == [
        "2 panes need you  (5 panes, 1 workspace)",
        "x wörker-…   error    1m2…  API error",
        "? boss       allow?   1m2…  Allow Bash:…",
        "* pane_done  done     1m2…  all green",
        "> pane_busy  working  1m2…  40% writing…",
        "  pane_qui…  idle     1m2…  htop",
        "",
        "tasks",
        "* task_end  finish?  1m2…  login fixed",
        "> task_run  working  1m2…  login",
        "",
        "workspaces",
        "  api  main  4 panes  /src/api",
    ]


@pytest.mark.parametrize("width", [*range(40, 201, 7), 63, 64, 99, 100, 159, 160, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    board = busy()
    lines = [*lines_of(board, AT, width, colour=False), key_line(board, width, live=True)]
    assert max(cells_of(line) for line in lines) <= width


def test_colours_change_no_text() -> None:
    board = busy()
    coloured = lines_of(board, AT, 80, colour=True)
    assert coloured[1].startswith("\x1b[1;31mx ")
    assert [re.sub("\x1b\\[[0-9;]*m", "", line) for line in coloured] == lines_of(board, AT, 80, colour=False)


def test_an_empty_board_says_how_to_begin() -> None:
    board = Board([], [], [])
    assert lines_of(board, AT, 80, colour=True) == ["nobody needs you  (0 panes, 0 workspaces)", "  (no panes)"]
    assert key_line(board, 80, live=True) == "q leaves; signaltty new -- claude"


def test_the_key_line_names_the_pane_that_comes_first() -> None:
    assert key_line(busy(), None, live=False) == "signaltty attach wörker-漢字"
    assert key_line(busy(), 30, live=True) == "q leaves; attach wörker-漢字"
    asks = Board([], [made("pane_" + "0" * 32, attention="input_required")], [])
    assert key_line(asks, 40, live=True) == "pane_" + "0" * 32  # whole, so that it can be copied
    assert key_line(asks, 20, live=True) == "pane_00000000000000…"
    quiet = Board([workspace()], [made("pane_1")], [])
    assert key_line(quiet, 80, live=True) == "q leaves; signaltty wait --pane PANE"


def test_the_newest_of_equal_urgency_comes_first() -> None:
    panes = [made("old"), {**made("new"), "lifecycle_since": "2026-09-21T14:13:00.000Z"}]
    assert [one["id"] for one in Board([], panes, []).panes] == ["new", "old"]


def test_progress_in_its_forms() -> None:
    forms = [
        None,
        {"kind": "count", "done": 3, "total": 7},
        {"kind": "percent", "value": None},
        {"kind": "percent", "value": 0},
        {"kind": "percent", "value": 100},
    ]
    shown = [progress_of(pane(progress=form) if form else pane()) for form in forms]
    assert shown == ["", "3/7", "…", "░░░░░ 0%", "█████ 100%"]


def test_attention_with_how_long_it_has_lasted() -> None:
    panes = [
        {"pane_id": "pane_" + 32 * "a", "attention": "permission_required", "attention_since": SOON,
         "last_message": "Allow?"},
        {"pane_id": "pane_" + 32 * "b", "attention": "unread"},
    ]  # fmt: skip
    assert attention_lines(panes, AT, None) == [
        f"permission_required  1m20s  pane_{32 * 'a'}  Allow?",
        f"unread               -      pane_{32 * 'b'}",
    ]
    assert attention_lines(panes, AT, 40) == [
        "allow?  1m20s  pane_aaaaaaa…  Allow?",
        "unread  -      pane_bbbbbbb…",
    ]
    assert attention_lines([], AT, 40) == ["no panes require attention"]
