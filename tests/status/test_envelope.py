"""The envelope: what is taken, what counts as absent, what is a fault, and which fault comes first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaltty_core.base.errors import BadParams
from signaltty_core.status.envelope import Event, is_url, read
from signaltty_core.wire.codec import encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def event(**more: Any) -> Event:
    return read({"version": 1, "event": "agent.needs-input", **more})


def reason(payload: dict[str, Any]) -> Any:
    with pytest.raises(BadParams) as caught:
        read(payload)
    return caught.value.message, caught.value.details["reason"]


def test_a_full_event_is_read_whole() -> None:
    found = event(
        agent={"name": " codex ", "pid": 12.9},
        session={"id": "s", "parentId": "p"},
        state={"text": " outer ", "stopCandidate": True, "interaction": {"kind": "auth", "text": "\x1b[1mSign in"}},
        progress={"done": 9, "total": 7.8},
        artifact={"kind": "share", "url": "https://e.com/x", "label": "L"},
        context={"workingDirectory": "/srv"},
    )
    assert {name: getattr(found, name) for name in Event.__slots__} == {
        "effect": "agent.needs-input",
        "session_id": "s",
        "parent_id": "p",
        "name": "Codex",
        "pid": 12,
        "cwd": "/srv",
        "text": "outer",
        "stop": True,
        "kind": "auth",
        "ask_text": "Sign in",
        "progress": {"done": 7, "total": 7},
        "empties_progress": False,
        "artifact": {"kind": "share", "label": "L", "url": "https://e.com/x"},
        "sent_ms": None,
        "sub_agent": False,
        "tools": [],
        "tasks": None,
    }


@pytest.mark.parametrize(
    ("payload", "message", "fault"),
    [
        ({}, "unsupported version none, expected 1", "version"),
        ({"version": None}, "unsupported version null, expected 1", "version"),
        ({"version": True, "event": "agent.idle"}, "unsupported version true, expected 1", "version"),
        ({"version": "1"}, 'unsupported version "1", expected 1', "version"),
        ({"version": 2, "event": "x"}, "unsupported version 2, expected 1", "version"),
        ({"version": 1, "event": 3}, 'the field "event" is missing', "missing_event"),
        ({"version": 1, "event": "agent.Idle"}, 'unknown event "agent.Idle"', "unknown_event"),
    ],
)
def test_version_comes_before_event(payload: dict[str, Any], message: str, fault: str) -> None:
    assert reason(payload) == (message, fault)


def test_total_comes_before_url_and_url_before_lengths() -> None:
    base: dict[str, Any] = {"version": 1, "event": "session.end"}
    long, url, total = {"session": {"id": "x" * 257}}, {"artifact": {"url": "no url"}}, {"progress": {"total": 0}}
    assert reason({**base, **long, **url, **total})[1] == "progress_total"
    assert reason({**base, **long, **url})[1] == "artifact_url"
    assert reason({**base, **long}) == ("session.id is longer than 256 bytes", "too_long")
    assert reason({**base, "session": {"parentId": "ä" * 129}})[0] == "session.parentId is longer than 256 bytes"
    assert read({**base, "session": {"id": "ä" * 128}}).session_id == "ä" * 128


@pytest.mark.parametrize("pid", [True, "7", 0, -3, 1 << 31, None, [7]])
def test_an_odd_pid_is_no_pid(pid: Any) -> None:
    assert event(agent={"pid": pid}).pid is None


@pytest.mark.parametrize("path", ["srv", "", "/a\0b", 3])
def test_a_directory_is_an_absolute_path(path: Any) -> None:
    assert event(context={"workingDirectory": path}).cwd is None


def test_a_session_is_not_its_own_parent() -> None:
    assert event(session={"id": "s", "parentId": " s "}).parent_id is None


@pytest.mark.parametrize(
    "progress", [{"done": 1}, {"total": 3}, {"done": True, "total": 3}, {"done": 1, "total": "3"}, []]
)
def test_half_a_counter_is_none(progress: Any) -> None:
    assert event(progress=progress).progress is None


@pytest.mark.parametrize(
    ("url", "valid"),
    [
        ("https://e.com", True),
        ("https://u:p@e.com:8080/a?b#c", True),
        ("http://[::1]:80/", True),
        ("HTTPS://e.com:/", True),
        ("mailto:x", True),
        ("foo/bar", False),
        ("1a:b", False),
        ("https:", False),
        ("https:x", False),
        ("https:///path", False),
        ("https://e.com/a b", False),
        ("https://e.com/a\x85", False),
        ("http://[", False),
        ("http://[]/", False),
        ("http://a]b/", False),
        ("http://h:99999/", False),
        ("http://h:8x/", False),
        ("http://h:-1/", False),
        ("https://e.com/" + "a" * 2034, True),
        ("https://e.com/" + "a" * 2035, False),
    ],
)
def test_urls(url: str, valid: bool) -> None:
    assert is_url(url) is valid


@given(st.dictionaries(st.sampled_from(["agent", "session", "state", "progress", "artifact", "context"]), JSON))
def test_any_object_is_an_event_or_one_of_the_known_faults(more: dict[str, Any]) -> None:
    try:
        found = event(**more)
    except BadParams as fault:
        assert fault.details["reason"] in ("progress_total", "artifact_url", "too_long")
    else:
        encode([getattr(found, name) for name in Event.__slots__])
