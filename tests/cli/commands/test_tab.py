"""`tab …`: requests and sentences, trees from files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ...client.scripted import ScriptedServer
from ..conftest import Asked, Run, asks_once
from ..records import pane, tab

LEAF = {"type": "pane", "pane_id": "pane_1"}
SPLIT = {"type": "split", "dir": "right", "ratio": 0.95, "first": LEAF, "second": {**LEAF, "pane_id": "pane_2"}}
NESTED = {"type": "split", "dir": "down", "ratio": 0.5, "first": LEAF, "second": SPLIT}

ASKED: list[Asked] = [
    ("tab create --workspace w", "tab.create", {"workspace_id": "w"}, {"tab": tab()}, "tab tab_1\n"),
    ("tab close t", "tab.close", {"tab_id": "t"}, {"closed": True}, "closed t\n"),
    (
        "tab set-ratio t 3 --path 1",
        "tab.set_ratio",
        {"tab_id": "t", "ratio": 3.0, "path": [1]},
        {"tab": tab(layout=NESTED)},
        "ratio 0.95\n",
    ),
    (
        "tab set-ratio t 0.5",
        "tab.set_ratio",
        {"tab_id": "t", "ratio": 0.5, "path": []},
        {"tab": tab(layout=NESTED)},
        "ratio 0.5\n",
    ),
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked[0])
def test_a_line_becomes_one_request_and_one_sentence(run: Run, server: ScriptedServer, asked: Asked) -> None:
    asks_once(run, server, asked)


def test_a_layout_comes_from_a_file_or_standard_input(
    run: Run, server: ScriptedServer, tmp_path: Path, stdin: Callable[[bytes], None]
) -> None:
    server.answers["tab.set_layout"] = {"tab": tab()}
    (tmp_path / "tree.json").write_text(json.dumps(SPLIT))
    stdin(json.dumps({"title": "x", "root": LEAF}).encode())
    assert run("tab", "set-layout", "t", str(tmp_path / "tree.json")) == (0, "layout set\n", "")
    assert run("tab", "set-layout", "t", "-") == (0, "layout set\n", "")
    assert [params for _, params in server.asked] == [
        {"tab_id": "t", "layout": SPLIT},
        {"tab_id": "t", "layout": LEAF},
    ]


def test_export_prints_json_for_people_too(run: Run, server: ScriptedServer) -> None:
    exported = {"workspace_id": "ws_1", "tab_id": "tab_1", "title": "x", "root": None}
    server.answers["layout.export"] = exported
    status, out, _ = run("tab", "export", "tab_1")
    assert (status, json.loads(out)) == (0, exported)


def test_apply_names_the_tab_and_its_panes(run: Run, server: ScriptedServer, tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(json.dumps({"title": "morning", "root": SPLIT}))
    made = [{"pane": pane()}, {"pane": pane(id="pane_2"), "integration": {"notice": "look"}}]
    server.answers["layout.apply"] = {"tab": tab(), "panes": made}
    assert run("tab", "apply", str(tmp_path / "tree.json"), "--workspace", "w") == (
        0,
        "tab tab_1\npane_1\npane_2\n",
        "signaltty: look\n",
    )
    [(method, params)] = server.asked
    assert params.pop("env")["PATH"] == os.environ["PATH"]
    assert (method, params) == ("layout.apply", {"workspace_id": "w", "root": SPLIT, "title": "morning"})


@pytest.mark.parametrize(("content", "sentence"), [("{", "is not JSON"), ("[]", "holds no JSON object")])
def test_a_file_without_a_tree_is_refused_before_any_request(
    run: Run, server: ScriptedServer, stdin: Callable[[bytes], None], tmp_path: Path, content: str, sentence: str
) -> None:
    file = tmp_path / "tree.json"
    file.write_text(content)
    status, _, said = run("tab", "set-layout", "t", str(file))
    assert (status, said.startswith(f"signaltty: {file} {sentence}"), server.requests) == (1, True, [])
    stdin(content.encode())
    status, _, said = run("tab", "set-layout", "t", "-")
    assert (status, said.startswith(f"signaltty: standard input {sentence}"), server.requests) == (1, True, [])


def test_a_missing_file_is_named(run: Run, server: ScriptedServer) -> None:
    assert run("tab", "set-layout", "t", "/nowhere/x") == (
        1,
        "",
        "signaltty: cannot read /nowhere/x: No such file or directory\n",
    )
