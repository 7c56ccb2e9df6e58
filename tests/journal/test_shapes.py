"""Odd values in stored records: each one goes, nothing else does, and what is left can be shown."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from signaltty_core.journal.repair import repair
from signaltty_core.journal.shapes import odd_fields
from signaltty_core.state import hearing, speech
from signaltty_core.state.records import instance
from signaltty_core.state.tasks import new
from signaltty_core.terminal.scanner import Mark, Progress, Report
from tests.fake import Stage

Tables = dict[str, dict[str, dict[str, Any]]]
GROUND = speech.Ground(lambda noun: f"{noun}_x", lambda: 900, lambda path, host: None, lambda draft, pane_id: None)
QUESTION = {"id": "d1", "prompt": "Which?", "options": [{"id": "a", "label": "A"}]}
JUNK = [None, 5, -1, 1.5, True, "x", "", [], [5], [{}], [[]], {}, {"a": 1}, "\0", float("1e300")]


def stored() -> Tables:
    """All that a busy server has, as it comes back from disk."""
    stage = Stage()
    claude, other, gone = stage.pane(), stage.pane("generic"), stage.pane("generic")
    stage.hook(claude, "UserPromptSubmit", {"session_id": "s1", "prompt": "go"})
    stage.hook(claude, "Notification", {"session_id": "s1"}, decision=QUESTION)
    said = [Mark("D", 3, ()), Progress(40, "normal"), Report(b"state=blocked:kind=auth:id=a:msg=YQ")]
    stage.change(speech.heed, other, said, GROUND)
    stage.change(speech.end_child, gone, 3, None)
    stage.ask("notify", title="t", pane_id=other)
    draft = stage.draft()
    draft.put("tasks", new("t1", context_id="c", label="l", contract={"objective": "x"}, at=1.0))
    draft.put("baselines", {"id": "ws_0", "pane_id": claude, "seq": 1, "started_at": "T", "tree": "abc"})
    draft.put("intents", {"id": "i1", "kind": "merge", "repo": "/x"})
    stage.commit(draft)
    found: Tables = json.loads(
        json.dumps(stage.world.tables | {"instances": {**stage.world.instances, **hearing.saved(stage.world)}})
    )
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, inner in below:
        found += [(*path, key), *places(inner, (*path, key))]
    return [place for place in found if len(place) > 2 and place[2] != "id"] if not path else found


def damaged(tables: Tables, place: tuple[Any, ...], value: Any) -> Tables:
    made: Any = deepcopy(tables)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made  # type: ignore[no-any-return]


def test_what_a_server_stores_is_left_as_it_is() -> None:
    tables = stored()
    assert repair(tables) == []
    assert tables == stored()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_stands_in_a_field_every_pane_can_be_shown(seed: int) -> None:
    chance = random.Random(seed)
    tables = stored()
    for place in chance.sample(places(tables), 60):
        given = damaged(tables, place, chance.choice(JUNK))
        repair(given)
        assert not [odd for table, rows in given.items() for row in rows.values() for odd in odd_fields(table, row)], (
            place
        )
        stage = Stage()
        stage.world.tables = given
        for method in ("workspace.list", "pane.list", "notification.list", "task.list"):
            stage.ask(method)
        for pane_id in given["panes"]:
            # as a start completes them
            given["instances"][pane_id] = instance(pane_id, "proc_x", 1, {}) | given["instances"].get(pane_id, {})
            stage.ask("pane.get", pane_id=pane_id)


def test_a_field_that_cannot_be_used_goes_with_a_warning_and_a_record_without_its_needs_too() -> None:
    tables = stored()
    tables["panes"]["pane_0"]["pending_decision"] = 5
    tables["panes"]["pane_1"]["live"] = {"state": "dead"}
    tables["tasks"]["t1"]["state"] = "lost"
    assert repair(tables)[:4] == [
        "pane pane_0: pending_decision cannot be used; dropped",
        "pane pane_1: live cannot be used; dropped",
        "pane pane_1 is incomplete; dropped",
        "task t1: state cannot be used; dropped",
    ]
    assert (list(tables["panes"]), tables["tasks"]) == (["pane_0", "pane_2"], {})
    assert "pending_decision" not in tables["panes"]["pane_0"]
