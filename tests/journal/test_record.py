from __future__ import annotations

import json
from typing import Any

from signaltty_core.journal.record import is_fleeting, lines, parse, seq_of
from signaltty_core.wire.codec import encode

AT = "2026-10-09T12:34:56.789Z"


def read(data: bytes) -> list[dict[str, object]]:
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def test_a_record_that_a_payload_carries_is_not_written_twice() -> None:
    pane: dict[str, Any] = {"id": "pane_1", "title": "x"}
    instance: dict[str, Any] = {"id": "pane_1", "spoken": []}
    payload = {"pane": pane}
    records = {"panes": {"pane_1": pane}, "instances": {"pane_1": instance}}

    assert read(lines(7, [("pane.created", encode(payload))], [payload], records, [], AT)) == [
        {"seq": 7, "event": "pane.created", "payload": payload, "at": AT, "records": {"instances": [instance]}}
    ]


PERCENT = {"kind": "percent", "value": 4, "state": "normal", "source": "osc9_4"}
COUNT = {"kind": "count", "done": 1, "total": 2, "source": "agent-event"}


def test_what_waits_for_the_snapshot_is_left_out_of_an_instance() -> None:
    """persistence §4.2."""
    words = {"sources": {"osc7501": {}}, "program": {}, "hearing": {}, "progress": {"osc9_4": PERCENT}}
    (line,) = read(lines(1, [], [], {"instances": {"p": {"id": "p", "spoken": ["osc7501"], **words}}}, [], AT))
    assert line["records"] == {"instances": [{"id": "p", "spoken": ["osc7501"]}]}


def test_percentages_are_left_out_of_a_record_and_counters_are_not() -> None:
    told = {"osc9_4": PERCENT, "agent-event": COUNT}
    records: dict[str, dict[str, dict[str, Any]]] = {
        "instances": {"p": {"id": "p", "progress": told}},
        "panes": {"p": {"id": "p", "progress": PERCENT}, "q": {"id": "q", "progress": COUNT}},
    }
    (line,) = read(lines(1, [], [], records, [], AT))
    assert line["records"] == {
        "instances": [{"id": "p", "progress": {"agent-event": COUNT}}],
        "panes": [{"id": "p"}, {"id": "q", "progress": COUNT}],
    }


def test_a_change_is_fleeting_when_all_it_changes_waits_for_the_snapshot() -> None:
    before: dict[str, Any] = {"id": "p", "spoken": [], "sources": {}}
    assert is_fleeting("instances", before, {**before, "sources": {"hook": {"value": "x"}}, "program": {"id": "a"}})
    assert is_fleeting("instances", before, {**before, "progress": {"osc9_4": PERCENT}})
    assert not is_fleeting("instances", before, {**before, "progress": {"agent-event": COUNT}})
    assert not is_fleeting("instances", before, {**before, "spoken": ["hook"]})
    assert not is_fleeting("instances", None, before)


def test_of_a_pane_only_percentages_and_times_of_activity_wait() -> None:
    before: dict[str, Any] = {"id": "p", "title": "x", "last_activity_at": "1"}
    assert is_fleeting("panes", before, {**before, "progress": PERCENT, "last_activity_at": "2"})
    assert is_fleeting("panes", {**before, "progress": PERCENT}, before)
    assert not is_fleeting("panes", {**before, "progress": COUNT}, before)
    assert not is_fleeting("panes", before, {**before, "last_seen_at": "2"})
    assert not is_fleeting("notifications", before, before)


def test_facts_of_a_process_that_nobody_is_told_of_wait_as_long_as_it_is_the_same() -> None:
    before: dict[str, Any] = {"id": "p", "process_instance": "one", "spoken": []}
    assert is_fleeting("instances", before, {**before, "spoken": ["hook"]}, replied=False)
    assert not is_fleeting("instances", before, {**before, "process_instance": "two"}, replied=False)
    assert not is_fleeting("panes", before, {**before, "title": "x"}, replied=False)


def test_an_equal_copy_in_a_payload_does_not_count_as_carried() -> None:
    pane = {"id": "pane_1", "title": "x"}
    payload = {"pane": dict(pane)}

    written = read(lines(1, [("pane.updated", encode(payload))], [payload], {"panes": {"pane_1": pane}}, [], AT))

    assert written[0]["records"] == {"panes": [pane]}


def test_a_later_payload_with_another_version_brings_the_record_back_into_the_last_line() -> None:
    pane = {"id": "pane_1", "title": "new"}
    payloads = [{"pane": pane}, {"pane": {"id": "pane_1", "title": "old"}}]
    events = [("pane.created", encode(payloads[0])), ("pane.updated", encode(payloads[1]))]

    written = read(lines(1, events, payloads, {"panes": {"pane_1": pane}}, [], AT))

    assert "records" not in written[0]
    assert written[1]["records"] == {"panes": [pane]}


def test_the_last_line_of_a_change_carries_records_and_removed() -> None:
    events = [("a", "{}"), ("b", "{}")]

    assert read(lines(5, events, [{}, {}], {}, ["pane_1"], AT)) == [
        {"seq": 5, "event": "a", "payload": {}, "at": AT},
        {"seq": 6, "event": "b", "payload": {}, "at": AT, "records": {"removed": ["pane_1"]}},
    ]


def test_a_change_without_events_is_one_line_with_a_number_and_no_event() -> None:
    pane = {"id": "pane_1", "last_seen_at": AT}

    assert read(lines(9, [], [], {"panes": {"pane_1": pane}}, [], AT)) == [
        {"seq": 9, "event": None, "payload": {}, "at": AT, "records": {"panes": [pane]}}
    ]


def test_any_text_stays_on_one_ascii_line() -> None:
    row = {"id": "x", "text": "a\nb\u2028c\ud800\x00"}

    data = lines(1, [], [], {"tasks": {"x": row}}, [], AT)

    assert data.isascii() and data.count(b"\n") == 1 and b"\0" not in data
    line = parse(data[:-1])
    assert line is not None and line.records == {"tasks": [row]}


def test_only_whole_journal_lines_are_read() -> None:
    good = b'{"seq":3,"event":"a","payload":{},"at":"t","records":{"panes":[{"id":"p"}],"removed":["q"],"new":5}}'
    line = parse(good)
    assert line is not None
    assert (line.seq, line.event, line.closes, line.records, line.removed) == (
        3,
        "a",
        True,
        {"panes": [{"id": "p"}]},
        ["q"],
    )
    for bad in (
        b"",
        b"[]",
        b"null",
        b"\xff",
        good[:-1],
        good + b"x",
        good.replace(b"3", b"true", 1),
        good.replace(b"3", b"0", 1),
        good.replace(b"3", b"9007199254740992", 1),
        good.replace(b"3", b"9" * 5000, 1),
        good.replace(b'"a"', b"7", 1),
        good.replace(b'"payload":{}', b'"payload":[]'),
        good.replace(b'{"id":"p"}', b'{"id":7}'),
        good.replace(b'["q"]', b"[1]"),
        good.replace(b'[{"id":"p"}]', b"{}"),
    ):
        assert parse(bad) is None, bad


def test_the_number_is_read_off_the_outward_shape_alone() -> None:
    assert seq_of(b'{"seq":12,"event":"a"}') == 12
    for other in (b"", b'{"seq":12,"event":"a"', b'{"seq":x,"e":1}', b'{"event":"a","seq":12}', b'{"seq":12}'):
        assert seq_of(other) is None, other
