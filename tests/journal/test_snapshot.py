from __future__ import annotations

import json
from typing import Any

import pytest

from signaltty_core.journal.snapshot import BadSnapshot, build, encode_document, parse
from signaltty_core.state.world import TABLES, World

LIVE, ENDED = {"state": "live"}, {"state": "exited", "code": 0}


def tables() -> dict[str, dict[str, Any]]:
    made = World().tables
    made["workspaces"]["ws_1"] = {"id": "ws_1", "name": "é", "handle": "e", "cwd": "/", "tabs": ["tab_1"]}
    made["tabs"]["tab_1"] = {"id": "tab_1", "workspace_id": "ws_1", "title": "agents", "layout": None}
    made["panes"]["pane_1"] = {"id": "pane_1", "tab_id": "tab_1", "live": LIVE}
    made["panes"]["pane_2"] = {"id": "pane_2", "tab_id": "tab_1", "live": ENDED}
    made["instances"]["pane_1"] = {"id": "pane_1", "process_instance": "proc_1"}
    made["instances"]["pane_2"] = {"id": "pane_2", "process_instance": "proc_2"}
    made["baselines"]["b"] = {"id": "b"}
    made["intents"]["i"] = {"id": "i"}
    return made


def saved(given: dict[str, dict[str, Any]]) -> bytes:
    return encode_document(build(given, saved_at="T", through_seq=9, history={"pane_1": {"head": 4}}))


def test_the_document_has_the_documented_form() -> None:
    given = tables()

    assert json.loads(saved(given)) == {
        "version": 1,
        "saved_at": "T",
        "through_seq": 9,
        "history": {"pane_1": {"head": 4}},
        "instances": {"pane_1": given["instances"]["pane_1"]},
        "baselines": {"b": {"id": "b"}},
        "intents": {"i": {"id": "i"}},
        "workspaces": list(given["workspaces"].values()),
        "tabs": list(given["tabs"].values()),
        "panes": list(given["panes"].values()),
        "notifications": [],
        "tasks": [],
    }
    assert b'\n  "panes": [\n    {' in saved(given)


def test_it_reads_back_as_the_same_tables_but_for_facts_of_processes_that_ended() -> None:
    given = tables()

    loaded = parse(saved(given))

    del given["instances"]["pane_2"]
    assert loaded.tables == given
    assert (loaded.through_seq, loaded.history, loaded.warnings) == (9, {"pane_1": {"head": 4}}, [])


def test_fields_that_are_never_stored_are_not_written() -> None:
    given = tables()
    given["panes"]["pane_1"] = {
        **given["panes"]["pane_1"],
        "agent_status": {},
        "status_signals": 1,
        "program_status": 2,
    }

    assert parse(saved(given)).tables["panes"] == tables()["panes"]
    assert "agent_status" in given["panes"]["pane_1"]


def test_everything_but_the_version_may_be_missing() -> None:
    loaded = parse(b'{"version": 1}')

    assert (loaded.tables, loaded.through_seq, loaded.history) == ({name: {} for name in TABLES}, 0, {})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no JSON value"),
        (b"\0" * 300, "no JSON value"),
        (b"[]", "not an object"),
        (b"{}", "its version is None"),
        (b'{"version": 2}', "its version is 2"),
        (b'{"version": true}', "its version is True"),
        (b'{"version": 1} x', "extra text"),
        (b'{"version": 1', "delimiter"),
        (b'{"version": 1, "through_seq": "9"}', "through_seq"),
        (b'{"version": 1, "through_seq": 9007199254740992}', "through_seq"),
        (b'{"version": 1, "through_seq": ' + b"9" * 5000 + b"}", "integer"),
        (b'{"version": 1, "a": NaN}', "NaN"),
        (b'{"version": 1, "a": "\xff"}', "UTF-8"),
        (b'{"version": 1, "a": "' + b"x" * 300_000 + b'"} {}', "not JSON"),
        (b'{"version": 1, "a": ' + b"[" * 300_000, "not JSON"),
    ],
)
def test_what_is_no_snapshot_of_ours_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(BadSnapshot, match=reason):
        parse(data)


def test_a_large_document_is_read_like_a_small_one() -> None:
    given = tables()
    for number in range(2000):
        given["notifications"][f"n{number}"] = {"id": f"n{number}", "title": "x" * 200, "deep": [[[]]]}

    loaded = parse(saved(given))

    assert loaded.tables["notifications"] == given["notifications"]


def test_entries_that_are_no_records_are_left_out_with_a_warning() -> None:
    loaded = parse(b'{"version": 1, "tabs": [5, {"id": 3}, {"id": "tab_1"}], "history": {"p": 1, "q": {"head": 2}}}')

    assert loaded.tables["tabs"] == {"tab_1": {"id": "tab_1"}}
    assert loaded.history == {"q": {"head": 2}}
    assert loaded.warnings == ["snapshot: an entry of tabs is no record; dropped"] * 2


def test_signs_of_life_reach_the_disk_here() -> None:
    given = tables()
    given["panes"]["pane_1"]["last_activity_at"] = "2026-10-09T12:00:00.000Z"
    given["panes"]["pane_2"]["last_activity_at"] = "2026-10-09T12:00:00.000Z"
    activity = {"pane_1": 1791547260.5, "pane_2": 1.0, "gone": 5.0}
    document = build(given, saved_at="T", through_seq=9, history={}, activity=activity)
    assert [pane["last_activity_at"] for pane in document["panes"]] == [
        "2026-10-09T12:01:00.500Z",
        "2026-10-09T12:00:00.000Z",
    ]
    assert given["panes"]["pane_1"]["last_activity_at"] == "2026-10-09T12:00:00.000Z"


def test_what_was_heard_of_living_processes_reaches_the_disk_here() -> None:
    given = tables()
    heard = {id: {**given["instances"][id], "hearing": {"said_at": 1.5}} for id in ("pane_1", "pane_2")}
    document = build(given, saved_at="T", through_seq=9, history={}, heard=heard)
    assert document["instances"] == {"pane_1": heard["pane_1"]}
    assert "hearing" not in given["instances"]["pane_1"]
