"""`wait`."""

from __future__ import annotations

import json
import re

import pytest

from signaltty_core.cli.commands.wait import STATES
from signaltty_core.state.waits import OUTCOMES

from ...client.scripted import ScriptedServer
from ..conftest import Run

ANSWER = {"satisfied": True, "outcome": "done", "transition_seq": 3, "lifecycle": "idle", "attention": "unread"}


def test_a_wait_tells_the_present_state(run: Run, server: ScriptedServer) -> None:
    server.answers["wait"] = ANSWER
    baseline = {"pane_id": "pane_1", "process_instance": "proc_1"}
    line = ("wait", "--pane", "p", "--until", "done, blocked", "--timeout", "0")
    assert run(*line, "--after-baseline", json.dumps(baseline)) == (
        0,
        "satisfied: lifecycle=idle attention=unread\n",
        "",
    )
    assert server.asked == [
        ("wait", {"pane_id": "p", "until": ["done", "blocked"], "timeout_s": 0.0, "after": baseline})
    ]


def test_a_wait_that_ends_without_an_outcome_fails(run: Run, server: ScriptedServer) -> None:
    server.answers["pane.get"] = {"pane": {}, "wait_baseline": {"pane_id": "p"}}
    server.answers["wait"] = Exception("TIMEOUT", "not done within 1 second", {})
    assert run("wait", "--pane", "p", "--until", "done", "--timeout", "1") == (
        1,
        "",
        "signaltty: not done within 1 second (TIMEOUT)\n",
    )


@pytest.mark.parametrize(
    ("baseline", "sentence"),
    [
        ("null", "--after-baseline is null: give the wait_baseline of `pane get --json`"),
        ("{", "--after-baseline is not JSON: "),
    ],
)
def test_a_useless_baseline_never_reaches_the_server(
    run: Run, server: ScriptedServer, baseline: str, sentence: str
) -> None:
    status, _, said = run("wait", "--pane", "p", "--until", "done", "--after-baseline", baseline)
    assert (status, said.startswith(f"signaltty: {sentence}"), server.requests) == (1, True, [])


def test_the_help_names_every_state_that_can_be_waited_for() -> None:
    assert set(re.findall(r"[a-z_]+", STATES)) - {"or"} == set(OUTCOMES)
