"""`pane …` apart from input and output: what is asked of the server and what a person reads."""

from __future__ import annotations

import os

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Asked, Run, asks_once
from ..records import pane

ASKED: list[Asked] = [
    (
        "pane signal p",
        "pane.signal",
        {"pane_id": "p", "signal": "INT"},
        {"sent": True},
        "sent INT to p\n",
    ),
    (
        "pane signal p --signal term --group",
        "pane.signal",
        {"pane_id": "p", "signal": "term", "group": True},
        {"sent": True},
        "sent term to p\n",
    ),
    (
        "pane resize p --cols 100 --rows 3",
        "pane.resize",
        {"pane_id": "p", "cols": 100, "rows": 3},
        {"pane": pane(pty_size={"cols": 100, "rows": 5})},
        "resized pane_1 to 100x5\n",
    ),
    (
        "pane rename p boss",
        "pane.rename",
        {"pane_id": "p", "name": "boss"},
        {"pane": pane()},
        "renamed pane_1 to boss\n",
    ),
    ("pane rename p", "pane.rename", {"pane_id": "p"}, {"pane": pane()}, "name cleared\n"),
    ("pane swap a b", "pane.swap", {"pane_id": "a", "target_pane_id": "b"}, {"tabs": []}, "swapped\n"),
    (
        "pane move a b --direction down",
        "pane.move",
        {"pane_id": "a", "target_pane_id": "b", "direction": "down"},
        {"tabs": []},
        "moved\n",
    ),
    ("pane close p --signal HUP", "pane.close", {"pane_id": "p", "signal": "HUP"}, {"closed": True}, "closed p\n"),
    ("pane mark-seen p", "pane.mark_seen", {"pane_id": "p"}, {"pane": pane()}, "marked seen pane_1\n"),
    (
        "pane list --workspace w --tab t",
        "pane.list",
        {"workspace_id": "w", "tab_id": "t"},
        {"panes": [pane(name="boss"), pane(id="pane_2", title="a\nb")]},
        "pane_1  boss  claude  working  none  claude\npane_2  -  claude  working  none  a\\x0ab\n",
    ),
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked[0])
def test_a_line_becomes_one_request_and_one_sentence(run: Run, server: ScriptedServer, asked: Asked) -> None:
    asks_once(run, server, asked)


def test_get_shows_the_question_with_its_answers(run: Run, server: ScriptedServer) -> None:
    options = [{"id": "once", "label": "Allow once"}, {"id": "deny", "label": "Deny"}]
    decision = {"id": "permission_1", "prompt": "Allow Bash?\nrm", "options": options, "answerable": False}
    server.answers["pane.get"] = {"pane": pane(pending_decision=decision), "wait_baseline": {}}
    assert run("pane", "get", "p") == (
        0,
        "pane_1 claude live=live lifecycle=working attention=none\n"
        "decision permission_1: Allow Bash?\\x0arm\n"
        "  once — Allow once\n"
        "  deny — Deny\n"
        "  (read-only: answer in the terminal)\n",
        "",
    )


def test_spawn_sends_part_of_the_environment_and_absolute_paths(
    run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("CODEX_HOME", "/codex")
    monkeypatch.setenv("SECRET", "never")
    server.answers["pane.spawn"] = {"pane": pane(), "integration": {"notice": "trust the hooks\x07"}}
    line = "pane spawn --workspace w --cwd sub --agent codex --relationship fork --env A=b=c -- codex --json"
    assert run(*line.split()) == (0, "pane pane_1\n", "signaltty: trust the hooks\\x07\n")
    [(method, params)] = server.asked
    env = params.pop("env")
    assert (method, params) == (
        "pane.spawn",
        {
            "workspace_id": "w",
            "cwd": f"{os.getcwd()}/sub",
            "agent_hint": "codex",
            "relationship": "fork",
            "argv": ["codex", "--json"],
        },
    )
    assert {name: env.get(name) for name in ("PATH", "CODEX_HOME", "SECRET", "A")} == {
        "PATH": "/bin",
        "CODEX_HOME": "/codex",
        "SECRET": None,
        "A": "b=c",
    }


def test_without_a_command_the_shell_runs(run: Run, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["pane.split"] = {"pane": pane()}
    run("pane", "split", "p")
    monkeypatch.setenv("SHELL", "/bin/zsh")
    run("pane", "split", "p", "--direction", "down", "--")
    assert [(params["argv"], params["direction"]) for _, params in server.asked] == [
        (["sh"], "right"),
        (["/bin/zsh"], "down"),
    ]
