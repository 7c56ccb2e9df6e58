"""The hand-written parser and click take and refuse the same lines, and find the same values in them."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signaltty_core.cli import dispatch, table
from signaltty_core.cli.build import build_root
from signaltty_core.cli.spec import Command
from signaltty_core.cli.words import Unusual, parse

COMMANDS = {" ".join(command.words): command for command in table.every()}


def by_hand(argv: list[str]) -> dict[str, Any] | None:
    try:
        command, words = dispatch.find(argv)
        return parse(command, words)
    except Unusual:
        return None


def by_click(argv: list[str]) -> dict[str, Any] | None:
    """The values click finds, without running anything; None when it refuses or shows help."""
    found: list[dict[str, Any]] = []

    def collect(command: Command, values: dict[str, Any]) -> int:
        found.append(values)
        return 0

    root = build_root(collect)
    try:
        with root.make_context("signaltty", list(argv)) as context:
            root.invoke(context)
    except (click.UsageError, click.exceptions.Exit):
        return None
    return found[0]


LINES = [
    "ls",
    "ls --json",
    "--json ls",
    "--socket /tmp/x ls --workspace api",
    "--socket=/tmp/x ls --workspace=api --no-start",
    "ls --workspace",
    "ls extra",
    "ls --nope",
    "ls --json=1",
    "ls --",
    "ls -- x",
    "ls --help",
    "--help ls",
    "--version ls",
    "ls --workspace --json",
    "attention --limit 3",
    "attention --limit 0",
    "attention --limit x",
    "attention --limit 1 --limit 2",
    "pane read p",
    "pane read p --lines 0 --after-seq 0 --mode rendered --raw",
    "pane read",
    "pane read p q",
    "pane --json read p",
    "pane read p --mode upside-down",
    "pane read p --lines",
    "pane read --lines 3 -- -p",
    "pane read -",
    "pane read -x",
    "pane list --workspace w --tab t",
    "pane get p --json --json",
    "pane input p --data -a",
    "pane input p --data=-a",
    "pane input p --data --",
    "pane input p --data -- --stdin",
    "pane input p --data=",
    "pane input p --stdin",
    "wait --pane p --until done,blocked",
    "wait --pane p --until done --timeout 0",
    "wait --pane p --until done --timeout nan",
    "wait --pane p --until done --timeout inf",
    "wait --pane p --until done --timeout 1e3 --after-baseline {}",
    "wait --pane p",
    "wait --until done",
    "new -- sh -c x",
    "new --env A=1 --env B= --cwd . -- sh --json",
    "new --env A",
    "new --env =1",
    "new sh",
    "new --name -- -- sh",
    "new --tab t --",
    "decision answer --pane p --decision d --option o",
    "decision answer --pane p --decision d",
    "decision",
    "decision nope",
    "pane",
    "status",
    "status x",
    "server status",
    "server stop --force",
    "server --no-start stop",
    "server start --max-tasks 2 --idle-exit 0",
    "server start --max-parallel-tasks 2 --state-dir s --allow-self-approval",
    "server start --max-tasks 0",
    "daemon --idle-exit 5",
    "nope",
    "",
]


@pytest.mark.parametrize("line", LINES)
def test_both_roads_see_the_same_in_a_line(line: str) -> None:
    argv = line.split()
    assert by_hand(argv) == by_click(argv)


WORDS = st.sampled_from(
    [
        *("--json", "--no-start", "--socket", "--socket=x", "--", "-", "-x", "p", "3", "--pane", "--until", "done"),
        *("--data", "--stdin", "--lines", "--lines=4", "--mode", "tail", "--raw", "--env", "A=1", "--timeout"),
        *("--workspace", "=", "--=", ""),
    ]
)


@settings(max_examples=300)
@given(st.sampled_from(sorted(COMMANDS)), st.lists(WORDS, max_size=6))
def test_both_roads_agree_on_lines_nobody_would_write(name: str, words: list[str]) -> None:
    argv = [*name.split(), *words]
    assert by_hand(argv) == by_click(argv)
